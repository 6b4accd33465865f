/*
 * Enumerations: classes of objects with a fixed set of named members, which all languages of the process share.
 *
 *   class ColorObj : public ffi::EnumObj {
 *    public:
 *     int64_t rgb = 0;
 *     TRANSOM_DECLARE_OBJECT_INFO_FINAL("paint.Color", ColorObj, ffi::EnumObj);
 *   };
 *   class Color : public ffi::Enum {
 *    public:
 *     TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Color, ffi::Enum, ColorObj);
 *   };
 *   TRANSOM_STATIC_INIT_BLOCK() {
 *     refl::ObjectDef<ColorObj>().def_ro("rgb", &ColorObj::rgb);
 *     refl::EnumDef<ColorObj>("red")->rgb = 0xff0000;
 *     refl::EnumDef<ColorObj>("green").attr("nice", true)->rgb = 0x00ff00;
 *   }
 *   Color red = refl::EnumMember<Color>("red");  // or by its number: refl::EnumMember<Color>(0)
 *
 * Members compare by identity, structurally too. They live as long as the process.
 */
#ifndef TRANSOM_REFLECTION_ENUM_H_
#define TRANSOM_REFLECTION_ENUM_H_

#include <transom/containers/array.h>
#include <transom/containers/detail/key_text.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/string.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/any.h>
#include <transom/runtime/any_hash.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace transom {

/* A member of an enumeration. Classes of members derive from it, or from one of the two below. */
class EnumObj : public Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;

  int64_t int_index = 0;  // number of the member: unique in its enumeration
  String str_index;       // name of the member: unique in its enumeration

  TRANSOM_DECLARE_OBJECT_INFO("ffi.Enum", EnumObj, Object);
};

/* A member whose number is its value. */
class IntEnumObj : public EnumObj {
 public:
  int64_t value() const noexcept { return int_index; }
  TRANSOM_DECLARE_OBJECT_INFO("ffi.IntEnum", IntEnumObj, EnumObj);
};

/* A member whose name is its value. */
class StrEnumObj : public EnumObj {
 public:
  const String& value() const noexcept { return str_index; }
  TRANSOM_DECLARE_OBJECT_INFO("ffi.StrEnum", StrEnumObj, EnumObj);
};

static_assert(sizeof(EnumObj) == 48 && sizeof(IntEnumObj) == 48 && sizeof(StrEnumObj) == 48,
              "layout of the C contract");

/* References to members. Safe to share between threads. */
class Enum : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Enum, ObjectRef, EnumObj);
};
class IntEnum : public Enum {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(IntEnum, Enum, IntEnumObj);
};
class StrEnum : public Enum {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StrEnum, Enum, StrEnumObj);
};

/* The members of one enumeration: value of the type attribute `__ffi_enum__` of its class. */
class EnumStateObj : public Object {
 public:
  List<ObjectRef> entries;                   // members as registered
  Dict<Any, ObjectRef> indexes;              // from number and from name
  Dict<String, Dict<ObjectRef, Any>> attrs;  // from attribute and member to the attribute's value

  TRANSOM_DECLARE_OBJECT_INFO("ffi.EnumState", EnumStateObj, Object);
};

static_assert(sizeof(EnumStateObj) == 48, "layout of the C contract");

class EnumState : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(EnumState, ObjectRef, EnumStateObj);
};

namespace reflection {
namespace detail {

inline constexpr const char* kEnumAttr = "__ffi_enum__";

/* Describes the four classes above to the type table, unless its provider has done so. Once per process; thread-safe.
 */
inline void RegisterEnumTypes() {
  auto is_new = [](int32_t type_index) { return TVMFFIGetTypeInfo(type_index)->metadata == nullptr; };
  static const bool once = [&] {
    if (is_new(EnumStateObj::RuntimeTypeIndex())) {
      ObjectDef<EnumStateObj>()
          .def_ro("entries", &EnumStateObj::entries, "Members in the order of registration", InitOff())
          .def_ro("indexes", &EnumStateObj::indexes, "Members by number and by name", InitOff())
          .def_ro("attrs", &EnumStateObj::attrs, "Values of attributes by name and member", InitOff())
          .def(init<>());
    }
    if (is_new(EnumObj::RuntimeTypeIndex())) {
      ObjectDef<EnumObj>()
          .no_init()
          .def_ro("_int_index", &EnumObj::int_index, "Number of the member", SEqHashIgnore())
          .def_ro("_str_index", &EnumObj::str_index, "Name of the member");
    }
    if (is_new(IntEnumObj::RuntimeTypeIndex())) {
      ObjectDef<IntEnumObj>().no_init().def_ro("value", &EnumObj::int_index, "Number of the member", InitOff(),
                                               SEqHashIgnore());
    }
    if (is_new(StrEnumObj::RuntimeTypeIndex())) {
      ObjectDef<StrEnumObj>().no_init().def_ro("value", &EnumObj::str_index, "Name of the member", InitOff(),
                                               SEqHashIgnore());
    }
    return true;
  }();
  static_cast<void>(once);
}

/* The members of the enumeration of that type index, or nothing. */
inline std::optional<EnumState> FindEnumState(int32_t type_index) {
  static const TVMFFITypeAttrColumn* const column = transom::detail::TypeAttrColumn(kEnumAttr);
  const TVMFFIAny* state = transom::detail::FindTypeAttr(column, type_index);
  if (state == nullptr) return std::nullopt;
  return AnyView::FromRaw(*state).cast<EnumState>();
}

/* The same; made when there is none. */
inline EnumState GetOrMakeEnumState(int32_t type_index) {
  if (std::optional<EnumState> state = FindEnumState(type_index)) return *std::move(state);
  RegisterEnumTypes();
  EnumState state(make_object<EnumStateObj>());
  RegisterAttr(type_index, kEnumAttr, state);
  return state;
}

/* Adds a member that has its name already. */
inline void AddEnumMember(const EnumState& state, EnumObj* member, std::optional<int64_t> number) {
  member->int_index = number.has_value() ? *number : state->entries.size();
  ObjectRef ref{GetObjectPtr(static_cast<Object*>(member))};
  for (const Any& index : {Any(member->int_index), Any(member->str_index)}) {
    TRANSOM_CHECK(!state->indexes.contains(index), ValueError)
        << "Enum `" << member->GetTypeKey() << "` has a member `" << transom::detail::PlainKeyText(*index.raw())
        << "` already";
  }
  // Copies of a List or Dict are the same one.
  Dict<Any, ObjectRef> indexes = state->indexes;
  indexes.set(member->int_index, ref);
  indexes.set(member->str_index, ref);
  List<ObjectRef> entries = state->entries;
  entries.push_back(std::move(ref));
}

}  // namespace detail

/*
 * Adds one member to the enumeration of class T, which derives from EnumObj and has a default constructor. Not
 * thread-safe against other uses of the same enumeration: register members while the library is loaded.
 */
template <class T>
class EnumDef {
 public:
  /* `number` is, where it is not given, the number of members so far. ValueError: the enumeration has a member of that
   * name or number. */
  explicit EnumDef(std::string_view name, std::optional<int64_t> number = std::nullopt)
      : state_(detail::GetOrMakeEnumState(T::RuntimeTypeIndex())), member_(make_object<T>()) {
    static_assert(std::is_base_of_v<EnumObj, T>, "members of an enumeration derive from EnumObj");
    member_->str_index = String(name);
    detail::AddEnumMember(state_, member_.get(), number);
  }
  /* Gives the member a value of an attribute of the enumeration; again: another value. */
  EnumDef& attr(std::string_view name, Any value) {
    Dict<String, Dict<ObjectRef, Any>> attrs = state_->attrs;
    String key(name);
    Dict<ObjectRef, Any> values = attrs.contains(key) ? attrs.at(key) : Dict<ObjectRef, Any>();
    values.set(ObjectRef(member_), std::move(value));
    attrs.set(std::move(key), std::move(values));
    return *this;
  }
  /* The member, to set fields of its own. */
  T* operator->() const noexcept { return member_.get(); }

 private:
  EnumState state_;
  ObjectPtr<T> member_;
};

/* Members of the enumeration of reference class Ref, as registered; empty when it has none. */
template <class Ref>
Array<Ref> EnumMembers() {
  std::optional<EnumState> state = detail::FindEnumState(Ref::ContainerType::RuntimeTypeIndex());
  return state.has_value() ? Any((*state)->entries).cast<Array<Ref>>() : Array<Ref>();
}

/* The member with that number or name, or nothing. Constant time. */
template <class Ref>
std::optional<Ref> FindEnumMember(const Any& index) {
  std::optional<EnumState> state = detail::FindEnumState(Ref::ContainerType::RuntimeTypeIndex());
  if (!state.has_value()) return std::nullopt;
  Optional<ObjectRef> member = (*state)->indexes.get(index);
  return member.has_value() ? (*member).as<Ref>() : std::nullopt;
}

/* The same. ValueError: the enumeration has no such member. */
template <class Ref>
Ref EnumMember(const Any& index) {
  if (std::optional<Ref> member = FindEnumMember<Ref>(index)) return *std::move(member);
  TRANSOM_THROW(ValueError) << "Enum `" << Ref::ContainerType::_type_key << "` has no member `"
                            << transom::detail::PlainKeyText(*index.raw()) << "`";
}

/* Value of an attribute of a member, or None. */
inline Any EnumAttr(const Enum& member, std::string_view name) {
  std::optional<EnumState> state = detail::FindEnumState(member->type_index());
  if (!state.has_value()) return Any();
  Optional<Dict<ObjectRef, Any>> values = (*state)->attrs.get(String(name));
  if (!values.has_value()) return Any();
  return (*values).get(member).value_or(Any());
}

}  // namespace reflection
}  // namespace transom

#endif  // TRANSOM_REFLECTION_ENUM_H_
