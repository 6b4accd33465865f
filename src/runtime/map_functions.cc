// Global functions for Map and Dict, which front ends of all languages expect to find.
#include <transom/containers/dict.h>
#include <transom/containers/map.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/function.h>

#include <utility>
#include <vector>

#include "runtime/arguments.h"
#include "runtime/sentinels.h"

namespace transom::runtime {
namespace {

using AnyDict = Dict<Any, Any>;

template <class Obj>
void Make(PackedArgs args, Any* result) {
  TRANSOM_CHECK(args.size() % 2 == 0, InternalError)
      << "Expected keys and values in turn but got " << args.size() << " arguments";
  std::vector<Any> keys_and_values(args.data(), args.data() + args.size());
  *result = Obj::CreateFromPairs(keys_and_values.data(), keys_and_values.size() / 2);
}

template <class Obj>
int64_t Size(const Obj* map) {
  return static_cast<int64_t>(NotNone(map).size());
}

template <class Obj>
Any GetItem(const Obj* map, const Any& key) {
  return NotNone(map).At(key);
}

template <class Obj>
int64_t Count(const Obj* map, const Any& key) {
  return NotNone(map).Find(key) != nullptr ? 1 : 0;
}

template <class Obj>
Any GetItemOrMissing(const Obj* map, const Any& key) {
  const Any* value = NotNone(map).Find(key);
  return value != nullptr ? *value : Any(InvalidObject());
}

/* What a front end iterates with: calls with a command. Keeps the map alive. */
template <class Obj>
class Cursor {
 public:
  explicit Cursor(ObjectPtr<Obj> map) : map_(std::move(map)), size_(map_->size()), pos_(map_->First()) {}

  Any operator()(int64_t command) {
    TRANSOM_CHECK(map_->size() == size_ && (pos_ == Obj::kEnd || map_->IsEntry(pos_)), RuntimeError)
        << "The `" << Obj::_type_key << "` changed while it was iterated over";
    if (command != kKey && command != kValue) return Any(Advance());
    TRANSOM_CHECK(pos_ != Obj::kEnd, IndexError) << "The iteration over the `" << Obj::_type_key << "` is at its end";
    return command == kKey ? map_->KeyAt(pos_) : map_->ValueAt(pos_);
  }

 private:
  static constexpr int64_t kKey = 0;
  static constexpr int64_t kValue = 1;

  /* False at the end. */
  bool Advance() {
    if (pos_ != Obj::kEnd) pos_ = map_->Next(pos_);
    return pos_ != Obj::kEnd;
  }

  ObjectPtr<Obj> map_;
  uint64_t size_;
  uint64_t pos_;
};

template <class Obj>
Function ForwardIterator(const Obj* map) {
  return Function::FromTyped(Cursor<Obj>(GetObjectPtr(const_cast<Obj*>(&NotNone(map)))));
}

constexpr const char* kIteratorDoc =
    "A function f over the entries: f(0) is the key of the current one, f(1) its value, f(2) goes on and is false at the end. "
    "RuntimeError: the container changed meanwhile";

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def_packed("ffi.Map", &Make<MapObj>, "A map of the arguments: keys and values in turn")
      .def("ffi.MapSize", &Size<MapObj>, "Number of entries")
      .def("ffi.MapGetItem", &GetItem<MapObj>, "Value of a key. KeyError: it is not there")
      .def("ffi.MapCount", &Count<MapObj>, "1 when the key is there, else 0")
      .def("ffi.MapGetItemOrMissing", &GetItemOrMissing<MapObj>, "Value of a key, or the object of ffi.GetInvalidObject")
      .def("ffi.MapForwardIterFunctor", &ForwardIterator<MapObj>, kIteratorDoc);
  reflection::GlobalDef()
      .def_packed("ffi.Dict", &Make<DictObj>, "A dict of the arguments: keys and values in turn")
      .def("ffi.DictSize", &Size<DictObj>, "Number of entries")
      .def("ffi.DictGetItem", &GetItem<DictObj>, "Value of a key. KeyError: it is not there")
      .def("ffi.DictCount", &Count<DictObj>, "1 when the key is there, else 0")
      .def("ffi.DictGetItemOrMissing", &GetItemOrMissing<DictObj>, "Value of a key, or the object of ffi.GetInvalidObject")
      .def("ffi.DictForwardIterFunctor", &ForwardIterator<DictObj>, kIteratorDoc)
      .def("ffi.DictSetItem", [](AnyDict dict, Any key, Any value) { dict.set(std::move(key), std::move(value)); },
           "Gives a key a value")
      .def("ffi.DictErase", [](AnyDict dict, const Any& key) { dict.erase(key); }, "Removes a key, if it is there")
      .def("ffi.DictClear", [](AnyDict dict) { dict.clear(); }, "Removes all entries");
}

}  // namespace
}  // namespace transom::runtime
