/*
 * Hooks of visits and rewritings: functions for values of a type, and what they can ask about the place.
 */
#ifndef TRANSOM_STRUCTURAL_HOOK_H_
#define TRANSOM_STRUCTURAL_HOOK_H_

#include <transom/export.h>
#include <transom/reflection/access_path.h>
#include <transom/runtime/any.h>
#include <transom/schema/descriptor.h>
#include <transom/schema/schema.h>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace transom {

/*! \brief What a visit or rewriting looks at. */
struct WalkOptions {
  /*! \brief Fields that comparison ignores (source locations, names) are visited too. */
  bool ignored_fields = false;
  /*! \brief Kinds of types, for registered types of the same keys too, as in StructuralOptions; may be empty. */
  schema::SchemaRef rules;
};

/*! \brief Where a value is. Good as long as the hook runs that got it. */
class WalkPlace {
 public:
  /*!
   * \brief The definition region that the place is in: what a variable there means. kNone: it is used; kRecursive: it
   * is defined, as are those in its own fields; kSimple: it alone is defined. A variable that is visited once, and is
   * defined somewhere in the value, has the region of its definition, wherever it is met first.
   */
  schema::DefRegion region() const { return region_; }
  /*! \brief The way from the root to here; that of a map's key is its entry's. The first one, where several lead to a
   * value that is visited once. Costs a step per level. */
  TRANSOM_API reflection::AccessPath path() const;
  /*! \brief The same as text, for messages: `<root>.params[0]`; the middle of a long one is left out. */
  TRANSOM_API std::string path_text() const;

  /*! \brief Who knows the way. For the library. */
  class Source {
   public:
    virtual reflection::AccessPath CurrentAccessPath() const = 0;
    virtual std::string CurrentPathText() const = 0;

   protected:
    ~Source() = default;
  };
  WalkPlace(schema::DefRegion region, const Source* source) : region_(region), source_(source) {}

 private:
  schema::DefRegion region_;
  const Source* source_;
};

namespace detail {

/* A hook for values of a type, by index or, when that is not stated, by key. */
template <class Result>
struct TypeHook {
  int32_t type_index = kTVMFFIAny;
  std::string type_key;
  std::function<Result(AnyView, const WalkPlace&)> call;
};

/* Type index that a hook for T is for. */
template <class T>
int32_t HookTypeIndex() {
  if constexpr (std::is_same_v<T, Any>) {
    return kTVMFFIAny;
  } else if constexpr (std::is_base_of_v<Object, T>) {
    return T::RuntimeTypeIndex();
  } else if constexpr (std::is_base_of_v<ObjectRef, T>) {
    return T::ContainerType::RuntimeTypeIndex();
  } else if constexpr (std::is_same_v<T, String>) {
    return kTVMFFIStr;
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return kTVMFFIBytes;
  } else {
    static_assert(
        std::is_same_v<T, bool> || std::is_same_v<T, int64_t> || std::is_same_v<T, double> ||
            std::is_same_v<T, DataType> || std::is_same_v<T, Device>,
        "hooks are for classes of objects, reference classes, String, Bytes, bool, int64_t, double, DataType, "
        "Device, and Any for all values");
    return TypeTraits<T>::kFieldTypeIndex;
  }
}

/* What a hook for T is given: a pointer to the object for a class of objects, else a T. */
template <class T>
auto HookArgument(const AnyView& value) {
  if constexpr (std::is_base_of_v<Object, T>) {
    return value.as<T>();
  } else {
    return value.cast<T>();
  }
}

/* Calls `fn(value)` or `fn(value, place)`, whichever it takes; a result of void stands for Result(). */
template <class Result, class F, class Value>
Result CallHook(F& fn, const Value& value, const WalkPlace& place) {
  if constexpr (std::is_invocable_v<F&, const Value&, const WalkPlace&>) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, const Value&, const WalkPlace&>>) {
      fn(value, place);
      return Result();
    } else {
      return fn(value, place);
    }
  } else {
    static_assert(std::is_invocable_v<F&, const Value&>, "a hook takes the value and, if it wants, a WalkPlace");
    if constexpr (std::is_void_v<std::invoke_result_t<F&, const Value&>>) {
      fn(value);
      return Result();
    } else {
      return fn(value);
    }
  }
}

template <class T, class Result, class F>
TypeHook<Result> MakeHook(F fn) {
  return {HookTypeIndex<T>(), "", [fn = std::move(fn)](AnyView value, const WalkPlace& place) mutable {
            return CallHook<Result>(fn, HookArgument<T>(value), place);
          }};
}

template <class Result, class F>
TypeHook<Result> MakeHook(std::string type_key, F fn) {
  return {kTVMFFIAny, std::move(type_key), [fn = std::move(fn)](AnyView value, const WalkPlace& place) mutable {
            return CallHook<Result>(fn, Any(value), place);
          }};
}

}  // namespace detail
}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_HOOK_H_
