#include "formats/nodes/patch_script.h"

#include <transom/containers/array.h>
#include <transom/containers/string.h>
#include <transom/runtime/error.h>

#include "graph/path.h"

namespace transom::formats {
namespace {

using structural::EditScript;
using structural::EntryEdits;
using structural::FieldEdits;
using structural::ItemEdits;
using structural::ObjectEdit;
using structural::Replacement;

constexpr std::string_view kFields = "fields", kItems = "items", kEntries = "entries", kValue = "value";

Any ArrayOf(const std::vector<Any>& items) { return Any(Array<Any>(items.begin(), items.end())); }

void Append(const FieldEdits& edits, std::vector<Any>* out) {
  out->push_back(Any(String(kFields)));
  for (const FieldEdits::Set& field : edits.fields) out->insert(out->end(), {Any(String(field.name)), field.value});
}

void Append(const ItemEdits& edits, std::vector<Any>* out) {
  out->insert(out->end(), {Any(String(kItems)), Any(edits.old_size)});
  for (const ItemEdits::Splice& splice : edits.splices) {
    out->insert(out->end(), {Any(splice.begin), Any(splice.removed), ArrayOf(splice.inserted)});
  }
}

void Append(const EntryEdits& edits, std::vector<Any>* out) {
  std::vector<Any> set, order;
  for (const auto& [key, value] : edits.set) set.insert(set.end(), {key, value});
  for (const int64_t i : edits.order) order.push_back(Any(i));
  out->insert(out->end(),
              {Any(String(kEntries)), Any(edits.old_size), ArrayOf(edits.erased), ArrayOf(set), ArrayOf(order)});
}

void Append(const Replacement& replacement, std::vector<Any>* out) {
  out->insert(out->end(), {Any(String(kValue)), replacement.value});
}

// Reads the elements of one edit.
class EditReader {
 public:
  EditReader(const Any& edit, int64_t number) : number_(number) {
    const ArrayObj* array = edit.as<ArrayObj>();
    TRANSOM_CHECK(array != nullptr, PatchError)
        << "edit " << number << " of the patch is " << TextOf(edit) << ", where an array is expected";
    for (int64_t i = 0; i < array->size(); ++i) items_.push_back(array->begin()[i]);
  }

  ObjectEdit Read() {
    ObjectEdit edit;
    edit.target = Next("an object");
    const std::string form = Text("the form of the edit");
    if (form == kFields) {
      edit.change = Fields();
    } else if (form == kItems) {
      edit.change = Items();
    } else if (form == kEntries) {
      edit.change = Entries();
    } else if (form == kValue) {
      edit.change = Replacement{Next("a value")};
    } else {
      Fail("fields, items, entries or value", items_[at_ - 1]);
    }
    if (at_ != items_.size()) {
      const Any& more = Next("the end");
      Fail("the end of the edit", more);
    }
    return edit;
  }

 private:
  FieldEdits Fields() {
    FieldEdits edits;
    while (at_ < items_.size()) {
      std::string name = Text("the name of a field");
      edits.fields.push_back({std::move(name), Next("the value of a field")});
    }
    return edits;
  }

  ItemEdits Items() {
    ItemEdits edits;
    edits.old_size = Int("the size of a sequence");
    while (at_ < items_.size()) {
      ItemEdits::Splice splice;
      splice.begin = Int("an index");
      splice.removed = Int("a number of elements");
      splice.inserted = List("an array of elements");
      edits.splices.push_back(std::move(splice));
    }
    return edits;
  }

  EntryEdits Entries() {
    EntryEdits edits;
    edits.old_size = Int("the size of a map");
    edits.erased = List("an array of keys");
    const std::vector<Any> set = List("an array of keys and values");
    if (set.size() % 2 != 0) Fail("an array of keys and values", items_[at_ - 1]);
    for (size_t i = 0; i < set.size(); i += 2) edits.set.emplace_back(set[i], set[i + 1]);
    for (const Any& place : List("an array of places")) {
      if (place.type_index() != kTVMFFIInt) Fail("a place", place);
      edits.order.push_back(place.cast<int64_t>());
    }
    return edits;
  }

  const Any& Next(const char* expected) {
    if (at_ == items_.size())
      TRANSOM_THROW(PatchError) << "edit " << number_ << " of the patch ends where " << expected << " is expected";
    return items_[at_++];
  }
  std::string Text(const char* expected) {
    const Any& value = Next(expected);
    const auto text = value.try_cast<String>();
    if (!text) Fail(expected, value);
    return std::string(*text);
  }
  int64_t Int(const char* expected) {
    const Any& value = Next(expected);
    if (value.type_index() != kTVMFFIInt) Fail(expected, value);
    return value.cast<int64_t>();
  }
  std::vector<Any> List(const char* expected) {
    const Any& value = Next(expected);
    const ArrayObj* array = value.as<ArrayObj>();
    if (array == nullptr) Fail(expected, value);
    return {array->begin(), array->begin() + array->size()};
  }

  static std::string TextOf(const Any& value) {
    const auto text = value.try_cast<String>();
    return text ? graph::Quoted(std::string_view(text->data(), text->size()))
                : std::string(graph::TypeKeyOf(*value.raw()));
  }
  // About the element that was read last.
  [[noreturn]] void Fail(const std::string& expected, const Any& found) const {
    TRANSOM_THROW(PatchError) << "edit " << number_ << " of the patch has " << TextOf(found) << " as its element "
                              << at_ - 1 << ", where " << expected << " is expected";
  }

  int64_t number_;
  size_t at_ = 0;
  std::vector<Any> items_;
};

}  // namespace

Any ScriptToArrays(const EditScript& script) {
  std::vector<Any> arrays{script.root};
  for (const ObjectEdit& edit : script.edits) {
    std::vector<Any> array{edit.target};
    std::visit([&](const auto& change) { Append(change, &array); }, edit.change);
    arrays.push_back(ArrayOf(array));
  }
  return ArrayOf(arrays);
}

EditScript ScriptFromArrays(const Any& arrays) {
  const ArrayObj* array = arrays.as<ArrayObj>();
  TRANSOM_CHECK(array != nullptr && array->size() != 0, PatchError)
      << "the root of the patch is " << graph::TypeKeyOf(*arrays.raw())
      << ", where an array of the result's root and edits is expected";
  EditScript script;
  script.root = array->begin()[0];
  for (int64_t i = 1; i < array->size(); ++i) script.edits.push_back(EditReader(array->begin()[i], i).Read());
  return script;
}

}  // namespace transom::formats
