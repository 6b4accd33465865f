// Global functions for Array and List, which front ends of all languages expect to find.
#include <transom/containers/array.h>
#include <transom/containers/list.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/function.h>

#include <algorithm>
#include <vector>

#include "runtime/arguments.h"

namespace transom::runtime {
namespace {

using AnyList = List<Any>;

template <class Seq>
void Make(PackedArgs args, Any* result) {
  *result = Seq(args.data(), args.data() + args.size());
}

template <class Obj>
Any GetItem(const Obj* seq, int64_t index) {
  return NotNone(seq).at(index);
}

template <class Obj>
int64_t Size(const Obj* seq) {
  return NotNone(seq).size();
}

template <class Obj>
bool Contains(const Obj* seq, const Any& value) {
  return std::any_of(NotNone(seq).begin(), seq->end(), [&](const Any& item) { return AnyEqual()(item, value); });
}

Any Pop(AnyList list, int64_t index) {
  Any value = list.at(index);
  list.erase(index);
  return value;
}

void ReplaceSlice(AnyList list, int64_t start, int64_t stop, const AnyList& replacement) {
  const std::vector<Any> values(replacement.begin(), replacement.end());  // It may be the same list.
  list.erase(start, stop);
  list.insert(start, values.begin(), values.end());
}

void Reverse(AnyList list) {
  std::vector<Any> values(list.begin(), list.end());
  for (int64_t i = 0, size = list.size(); i < size; ++i)
    list.set(i, std::move(values[static_cast<size_t>(size - 1 - i)]));
}

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def_packed("ffi.Array", &Make<Array<Any>>, "An array of the arguments")
      .def("ffi.ArrayGetItem", &GetItem<ArrayObj>, "Value at an index. IndexError: out of range")
      .def("ffi.ArraySize", &Size<ArrayObj>, "Number of values")
      .def("ffi.ArrayContains", &Contains<ArrayObj>, "Whether a value equals the given one, as keys of maps do");
  reflection::GlobalDef()
      .def_packed("ffi.List", &Make<AnyList>, "A list of the arguments")
      .def("ffi.ListGetItem", &GetItem<ListObj>, "Value at an index. IndexError: out of range")
      .def("ffi.ListSize", &Size<ListObj>, "Number of values")
      .def("ffi.ListContains", &Contains<ListObj>, "Whether a value equals the given one, as keys of maps do")
      .def(
          "ffi.ListSetItem", [](AnyList list, int64_t index, Any value) { list.set(index, std::move(value)); },
          "Replaces the value at an index. IndexError: out of range")
      .def(
          "ffi.ListAppend", [](AnyList list, Any value) { list.push_back(std::move(value)); },
          "Adds a value at the end")
      .def(
          "ffi.ListInsert", [](AnyList list, int64_t index, Any value) { list.insert(index, std::move(value)); },
          "Inserts a value before an index, which may be the size. IndexError: out of range")
      .def("ffi.ListPop", &Pop, "Removes the value at an index and returns it. IndexError: out of range")
      .def(
          "ffi.ListErase", [](AnyList list, int64_t index) { list.erase(index); },
          "Removes the value at an index. IndexError: out of range")
      .def(
          "ffi.ListEraseRange",
          [](AnyList list, int64_t start, int64_t stop) {
            if (start != stop) list.erase(start, stop);  // nothing, wherever it is
          },
          "Removes the values from `start` to before `stop`. IndexError: out of range, or in wrong order")
      .def("ffi.ListReplaceSlice", &ReplaceSlice,
           "Replaces the values from `start` to before `stop` by those of another list. Errors as those of "
           "ListEraseRange")
      .def("ffi.ListReverse", &Reverse, "Reverses the order of the values")
      .def(
          "ffi.ListClear", [](AnyList list) { list.clear(); }, "Removes all values");
}

}  // namespace
}  // namespace transom::runtime
