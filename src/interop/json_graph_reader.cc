#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/reflection/field_access.h>
#include <transom/runtime/error.h>

#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/io/base64.h"
#include "formats/nodes/save_support.h"
#include "graph/hook.h"
#include "graph/native_object.h"
#include "graph/type_plan.h"
#include "interop/enum_member.h"
#include "interop/json_graph.h"

namespace transom::interop {
namespace {

using Members = Map<Any, Any>;

Members MembersOf(const Any& value) {
  const auto members = value.try_cast<Members>();
  TRANSOM_CHECK(members.has_value(), TypeError)
      << "Expected an object with string keys but got `" << value.GetTypeKey() << "`";
  return *members;
}

// How nodes of a type are read; types of the contract by their index alone.
struct NodeType {
  int32_t index = 0;
  EnumForm enum_form = EnumForm::kNone;
  std::optional<Function> hook;  // `__data_from_json__`
  bool is_object = false;        // made of fields
};

// Whether nodes of the type have a form of their own.
bool IsBuiltin(int32_t type_index) {
  switch (type_index) {
    case kTVMFFINone:
    case kTVMFFIBool:
    case kTVMFFIInt:
    case kTVMFFIFloat:
    case kTVMFFIDataType:
    case kTVMFFIDevice:
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIShape:
    case kTVMFFIBigInt:
    case kTVMFFIArray:
    case kTVMFFIList:
    case kTVMFFIMap:
    case kTVMFFIDict:
      return true;
    default:
      return false;
  }
}

NodeType MakeNodeType(const String& key) {
  NodeType type;
  const TVMFFIByteArray text{key.data(), key.size()};
  CheckCall(TVMFFITypeKeyToIndex(&text, &type.index));
  if (IsBuiltin(type.index)) return type;
  type.enum_form = EnumFormOf(type.index);
  if (type.enum_form == EnumForm::kNone) type.hook = graph::FunctionHookOf(type.index, "__data_from_json__");
  type.is_object = type.enum_form == EnumForm::kNone && !type.hook.has_value();
  return type;
}

Device DeviceFrom(const Any& data) {
  const auto parts = data.cast<Array<int64_t>>();
  TRANSOM_CHECK(parts.size() == 2, ValueError)
      << "Expected [device_type, device_id] as the data of a Device but got " << parts.size() << " elements";
  for (const int64_t part : parts) {
    TRANSOM_CHECK(part >= std::numeric_limits<int32_t>::min() && part <= std::numeric_limits<int32_t>::max(),
                  ValueError)
        << "Expected 32-bit integers as the data of a Device but got " << part;
  }
  return Device(static_cast<int32_t>(parts[0]), static_cast<int32_t>(parts[1]));
}

Any BytesFrom(const Any& data) {
  const auto text = data.cast<String>();
  std::string bytes;
  const char* problem = formats::DecodeBase64({text.data(), text.size()}, &bytes);
  TRANSOM_CHECK(problem == nullptr, ValueError) << "Expected base64 as the data of a Bytes node: " << problem;
  return Any(Bytes(bytes));
}

// Leading zeros are tolerated here.
Any BigIntFrom(const Any& data) {
  const auto text = data.cast<String>();
  std::string_view digits(text.data(), text.size());
  const bool negative = !digits.empty() && digits[0] == '-';
  if (negative) digits.remove_prefix(1);
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  return BigInt::FromDecimal((negative && digits != "0" ? "-" : "") + std::string(digits));
}

// The member of an enum at a place, as the registry of its members has it.
Any EnumMember(int32_t type_index, const Any& place) {
  const TVMFFIAny* state = graph::AttrOf(type_index, "__ffi_enum__");
  if (state != nullptr && graph::IsObject(*state)) {
    if (const TVMFFIFieldInfo* field = reflection::FindField(TVMFFIGetTypeInfo(state->type_index), "indexes")) {
      const Any indexes = reflection::GetField(detail::ObjectAccess::FromHeader(state->v_obj), field);
      if (const Optional<Any> member = indexes.cast<Dict<Any, Any>>().get(place); member.has_value()) return *member;
    }
  }
  TRANSOM_CHECK(place.type_index() == kTVMFFIInt, ValueError)
      << "Enum `" << detail::TypeKeyOfIndex(type_index) << "` has no member named `" << place.cast<String>() << "`";
  TRANSOM_THROW(ValueError) << "Enum `" << detail::TypeKeyOfIndex(type_index) << "` has no member at "
                            << place.cast<int64_t>();
}

// A value that stands in the object's data, as the field's static type wants it.
Any InlineValue(int32_t static_type_index, const Any& data) {
  switch (static_type_index) {
    case kTVMFFIBool:
      return Any(data.cast<bool>());
    case kTVMFFIInt:
      return Any(data.cast<int64_t>());
    case kTVMFFIFloat:
      return Any(data.cast<double>());
    case kTVMFFIDataType:
      return Any(DataType::FromString(data.cast<String>()));
    default:
      return Any();
  }
}

class GraphReader {
 public:
  explicit GraphReader(Array<Any> nodes) : nodes_(std::move(nodes)), states_(static_cast<size_t>(nodes_.size())) {}

  Any Run(int64_t root) {
    Enter(root);
    while (!stack_.empty()) {
      const size_t i = stack_.back();
      State& state = states_[i];
      if (state.phase == Phase::kNew) {
        state.phase = Phase::kOpen;
        Open(i);
      } else {
        stack_.pop_back();
        if (state.phase == Phase::kDone) continue;
        state.value = Build(i);
        state.phase = Phase::kDone;
        state.members.reset();
      }
    }
    return states_[static_cast<size_t>(root)].value;
  }

 private:
  enum class Phase : uint8_t { kNew, kOpen, kDone };
  struct State {
    Phase phase = Phase::kNew;
    const NodeType* type = nullptr;
    Any data;
    std::optional<Members> members;  // of an object's data
    Any value;
  };

  size_t Index(const Any& value) const {
    const auto index = value.cast<int64_t>();
    TRANSOM_CHECK(index >= 0 && index < static_cast<int64_t>(states_.size()), ValueError)
        << "Invalid JSON Object Graph: invalid node index " << index << ", there are " << states_.size() << " nodes";
    return static_cast<size_t>(index);
  }
  const Any& ValueAt(const Any& index) const { return states_[Index(index)].value; }

  void Enter(const Any& index) {
    const size_t i = Index(index);
    TRANSOM_CHECK(states_[i].phase != Phase::kOpen, ValueError)
        << "Invalid JSON Object Graph: node " << i << " leads back to itself";
    if (states_[i].phase == Phase::kNew) stack_.push_back(i);
  }

  const NodeType& TypeOf(const String& key) {
    const auto found = types_.find(key);
    if (found != types_.end()) return found->second;
    return types_.emplace(key, MakeNodeType(key)).first->second;
  }

  // Looks at a node and puts what it refers to on the stack.
  void Open(size_t i) {
    State& state = states_[i];
    const Members node = MembersOf(nodes_[static_cast<int64_t>(i)]);
    state.type = &TypeOf(node.at(String("type")).cast<String>());
    if (state.type->index == kTVMFFINone) return;
    state.data = node.at(String("data"));
    if (state.type->is_object) return OpenObject(&state);
    switch (state.type->index) {
      case kTVMFFIArray:
      case kTVMFFIList:
        return EnterAll(state.data);
      case kTVMFFIMap:
      case kTVMFFIDict: {
        const auto count = state.data.cast<Array<Any>>().size();
        TRANSOM_CHECK(count % 2 == 0, ValueError)
            << "Invalid JSON Object Graph: expected keys and values in turns as the data of a map but got " << count
            << " entries";
        return EnterAll(state.data);
      }
      default:
        return;
    }
  }

  void EnterAll(const Any& indices) {
    const auto array = indices.cast<Array<Any>>();
    for (int64_t i = array.size(); i > 0; --i) Enter(array[i - 1]);
  }

  void OpenObject(State* state) {
    TRANSOM_CHECK(graph::CanCreate(state->type->index), RuntimeError)
        << "Type `" << detail::TypeKeyOfIndex(state->type->index)
        << "` cannot be created: it has no creator and no `__ffi_new__`";
    state->members = MembersOf(state->data);
    reflection::ForEachField(TVMFFIGetTypeInfo(state->type->index), [&](const TVMFFIFieldInfo* field) {
      if (formats::IsInlineType(field->field_static_type_index)) return;
      if (const std::optional<Any> index = DataOf(*state, *field)) Enter(*index);
    });
  }

  static std::optional<Any> DataOf(const State& state, const TVMFFIFieldInfo& field) {
    const Any* data = (*state.members)->Find(Any(String(detail::ToStringView(field.name))));
    return data != nullptr ? std::optional<Any>(*data) : std::nullopt;
  }

  Any Build(size_t i) {
    const State& state = states_[i];
    const Any& data = state.data;
    if (state.type->is_object) return BuildObject(state);
    if (state.type->hook.has_value()) return (*state.type->hook)(data);
    switch (state.type->enum_form) {
      case EnumForm::kInt:
        return EnumMember(state.type->index, Any(data.cast<int64_t>()));
      case EnumForm::kString:
        return EnumMember(state.type->index, Any(data.cast<String>()));
      case EnumForm::kNone:
        return BuildBuiltin(state);
    }
    return Any();
  }

  Any BuildBuiltin(const State& state) const {
    const Any& data = state.data;
    switch (state.type->index) {
      case kTVMFFINone:
        return Any();
      case kTVMFFIBool:
        return Any(data.cast<bool>());
      case kTVMFFIInt:
        return Any(data.cast<int64_t>());
      case kTVMFFIFloat:
        return Any(data.cast<double>());
      case kTVMFFIDataType:
        return Any(DataType::FromString(data.cast<String>()));
      case kTVMFFIDevice:
        return Any(DeviceFrom(data));
      case kTVMFFIStr:
        return Any(data.cast<String>());
      case kTVMFFIBytes:
        return BytesFrom(data);
      case kTVMFFIShape: {
        const auto dims = data.cast<Array<int64_t>>();
        return Any(Shape(dims.begin(), dims.end()));
      }
      case kTVMFFIBigInt:
        return BigIntFrom(data);
      default:
        return BuildContainer(state);
    }
  }

  Any BuildContainer(const State& state) const {
    std::vector<Any> items;
    for (const Any& index : state.data.cast<Array<Any>>()) items.push_back(ValueAt(index));
    switch (state.type->index) {
      case kTVMFFIArray:
        return Any(Array<Any>(items.begin(), items.end()));
      case kTVMFFIList:
        return Any(List<Any>(items.begin(), items.end()));
      case kTVMFFIMap:
        return Inserted(Map<Any, Any>(), items);
      default:
        return Inserted(Dict<Any, Any>(), items);
    }
  }

  // One by one: where keys are equal, that decides about the order.
  static Any Inserted(Map<Any, Any> map, const std::vector<Any>& items) {
    for (size_t i = 0; i < items.size(); i += 2) map = std::move(map).insert(items[i], items[i + 1]);
    return Any(map);
  }
  static Any Inserted(Dict<Any, Any> dict, const std::vector<Any>& items) {
    for (size_t i = 0; i < items.size(); i += 2) dict.insert(items[i], items[i + 1]);
    return Any(dict);
  }

  Any BuildObject(const State& state) const {
    const int32_t type_index = state.type->index;
    const Any object = graph::CreateEmpty(type_index);
    reflection::ForEachField(TVMFFIGetTypeInfo(type_index), [&](const TVMFFIFieldInfo* field) {
      const std::optional<Any> data = DataOf(state, *field);
      if (!data.has_value()) {
        TRANSOM_CHECK(graph::SetDefault(*field, object), TypeError)
            << "Required field `" << detail::ToStringView(field->name) << "` not set in type `"
            << detail::TypeKeyOfIndex(type_index) << "`";
        return;
      }
      const bool is_inline = formats::IsInlineType(field->field_static_type_index);
      graph::SetField(*field, object, is_inline ? InlineValue(field->field_static_type_index, *data) : ValueAt(*data));
    });
    return object;
  }

  Array<Any> nodes_;
  std::vector<State> states_;
  std::vector<size_t> stack_;
  std::unordered_map<Any, NodeType, AnyHash, AnyEqual> types_;
};

}  // namespace

Any FromJsonGraph(const Any& graph) {
  const auto members = graph.try_cast<Members>();
  TRANSOM_CHECK(members.has_value(), ValueError)
      << "Invalid JSON Object Graph, expected an object but got `" << graph.GetTypeKey() << "`";
  const Any root = members->get(Any(String("root_index"))).value_or(Any());
  TRANSOM_CHECK(root.type_index() == kTVMFFIInt, ValueError)
      << "Invalid JSON Object Graph, expected `root_index` integer field";
  const Any nodes = members->get(Any(String("nodes"))).value_or(Any());
  TRANSOM_CHECK(nodes.type_index() == kTVMFFIArray, ValueError)
      << "Invalid JSON Object Graph, expected `nodes` array field";
  return GraphReader(nodes.cast<Array<Any>>()).Run(root.cast<int64_t>());
}

}  // namespace transom::interop
