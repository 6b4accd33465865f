#include "formats/tsm_object_maker.h"

#include <transom/reflection/field_access.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <cstring>

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

bool IsContainer(const TVMFFIAny& value) {
  const graph::ValueClass cls = graph::Classify(value.type_index);
  return cls == graph::ValueClass::kSequence || cls == graph::ValueClass::kMap;
}

// Whether the declared type says all that a registered field asks of an object, so that what fits can be stored as it is. Not so for containers of
// something: their elements may be refused (None) or converted (an int where a float must be).
bool DeclaredTypeTellsAll(const FieldDescriptor& field) {
  switch (field.type.kind) {
    case TypeKind::kAny:
      return field.type_text == "Any";
    case TypeKind::kNamed:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kShape:
    case TypeKind::kTensor:
      return true;
    case TypeKind::kArray:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kDict:
      return std::all_of(field.type.args.begin(), field.type.args.end(), [](const schema::TypeExpr& arg) { return arg.kind == TypeKind::kAny; }) &&
             field.type_text.find("ffi.Object") == std::string::npos;
    default:
      return false;
  }
}

uint32_t RoundUp8(uint32_t size) { return (size + 7) & ~uint32_t{7}; }

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

TVMFFIAny WordValue(const TsmColumn& column, uint32_t row, Storage storage) {
  TVMFFIAny value = graph::NoneValue();
  switch (storage) {
    case Storage::kBool:
      value.type_index = kTVMFFIBool;
      value.v_int64 = column.At<uint8_t>(row);
      break;
    case Storage::kDataType:
      value.type_index = kTVMFFIDataType;
      value.v_dtype = column.At<DLDataType>(row);
      break;
    case Storage::kInt64:
    case Storage::kFloat64:
      value.type_index = storage == Storage::kInt64 ? kTVMFFIInt : kTVMFFIFloat;
      value.v_uint64 = column.At<uint64_t>(row);
      break;
    default:
      break;
  }
  return value;
}

}  // namespace

TsmValues::~TsmValues() {
  for (uint32_t i = 0; i < built_; ++i) {
    if (states_[i] != kTaken) DropAny(values_[i]);
  }
}

uint32_t TsmValues::FirstUnused() const {
  const auto last = states_.end() - 1;
  const auto unused = std::find(states_.begin(), last, kUnused);
  return unused == last ? static_cast<uint32_t>(states_.size()) : static_cast<uint32_t>(unused - states_.begin());
}

void TsmLoad::Fail(const std::string& what) const { ThrowTsm(table.file().source(), table.NodeText(values.built()) + what); }

void TsmLoad::FailReference(uint32_t reference) const {
  Fail("it refers to node " + std::to_string(reference) + "; a node can refer only to those before it");
}

TsmObjectMaker::TsmObjectMaker(const TsmLoad& load, const TsmGroup& group, NodeFactory& factory, bool all_native)
    : load_(load), group_(group), factory_(factory), type_(&factory.TypeOf(group.type->key)) {
  const std::string_view source = load.table.file().source();
  if (type_->form == NodeForm::kUnknown) ThrowTsm(source, factory.UnknownText(group.type->key));
  if (type_->form != NodeForm::kFields) ThrowTsm(source, "type " + group.type->key + " has fields in the file, and data of its own form in " + factory.schema_text());
  target_ = type_->descriptor;
  MapColumns();
  if (!defaults_.empty()) return;
  if (type_->native_index < 0) {
    PrepareRecord();
  } else if (all_native && target_ == group.type && PrepareNative()) {
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
  for (auto& [field, value] : defaults_) fields_[field] = *value.raw();
}

void TsmObjectMaker::MapColumn(size_t target_field) {
  const FieldDescriptor& field = target_->fields[target_field];
  const auto where = [&] { return "type " + target_->key + ", field " + schema::Quote(field.name) + ": "; };
  const std::string_view source = load_.table.file().source();
  const int32_t i = group_.type->FindField(field.name, static_cast<uint32_t>(target_field));
  if (i < 0) {
    Any value = field.default_value;
    if (!(field.has_default && field.default_is_known) && !factory_.RegisteredDefault(*type_, field.name, &value)) {
      ThrowTsm(source, where() + "the file does not have it, and it has no default that " + factory_.schema_text() + " states");
    }
    defaults_.emplace_back(static_cast<uint32_t>(target_field), std::move(value));
    return;
  }
  const FieldDescriptor& from = group_.type->fields[static_cast<size_t>(i)];
  if (from.type.IsInline() != field.type.IsInline() || (field.type.IsInline() && from.type.kind != field.type.kind)) {
    ThrowTsm(source, where() + "it is " + from.type_text + " in the file and " + field.type_text + " in " + factory_.schema_text());
  }
  const TsmColumn* column = &group_.columns[static_cast<size_t>(i)];
  if (field.type.IsInline()) {
    words_.push_back({column, static_cast<uint32_t>(target_field), schema::StorageOf(field.type)});
  } else {
    Reference& ref = references_.emplace_back();
    ref.column = column;
    ref.field = &field;
    ref.at = static_cast<uint32_t>(target_field);
    ref.fits.assign(load_.table.groups().size(), kUnknown);
  }
}

void TsmObjectMaker::CheckNoFieldLost() {
  for (const FieldDescriptor& field : group_.type->fields) {
    if (target_->FindField(field.name) >= 0) continue;
    if (!load_.options.drop_unknown_fields) {
      ThrowTsm(load_.table.file().source(), "type " + target_->key + " has no field " + schema::Quote(field.name) + " in " + factory_.schema_text() +
                                                ", but in the file; give another schema, or drop such fields (--drop-unknown)");
    }
    load_.dropped_fields.insert(target_->key + "." + field.name);
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

bool TsmObjectMaker::PrepareNative() {
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
  const schema::SchemaRef registered = schema::Schema::FromRegistry("registered types", {type_->key});
  const schema::TypeDescriptor* same = registered->Find(type_->key);
  if (same->digest[0] != target_->digest[0] || same->digest[1] != target_->digest[1]) return false;
  const auto offset_of = [&](uint32_t field) { return plan.fields[field].offset; };
  for (Word& word : words_) word.at = offset_of(word.at);
  for (Reference& ref : references_) ref.at = offset_of(ref.at);
  layout_ = static_cast<const transom::detail::BlockLayout*>(layout->v_ptr);
  size_ = RoundUp8(layout_->size);
  return true;
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
    ref.always_ask = !DeclaredTypeTellsAll(*ref.field) || (!ref.is_any && plan.storage != Storage::kObject);
  }
  return true;
}

void TsmObjectMaker::Make(uint32_t row) {
  if (way_ == Way::kGeneral) {
    MakeGeneral(row);
  } else {
    MakePlaced(row);
  }
}

void TsmObjectMaker::MakePlaced(uint32_t row) {
  // What is refused is refused before there is an object.
  for (Reference& ref : references_) CheckType(ref, load_.Check(ref.column->At<uint32_t>(row)));
  void* memory = load_.arena.Allocate(size_);
  TVMFFIObject* object = nullptr;
  if (way_ == Way::kRecord) {
    std::memcpy(memory, prototype_.data(), size_);
    object = static_cast<TVMFFIObject*>(memory);
  } else {
    try {
      object = layout_->place(memory, type_->native_index);
    } catch (const std::exception& error) {
      load_.arena.Undo(size_);
      load_.Fail(std::string("the object cannot be made: ") + error.what());
    }
  }
  ++made_;
  Any owner = Any::FromOwned(graph::ObjectValue(object));  // until the object is complete
  auto* bytes = reinterpret_cast<char*>(object);
  for (const Word& word : words_) StoreWord(*word.column, row, word.storage, bytes + word.at);
  for (Reference& ref : references_) Store(ref, object, ref.column->At<uint32_t>(row));
  load_.values.Add(owner.Release());
}

void TsmObjectMaker::Store(Reference& ref, TVMFFIObject* object, uint32_t node) {
  const TVMFFIAny& seen = load_.values.Look(node);
  const bool is_object = graph::IsObject(seen);
  if (ref.always_ask || (seen.type_index == kTVMFFINone ? !ref.none_is_fine : !is_object && !ref.is_any)) return AskSetter(ref, object, node);
  const TVMFFIAny value = load_.values.Take(node);
  char* at = reinterpret_cast<char*>(object) + ref.at;
  if (ref.is_any) {
    auto* slot = reinterpret_cast<TVMFFIAny*>(at);
    const TVMFFIAny old = std::exchange(*slot, value);
    if (way_ == Way::kNative) DropAny(old);
  } else {
    auto** slot = reinterpret_cast<TVMFFIObject**>(at);
    TVMFFIObject* old = std::exchange(*slot, is_object ? value.v_obj : nullptr);
    if (old != nullptr) transom::detail::DecRef(old);
  }
}

void TsmObjectMaker::AskSetter(Reference& ref, TVMFFIObject* object, uint32_t node) {
  const TVMFFIAny& value = load_.values.Borrow(node);
  if (ref.setter(reinterpret_cast<char*>(object) + ref.at, &value) == 0) {
    if (value.type_index == kTVMFFINone && !ref.always_ask) ref.none_is_fine = true;
    return;
  }
  try {
    CheckCall(-1);
  } catch (const Error& error) {
    load_.Fail("field " + schema::Quote(ref.field->name) + ": " + std::string(error.message()));
  }
}

void TsmObjectMaker::MakeGeneral(uint32_t row) {
  for (Reference& ref : references_) {
    const uint32_t node = load_.Check(ref.column->At<uint32_t>(row));
    CheckType(ref, node);
    fields_[ref.at] = load_.values.Borrow(node);
  }
  for (const Word& word : words_) fields_[word.at] = WordValue(*word.column, row, word.storage);
  Any object;
  try {
    object = factory_.MakeObject(*type_, fields_);
  } catch (const Error& error) {
    load_.Fail("the object cannot be made: " + std::string(error.message()));
  }
  load_.values.Add(object.Release());
}

void TsmObjectMaker::CheckTypeSlowly(Reference& ref, uint32_t node) {
  const TVMFFIAny& value = load_.values.Look(node);
  const bool anything = ref.field->type.kind == TypeKind::kAny;
  if (anything || factory_.check().Fits(ref.field->type, value)) {
    ref.fits[load_.table.GroupOf(node)] = anything || !IsContainer(value) ? kFits : kLookInside;
    return;
  }
  load_.Fail("field " + schema::Quote(ref.field->name) + " of type " + ref.field->type_text + " holds node " + std::to_string(node) + ", which is " +
             factory_.check().Describe(ref.field->type, value));
}

}  // namespace transom::formats
