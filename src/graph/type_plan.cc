#include "graph/type_plan.h"

#include <transom/reflection/field_access.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/error.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "schema/builder.h"
#include "schema/json_text.h"

namespace transom::graph {
namespace {

// Seeds of digests are functions of names alone, so digests agree across processes and languages.
uint64_t NameTag(std::string_view name) { return XXH3_64bits(name.data(), name.size()); }

Storage NativeStorage(const TVMFFIFieldInfo& info) {
  switch (info.field_static_type_index) {
    case kTVMFFIAny:
      return info.size == 16 ? Storage::kAny : info.size == 8 ? Storage::kObject : Storage::kGetter;
    case kTVMFFIBool:
      return info.size == 1 ? Storage::kBool : Storage::kGetter;
    case kTVMFFIInt:
      // The record does not say whether a narrower integer is signed; the getter knows.
      return info.size == 8 ? Storage::kInt64 : Storage::kGetter;
    case kTVMFFIFloat:
      return info.size == 8 ? Storage::kFloat64 : info.size == 4 ? Storage::kFloat32 : Storage::kGetter;
    case kTVMFFIDataType:
      return Storage::kDataType;
    case kTVMFFIDevice:
      return Storage::kDevice;
    default:
      return info.field_static_type_index >= kTVMFFIStaticObjectBegin && info.size == 8 ? Storage::kObject
                                                                                        : Storage::kGetter;
  }
}

FieldPlan NativeField(const TVMFFIFieldInfo& info) {
  FieldPlan field;
  field.offset = static_cast<uint32_t>(info.offset);
  field.storage = NativeStorage(info);
  field.name = {info.name.data, info.name.size};
  field.tag = NameTag(field.name);
  field.getter = info.getter;
  field.static_type = info.field_static_type_index;
  field.ignore = (info.flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore) != 0;
  if ((info.flags & kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive) != 0) {
    field.def = DefRegion::kSimple;
  } else if ((info.flags & kTVMFFIFieldFlagBitMaskSEqHashDefRecursive) != 0) {
    field.def = DefRegion::kRecursive;
  }
  // Only what a schema can state, so that records of the type have the same digests.
  Any value;
  field.has_default = schema::StatedDefault(info, &value);
  if (field.has_default) field.default_value = AnyView::FromRaw(*value.raw());
  return field;
}

// What a plan of a registered type was compiled from.
struct Snapshot {
  std::vector<const TVMFFIFieldInfo*> fields;
  const TVMFFITypeMetadata* metadata = nullptr;
  const TVMFFIAny* hook = nullptr;
  const TVMFFIAny* data = nullptr;

  static Snapshot Take(int32_t type_index) {
    Snapshot s;
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
    reflection::ForEachField(info, [&](const TVMFFIFieldInfo* field) { s.fields.push_back(field); });
    s.metadata = MetadataOf(info);
    s.hook = HookOf(type_index);
    s.data = DataOf(type_index);
    return s;
  }
  // Whether the type is still described so. Takes no lock and no memory: every traversal asks for each of its types.
  bool IsCurrent(int32_t type_index) const {
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
    size_t count = 0;
    bool same = true;
    reflection::ForEachField(info, [&](const TVMFFIFieldInfo* field) {
      same = same && count < fields.size() && fields[count] == field;
      ++count;
    });
    return same && count == fields.size() && metadata == MetadataOf(info) && hook == HookOf(type_index) &&
           data == DataOf(type_index);
  }

 private:
  static const TVMFFITypeMetadata* MetadataOf(const TVMFFITypeInfo* info) {
    return __atomic_load_n(&info->metadata, __ATOMIC_ACQUIRE);
  }
  // Columns never move, and these exist from the start.
  static const TVMFFIAny* HookOf(int32_t type_index) {
    static const TVMFFITypeAttrColumn* const column = detail::TypeAttrColumn("__s_equal__");
    return detail::FindTypeAttr(column, type_index);
  }
  static const TVMFFIAny* DataOf(int32_t type_index) {
    static const TVMFFITypeAttrColumn* const column = detail::TypeAttrColumn("__data_to_json__");
    return detail::FindTypeAttr(column, type_index);
  }
};

void FinishFields(TypePlan& plan) {
  for (size_t i = 0; i < plan.fields.size(); ++i) {
    plan.all.push_back(static_cast<uint16_t>(i));
    if (plan.fields[i].storage == Storage::kObject) plan.objects.push_back(plan.fields[i].offset);
    if (!plan.fields[i].ignore) plan.structural.push_back(static_cast<uint16_t>(i));
    plan.has_defaults = plan.has_defaults || plan.fields[i].has_default;
  }
  plan.seed = NameTag(plan.key);
}

void FinishRules(TypePlan& plan) {
  plan.plain = plan.kind != StructuralKind::kNone && !plan.hook && !plan.custom_data && plan.compare_if_field < 0;
  plan.only_numbers =
      plan.plain && std::all_of(plan.compare.begin(), plan.compare.end(), [&](uint16_t i) {
        const Storage storage = plan.fields[i].storage;
        return storage != Storage::kObject && storage != Storage::kAny && storage != Storage::kGetter;
      });
}

TypePlan CompileNative(int32_t type_index, const Snapshot& snapshot) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  TypePlan plan;
  plan.key = {info->type_key.data, info->type_key.size};
  plan.type_index = type_index;
  if (snapshot.metadata != nullptr) {
    plan.kind = static_cast<StructuralKind>(snapshot.metadata->structural_eq_hash_kind);
  }
  for (const TVMFFIFieldInfo* field : snapshot.fields) plan.fields.push_back(NativeField(*field));
  for (std::string_view label : {"name", "name_hint", "global_symbol"}) {
    if (plan.label_field < 0) plan.label_field = plan.FindField(label);
  }
  plan.hook = snapshot.hook != nullptr;
  plan.custom_data = snapshot.data != nullptr;
  FinishFields(plan);
  plan.compare = plan.structural;
  FinishRules(plan);
  return plan;
}

std::vector<uint16_t> FieldsByName(const TypePlan& plan, const schema::TypeDescriptor& descriptor,
                                   const std::vector<uint16_t>& indices) {
  std::vector<uint16_t> result;
  for (uint16_t i : indices) {
    const int32_t at = plan.FindField(descriptor.fields[i].name);
    if (at < 0) {
      TRANSOM_THROW(ValueError) << "schema " << descriptor.schema->source() << " compares field `"
                                << descriptor.fields[i].name << "` of type " << plan.key
                                << ", but the registered type has no such field; use the schema of the loaded library";
    }
    result.push_back(static_cast<uint16_t>(at));
  }
  return result;
}

// A schema's rules stand for those of the registered type (its hook above all).
void ApplyRules(TypePlan& plan, const schema::TypeDescriptor& rules) {
  plan.descriptor = &rules;
  if (rules.structural != StructuralKind::kNone) plan.kind = rules.structural;
  if (rules.has_compare || rules.compare_if_field >= 0) {
    plan.compare = FieldsByName(plan, rules, rules.compare);
    plan.hook = false;
  }
  if (rules.compare_if_field >= 0) {
    plan.compare_if_field = plan.FindField(rules.fields[rules.compare_if_field].name);
    plan.compare_if_type = rules.compare_if_type;
    plan.compare_then = FieldsByName(plan, rules, rules.compare_then);
  }
  FinishRules(plan);
  if (rules.label_stated) plan.label_field = plan.FindField(rules.fields[rules.label_field].name);
}

// A plan with what it was compiled from. Never changed once others see it, and never freed: traversals use the plan.
struct NativeEntry {
  Snapshot snapshot;
  TypePlan plan;
  const NativeEntry* older;  // of the same type, before it was described further
};

// Plans of registered types, by type index. Reading takes no lock. Leaked on purpose: plans may be asked for while
// static objects are destroyed.
class NativePlans {
 public:
  static NativePlans& Global() {
    static NativePlans* plans = new NativePlans();
    return *plans;
  }

  const TypePlan& Of(int32_t type_index) {
    const NativeEntry* entry = Find(type_index);
    if (entry != nullptr && entry->snapshot.IsCurrent(type_index)) return entry->plan;
    return Compile(type_index);
  }

 private:
  // Readers may use a table that was outgrown, so it stays. Each is twice as large as the one before.
  using Table = std::vector<std::atomic<const NativeEntry*>>;

  const NativeEntry* Find(int32_t type_index) const {
    const Table* table = table_.load(std::memory_order_acquire);
    const size_t i = static_cast<size_t>(type_index);
    return table == nullptr || i >= table->size() ? nullptr : (*table)[i].load(std::memory_order_acquire);
  }

  const TypePlan& Compile(int32_t type_index) {
    std::lock_guard<std::mutex> lock(mutex_);
    const NativeEntry* older = Find(type_index);
    if (older != nullptr && older->snapshot.IsCurrent(type_index)) return older->plan;  // another thread was first
    Snapshot now = Snapshot::Take(type_index);
    TypePlan plan = CompileNative(type_index, now);
    auto entry = std::make_unique<NativeEntry>(NativeEntry{std::move(now), std::move(plan), older});
    Table& table = TableFor(static_cast<size_t>(type_index));
    table[static_cast<size_t>(type_index)].store(entry.get(), std::memory_order_release);
    return entry.release()->plan;
  }

  Table& TableFor(size_t type_index) {
    if (!tables_.empty() && type_index < tables_.back()->size()) return *tables_.back();
    auto grown = std::make_unique<Table>(std::max<size_t>(2 * (type_index + 1), 256));
    if (!tables_.empty()) {
      for (size_t i = 0; i < tables_.back()->size(); ++i) (*grown)[i].store((*tables_.back())[i].load());
    }
    tables_.push_back(std::move(grown));
    table_.store(tables_.back().get(), std::memory_order_release);
    return *tables_.back();
  }

  std::atomic<Table*> table_{nullptr};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Table>> tables_;
};

TypePlan* CompileDescriptor(const schema::TypeDescriptor& descriptor) {
  auto plan = std::make_unique<TypePlan>();
  plan->key = descriptor.key;
  plan->descriptor = &descriptor;
  plan->kind = descriptor.structural;
  plan->custom_data = descriptor.custom_data;
  plan->hook = descriptor.hook;
  plan->label_field = descriptor.label_field;
  plan->compare = descriptor.compare;
  plan->compare_if_field = descriptor.compare_if_field;
  plan->compare_if_type = descriptor.compare_if_type;
  plan->compare_then = descriptor.compare_then;
  for (const schema::FieldDescriptor& from : descriptor.fields) {
    FieldPlan field;
    field.offset = from.offset;
    field.storage = from.storage;
    field.def = from.def;
    field.ignore = from.ignore;
    field.name = from.name;
    field.tag = NameTag(from.name);
    field.has_default = from.has_default && from.default_is_known;
    if (field.has_default) field.default_value = from.default_value;
    plan->fields.push_back(field);
  }
  FinishFields(*plan);
  FinishRules(*plan);
  return plan.release();
}

bool ChainHasKey(const schema::TypeDescriptor* descriptor, std::string_view key) {
  for (; descriptor != nullptr; descriptor = descriptor->parent) {
    if (descriptor->key == key) return true;
  }
  return key == "ffi.Object";
}

bool IsOfType(const TypePlan& plan, std::string_view key) {
  return plan.type_index >= 0 ? DerivesFrom(plan.type_index, key) : ChainHasKey(plan.descriptor, key);
}

}  // namespace

const TVMFFIAny* AttrOf(int32_t type_index, std::string_view attr) {
  const TVMFFIByteArray name{attr.data(), attr.size()};
  return detail::FindTypeAttr(TVMFFIGetTypeAttrColumn(&name), type_index);
}

int32_t TypePlan::FindField(std::string_view name) const {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

PlanTable::PlanTable(schema::SchemaRef rules) : record_type_(RecordObj::RuntimeTypeIndex()), rules_(std::move(rules)) {}
PlanTable::PlanTable(schema::SchemaRef rules, LeftOut left_out) : PlanTable(std::move(rules)) {
  left_out_ = std::move(left_out);
  if (!left_out_.empty()) record_type_ = -1;
}
PlanTable::~PlanTable() = default;

const TypePlan& PlanTable::Own(TypePlan plan) {
  own_.push_back(std::make_unique<const TypePlan>(std::move(plan)));
  return *own_.back();
}

// An object that is the first of its type; or a record, when records have plans of this table's own.
const TypePlan& PlanTable::First(const TVMFFIObject* obj) {
  if (obj->type_index != RecordObj::RuntimeTypeIndex()) return Native(obj->type_index);
  const schema::TypeDescriptor* descriptor = reinterpret_cast<const RecordObj*>(obj)->descriptor;
  const TypePlan*& plan = own_records_[descriptor];
  if (plan == nullptr) plan = &Own(WithoutLeftOut(CompileRecord(*descriptor)));
  return *plan;
}

TypePlan PlanTable::WithoutLeftOut(const TypePlan& from) const {
  TypePlan plan = from;
  for (const std::string& type : left_out_.types) {
    if (!IsOfType(from, type)) continue;
    plan.key = type;  // descendants are of the same type then
    plan.seed = NameTag(type);
    plan.kind = StructuralKind::kTree;
    plan.custom_data = plan.hook = false;
    plan.compare_if_field = -1;
    plan.compare.clear();
    FinishRules(plan);
    return plan;
  }
  const auto counts_no_more = [&](uint16_t i) {
    return std::any_of(left_out_.fields.begin(), left_out_.fields.end(), [&](const LeftOut::Field& field) {
      return field.name == plan.fields[i].name && (field.type == "*" || IsOfType(from, field.type));
    });
  };
  for (std::vector<uint16_t>* list : {&plan.compare, &plan.compare_then}) {
    list->erase(std::remove_if(list->begin(), list->end(), counts_no_more), list->end());
  }
  FinishRules(plan);
  return plan;
}

const TypePlan& PlanTable::Native(int32_t type_index) {
  const TypePlan* plan = &NativePlans::Global().Of(type_index);
  if (rules_) {
    if (const schema::TypeDescriptor* descriptor = rules_->Find(plan->key)) {
      TypePlan own = *plan;
      ApplyRules(own, *descriptor);
      plan = &Own(std::move(own));
    }
  }
  if (!left_out_.empty()) plan = &Own(WithoutLeftOut(*plan));
  native_.Set(type_index, plan);
  return *plan;
}

const TypePlan& PlanTable::CompileRecord(const schema::TypeDescriptor& descriptor) {
  schema::TypeDescriptor::PlanSlot& slot = descriptor.plan_slot;
  TypePlan* plan = CompileDescriptor(descriptor);
  slot.release = [](const void* compiled) { delete static_cast<const TypePlan*>(compiled); };
  const void* expected = nullptr;
  if (!slot.plan.compare_exchange_strong(expected, plan, std::memory_order_acq_rel)) {
    delete plan;  // another thread was first
    return *static_cast<const TypePlan*>(expected);
  }
  return *plan;
}

int32_t RegisteredIndex(std::string_view key) {
  const TVMFFIByteArray name{key.data(), key.size()};
  return TVMFFITypeGetOrAllocIndex(&name, -1, 0, 0, 0, -2);  // -2: only asks
}

bool DerivesFrom(int32_t type_index, std::string_view type_key) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  const auto is = [&](const TVMFFITypeInfo* t) { return detail::ToStringView(t->type_key) == type_key; };
  return is(info) || std::any_of(info->type_ancestors, info->type_ancestors + info->type_depth, is);
}

bool IsInstanceOf(const TVMFFIAny& value, std::string_view type_key) {
  if (!IsObject(value)) return false;
  if (const RecordObj* record = AsRecord(value, RecordObj::RuntimeTypeIndex())) {
    return ChainHasKey(record->descriptor, type_key);
  }
  return DerivesFrom(value.type_index, type_key);
}

std::string_view TypeKeyOf(const TVMFFIAny& value) {
  if (const RecordObj* record = AsRecord(value, RecordObj::RuntimeTypeIndex())) return record->descriptor->key;
  switch (value.type_index) {
    case kTVMFFISmallStr:
    case kTVMFFIRawStr:
      return "ffi.String";
    case kTVMFFISmallBytes:
    case kTVMFFIByteArrayPtr:
      return "ffi.Bytes";
    default: {
      const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(value.type_index);
      return {info->type_key.data, info->type_key.size};
    }
  }
}

std::string LabelOf(PlanTable& plans, const TVMFFIAny& value) {
  Keeper keeper;
  TVMFFIAny v = value;
  // A label may be an object with a label of its own (a variable's id); a few steps are enough for any real type.
  for (int step = 0; step < 4 && Classify(v.type_index) == ValueClass::kObject; ++step) {
    const TypePlan& plan = plans.Of(v.v_obj);
    if (plan.custom_data) {
      const std::string_view text = CustomDataOf(v.v_obj, plan, keeper);
      return text.size() >= 2 && text.front() == '"' ? std::string(text.substr(1, text.size() - 2)) : std::string();
    }
    if (plan.label_field < 0) return "";
    v = ReadField(v.v_obj, plan.fields[plan.label_field], keeper);
  }
  return Classify(v.type_index) == ValueClass::kString ? std::string(TextOf(v)) : std::string();
}

std::string_view CustomDataOf(const TVMFFIObject* obj, const TypePlan& plan, Keeper& keeper) {
  if (plan.type_index < 0) return reinterpret_cast<const RecordObj*>(obj)->data();
  const TVMFFIAny* hook = AttrOf(plan.type_index, "__data_to_json__");
  if (hook == nullptr || hook->type_index != kTVMFFIFunction) {
    TRANSOM_THROW(TypeError) << "type " << plan.key << " has a `__data_to_json__` attribute of type "
                             << (hook != nullptr ? TypeKeyOf(*hook) : "None") << "; a function is expected";
  }
  TVMFFIAny arg = ObjectValue(const_cast<TVMFFIObject*>(obj));
  TVMFFIAny result = NoneValue();
  CheckCall(TVMFFIFunctionCall(hook->v_obj, &arg, 1, &result));
  const Any data = Any::FromOwned(result);
  std::string text;
  schema::AppendCanonicalJson(*data.raw(), &text);
  const TVMFFIByteArray bytes{text.data(), text.size()};
  CheckCall(TVMFFIStringFromByteArray(&bytes, &result));
  keeper.Keep(Any::FromOwned(result));
  return keeper.LastText();
}

void ThrowGetterError(const FieldPlan& field) {
  try {
    CheckCall(-1);
  } catch (const Error& error) {
    TRANSOM_THROW(ValueError) << "field `" << field.name << "` cannot be read: " << error.what();
  }
  TRANSOM_THROW(InternalError) << "field `" << field.name << "` cannot be read";
}

}  // namespace transom::graph
