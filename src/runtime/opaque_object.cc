#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

namespace transom::runtime {
namespace {

/* An object of a front end, by its address. */
class OpaqueObj : public Object, public TVMFFIOpaqueObjectCell {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.OpaquePyObject", kTVMFFIOpaquePyObject, OpaqueObj, Object);

  OpaqueObj(void* opaque, void (*deleter)(void*)) : deleter_(deleter) { handle = opaque; }
  ~OpaqueObj() {
    if (deleter_ != nullptr) deleter_(handle);
  }

 private:
  void (*deleter_)(void*);
};
static_assert(sizeof(OpaqueObj) == 40, "layout of the C contract");

}  // namespace
}  // namespace transom::runtime

int TVMFFIObjectCreateOpaque(void* handle, int32_t type_index, void (*deleter)(void* handle), TVMFFIObjectHandle* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_CHECK(type_index == kTVMFFIOpaquePyObject, RuntimeError)
      << "Expected the type index of `ffi.OpaquePyObject`, " << kTVMFFIOpaquePyObject << ", but got " << type_index;
  auto object = transom::make_object<transom::runtime::OpaqueObj>(handle, deleter);
  *out = transom::detail::ObjectAccess::Release(&object);
  TRANSOM_SAFE_CALL_END();
}
