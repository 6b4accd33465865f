#include "interop/auto_init.h"

#include <transom/reflection/field_access.h>
#include <transom/reflection/registry.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/native_object.h"
#include "interop/registered_type.h"
#include "interop/sentinels.h"

namespace transom::interop {
namespace {

// A constructor: the fields of a type, and which of them are parameters. Immutable.
class AutoInit {
 public:
  explicit AutoInit(const TVMFFITypeInfo* type);

  void Call(PackedArgs args, Any* result) const;

 private:
  using Given = std::vector<const AnyView*>;  // for each field its argument, or null

  bool IsParameter(size_t field) const { return (fields_[field].flags & kTVMFFIFieldFlagBitMaskInitOff) == 0; }
  bool IsKwOnly(size_t field) const { return (fields_[field].flags & kTVMFFIFieldFlagBitMaskKwOnly) != 0; }
  bool HasDefault(size_t field) const { return (fields_[field].flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0; }
  std::string_view NameOf(size_t field) const { return transom::detail::ToStringView(fields_[field].name); }

  void BindPositional(PackedArgs args, int32_t count, Given* given) const;
  void BindNamed(PackedArgs args, int32_t begin, Given* given) const;
  void CheckComplete(const Given& given) const;
  void Set(const Any& object, size_t field, const AnyView& value) const;

  int32_t type_index_;
  std::string name_;  // of the constructor, for messages
  std::vector<TVMFFIFieldInfo> fields_;
  std::vector<size_t> positional_;
  std::unordered_map<std::string_view, size_t> by_name_;  // parameters
};

// Lines of their own, two spaces deeper.
std::string Indented(std::string_view text) {
  std::string lines = "\n  ";
  for (const char c : text) c == '\n' ? lines += "\n  " : lines += c;
  return lines;
}

AutoInit::AutoInit(const TVMFFITypeInfo* type)
    : type_index_(type->type_index),
      name_(std::string(transom::detail::ToStringView(type->type_key)) + ".__ffi_init__()") {
  reflection::ForEachField(type, [&](const TVMFFIFieldInfo* field) { fields_.push_back(*field); });
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (!IsParameter(i)) continue;
    by_name_[NameOf(i)] = i;
    if (!IsKwOnly(i)) positional_.push_back(i);
  }
  std::stable_partition(positional_.begin(), positional_.end(), [this](size_t i) { return !HasDefault(i); });
}

void AutoInit::Call(PackedArgs args, Any* result) const {
  int32_t num_positional = 0;
  while (num_positional < args.size() && !IsObject(args[num_positional], KwargsSentinel())) ++num_positional;
  Given given(fields_.size(), nullptr);
  BindPositional(args, num_positional, &given);
  if (num_positional < args.size()) BindNamed(args, num_positional + 1, &given);
  CheckComplete(given);
  Any object = graph::CreateEmpty(type_index_);
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (given[i] != nullptr) {
      Set(object, i, *given[i]);
    } else {
      graph::SetDefault(fields_[i], object);
    }
  }
  *result = std::move(object);
}

void AutoInit::BindPositional(PackedArgs args, int32_t count, Given* given) const {
  TRANSOM_CHECK(static_cast<size_t>(count) <= positional_.size(), TypeError)
      << name_ << " takes at most " << positional_.size() << " positional argument(s), but " << count << " were given";
  for (int32_t i = 0; i < count; ++i) (*given)[positional_[static_cast<size_t>(i)]] = &args[i];
}

void AutoInit::BindNamed(PackedArgs args, int32_t begin, Given* given) const {
  TRANSOM_CHECK((args.size() - begin) % 2 == 0, TypeError)
      << name_ << " KWARGS requires an even number of key-value arguments";
  for (int32_t i = begin; i < args.size(); i += 2) {
    const auto name = args[i].try_cast<std::string>();
    TRANSOM_CHECK(name.has_value(), TypeError)
        << name_ << " expected the name of an argument but got a value of type `" << args[i].GetTypeKey() << "`";
    const auto field = by_name_.find(*name);
    TRANSOM_CHECK(field != by_name_.end(), TypeError)
        << name_ << " got an unexpected keyword argument '" << *name << "'";
    const AnyView*& place = (*given)[field->second];
    TRANSOM_CHECK(place == nullptr, TypeError) << name_ << " got multiple values for argument '" << *name << "'";
    place = &args[i + 1];
  }
}

void AutoInit::CheckComplete(const Given& given) const {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (given[i] != nullptr || HasDefault(i) || !IsParameter(i)) continue;
    TRANSOM_THROW(TypeError) << name_ << " missing required " << (IsKwOnly(i) ? "keyword-only " : "") << "argument: '"
                             << NameOf(i) << "'";
  }
}

void AutoInit::Set(const Any& object, size_t field, const AnyView& value) const {
  try {
    graph::SetField(fields_[field], object, value);
  } catch (const Error& error) {
    if (error.kind() == "EnvErrorAlreadySet") throw;  // the text is in the environment's own error
    throw Error(error.kind(), name_ + " field '" + std::string(NameOf(field)) + "':" + Indented(error.message()),
                error.backtrace(), error.cause());
  }
}

}  // namespace

void RegisterAutoInit(int64_t type_index) {
  const TVMFFITypeInfo* type = RegisteredType(type_index);
  auto init = std::make_shared<const AutoInit>(type);
  const Function function = Function::FromPacked([init](PackedArgs args, Any* result) { init->Call(args, result); });
  reflection::detail::RegisterAttr(type->type_index, "__ffi_init__", function);
}

namespace {

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def("ffi._RegisterFFIInit", &RegisterAutoInit,
                              "Gives a type the constructor that takes its fields.");
}

}  // namespace
}  // namespace transom::interop
