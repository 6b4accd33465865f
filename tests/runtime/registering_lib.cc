// A library that registers a type and a function when it is loaded, for registering_library_test.cc.
#include <transom/containers/string.h>
#include <transom/reflection/registry.h>

namespace ffi = transom;
namespace refl = transom::reflection;

namespace {

class NoteObj : public ffi::Object {
 public:
  ffi::String text;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.registering.Note", NoteObj, ffi::Object);
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<NoteObj>().def_rw("text", &NoteObj::text, refl::DefaultValue(ffi::String("a default that is an object")));
  refl::GlobalDef().def("test.registering.make", [] {
    auto note = ffi::make_object<NoteObj>();
    note->text = "a text that is an object";
    return note;
  });
}

}  // namespace
