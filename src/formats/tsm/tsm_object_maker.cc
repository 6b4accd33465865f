#include "formats/tsm/tsm_object_maker.h"

#include <transom/reflection/field_access.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <cstring>

#include "graph/native_object.h"
#include "schema/builder.h"
#include "schema/message.h"
#include "schema/record_block.h"

namespace transom::formats {
namespace {

using graph::Storage;
using schema::FieldDescriptor;
using schema::TypeKind;

void DropAny(const TVMFFIAny& value) {
  if (graph::IsObject(value)) transom::detail::DecRef(value.v_obj);
}

// Whether containers of the type have a number of elements that it states.
bool AsksForSize(const schema::TypeExpr& type) {
  return type.kind == TypeKind::kTuple || std::any_of(type.args.begin(), type.args.end(), AsksForSize);
}

// The value of a column of plain values, as it lies in a field of that storage.
void StoreWord(const TsmColumn& column, uint32_t row, Storage storage, char* address) {
  switch (storage) {
    case Storage::kBool:
      *reinterpret_cast<uint8_t*>(address) = column.At<uint8_t>(row);
      return;
    case Storage::kDataType:
      std::memcpy(address, &column.At<DLDataType>(row), sizeof(DLDataType));
      return;
    case Storage::kInt64:
    case Storage::kFloat64:
      std::memcpy(address, &column.At<uint64_t>(row), sizeof(uint64_t));
      return;
    default:
      return;
  }
}

// Of the values of a column of plain values.
int32_t TypeIndexOf(Storage storage) {
  switch (storage) {
    case Storage::kBool:
      return kTVMFFIBool;
    case Storage::kInt64:
      return kTVMFFIInt;
    case Storage::kFloat64:
      return kTVMFFIFloat;
    case Storage::kDataType:
      return kTVMFFIDataType;
    default:
      return kTVMFFINone;
  }
}

}  // namespace

void TsmLoad::Fail(const std::string& what, Unreadable why) const {
  ThrowTsm(table.file().source(), table.NodeText(values.built()) + what, why);
}

TsmObjectMaker::TsmObjectMaker(const TsmLoad& load, const TsmGroup& group, NodeFactory& factory,
                               const schema::Schema* registered)
    : load_(load), group_(group), factory_(factory), type_(&factory.TypeOf(group.type->key)) {
  const std::string_view source = load.table.file().source();
  if (type_->form == NodeForm::kUnknown) ThrowTsm(source, factory.UnknownText(group.type->key), Unreadable::kNoSchema);
  if (type_->form != NodeForm::kFields)
    ThrowTsm(source, "type " + group.type->key + " has fields in the file, and data of its own form in " +
                         factory.schema_text());
  target_ = type_->descriptor;
  MapColumns();
  if (!defaults_.empty() || loses_references_) return;
  if (type_->native_index < 0) {
    PrepareRecord();
  } else if (registered != nullptr && target_ == group.type && PrepareNative(*registered)) {
    way_ = Way::kNative;
  }
}

TsmObjectMaker::~TsmObjectMaker() {
  // Records that were counted in advance and not made.
  if (way_ == Way::kRecord) target_->schema->DropRefs(group_.count - made_);
}

void TsmObjectMaker::MapColumns() {
  for (size_t i = 0; i < target_->fields.size(); ++i) MapColumn(i);
  if (target_ != group_.type) CheckNoFieldLost();
  fields_.assign(target_->fields.size(), graph::NoneValue());
  for (const Default& d : defaults_) fields_[d.field] = *d.value.raw();
}

void TsmObjectMaker::MapColumn(size_t target_field) {
  const FieldDescriptor& field = target_->fields[target_field];
  const auto where = [&] { return "type " + target_->key + ", field " + schema::Quote(field.name) + ": "; };
  const std::string_view source = load_.table.file().source();
  const int32_t i = group_.type->FindField(field.name, static_cast<uint32_t>(target_field));
  if (i < 0) {
    const bool stated = field.has_default && field.default_is_known;
    if (!stated && !factory_.RegisteredDefault(*type_, field.name, nullptr)) {
      ThrowTsm(source,
               where() + "the file does not have it, and it has no default that " + factory_.schema_text() + " states");
    }
    defaults_.push_back({static_cast<uint32_t>(target_field), field.default_value, !stated});
    return;
  }
  const FieldDescriptor& from = group_.type->fields[static_cast<size_t>(i)];
  if (from.type.IsInline() != field.type.IsInline() || (field.type.IsInline() && from.type.kind != field.type.kind)) {
    ThrowTsm(source, where() + "it is " + from.type_text + " in the file and " + field.type_text + " in " +
                         factory_.schema_text());
  }
  const TsmColumn* column = &group_.columns[static_cast<size_t>(i)];
  if (field.type.IsInline()) {
    words_.push_back({column, static_cast<uint32_t>(target_field), schema::StorageOf(field.type)});
  } else {
    Reference& ref = references_.emplace_back();
    ref.refs = column->Elements<uint32_t>();
    ref.step = column->step;
    ref.field = &field;
    ref.at = static_cast<uint32_t>(target_field);
    checked_.push_back({column, &field});
  }
}

void TsmObjectMaker::CheckNoFieldLost() {
  for (const FieldDescriptor& field : group_.type->fields) {
    if (target_->FindField(field.name) >= 0) continue;
    if (!load_.options.drop_unknown_fields) {
      ThrowTsm(load_.table.file().source(),
               "type " + target_->key + " has no field " + schema::Quote(field.name) + " in " + factory_.schema_text() +
                   ", but in the file; give another schema, or drop such fields (--drop-unknown)");
    }
    load_.dropped_fields.insert(target_->key + "." + field.name);
    loses_references_ = loses_references_ || !field.type.IsInline();
  }
}

void TsmObjectMaker::PrepareRecord() {
  way_ = Way::kRecord;
  size_ = target_->instance_size;
  for (Word& word : words_) word.at = target_->fields[word.at].offset;
  for (Reference& ref : references_) {
    ref.is_any = ref.field->storage == Storage::kAny;
    ref.at = ref.field->offset;
  }
  // A single node for all rows that is None leaves the field as it is.
  std::erase_if(references_, [&](const Reference& ref) {
    return ref.step == 0 && !ref.is_any &&
           load_.table.groups()[load_.table.GroupOf(ref.refs[0])].type_index == kTVMFFINone;
  });
  const auto pointers_end =
      std::stable_partition(references_.begin(), references_.end(), [](const Reference& ref) { return !ref.is_any; });
  num_pointers_ = static_cast<size_t>(pointers_end - references_.begin());
  target_->schema->AddRefs(group_.count);
  prototype_.resize(size_ / sizeof(uint64_t));
  schema::PlaceRecord(prototype_.data(), *target_);
  BakeConstants();
}

// Plain values that all rows have go into the prototype.
void TsmObjectMaker::BakeConstants() {
  auto* object = reinterpret_cast<char*>(prototype_.data());
  for (const Word& word : words_) {
    if (word.column->step == 0) StoreWord(*word.column, 0, word.storage, object + word.at);
  }
  std::erase_if(words_, [](const Word& word) { return word.column->step == 0; });
}

bool TsmObjectMaker::PrepareNative(const schema::Schema& registered) {
  const TVMFFIAny* layout = graph::AttrOf(type_->native_index, transom::detail::kBlockLayoutAttr);
  if (layout == nullptr || layout->type_index != kTVMFFIOpaquePtr) return false;
  const graph::TypePlan& plan = load_.plans.OfType(type_->native_index);
  if (plan.fields.size() != target_->fields.size()) return false;
  size_t i = 0;
  bool fits = true;
  reflection::ForEachField(TVMFFIGetTypeInfo(type_->native_index), [&](const TVMFFIFieldInfo* info) {
    fits = fits && PrepareNativeField(*info, plan.fields[i], i);
    ++i;
  });
  if (!fits) return false;
  if (!schema::SameDescription(*registered.Find(type_->key), *target_)) return false;
  const auto offset_of = [&](uint32_t field) { return plan.fields[field].offset; };
  for (Word& word : words_) word.at = offset_of(word.at);
  for (Reference& ref : references_) ref.at = offset_of(ref.at);
  layout_ = static_cast<const transom::detail::BlockLayout*>(layout->v_ptr);
  size_ = layout_->size;
  never_asks_ =
      std::all_of(references_.begin(), references_.end(), [](const Reference& ref) { return ref.never_asks; });
  if (layout_->copy != nullptr && HasOnlyFields()) MakeOriginal();
  return true;
}

// Whether no pointer can hide between the fields. Then a copy of an object is as good as a new one: what the two share
// is replaced.
bool TsmObjectMaker::HasOnlyFields() const {
  constexpr uint32_t kWord = sizeof(void*);
  std::vector<uint8_t> covered(size_ / kWord);
  std::fill_n(covered.begin(), sizeof(TVMFFIObject) / kWord, 1);
  reflection::ForEachField(TVMFFIGetTypeInfo(type_->native_index), [&](const TVMFFIFieldInfo* info) {
    for (int64_t at = info->offset / kWord; at * kWord < info->offset + info->size; ++at)
      covered[static_cast<size_t>(at)] = 1;
  });
  return std::find(covered.begin(), covered.end(), 0) == covered.end();
}

void TsmObjectMaker::MakeOriginal() {
  try {
    original_ = graph::CreateEmpty(type_->native_index);
  } catch (const Error&) {
    // The first node of the type says so.
  }
}

// How far the declared type says what a registered field takes. Elements of a container may be refused (None) or
// converted (an int where a float must be, which makes another container).
TsmObjectMaker::Told TsmObjectMaker::WhatDeclaredTypeTells(const FieldDescriptor& field) {
  const bool says_any_object = field.type_text.find("ffi.Object") != std::string::npos;
  const auto tells_all = [&](const schema::TypeExpr& type) {
    switch (type.kind) {
      case TypeKind::kAny:
        return !says_any_object;
      case TypeKind::kNamed:
      case TypeKind::kString:
      case TypeKind::kBytes:
      case TypeKind::kShape:
      case TypeKind::kTensor:
        return true;
      default:
        return false;
    }
  };
  switch (field.type.kind) {
    case TypeKind::kArray:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kDict:
      return std::all_of(field.type.args.begin(), field.type.args.end(), tells_all) ? Told::kAllButNoneInside
                                                                                    : Told::kNothing;
    default:
      return tells_all(field.type) ? Told::kAll : Told::kNothing;
  }
}

// Whether field `i` of the registered type can be filled by storing into memory, or by its setter alone.
bool TsmObjectMaker::PrepareNativeField(const TVMFFIFieldInfo& info, const graph::FieldPlan& plan, size_t i) {
  if ((info.flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) != 0 || plan.name != target_->fields[i].name) return false;
  for (const Word& word : words_) {
    if (word.at == i) return word.storage == plan.storage;
  }
  for (Reference& ref : references_) {
    if (ref.at != i) continue;
    ref.setter = reinterpret_cast<TVMFFIFieldSetter>(info.setter);
    ref.is_any = plan.storage == Storage::kAny;
    ref.none_is_fine = ref.field->type_text == "Any";
    ref.told = ref.is_any || plan.storage == Storage::kObject ? WhatDeclaredTypeTells(*ref.field) : Told::kNothing;
    // Without None only plain values could ask, and only in fields of "ffi.Object", which always do.
    ref.never_asks = ref.told != Told::kNothing && !load_.table.HasNone();
  }
  return true;
}

void TsmObjectMaker::MakeRecord(uint32_t row) {
  char* object = static_cast<char*>(load_.arena.Allocate(size_));
  std::memcpy(object, prototype_.data(), size_);
  const TVMFFIAny* values = load_.values.all();
  const Reference* ref = references_.data();
  for (const Reference* end = ref + num_pointers_; ref != end; ++ref) {
    // None has the payload NULL.
    *reinterpret_cast<TVMFFIObject**>(object + ref->at) = values[ref->refs[size_t{row} * ref->step]].v_obj;
  }
  for (const Reference* end = references_.data() + references_.size(); ref != end; ++ref) {
    *reinterpret_cast<TVMFFIAny*>(object + ref->at) = values[ref->refs[size_t{row} * ref->step]];
  }
  for (const Word& word : words_) StoreWord(*word.column, row, word.storage, object + word.at);
  ++made_;
  load_.values.AddNew(reinterpret_cast<TVMFFIObject*>(object));
}

TVMFFIObject* TsmObjectMaker::PlaceNative() {
  void* memory = load_.arena.Allocate(size_);
  try {
    if (original_ != nullptr) return layout_->copy(memory, original_.raw()->v_obj, type_->native_index);
    return layout_->place(memory, type_->native_index);
  } catch (const std::exception& error) {
    load_.arena.Undo(size_);
    const auto* own = dynamic_cast<const Error*>(&error);
    load_.Fail("the object cannot be made: " +
               (own != nullptr ? std::string(own->message()) : std::string(error.what())));
  }
}

// Nothing can fail from here on.
void TsmObjectMaker::FillNative(TVMFFIObject* object, uint32_t row) {
  const TVMFFIAny* values = load_.values.all();
  char* bytes = reinterpret_cast<char*>(object);
  for (const Word& word : words_) StoreWord(*word.column, row, word.storage, bytes + word.at);
  for (const Reference& ref : references_) Store(ref, object, values[ref.refs[size_t{row} * ref.step]]);
  load_.values.AddNew(object);
}

bool TsmObjectMaker::MustAsk(const Reference& ref, uint32_t node) const {
  if (ref.told == Told::kNothing) return true;
  const TVMFFIAny& value = load_.values[node];
  if (value.type_index == kTVMFFINone) return !ref.none_is_fine;
  if (!graph::IsObject(value)) return !ref.is_any;
  return ref.told == Told::kAllButNoneInside && load_.values.HoldsNone(node);
}

void TsmObjectMaker::MakeNative(uint32_t row) {
  TVMFFIObject* object = PlaceNative();
  if (never_asks_) return FillNative(object, row);
  Any owner = Any::FromOwned(graph::ObjectValue(object));  // until the object is complete
  for (const Word& word : words_) StoreWord(*word.column, row, word.storage, reinterpret_cast<char*>(object) + word.at);
  for (size_t i = 0; i < references_.size(); ++i) {
    Reference& ref = references_[i];
    const uint32_t node = ref.refs[size_t{row} * ref.step];
    if (ref.never_asks || !MustAsk(ref, node)) {
      Store(ref, object, load_.values[node]);
      continue;
    }
    try {
      AskSetter(ref, object, node);
    } catch (...) {
      // The object ends with what it has taken; the other references that were counted for it end here.
      load_.values.NoteTaken();
      for (; i < references_.size(); ++i)
        load_.values.DropCounted(references_[i].refs[size_t{row} * references_[i].step]);
      throw;
    }
  }
  load_.values.AddNew(owner.Release().v_obj);
}

// The constructor may have put something there.
void TsmObjectMaker::Store(const Reference& ref, TVMFFIObject* object, const TVMFFIAny& value) {
  char* at = reinterpret_cast<char*>(object) + ref.at;
  if (ref.is_any) {
    DropAny(std::exchange(*reinterpret_cast<TVMFFIAny*>(at), value));
  } else {
    TVMFFIObject* old = std::exchange(*reinterpret_cast<TVMFFIObject**>(at), value.v_obj);
    if (old != nullptr) transom::detail::DecRef(old);
  }
}

void TsmObjectMaker::AskSetter(Reference& ref, TVMFFIObject* object, uint32_t node) {
  const TVMFFIAny& value = load_.values[node];
  if (ref.setter(reinterpret_cast<char*>(object) + ref.at, &value) == 0) {
    if (value.type_index == kTVMFFINone && ref.told != Told::kNothing) ref.none_is_fine = true;
    load_.values.DropCounted(node);  // the setter has added its own
    return;
  }
  try {
    CheckCall(-1);
  } catch (const Error& error) {
    load_.Fail("field " + schema::Quote(ref.field->name) + ": " + std::string(error.message()));
  }
}

void TsmObjectMaker::MakeGeneral(uint32_t row) {
  for (const Reference& ref : references_) fields_[ref.at] = load_.values[ref.refs[size_t{row} * ref.step]];
  for (const Word& word : words_) fields_[word.at] = PlainValue(word.column, row, TypeIndexOf(word.storage));
  Any object;
  try {
    for (Default& d : defaults_) {
      if (!d.registered) continue;
      factory_.RegisteredDefault(*type_, target_->fields[d.field].name, &d.value);
      fields_[d.field] = *d.value.raw();
    }
    object = factory_.MakeObject(*type_, fields_);
  } catch (const Error& error) {
    load_.Fail("the object cannot be made: " + std::string(error.message()));
  }
  load_.values.Add(std::move(object));
}

void TsmObjectMaker::CheckTypes(TsmTypeCheck& check, TsmNodeKinds& kinds, uint32_t group) const {
  const TsmTable& table = load_.table;
  for (const Checked& field : checked_) {
    if (field.type->type.kind == TypeKind::kAny) continue;
    kinds.BeginType();
    const bool by_size = AsksForSize(field.type->type);
    const uint32_t* refs = field.column->Elements<uint32_t>();
    const uint64_t size = field.column->size;
    for (uint64_t row = 0; row < size; ++row) {
      const uint32_t kind = kinds.Of(refs[row]);
      const bool fits_alike = by_size ? kinds.IsGroup(kind) : kind != TsmNodeKinds::kNone;
      if (fits_alike && kinds.Fits(kind)) continue;
      if (!check.Fits(field.type->type, refs[row])) {
        ThrowTsm(table.file().source(), table.NodeText(table.NodesOf(group)[row]) + "field " +
                                            schema::Quote(field.type->name) + " of type " + field.type->type_text +
                                            " holds node " + std::to_string(refs[row]) + ", which is " +
                                            check.Describe(field.type->type, refs[row]));
      }
      if (fits_alike) kinds.NoteFit(kind);
    }
  }
}

}  // namespace transom::formats
