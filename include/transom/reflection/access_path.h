/*
 * AccessPath: the way from a root value to a place in it, such as `<root>.params[0]["axis"]`. A path is its last step
 * and the path before it, so paths that branch share what they have in common, and extending one takes constant time.
 */
#ifndef TRANSOM_REFLECTION_ACCESS_PATH_H_
#define TRANSOM_REFLECTION_ACCESS_PATH_H_

#include <transom/containers/array.h>
#include <transom/containers/detail/key_text.h>
#include <transom/containers/optional.h>
#include <transom/containers/string.h>
#include <transom/reflection/field_access.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/any.h>
#include <transom/runtime/any_hash.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace transom {
namespace reflection {

class AccessStep;
class AccessPath;

/* What a step goes to. The "missing" kinds name a place that the value does not have; they only end a path. */
enum class AccessKind : int32_t {
  kAttr = 0,
  kArrayItem = 1,
  kMapItem = 2,
  kAttrMissing = 3,
  kArrayItemMissing = 4,
  kMapItemMissing = 5
};

/* What an AccessStep refers to. */
class AccessStepObj : public Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;

  AccessKind kind = AccessKind::kAttr;
  Any key;  // attributes: a String; array items: an Int; map items: any

  AccessStepObj() = default;
  AccessStepObj(AccessKind kind, Any key) : kind(kind), key(std::move(key)) {}

  /* The same kind and an equal key (AnyEqual). */
  bool StepEqual(const AccessStep& other) const;
  /* `.name`, `[0]`, `["key"]`, `[<missing:0>]`; floats are the shortest text that reads back, bytes `b"..."`. A key that
   * is an object is its type key, with its name in brackets where it has one. Throws what a field getter of the key
   * throws. */
  std::string ToString() const;

  TRANSOM_DECLARE_OBJECT_INFO("ffi.reflection.AccessStep", AccessStepObj, Object);
};

static_assert(sizeof(AccessStepObj) == 48, "layout of the C contract");

/* One step of a path. Immutable; safe to share between threads. */
class AccessStep : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(AccessStep, ObjectRef, AccessStepObj);

  inline AccessStep(AccessKind kind, Any key);

  static AccessStep Attr(String name) { return AccessStep(AccessKind::kAttr, std::move(name)); }
  static AccessStep ArrayItem(int64_t index) { return AccessStep(AccessKind::kArrayItem, index); }
  static AccessStep MapItem(Any key) { return AccessStep(AccessKind::kMapItem, std::move(key)); }
  static AccessStep AttrMissing(String name) { return AccessStep(AccessKind::kAttrMissing, std::move(name)); }
  static AccessStep ArrayItemMissing(int64_t index) { return AccessStep(AccessKind::kArrayItemMissing, index); }
  static AccessStep MapItemMissing(Any key = nullptr) {
    return AccessStep(AccessKind::kMapItemMissing, std::move(key));
  }
};

/* What an AccessPath refers to. */
class AccessPathObj : public Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;

  Optional<ObjectRef> parent;  // the path before the last step; nothing for the root
  Optional<AccessStep> step;   // the last step; nothing for the root
  int32_t depth = 0;           // number of steps

  AccessPathObj() = default;
  AccessPathObj(Optional<ObjectRef> parent, Optional<AccessStep> step, int32_t depth)
      : parent(std::move(parent)), step(std::move(step)), depth(depth) {}

  /* This path and one more step. Constant time. */
  AccessPath Extend(AccessStep next) const;
  AccessPath Attr(String name) const;
  AccessPath ArrayItem(int64_t index) const;
  AccessPath MapItem(Any key) const;
  AccessPath AttrMissing(String name) const;
  AccessPath ArrayItemMissing(int64_t index) const;
  AccessPath MapItemMissing(Any key = nullptr) const;

  /* The path before the last step, borrowed; NULL for the root. */
  const AccessPathObj* GetParent() const {
    return parent.has_value() ? static_cast<const AccessPathObj*>((*parent).get()) : nullptr;
  }
  /* The steps, first one first. */
  Array<AccessStep> ToSteps() const;
  /* The same steps. */
  bool PathEqual(const AccessPath& other) const;
  /* The steps are the first ones of `other`, or all of them. */
  bool IsPrefixOf(const AccessPath& other) const;
  /* `<root>` and the text of the steps. */
  std::string ToString() const;

  TRANSOM_DECLARE_OBJECT_INFO("ffi.reflection.AccessPath", AccessPathObj, Object);

 private:
  /* The prefix of that many steps, at most depth. */
  const AccessPathObj* Prefix(int32_t steps) const;
  static bool SameSteps(const AccessPathObj* lhs, const AccessPathObj* rhs);
};

static_assert(sizeof(AccessPathObj) == 48, "layout of the C contract");

/* A path. Immutable; safe to share between threads. All members beside extension take time linear in the steps, and
 * none recurses. */
class AccessPath : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(AccessPath, ObjectRef, AccessPathObj);

  /* The path without steps. */
  static inline AccessPath Root();
  /* The path of the given steps. */
  static AccessPath FromSteps(const Array<AccessStep>& steps) {
    AccessPath path = Root();
    for (AccessStep step : steps) path = path->Extend(std::move(step));
    return path;
  }

  std::string ToString() const { return get()->ToString(); }
};

inline std::ostream& operator<<(std::ostream& os, const AccessStep& step) { return os << step->ToString(); }
inline std::ostream& operator<<(std::ostream& os, const AccessPath& path) { return os << path.ToString(); }

namespace detail {

/* The name of an object: what the first of its fields `name`, `name_hint` and `global_symbol` holds, a string or an
 * object that has a name; empty where it has none. */
inline std::string ObjectLabel(const Object* obj) {
  Any value{ObjectRef(GetObjectPtr(const_cast<Object*>(obj)))};
  // A name may be an object with a name of its own (a variable's id); a few steps are enough for any real type.
  for (int step = 0; step < 4 && value.as<Object>() != nullptr && !value.as<String>(); ++step) {
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(value.type_index());
    const TVMFFIFieldInfo* field = nullptr;
    for (const char* name : {"name", "name_hint", "global_symbol"}) {
      if (field == nullptr) field = FindField(info, name);
    }
    if (field == nullptr) return "";
    value = GetField(value.as<Object>(), field);
  }
  const auto* text = value.as<String>();
  return text != nullptr ? std::string(*text) : "";
}

/* Attribute of a type whose objects say themselves how they read as map keys: a Function from the object to a String.
 */
inline constexpr const char* kKeyTextAttr = "__transom_key_text__";

/* Text of a map key. */
inline std::string KeyText(const Any& key) {
  std::string text = transom::detail::PlainKeyText(*key.raw());
  if (!text.empty()) return text;
  const auto* hook = transom::detail::FindTypeAttr(transom::detail::TypeAttrColumn(kKeyTextAttr), key.type_index());
  if (hook != nullptr) return Any(AnyView::FromRaw(*hook)).cast<Function>()(key).cast<std::string>();
  text = key.GetTypeKey();
  const auto* obj = key.as<Object>();
  std::string label = obj != nullptr ? ObjectLabel(obj) : "";
  return label.empty() ? text : text + "(" + transom::detail::QuotedText(label) + ")";
}

/* Describes both types to the type table, unless its provider has done so. Once per process; thread-safe. */
inline void RegisterAccessPath() {
  static const bool once = [] {
    if (TVMFFIGetTypeInfo(AccessStepObj::RuntimeTypeIndex())->metadata == nullptr) {
      ObjectDef<AccessStepObj>()
          .no_init()
          .def_ro("kind", &AccessStepObj::kind, "What the step goes to")
          .def_ro("key", &AccessStepObj::key, "Name, index or key");
    }
    if (TVMFFIGetTypeInfo(AccessPathObj::RuntimeTypeIndex())->metadata == nullptr) {
      ObjectDef<AccessPathObj>()
          .no_init()
          .def_ro("parent", &AccessPathObj::parent, "The path before the last step")
          .def_ro("step", &AccessPathObj::step, "The last step")
          .def_ro("depth", &AccessPathObj::depth, "Number of steps")
          .def_static("_root", &AccessPath::Root)
          .def("_extend", &AccessPathObj::Extend)
          .def("_attr", &AccessPathObj::Attr)
          .def("_array_item", &AccessPathObj::ArrayItem)
          .def("_map_item", &AccessPathObj::MapItem)
          .def("_attr_missing", &AccessPathObj::AttrMissing)
          .def("_array_item_missing", &AccessPathObj::ArrayItemMissing)
          .def("_map_item_missing", &AccessPathObj::MapItemMissing)
          .def("_is_prefix_of", &AccessPathObj::IsPrefixOf)
          .def("_to_steps", &AccessPathObj::ToSteps)
          .def("_path_equal", &AccessPathObj::PathEqual);
    }
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace detail

inline AccessStep::AccessStep(AccessKind kind, Any key)
    : ObjectRef((detail::RegisterAccessPath(), make_object<AccessStepObj>(kind, std::move(key)))) {}

inline bool AccessStepObj::StepEqual(const AccessStep& other) const {
  return kind == other->kind && AnyEqual()(key, other->key);
}

inline std::string AccessStepObj::ToString() const {
  switch (kind) {
    case AccessKind::kAttr:
      return "." + key.cast<std::string>();
    case AccessKind::kArrayItem:
    case AccessKind::kMapItem:
      return "[" + detail::KeyText(key) + "]";
    default:
      return "[<missing:" + detail::KeyText(key) + ">]";
  }
}

inline AccessPath AccessPath::Root() {
  detail::RegisterAccessPath();
  return AccessPath(make_object<AccessPathObj>());
}

inline AccessPath AccessPathObj::Extend(AccessStep next) const {
  TRANSOM_CHECK(depth < INT32_MAX, ValueError) << "A path has at most " << INT32_MAX << " steps";
  ObjectRef self(GetObjectPtr(static_cast<Object*>(const_cast<AccessPathObj*>(this))));
  return AccessPath(make_object<AccessPathObj>(std::move(self), std::move(next), depth + 1));
}
inline AccessPath AccessPathObj::Attr(String name) const { return Extend(AccessStep::Attr(std::move(name))); }
inline AccessPath AccessPathObj::ArrayItem(int64_t index) const { return Extend(AccessStep::ArrayItem(index)); }
inline AccessPath AccessPathObj::MapItem(Any key) const { return Extend(AccessStep::MapItem(std::move(key))); }
inline AccessPath AccessPathObj::AttrMissing(String name) const {
  return Extend(AccessStep::AttrMissing(std::move(name)));
}
inline AccessPath AccessPathObj::ArrayItemMissing(int64_t index) const {
  return Extend(AccessStep::ArrayItemMissing(index));
}
inline AccessPath AccessPathObj::MapItemMissing(Any key) const {
  return Extend(AccessStep::MapItemMissing(std::move(key)));
}

inline Array<AccessStep> AccessPathObj::ToSteps() const {
  std::vector<AccessStep> steps;
  for (const AccessPathObj* path = this; path->GetParent() != nullptr; path = path->GetParent()) {
    steps.push_back(*path->step);
  }
  return Array<AccessStep>(steps.rbegin(), steps.rend());
}

inline const AccessPathObj* AccessPathObj::Prefix(int32_t steps) const {
  const AccessPathObj* path = this;
  while (path->depth > steps) path = path->GetParent();
  return path;
}
inline bool AccessPathObj::SameSteps(const AccessPathObj* lhs, const AccessPathObj* rhs) {
  if (lhs->depth != rhs->depth) return false;
  for (; lhs != rhs && lhs->depth > 0; lhs = lhs->GetParent(), rhs = rhs->GetParent()) {
    if (!(*lhs->step)->StepEqual(*rhs->step)) return false;
  }
  return true;
}
inline bool AccessPathObj::PathEqual(const AccessPath& other) const { return SameSteps(this, other.get()); }
inline bool AccessPathObj::IsPrefixOf(const AccessPath& other) const {
  return depth <= other->depth && SameSteps(this, other->Prefix(depth));
}

inline std::string AccessPathObj::ToString() const {
  std::string text = "<root>";
  for (AccessStep step : ToSteps()) text += step->ToString();
  return text;
}

}  // namespace reflection
}  // namespace transom

#endif  // TRANSOM_REFLECTION_ACCESS_PATH_H_
