#include "formats/tsm/tsm_nodes.h"

#include <transom/runtime/error.h>
#include <tsm_generated.h>

#include <algorithm>
#include <limits>

#include "formats/nodes/save_support.h"
#include "formats/tsm/tsm_file.h"
#include "schema/builder.h"

namespace transom::formats {

using graph::TypePlan;
using graph::ValueClass;
using tsm::Form;

namespace {

// Form of plain values and containers.
Form FormOf(int32_t type_index) {
  switch (type_index) {
    case kTVMFFINone:
      return Form::None;
    case kTVMFFIBool:
      return Form::Bool;
    case kTVMFFIInt:
      return Form::Int;
    case kTVMFFIFloat:
      return Form::Float;
    case kTVMFFIDataType:
      return Form::DataType;
    case kTVMFFIArray:
      return Form::Array;
    case kTVMFFIList:
      return Form::List;
    case kTVMFFIMap:
      return Form::Map;
    case kTVMFFIDict:
      return Form::Dict;
    default:
      return Form::Device;
  }
}

}  // namespace

uint32_t TsmBlobTable::Add(std::string_view bytes) {
  const uint64_t checksum = TsmBlobChecksum(bytes);
  const auto [begin, end] = by_checksum_.equal_range(checksum);
  for (auto it = begin; it != end; ++it) {
    if (blobs_[it->second].bytes == bytes) return it->second;
  }
  const auto number = static_cast<uint32_t>(blobs_.size());
  blobs_.push_back({bytes, checksum});
  by_checksum_.emplace(checksum, number);
  return number;
}

uint32_t TsmBlobTable::AddOwned(std::string bytes) {
  owned_.push_back(std::move(bytes));
  const size_t before = blobs_.size();
  const uint32_t number = Add(owned_.back());
  if (number < before) owned_.pop_back();
  return number;
}

TsmNodes::TsmNodes() : fold_(plans_, *this) {}

void TsmNodes::Run(const TVMFFIAny& root) { fold_.Run(root); }

TsmNodeGroup& TsmNodes::AddGroup(std::unique_ptr<TsmNodeGroup> group) {
  return *groups_.emplace_back(std::move(group));
}

void TsmNodes::Number(TsmNodeGroup& group) {
  if (in_order_.size() > std::numeric_limits<uint16_t>::max()) {
    TRANSOM_THROW(ValueError) << "the graph has objects of more than 65,536 types, which a .tsm file cannot hold";
  }
  group.number = static_cast<uint16_t>(in_order_.size());
  in_order_.push_back(&group);
}

TsmNodeGroup& TsmNodes::NewBuiltin(Form form) {
  auto fresh = std::make_unique<TsmNodeGroup>();
  fresh->form = form;
  return *(builtin_[static_cast<size_t>(form)] = &AddGroup(std::move(fresh)));
}

void TsmNodes::ThrowTooManyNodes() {
  TRANSOM_THROW(ValueError)
      << "the graph has more than 4,294,967,295 nodes, which a .tsm file cannot hold; save it in parts";
}

const schema::TypeDescriptor& TsmNodes::Describe(TsmNodeGroup& group) {
  if (group.descriptor == nullptr) group.descriptor = DescribeTypes({group.plan}, &registered_).front();
  return *group.descriptor;
}

// Plans of one type key share a group when they describe the same type, such as records that two files brought.
TsmNodeGroup& TsmNodes::NewPlan(const TypePlan& plan, const TVMFFIAny& value) {
  if (!plan.custom_data && !HasReadableFields(plan)) RefuseToSave(fold_.CurrentPath(), value);
  auto owner = std::make_unique<TsmNodeGroup>();
  TsmNodeGroup& fresh = *owner;
  fresh.form = plan.custom_data ? Form::Custom : Form::Object;
  fresh.plan = &plan;
  fresh.descriptor = plan.type_index < 0 ? plan.descriptor : nullptr;
  fresh.references = ReferenceFields(plan);
  for (size_t i = 0, r = 0; i < plan.fields.size(); ++i) {
    if (r < fresh.references.size() && fresh.references[r] == i) {
      ++r;
    } else {
      fresh.inlines.push_back(static_cast<uint16_t>(i));
    }
  }
  const auto [begin, end] = type_groups_.equal_range(plan.key);
  for (auto it = begin; it != end; ++it) {
    if (!schema::SameDescription(Describe(*it->second), Describe(fresh))) continue;
    *plan_groups_.Insert(&plan).first = it->second;
    return *it->second;
  }
  TsmNodeGroup& group = AddGroup(std::move(owner));
  type_groups_.emplace(plan.key, &group);
  *plan_groups_.Insert(&plan).first = &group;
  return group;
}

uint32_t TsmNodes::Leaf(const TVMFFIAny& value, ValueClass cls) {
  switch (cls) {
    case ValueClass::kScalar: {
      int64_t* number = scalars_.Insert(value);
      if (*number < 0) *number = AppendScalar(value);
      return static_cast<uint32_t>(*number);
    }
    case ValueClass::kString:
    case ValueClass::kBytes: {
      const bool is_string = cls == ValueClass::kString;
      int64_t* number = (is_string ? strings_ : bytes_).Insert(value);
      if (*number < 0) *number = AppendText(Builtin(is_string ? Form::String : Form::Bytes), graph::TextOf(value));
      return static_cast<uint32_t>(*number);
    }
    case ValueClass::kShape:
    case ValueClass::kTensor:
    case ValueClass::kBigInt:
      return SharedLeaf(value, cls);
    default:
      RefuseToSave(fold_.CurrentPath(), value);
  }
}

uint32_t TsmNodes::AppendScalar(const TVMFFIAny& value) {
  TsmNodeGroup& g = Builtin(FormOf(value.type_index));
  if (g.form == Form::DataType) {
    g.dtypes.push_back(value.v_dtype);
  } else if (g.form == Form::Device) {
    g.devices.push_back(value.v_device);
  } else if (g.form != Form::None) {
    g.words.push_back(value.v_uint64);
  }
  return Append(g);
}

uint32_t TsmNodes::AppendText(TsmNodeGroup& g, std::string_view text) {
  if (text.size() > kTsmMaxInlineText) {
    g.blobs.push_back(1 + blobs_.Add(text));
  } else {
    g.blobs.push_back(0);
    g.text += text;
    if (g.text.size() > kTsmMaxGraphBytes) ThrowGraphTooLarge(g.text.size());
  }
  g.ends.push_back(static_cast<uint32_t>(g.text.size()));
  return Append(g);
}

uint32_t TsmNodes::SharedLeaf(const TVMFFIAny& value, ValueClass cls) {
  auto [number, is_new] = leaves_.Insert(value.v_obj);
  if (!is_new) return *number;
  if (cls == ValueClass::kTensor) return *number = AppendTensor(value);
  TsmNodeGroup& g = Builtin(cls == ValueClass::kShape ? Form::Shape : Form::BigInt);
  if (cls == ValueClass::kShape) {
    const TVMFFIShapeCell& shape = graph::ShapeOf(value);
    std::copy_n(shape.data, shape.size, g.words.Extend(shape.size));
  } else {
    const TVMFFIByteArray bytes = TVMFFIBigIntGetContentByteArray(&value);
    const size_t n = bytes.size / sizeof(uint64_t);
    std::memcpy(g.words.Extend(n), bytes.data, bytes.size);
  }
  g.ends.push_back(static_cast<uint32_t>(g.words.size()));
  return *number = Append(g);
}

uint32_t TsmNodes::AppendTensor(const TVMFFIAny& value) {
  const Tensor tensor = graph::TensorRefOf(value);
  if (tensor->device.device_type != kDLCPU) RefuseDeviceTensor(fold_.CurrentPath());
  TsmNodeGroup& g = Builtin(Form::Tensor);
  const uint64_t size = tensor.NumBytes();
  uint32_t blob = 0;
  if (size != 0 && tensor.IsContiguous() && graph::FillsItsBytes(tensor)) {
    blob = 1 + blobs_.Add({static_cast<const char*>(tensor.data_ptr()), size});
  } else if (size != 0) {
    std::string packed(size, '\0');
    tensor.CopyToCompact(packed.data());
    blob = 1 + blobs_.AddOwned(std::move(packed));
  }
  g.blobs.push_back(blob);
  g.dtypes.push_back(tensor->dtype);
  g.devices.push_back(tensor->device);
  const ShapeView shape = tensor.shape();
  std::copy(shape.begin(), shape.end(), g.words.Extend(shape.size()));
  g.ends.push_back(static_cast<uint32_t>(g.words.size()));
  return Append(g);
}

uint32_t TsmNodes::Custom(const TVMFFIAny& value, const TypePlan& plan, std::string_view json) {
  return AppendText(GroupOf(plan, value), json);
}

void TsmNodes::AppendInline(TsmNodeGroup& group, const TypePlan& plan, const TVMFFIObject* obj) {
  const size_t n = group.inlines.size();
  const uint16_t* fields = group.inlines.data();
  uint64_t* words = group.words.Extend(n);
  for (size_t i = 0; i < n; ++i) {
    const graph::FieldPlan& field = plan.fields[fields[i]];
    const TVMFFIAny value = graph::ReadField(obj, field, fold_.keeper());
    if (field.storage == graph::Storage::kGetter && value.type_index != field.static_type)
      ThrowWrongGetter(plan, field, value);
    words[i] = value.v_uint64;
  }
}

void TsmNodes::ThrowWrongGetter(const TypePlan& plan, const graph::FieldPlan& field, const TVMFFIAny& value) {
  TRANSOM_THROW(TypeError) << graph::PathText(fold_.CurrentPath(), true) << ": the getter of field `" << field.name
                           << "` of type " << plan.key << " gives " << graph::TypeKeyOf(value)
                           << ", which is not the field's type";
}

uint32_t TsmNodes::LeaveContainer(const graph::FoldFrame& frame, const uint32_t* children) {
  TsmNodeGroup& group = Builtin(FormOf(frame.value.type_index));
  std::copy_n(children, frame.count, group.refs.Extend(frame.count));
  if (group.refs.size() > kTsmMaxGraphBytes / sizeof(uint32_t))
    ThrowGraphTooLarge(group.refs.size() * sizeof(uint32_t));
  group.ends.push_back(static_cast<uint32_t>(group.refs.size()));
  return Append(group);
}

}  // namespace transom::formats
