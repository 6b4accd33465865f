// ffi.StructuralKey: a value that counts by its structure where it is the key of a map.
#include <transom/reflection/registry.h>

#include "interop/contract_equal.h"
#include "interop/contract_hash.h"

namespace transom::interop {
namespace {

// What a StructuralKey refers to.
class StructuralKeyObj : public Object {
 public:
  Any key;
  int64_t hash_i64 = 0;  // its structural hash, for this process

  StructuralKeyObj() = default;
  explicit StructuralKeyObj(Any value)
      : key(std::move(value)), hash_i64(static_cast<int64_t>(ContractHash(key, StructuralOptions()))) {}

  bool SameKey(const StructuralKeyObj& other) const {
    return this == &other || (hash_i64 == other.hash_i64 && ContractEqual(key, other.key, StructuralOptions()));
  }
  TRANSOM_DECLARE_OBJECT_INFO("ffi.StructuralKey", StructuralKeyObj, Object);
};
static_assert(sizeof(StructuralKeyObj) == 48, "layout of the C contract");

const StructuralKeyObj& KeyOf(const TVMFFIAny* value) {
  return *static_cast<const StructuralKeyObj*>(detail::ObjectAccess::FromHeader(value->v_obj));
}

// Hooks of maps, as addresses: FormOfAddressHooks says how this release calls them.
int64_t HashKey(const TVMFFIAny* value) { return KeyOf(value).hash_i64; }
bool EqualKeys(const TVMFFIAny* lhs, const TVMFFIAny* rhs) { return KeyOf(lhs).SameKey(KeyOf(rhs)); }

ObjectPtr<StructuralKeyObj> MakeKey(Any value) { return make_object<StructuralKeyObj>(std::move(value)); }

bool SameKeys(const Any& lhs, const Any& rhs) {
  const auto* left = lhs.as<StructuralKeyObj>();
  const auto* right = rhs.as<StructuralKeyObj>();
  TRANSOM_CHECK(left != nullptr && right != nullptr, TypeError)
      << "Expected two keys of type `ffi.StructuralKey` but got `" << lhs.GetTypeKey() << "` and `" << rhs.GetTypeKey()
      << "`";
  return left->SameKey(*right);
}

TRANSOM_STATIC_INIT_BLOCK() {
  namespace refl = reflection;
  refl::ObjectDef<StructuralKeyObj>()
      .def(refl::init<Any>(), "The key of a value.")
      .def_ro("key", &StructuralKeyObj::key, "The value.")
      .def_ro("hash_i64", &StructuralKeyObj::hash_i64, "Its structural hash.");
  refl::TypeAttrDef<StructuralKeyObj>()
      .def("__any_hash__", reinterpret_cast<void*>(&HashKey))
      .def("__any_equal__", reinterpret_cast<void*>(&EqualKeys));
  refl::GlobalDef()
      .def("ffi.StructuralKey", &MakeKey, "The key of a value.")
      .def("ffi.StructuralKeyEqual", &SameKeys, "Whether two keys are of structurally equal values.");
}

}  // namespace
}  // namespace transom::interop
