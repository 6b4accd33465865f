#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/map.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/error.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/io/base64.h"
#include "formats/nodes/json_value.h"
#include "formats/nodes/save_support.h"
#include "graph/fold.h"
#include "graph/hook.h"
#include "graph/native_object.h"
#include "interop/enum_member.h"
#include "interop/json_graph.h"

namespace transom::interop {
namespace {

using graph::FoldFrame;
using graph::TypePlan;
using graph::ValueClass;

// Keeps the order of the pairs.
Any MapOf(std::vector<Any> keys_and_values) {
  return Any(MapObj::CreateFromPairs(keys_and_values.data(), keys_and_values.size() / 2));
}

template <class T>
Any ArrayOf(const T* items, size_t n) {
  ObjectPtr<ArrayObj> array = ArrayObj::Create(static_cast<int64_t>(n));
  for (size_t i = 0; i < n; ++i) array->PushOwned(Any(items[i]));
  return Any(std::move(array));
}

// Makes the nodes. The visitor's result is the index of a value's node.
class GraphWriter {
 public:
  using Result = int64_t;
  static constexpr bool kKeysFirst = false;
  static constexpr bool kRunsForeignCode = true;  // hooks of types

  GraphWriter() : fold_(plans_, *this) {}

  int64_t Run(const TVMFFIAny& root) { return fold_.Run(root); }
  Any TakeNodes() {
    ObjectPtr<ArrayObj> array = ArrayObj::Create(static_cast<int64_t>(nodes_.size()));
    for (Any& node : nodes_) array->PushOwned(std::move(node));
    return Any(std::move(array));
  }

  // For the walk.
  int64_t Leaf(const TVMFFIAny& value, ValueClass cls) {
    if (cls == ValueClass::kTensor || cls == ValueClass::kOpaque) Refuse(value);
    auto [known, is_new] = leaves_.try_emplace(Any(AnyView::FromRaw(value)), 0);
    if (is_new) known->second = AddLeaf(value, cls);
    return known->second;
  }
  int64_t Custom(const TVMFFIAny&, const TypePlan& plan, std::string_view json) {
    return Add(plan.key, formats::ParseJsonValue(json));
  }
  bool Whole(FoldFrame& frame, int64_t* result);
  void Enter(FoldFrame& frame);
  int64_t Leave(FoldFrame& frame, const int64_t* children);

 private:
  struct Fields {
    std::vector<String> names;
    std::vector<uint16_t> references;  // those whose value is a node
  };

  [[noreturn]] void Refuse(const TVMFFIAny& value) {
    const std::string path = graph::PathText(fold_.CurrentPath(), true);
    if (!graph::IsObject(value)) {
      TRANSOM_THROW(RuntimeError) << path << ": a value of type `" << graph::TypeKeyOf(value)
                                  << "` cannot be in a JSON graph";
    }
    TRANSOM_THROW(TypeError)
        << path << ": type `" << graph::TypeKeyOf(value)
        << "` cannot be in a JSON graph: it has no creator and no `__ffi_new__` to read it back with";
  }

  int64_t Add(std::string_view key, Any data) {
    nodes_.push_back(MapOf({Any(String("type")), Any(String(key)), Any(String("data")), std::move(data)}));
    return static_cast<int64_t>(nodes_.size()) - 1;
  }

  int64_t AddLeaf(const TVMFFIAny& value, ValueClass cls);
  // Objects that count as keys of maps by content are one node where they are equal.
  static bool HasContentKeys(const TypePlan& plan) {
    return plan.type_index >= 0 && graph::AttrOf(plan.type_index, "__any_hash__") != nullptr;
  }
  const Fields& FieldsOf(const TypePlan& plan);

  graph::PlanTable plans_;
  graph::Fold<GraphWriter> fold_;
  std::vector<Any> nodes_;
  std::unordered_map<Any, int64_t, AnyHash, AnyEqual> leaves_;
  std::unordered_map<const TypePlan*, Fields> fields_;
};

int64_t GraphWriter::AddLeaf(const TVMFFIAny& value, ValueClass cls) {
  const AnyView view = AnyView::FromRaw(value);
  const std::string_view key = graph::TypeKeyOf(value);
  switch (cls) {
    case ValueClass::kBytes:
      return Add(key, Any(String(formats::EncodeBase64(graph::TextOf(value)))));
    case ValueClass::kShape:
      return Add(key, ArrayOf(graph::ShapeOf(value).data, graph::ShapeOf(value).size));
    case ValueClass::kBigInt:
      return Add(key, Any(String(BigInt::ToDecimal(view))));
    case ValueClass::kScalar:
      break;
    default:
      return Add(key, Any(view));
  }
  switch (value.type_index) {
    case kTVMFFINone:
      nodes_.push_back(MapOf({Any(String("type")), Any(String(key))}));
      return static_cast<int64_t>(nodes_.size()) - 1;
    case kTVMFFIDataType:
      return Add(key, Any(String(DataType(value.v_dtype).ToString())));
    case kTVMFFIDevice: {
      const Device device(value.v_device);
      const int64_t parts[] = {device.type(), device.id()};
      return Add(key, ArrayOf(parts, 2));
    }
    default:
      return Add(key, Any(view));
  }
}

bool GraphWriter::Whole(FoldFrame& frame, int64_t* result) {
  const TypePlan& plan = *frame.plan;
  if (plan.type_index < 0) return false;
  if (HasContentKeys(plan)) {
    const auto known = leaves_.find(Any(AnyView::FromRaw(frame.value)));
    if (known != leaves_.end()) {
      *result = known->second;
      return true;
    }
  }
  if (const EnumForm form = EnumFormOf(plan.type_index); form != EnumForm::kNone) {
    const int32_t field = plan.FindField(form == EnumForm::kInt ? "_int_index" : "_str_index");
    TRANSOM_CHECK(field >= 0, TypeError) << "the enum type " << plan.key << " has no field for the place of a member";
    const TVMFFIAny place =
        graph::ReadField(frame.value.v_obj, plan.fields[static_cast<size_t>(field)], fold_.keeper());
    *result = Add(plan.key, Any(AnyView::FromRaw(place)));
    return true;
  }
  if (const std::optional<Function> hook = graph::FunctionHookOf(plan.type_index, "__data_to_json__")) {
    *result = Add(plan.key, (*hook)(AnyView::FromRaw(frame.value)));
    return true;
  }
  return false;
}

void GraphWriter::Enter(FoldFrame& frame) {
  const TypePlan& plan = *frame.plan;
  if (plan.type_index >= 0 && !graph::CanCreate(plan.type_index)) Refuse(frame.value);
  frame.Visit(FieldsOf(plan).references);
}

const GraphWriter::Fields& GraphWriter::FieldsOf(const TypePlan& plan) {
  auto [entry, is_new] = fields_.try_emplace(&plan);
  if (is_new) {
    entry->second.references = formats::ReferenceFields(plan);
    for (const graph::FieldPlan& field : plan.fields) entry->second.names.emplace_back(field.name);
  }
  return entry->second;
}

int64_t GraphWriter::Leave(FoldFrame& frame, const int64_t* children) {
  if (frame.cls != ValueClass::kObject) return Add(graph::TypeKeyOf(frame.value), ArrayOf(children, frame.count));
  const TypePlan& plan = *frame.plan;
  const Fields& fields = FieldsOf(plan);
  std::vector<Any> data;
  data.reserve(2 * plan.fields.size());
  auto next = fields.references.begin();
  for (size_t i = 0; i < plan.fields.size(); ++i) {
    data.emplace_back(fields.names[i]);
    if (next != fields.references.end() && *next == i) {
      data.emplace_back(*children++);
      ++next;
      continue;
    }
    const TVMFFIAny value = graph::ReadField(frame.value.v_obj, plan.fields[i], fold_.keeper());
    const bool is_dtype = value.type_index == kTVMFFIDataType;
    data.push_back(is_dtype ? Any(String(DataType(value.v_dtype).ToString())) : Any(AnyView::FromRaw(value)));
  }
  const int64_t index = Add(plan.key, MapOf(std::move(data)));
  if (HasContentKeys(plan)) leaves_.emplace(Any(AnyView::FromRaw(frame.value)), index);
  return index;
}

}  // namespace

Any ToJsonGraph(const AnyView& value, const Any& metadata) {
  GraphWriter writer;
  const int64_t root = writer.Run(*value.raw());
  std::vector<Any> members{Any(String("root_index")), Any(root), Any(String("nodes")), writer.TakeNodes()};
  if (metadata != nullptr) {
    members.emplace_back(String("metadata"));
    members.push_back(metadata);
  }
  return MapOf(std::move(members));
}

}  // namespace transom::interop
