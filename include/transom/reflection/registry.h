/*
 * Registration of types and functions for all languages of the process.
 *
 *   class IntImmNode : public PrimExprNode {
 *    public:
 *     int64_t value;
 *     static void RegisterReflection() {
 *       refl::ObjectDef<IntImmNode>().def_ro("value", &IntImmNode::value, "The number.");
 *     }
 *     TRANSOM_DECLARE_OBJECT_INFO_FINAL("ir.IntImm", IntImmNode, PrimExprNode);
 *   };
 *   TRANSOM_STATIC_INIT_BLOCK() { IntImmNode::RegisterReflection(); }
 *
 * A type is registered once, before objects of it are used. Errors are thrown; where registration runs before main
 * they end the program with their text.
 */
#ifndef TRANSOM_REFLECTION_REGISTRY_H_
#define TRANSOM_REFLECTION_REGISTRY_H_

#include <transom/reflection/field_options.h>
#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>
#include <transom/runtime/object.h>
#include <transom/runtime/object_block.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace transom {
namespace reflection {

/* The constructor T(Args...), for ObjectDef::def: front ends create objects with it. */
template <class... Args>
struct init {
  template <class T>
  static ObjectPtr<T> Create(Args... args) {
    return make_object<T>(std::forward<Args>(args)...);
  }
};

namespace detail {

using transom::detail::Bare;
using transom::detail::CallableTraits;
using transom::detail::ToByteArray;

/* {"type_schema": "<the schema as a JSON string>"}. */
inline std::string SchemaMetadata(std::string_view schema) {
  std::string result = "{\"type_schema\":\"";
  for (char c : schema) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"}";
}

template <class Field>
int GetFieldValue(void* address, TVMFFIAny* result) {
  TRANSOM_SAFE_CALL_BEGIN();
  TypeTraits<Field>::ToOwned(*static_cast<const Field*>(address), result);
  TRANSOM_SAFE_CALL_END();
}

template <class Field>
int SetFieldValue(void* address, const TVMFFIAny* value) {
  TRANSOM_SAFE_CALL_BEGIN();
  *static_cast<Field*>(address) = transom::detail::CastOrThrow<Field>(value);
  TRANSOM_SAFE_CALL_END();
}

/* Distance of a member of T, or of one of its bases, from the object header. */
template <class T, class Class, class Field>
int64_t OffsetOf(Field Class::*member) {
  alignas(T) static char memory[sizeof(T)];
  auto* object = reinterpret_cast<T*>(memory);
  return reinterpret_cast<const char*>(&(object->*member)) -
         reinterpret_cast<const char*>(static_cast<const Object*>(object));
}

/* Calls a method on the first argument. */
template <class T, class Method>
struct MethodCaller;
template <class T, class R, class Class, class... Args>
struct MethodCaller<T, R (Class::*)(Args...) const> {
  R (Class::*method)(Args...) const;
  R operator()(const T* self, Args... args) const {
    TRANSOM_CHECK(self != nullptr, TypeError) << "Expected a `" << T::_type_key << "` as self but got `None`";
    return (self->*method)(std::forward<Args>(args)...);
  }
};
template <class T, class R, class Class, class... Args>
struct MethodCaller<T, R (Class::*)(Args...)> {
  R (Class::*method)(Args...);
  R operator()(T* self, Args... args) const {
    TRANSOM_CHECK(self != nullptr, TypeError) << "Expected a `" << T::_type_key << "` as self but got `None`";
    return (self->*method)(std::forward<Args>(args)...);
  }
};

/* A callable whose first argument is self: methods are wrapped, others stay as they are. */
template <class T, class F>
auto WithSelf(F callable) {
  if constexpr (std::is_member_function_pointer_v<F>) {
    return MethodCaller<T, F>{callable};
  } else {
    return callable;
  }
}

/* Registers the record of a field. */
inline void RegisterField(int32_t type_index, std::string_view name, const Options& options, const std::string& schema,
                          TVMFFIFieldInfo info) {
  std::string metadata = SchemaMetadata(schema);
  info.name = ToByteArray(name);
  info.doc = ToByteArray(options.doc);
  info.metadata = ToByteArray(metadata);
  info.flags |= options.flags;
  info.default_value_or_factory = *options.default_value.raw();
  CheckCall(TVMFFITypeRegisterField(type_index, &info));
}

/* Record of a function with its doc and schema. What it points to must outlive its use. */
inline TVMFFIMethodInfo MethodRecord(std::string_view name, const Options& options, const std::string& metadata,
                                     const Function& function) {
  TVMFFIMethodInfo info{};
  info.name = ToByteArray(name);
  info.doc = ToByteArray(options.doc);
  info.metadata = ToByteArray(metadata);
  info.flags = options.flags;
  info.method = *AnyView(function).raw();
  return info;
}

inline void RegisterAttr(int32_t type_index, std::string_view name, const Any& value) {
  TVMFFIByteArray text = ToByteArray(name);
  CheckCall(TVMFFITypeRegisterAttr(type_index, &text, value.raw()));
}

template <class T>
int CreateObject(TVMFFIObjectHandle* result) {
  TRANSOM_SAFE_CALL_BEGIN();
  ObjectPtr<T> obj = make_object<T>();
  *result = transom::detail::ObjectAccess::Release(&obj);
  TRANSOM_SAFE_CALL_END();
}

}  // namespace detail

/* Registers class T of objects: its structural kind, size, fields and methods. Complete when the last call of the chain
 * returns. RuntimeError: T is registered already. InternalError: a field's name repeats. TypeError: T has no type key
 * of its own. */
template <class T>
class ObjectDef {
 public:
  /* `doc` describes the type. */
  explicit ObjectDef(std::string_view doc = "") : type_index_(T::RuntimeTypeIndex()) {
    TRANSOM_CHECK((std::is_same_v<T, typename T::DeclaredClass>), TypeError)
        << "A class derived from that of `" << T::_type_key
        << "` is registered without a type key of its own; declare it with TRANSOM_DECLARE_OBJECT_INFO";
    TVMFFITypeMetadata metadata{};
    metadata.doc = detail::ToByteArray(doc);
    metadata.total_size = static_cast<int32_t>(sizeof(T));
    metadata.structural_eq_hash_kind = T::_type_s_eq_hash_kind;
    if constexpr (std::is_default_constructible_v<T>) metadata.creator = &detail::CreateObject<T>;
    CheckCall(TVMFFITypeRegisterMetadata(type_index_, &metadata));
  }
  ObjectDef(const ObjectDef&) = delete;
  ObjectDef& operator=(const ObjectDef&) = delete;
  ~ObjectDef() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_at_start_) Finish();
  }

  /* A field that front ends only read. Options: doc (const char*), DefaultValue, DefaultFactory, FieldFlag. */
  template <class Class, class Field, class... Option>
  ObjectDef& def_ro(std::string_view name, Field Class::*member, const Option&... option) {
    return DefField(name, member, 0, detail::CollectOptions(option...));
  }
  /* A field that front ends may assign. */
  template <class Class, class Field, class... Option>
  ObjectDef& def_rw(std::string_view name, Field Class::*member, const Option&... option) {
    return DefField(name, member, kTVMFFIFieldFlagBitMaskWritable, detail::CollectOptions(option...));
  }

  /* A method: a member function, or a callable with the object as first argument. Option: doc. */
  template <class F, class... Option>
  ObjectDef& def(std::string_view name, F callable, const Option&... option) {
    DefMethod(name, detail::WithSelf<T>(std::move(callable)), detail::CollectOptions(option...));
    return *this;
  }
  /* The constructor T(Args...): def(refl::init<int64_t, String>()). Once per type. */
  template <class... Args, class... Option>
  ObjectDef& def(init<Args...>, const Option&... option) {
    detail::Options options = detail::CollectOptions(option...);
    options.flags |= kTVMFFIFieldFlagBitMaskIsStaticMethod;
    ObjectPtr<T> (*create)(Args...) = &init<Args...>::template Create<T>;
    Function function = DefMethod("__ffi_init__", create, options);
    detail::RegisterAttr(type_index_, "__ffi_init__", function);
    has_init_ = true;
    return *this;
  }
  /* The type gets no automatic constructor. */
  ObjectDef& no_init() {
    has_init_ = true;
    return *this;
  }
  /* A function that belongs to the type but takes no object. */
  template <class F, class... Option>
  ObjectDef& def_static(std::string_view name, F callable, const Option&... option) {
    detail::Options options = detail::CollectOptions(option...);
    options.flags |= kTVMFFIFieldFlagBitMaskIsStaticMethod;
    DefMethod(name, std::move(callable), options);
    return *this;
  }

 private:
  template <class Class, class Field>
  ObjectDef& DefField(std::string_view name, Field Class::*member, int64_t flags, const detail::Options& options) {
    static_assert(std::is_base_of_v<Class, T>, "the field must be a member of the class or of a base");
    static_assert(TypeTraits<Field>::kStorable,
                  "a field needs a type whose memory other languages can read, such as String for std::string and "
                  "Optional for std::optional");
    constexpr int32_t kIndex = TypeTraits<Field>::kFieldTypeIndex;
    static_assert(kIndex < kTVMFFIObject || sizeof(Field) == sizeof(void*), "a reference is one pointer in size");
    if ((options.flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0 &&
        (options.flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) == 0) {
      static_cast<void>(transom::detail::CastOrThrow<Field>(options.default_value.raw()));
    }
    TVMFFIFieldInfo info{};
    info.flags = flags;
    info.size = sizeof(Field);
    info.alignment = alignof(Field);
    info.offset = detail::OffsetOf<T>(member);
    info.getter = &detail::GetFieldValue<Field>;
    info.setter = reinterpret_cast<void*>(&detail::SetFieldValue<Field>);
    info.field_static_type_index = kIndex;
    detail::RegisterField(type_index_, name, options, TypeTraits<Field>::Schema(), info);
    return *this;
  }

  template <class F>
  Function DefMethod(std::string_view name, F callable, const detail::Options& options) {
    std::string metadata = detail::SchemaMetadata(detail::CallableTraits<F>::Schema());
    Function function = Function::FromTyped(std::move(callable), std::string(T::_type_key).append(".").append(name));
    TVMFFIMethodInfo info = detail::MethodRecord(name, options, metadata, function);
    CheckCall(TVMFFITypeRegisterMethod(type_index_, &info));
    return function;
  }

  void Finish() {
    std::string prefix = std::string(T::_type_key) + ".";
    if constexpr (std::is_copy_constructible_v<T>) {
      auto copy = [](const T* self) {
        TRANSOM_CHECK(self != nullptr, TypeError) << "Expected a `" << T::_type_key << "` to copy but got `None`";
        return make_object<T>(*self);
      };
      detail::RegisterAttr(type_index_, "__ffi_shallow_copy__",
                           Function::FromTyped(copy, prefix + "__ffi_shallow_copy__"));
    }
    if constexpr (std::is_default_constructible_v<T>) {
      detail::RegisterAttr(type_index_, "__ffi_new__",
                           Function::FromTyped([] { return make_object<T>(); }, prefix + "__ffi_new__"));
      if constexpr (transom::detail::kFitsInBlock<T>) {
        auto* layout = const_cast<transom::detail::BlockLayout*>(transom::detail::BlockLayoutOf<T>());
        detail::RegisterAttr(type_index_, transom::detail::kBlockLayoutAttr, Any(static_cast<void*>(layout)));
      }
      if (has_init_) return;
      // The automatic constructor exists where the provider of the C contract brings it.
      if (std::optional<Function> make_init = Function::GetGlobal("ffi._RegisterFFIInit")) (*make_init)(type_index_);
    }
  }

  int32_t type_index_;
  bool has_init_ = false;  // or needs none
  int exceptions_at_start_ = std::uncaught_exceptions();
};

/* Sets attributes of type T, such as the hooks of comparison: values, or callables, which become Functions.
 * RuntimeError: T has a value of that name already. */
template <class T>
class TypeAttrDef {
 public:
  template <class Value>
  TypeAttrDef& def(std::string_view name, Value value) {
    int32_t type_index = T::RuntimeTypeIndex();
    if constexpr (TypeTraits<Value>::kConvertible) {
      detail::RegisterAttr(type_index, name, Any(std::move(value)));
    } else {
      std::string full_name = std::string(T::_type_key).append(".").append(name);
      detail::RegisterAttr(type_index, name,
                           Function::FromTyped(detail::WithSelf<T>(std::move(value)), std::move(full_name)));
    }
    return *this;
  }
};

/* Registers global functions with doc and schema. RuntimeError: the name is taken. */
class GlobalDef {
 public:
  /* What follows in the chain replaces functions that have the names already. */
  GlobalDef& set_override() {
    override_ = true;
    return *this;
  }
  /* A typed callable. Option: doc. */
  template <class F, class... Option>
  GlobalDef& def(std::string_view name, F callable, const Option&... option) {
    std::string schema = detail::CallableTraits<F>::Schema();
    return Register(name, Function::FromTyped(std::move(callable), std::string(name)), schema,
                    detail::CollectOptions(option...));
  }
  /* A callable that takes its arguments as they come (see Function::FromPacked). */
  template <class F, class... Option>
  GlobalDef& def_packed(std::string_view name, F callable, const Option&... option) {
    return Register(name, Function::FromPacked(std::move(callable)), transom::detail::SchemaOf("ffi.Function"),
                    detail::CollectOptions(option...));
  }
  /* A method of class T, with the object as first argument. */
  template <class T, class Method, class... Option>
  GlobalDef& def_method(std::string_view name, Method T::*method, const Option&... option) {
    return def(name, detail::WithSelf<T>(method), option...);
  }

 private:
  GlobalDef& Register(std::string_view name, const Function& function, const std::string& schema,
                      detail::Options options) {
    options.flags |= kTVMFFIFieldFlagBitMaskIsStaticMethod;
    std::string metadata = detail::SchemaMetadata(schema);
    TVMFFIMethodInfo info = detail::MethodRecord(name, options, metadata, function);
    CheckCall(TVMFFIFunctionSetGlobalFromMethodInfo(&info, override_ ? 1 : 0));
    return *this;
  }

  bool override_ = false;
};

}  // namespace reflection
}  // namespace transom

/* At namespace scope: a block that runs while the library or program is loaded, for registrations. */
#define TRANSOM_STATIC_INIT_BLOCK() TRANSOM_STATIC_INIT_BLOCK_NAMED(TRANSOM_CONCAT(transom_static_init_, __COUNTER__))
#define TRANSOM_STATIC_INIT_BLOCK_NAMED(Name)                                           \
  static void Name();                                                                   \
  [[maybe_unused]] static const bool TRANSOM_CONCAT(Name, _has_run) = ((Name)(), true); \
  static void Name()

#endif  // TRANSOM_REFLECTION_REGISTRY_H_
