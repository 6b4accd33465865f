// A library that registers types, for --load.
#include <transom/containers/array.h>
#include <transom/containers/string.h>
#include <transom/reflection/registry.h>

namespace {

namespace ffi = transom;
namespace refl = transom::reflection;

class ItemObj : public ffi::Object {
 public:
  ffi::String name;
  int64_t quantity = 0;
  ffi::Array<ffi::Any> tags;
  ffi::Any note;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("shop.Item", ItemObj, ffi::Object);
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ItemObj>()
      .def_ro("name", &ItemObj::name)
      .def_ro("quantity", &ItemObj::quantity)
      .def_ro("tags", &ItemObj::tags)
      .def_ro("note", &ItemObj::note, refl::SEqHashIgnore(), refl::DefaultValue(nullptr));
}

}  // namespace
