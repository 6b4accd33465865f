/*
 * Objects and references to them.
 *
 * A class of objects derives from Object, holds its fields after the 24-byte header, and declares its place in the type
 * table with one of the TRANSOM_DECLARE_OBJECT_INFO macros. Objects are made with make_object and held by ObjectPtr
 * (one class) or by a reference class derived from ObjectRef (the public face of the class).
 */
#ifndef TRANSOM_RUNTIME_OBJECT_H_
#define TRANSOM_RUNTIME_OBJECT_H_

#include <transom/runtime/c_api.h>
#include <transom/runtime/object_deleter.h>
#include <transom/runtime/ref_count.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace transom {

template <class T>
class ObjectPtr;
template <class T>
class WeakObjectPtr;
class ObjectRef;

namespace detail {
struct ObjectAccess;

/* Throws the TypeError of a NULL given to a reference class that is never NULL. Defined in error.h. */
[[noreturn]] void ThrowNullReference(const char* type_key);

/* Index of a type, registered under its parent when new. Fatal when the table refuses it. */
inline int32_t GetOrAllocTypeIndex(const char* type_key, int32_t static_index, int32_t depth, int32_t child_slots,
                                   bool can_overflow, int32_t parent_index) {
  TVMFFIByteArray key{type_key, std::strlen(type_key)};
  return TVMFFITypeGetOrAllocIndex(&key, static_index, depth, child_slots, can_overflow ? 1 : 0, parent_index);
}
}  // namespace detail

/* True when an object of type `type_index` is a T. Constant time; no lock. */
template <class T>
bool IsObjectInstance(int32_t type_index);

/* Base of all objects: the header. Has no virtual functions. */
class Object {
 public:
  /* Defaults of the type's description; a class may state its own ones before the declaring macro. Subclasses inherit
   * them, as in C++. */
  static constexpr const char* _type_key = "ffi.Object";
  /* The class that declared the type key: another one than the class itself where that was forgotten. */
  using DeclaredClass = Object;
  static constexpr int32_t _type_index = kTVMFFIObject;
  static constexpr int32_t _type_depth = 0;
  /* No class derives from this one: instance tests compare one number. */
  static constexpr bool _type_final = false;
  /* Indices reserved for subclasses, which makes their instance tests faster. */
  static constexpr int32_t _type_child_slots = 0;
  /* Subclasses may get indices outside the reserved ones. */
  static constexpr bool _type_child_slots_can_overflow = true;
  /* How objects of the type compare structurally. */
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUnsupported;

  static int32_t RuntimeTypeIndex() { return kTVMFFIObject; }

  Object() noexcept {
    header_.combined_ref_count = 0;
    header_.type_index = kTVMFFIObject;
    header_.__padding = 0;
    header_.__ensure_align = 0;
  }
  /* Copying a subclass copies its fields, never the header. */
  Object(const Object&) noexcept : Object() {}
  Object& operator=(const Object&) noexcept { return *this; }

  int32_t type_index() const noexcept { return header_.type_index; }
  /* Key of the object's own type. */
  std::string GetTypeKey() const {
    const TVMFFIByteArray& key = TVMFFIGetTypeInfo(header_.type_index)->type_key;
    return std::string(key.data, key.size);
  }
  /* True when the object is a T, which may be any ancestor of its type. */
  template <class T>
  bool IsInstance() const {
    return IsObjectInstance<T>(header_.type_index);
  }
  /* Number of strong references; exact only when no other thread owns one. */
  uint64_t use_count() const noexcept { return detail::UseCount(&header_); }
  /* One strong reference only. Weak ones do not count. */
  bool unique() const noexcept { return use_count() == 1; }

 private:
  TVMFFIObject header_;
  friend struct detail::ObjectAccess;
};

static_assert(sizeof(Object) == sizeof(TVMFFIObject) && std::is_trivially_destructible_v<Object>,
              "an Object is its header");

namespace detail {
/* The borders between handles, objects and references. Adopt takes over a reference, Release gives one away. */
struct ObjectAccess {
  static TVMFFIObject* Header(const Object* obj) noexcept {
    return const_cast<TVMFFIObject*>(reinterpret_cast<const TVMFFIObject*>(obj));
  }
  static Object* FromHeader(void* header) noexcept { return static_cast<Object*>(header); }

  template <class T>
  static ObjectPtr<T> Adopt(void* handle) noexcept;
  template <class T>
  static TVMFFIObject* Release(ObjectPtr<T>* ptr) noexcept;
  static TVMFFIObject* Release(ObjectRef* ref) noexcept;
  static TVMFFIObject* Header(const ObjectRef& ref) noexcept;
  /* The reference's own pointer. */
  static ObjectPtr<Object>& Ptr(ObjectRef* ref) noexcept;

  /* Finishes the header of a constructed object: first reference, type, deleter. */
  static void Init(Object* obj, int32_t type_index, void (*deleter)(void*, int)) noexcept {
    obj->header_.combined_ref_count = kSoleOwner;
    obj->header_.type_index = type_index;
    obj->header_.__padding = 0;
    obj->header_.deleter = deleter;
  }
};
}  // namespace detail

/* Strong reference to a T or subclass of it, or NULL. One pointer. Distinct ObjectPtrs may be used from any thread. */
template <class T>
class ObjectPtr {
 public:
  using element_type = T;

  ObjectPtr() noexcept = default;
  ObjectPtr(std::nullptr_t) noexcept {}  // NOLINT: implicit like a raw pointer
  ObjectPtr(const ObjectPtr& other) noexcept : ObjectPtr(other.data_, AddRef{}) {}
  ObjectPtr(ObjectPtr&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  template <class U, class = std::enable_if_t<std::is_base_of_v<T, U> && !std::is_same_v<T, U>>>
  ObjectPtr(const ObjectPtr<U>& other) noexcept : ObjectPtr(other.data_, AddRef{}) {}  // NOLINT
  template <class U, class = std::enable_if_t<std::is_base_of_v<T, U> && !std::is_same_v<T, U>>>
  ObjectPtr(ObjectPtr<U>&& other) noexcept : data_(other.data_) {  // NOLINT
    other.data_ = nullptr;
  }
  ~ObjectPtr() { reset(); }
  ObjectPtr& operator=(const ObjectPtr& other) noexcept {
    ObjectPtr(other).swap(*this);
    return *this;
  }
  ObjectPtr& operator=(ObjectPtr&& other) noexcept {
    ObjectPtr(std::move(other)).swap(*this);
    return *this;
  }

  T* get() const noexcept { return detail::Downcast<T>(data_); }
  T* operator->() const noexcept { return get(); }
  T& operator*() const noexcept { return *get(); }
  explicit operator bool() const noexcept { return data_ != nullptr; }

  void reset() noexcept {
    if (data_ == nullptr) return;
    Object* old = data_;
    data_ = nullptr;
    detail::DecRef(detail::ObjectAccess::Header(old));
  }
  void swap(ObjectPtr& other) noexcept { std::swap(data_, other.data_); }
  uint64_t use_count() const noexcept { return data_ == nullptr ? 0 : data_->use_count(); }
  bool unique() const noexcept { return use_count() == 1; }

  /* Identity of the object. */
  bool operator==(const ObjectPtr& other) const noexcept { return data_ == other.data_; }
  bool operator!=(const ObjectPtr& other) const noexcept { return data_ != other.data_; }
  bool operator==(std::nullptr_t) const noexcept { return data_ == nullptr; }
  bool operator!=(std::nullptr_t) const noexcept { return data_ != nullptr; }

 private:
  struct AddRef {};
  ObjectPtr(Object* data, AddRef) noexcept : data_(data) {
    if (data != nullptr) detail::IncRef(detail::ObjectAccess::Header(data));
  }

  Object* data_ = nullptr;

  template <class U>
  friend class ObjectPtr;
  template <class U>
  friend class WeakObjectPtr;
  friend class ObjectRef;
  friend struct detail::ObjectAccess;
};

/* Watches an object without keeping it alive; its memory stays until the last watcher goes. */
template <class T>
class WeakObjectPtr {
 public:
  WeakObjectPtr() noexcept = default;
  explicit WeakObjectPtr(const ObjectPtr<T>& ptr) noexcept : WeakObjectPtr(ptr.data_) {}
  WeakObjectPtr(const WeakObjectPtr& other) noexcept : WeakObjectPtr(other.data_) {}
  WeakObjectPtr(WeakObjectPtr&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  ~WeakObjectPtr() { reset(); }
  WeakObjectPtr& operator=(WeakObjectPtr other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }

  /* Strong reference to the object, or NULL when it is dead. Thread-safe. */
  ObjectPtr<T> lock() const noexcept {
    if (data_ == nullptr || !detail::TryPromote(detail::ObjectAccess::Header(data_))) return nullptr;
    return detail::ObjectAccess::Adopt<T>(data_);
  }
  /* Number of strong references, 0 when the object is dead. */
  uint64_t use_count() const noexcept { return data_ == nullptr ? 0 : data_->use_count(); }
  bool expired() const noexcept { return use_count() == 0; }
  void reset() noexcept {
    if (data_ == nullptr) return;
    Object* old = data_;
    data_ = nullptr;
    detail::DecWeakRef(detail::ObjectAccess::Header(old));
  }

 private:
  explicit WeakObjectPtr(Object* data) noexcept : data_(data) {
    if (data != nullptr) detail::IncWeakRef(detail::ObjectAccess::Header(data));
  }
  Object* data_ = nullptr;
};

/* Base of all reference classes: a strong reference or NULL, one pointer in size. */
class ObjectRef {
 public:
  /* Class of the objects that this reference class refers to. */
  using ContainerType = Object;
  /* None converts to a NULL reference. */
  static constexpr bool _type_is_nullable = true;

  ObjectRef() noexcept = default;
  explicit ObjectRef(ObjectPtr<Object> data) noexcept : data_(std::move(data)) {}

  const Object* get() const noexcept { return data_.get(); }
  const Object* operator->() const noexcept { return get(); }
  const Object& operator*() const noexcept { return *get(); }
  bool defined() const noexcept { return data_ != nullptr; }
  explicit operator bool() const noexcept { return defined(); }
  /* The same object (or both NULL). */
  bool same_as(const ObjectRef& other) const noexcept { return data_ == other.data_; }
  bool operator==(const ObjectRef& other) const noexcept { return same_as(other); }
  bool operator!=(const ObjectRef& other) const noexcept { return !same_as(other); }
  bool operator==(std::nullptr_t) const noexcept { return !defined(); }
  bool operator!=(std::nullptr_t) const noexcept { return defined(); }
  uint64_t use_count() const noexcept { return data_.use_count(); }
  bool unique() const noexcept { return data_.unique(); }
  /* Index of the object's type; that of None for NULL. */
  int32_t type_index() const noexcept { return defined() ? get()->type_index() : kTVMFFINone; }

  /* For an object class T: the object when it is a T, else NULL; lives as long as this reference.
   * For a reference class T: a T to the same object, or nothing. */
  template <class T>
  auto as() const {
    if constexpr (std::is_base_of_v<ObjectRef, T>) {
      using Obj = typename T::ContainerType;
      if (!defined() || !get()->IsInstance<Obj>()) return std::optional<T>();
      detail::IncRef(detail::ObjectAccess::Header(get()));
      return std::optional<T>(T(detail::ObjectAccess::Adopt<Obj>(const_cast<Object*>(get()))));
    } else {
      return defined() && get()->IsInstance<T>() ? static_cast<const T*>(get()) : static_cast<const T*>(nullptr);
    }
  }

 protected:
  Object* get_mutable() const noexcept { return data_.get(); }
  ObjectPtr<Object> data_;

  friend struct detail::ObjectAccess;
};

namespace detail {

template <class T>
ObjectPtr<T> ObjectAccess::Adopt(void* handle) noexcept {
  ObjectPtr<T> result;
  result.data_ = FromHeader(handle);
  return result;
}
template <class T>
TVMFFIObject* ObjectAccess::Release(ObjectPtr<T>* ptr) noexcept {
  TVMFFIObject* result = Header(ptr->data_);
  ptr->data_ = nullptr;
  return result;
}
inline TVMFFIObject* ObjectAccess::Release(ObjectRef* ref) noexcept { return Release(&ref->data_); }
inline TVMFFIObject* ObjectAccess::Header(const ObjectRef& ref) noexcept { return Header(ref.data_.data_); }
inline ObjectPtr<Object>& ObjectAccess::Ptr(ObjectRef* ref) noexcept { return ref->data_; }

/* Block for an object of `size` bytes. Throws std::bad_alloc. */
inline void* AllocObject(size_t size, size_t alignment) {
  void* block = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    block = std::malloc(size);
  } else if (posix_memalign(&block, alignment, size) != 0) {
    block = nullptr;
  }
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

/* Constructs a T in a new block of `size` bytes; the block is freed when the constructor throws. */
template <class T, class... Args>
ObjectPtr<T> MakeObjectOfSize(size_t size, Args&&... args) {
  struct Block {
    void* memory;
    ~Block() { std::free(memory); }
  } block{AllocObject(size, alignof(T))};
  T* body = new (block.memory) T(std::forward<Args>(args)...);
  block.memory = nullptr;
  ObjectAccess::Init(body, T::RuntimeTypeIndex(), &MallocDeleter<T>::Delete);
  return ObjectAccess::Adopt<T>(static_cast<Object*>(body));
}

}  // namespace detail

/* New object of class T. Throws what T's constructor throws, and std::bad_alloc. */
template <class T, class... Args>
ObjectPtr<T> make_object(Args&&... args) {
  static_assert(std::is_base_of_v<Object, T>, "make_object makes classes derived from Object");
  return detail::MakeObjectOfSize<T>(sizeof(T), std::forward<Args>(args)...);
}

/* New object of class T followed in the same block by raw memory for `num_elems` values of class Elem, at
 * `body + sizeof(T)`. T's destructor ends the lives of the values. Throws std::bad_alloc. */
template <class T, class Elem, class... Args>
ObjectPtr<T> make_inplace_array_object(size_t num_elems, Args&&... args) {
  static_assert(sizeof(T) % alignof(Elem) == 0 && alignof(T) % alignof(Elem) == 0,
                "the values follow the body without a gap");
  constexpr size_t kMaxElems = (SIZE_MAX - sizeof(T) - alignof(T)) / sizeof(Elem);
  if (num_elems > kMaxElems) throw std::bad_alloc();
  size_t size = sizeof(T) + num_elems * sizeof(Elem);
  size = (size + alignof(T) - 1) / alignof(T) * alignof(T);
  return detail::MakeObjectOfSize<T>(size, std::forward<Args>(args)...);
}

/* Additional strong reference to a live object that references own already. */
template <class T>
ObjectPtr<T> GetObjectPtr(T* obj) noexcept {
  if (obj == nullptr) return nullptr;
  TVMFFIObject* header = detail::ObjectAccess::Header(obj);
  detail::IncRef(header);
  return detail::ObjectAccess::Adopt<T>(header);
}

/* Reference of class Ref to a live object of its class. */
template <class Ref>
Ref GetRef(const typename Ref::ContainerType* obj) {
  return Ref(GetObjectPtr(const_cast<typename Ref::ContainerType*>(obj)));
}

/* Hash and equality by identity, for standard containers of any class of references:
 *   std::unordered_map<Expr, int, ObjectPtrHash, ObjectPtrEqual> */
struct ObjectPtrHash {
  size_t operator()(const ObjectRef& ref) const noexcept { return std::hash<const void*>()(ref.get()); }
};
struct ObjectPtrEqual {
  bool operator()(const ObjectRef& lhs, const ObjectRef& rhs) const noexcept { return lhs.same_as(rhs); }
};

template <class T>
bool IsObjectInstance(int32_t type_index) {
  static_assert(std::is_base_of_v<Object, T>, "T must be a class of objects");
  if constexpr (std::is_same_v<T, Object>) {
    return type_index >= kTVMFFIStaticObjectBegin;
  } else {
    int32_t target = T::RuntimeTypeIndex();
    if (type_index == target) return true;
    if constexpr (T::_type_final) return false;
    if (T::_type_child_slots != 0 && type_index > target && type_index <= target + T::_type_child_slots) return true;
    if (!T::_type_child_slots_can_overflow || type_index < target) return false;
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
    return info->type_depth > T::_type_depth && info->type_ancestors[T::_type_depth]->type_index == target;
  }
}

}  // namespace transom

namespace std {
template <class T>
struct hash<transom::ObjectPtr<T>> {
  size_t operator()(const transom::ObjectPtr<T>& ptr) const noexcept { return hash<const void*>()(ptr.get()); }
};
template <>
struct hash<transom::ObjectRef> {
  size_t operator()(const transom::ObjectRef& ref) const noexcept { return hash<const void*>()(ref.get()); }
};
}  // namespace std

/* What the three declarations below share. */
#define TRANSOM_DECLARE_OBJECT_INFO_COMMON(TypeKey, Class, Parent)                 \
  [[maybe_unused]] static constexpr const char* _type_key = TypeKey;               \
  [[maybe_unused]] static constexpr int32_t _type_depth = Parent::_type_depth + 1; \
  static_assert(!Parent::_type_final, #Parent " is final");                        \
  using DeclaredClass = Class;                                                     \
  using ParentType = Parent

/* Inside the class, public: declares its type key and parent class. The type enters the table at first use; its index
 * is given out then. `_type_child_slots` must be less than the parent's where both keep slots. */
#define TRANSOM_DECLARE_OBJECT_INFO(TypeKey, Class, Parent)                                                        \
  TRANSOM_DECLARE_OBJECT_INFO_COMMON(TypeKey, Class, Parent);                                                      \
  static int32_t RuntimeTypeIndex() {                                                                              \
    static_assert(Class::_type_child_slots == 0 || Parent::_type_child_slots == 0 ||                               \
                      Class::_type_child_slots < Parent::_type_child_slots,                                        \
                  #Class " keeps as many child slots as " #Parent);                                                \
    static const int32_t index =                                                                                   \
        ::transom::detail::GetOrAllocTypeIndex(TypeKey, -1, Class::_type_depth, Class::_type_child_slots,          \
                                               Class::_type_child_slots_can_overflow, Parent::RuntimeTypeIndex()); \
    return index;                                                                                                  \
  }                                                                                                                \
  [[maybe_unused]] static constexpr int32_t _type_index = kTVMFFIAny

/* The same for a class that nothing derives from. */
#define TRANSOM_DECLARE_OBJECT_INFO_FINAL(TypeKey, Class, Parent)                                                      \
  [[maybe_unused]] static constexpr bool _type_final = true;                                                           \
  [[maybe_unused]] static constexpr int32_t _type_child_slots = 0;                                                     \
  [[maybe_unused]] static constexpr bool _type_child_slots_can_overflow = false;                                       \
  TRANSOM_DECLARE_OBJECT_INFO_COMMON(TypeKey, Class, Parent);                                                          \
  static int32_t RuntimeTypeIndex() {                                                                                  \
    static const int32_t index =                                                                                       \
        ::transom::detail::GetOrAllocTypeIndex(TypeKey, -1, Class::_type_depth, 0, false, Parent::RuntimeTypeIndex()); \
    return index;                                                                                                      \
  }                                                                                                                    \
  [[maybe_unused]] static constexpr int32_t _type_index = kTVMFFIAny

/* The same for a built-in class with the fixed index TypeIndex, which the runtime registers itself. Nothing derives
 * from it. */
#define TRANSOM_DECLARE_OBJECT_INFO_STATIC(TypeKey, TypeIndex, Class, Parent)    \
  [[maybe_unused]] static constexpr bool _type_final = true;                     \
  [[maybe_unused]] static constexpr int32_t _type_child_slots = 0;               \
  [[maybe_unused]] static constexpr bool _type_child_slots_can_overflow = false; \
  TRANSOM_DECLARE_OBJECT_INFO_COMMON(TypeKey, Class, Parent);                    \
  [[maybe_unused]] static constexpr int32_t _type_index = TypeIndex;             \
  static int32_t RuntimeTypeIndex() { return TypeIndex; }                        \
  static_assert(TypeIndex >= kTVMFFIObject && TypeIndex < kTVMFFIStaticObjectEnd, "not a built-in index")

/* Inside a reference class, public: members of a reference that may be NULL. */
#define TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Ref, ParentRef, Obj)                  \
  Ref() noexcept = default;                                                              \
  Ref(std::nullptr_t) noexcept {} /* NOLINT */                                           \
  explicit Ref(::transom::ObjectPtr<Obj> ptr) noexcept : ParentRef(std::move(ptr)) {}    \
  const Obj* get() const noexcept { return static_cast<const Obj*>(this->data_.get()); } \
  const Obj* operator->() const noexcept { return get(); }                               \
  const Obj& operator*() const noexcept { return *get(); }                               \
  using ContainerType = Obj;                                                             \
  [[maybe_unused]] static constexpr bool _type_is_nullable = true

/* The same for a reference that is never NULL, except after it was moved from. A NULL pointer is a TypeError. */
#define TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Ref, ParentRef, Obj)                              \
  explicit Ref(::transom::ObjectPtr<Obj> ptr)                                                           \
      : ParentRef(ptr != nullptr ? std::move(ptr)                                                       \
                                 : (::transom::detail::ThrowNullReference(Obj::_type_key), nullptr)) {} \
  const Obj* get() const noexcept { return static_cast<const Obj*>(this->data_.get()); }                \
  const Obj* operator->() const noexcept { return get(); }                                              \
  const Obj& operator*() const noexcept { return *get(); }                                              \
  using ContainerType = Obj;                                                                            \
  [[maybe_unused]] static constexpr bool _type_is_nullable = false

#endif  // TRANSOM_RUNTIME_OBJECT_H_
