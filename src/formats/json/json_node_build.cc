// The second half of JsonNodeParser: from what was collected to a value.
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/device.h>

#include <limits>
#include <unordered_set>

#include "formats/json/json_node_parser.h"
#include "formats/nodes/json_value.h"
#include "graph/path.h"
#include "graph/type_plan.h"
#include "schema/json_text.h"

namespace transom::formats {

using graph::Quoted;

void JsonNodeParser::Finish() {
  if (skip_ || !missing_.empty()) return;
  if (type_ == nullptr) return Fail(offset_, [] { return std::string("the member \"type\" is missing"); });
  if (!has_data_ && type_->form != NodeForm::kNone) {
    return Fail(offset_, [] { return std::string("the member \"data\" is missing"); });
  }
  Any value = Build();
  if (!skip_) nodes_.Set(index_, std::move(value));
}

// What `make` makes; what it throws is what is wrong with the node.
template <class Make>
Any JsonNodeParser::Try(Make&& make) {
  try {
    return make();
  } catch (const Error& error) {
    const std::string why(error.message());
    Fail(offset_, [&] { return "the object cannot be made: " + why; });
    return Any();
  }
}

Any JsonNodeParser::Build() {
  switch (type_->form) {
    case NodeForm::kArray:
    case NodeForm::kList:
      return BuildSequence();
    case NodeForm::kMap:
    case NodeForm::kDict:
      return BuildMap();
    case NodeForm::kShape:
      return Any(Shape(items_.begin(), items_.end()));
    case NodeForm::kDevice:
      return BuildDevice();
    case NodeForm::kFields:
      if (!CompleteFields()) return Any();
      return Try([&] { return factory_.MakeObject(*type_, fields_); });
    case NodeForm::kCustom:
      return BuildCustom();
    case NodeForm::kReference:
      return BuildReference();
    case NodeForm::kString:
      if (!scalar_) Fail(offset_, [] { return std::string("an escaped string without its member \"base64\""); });
      return std::move(value_);
    default:
      return std::move(value_);
  }
}

Any JsonNodeParser::BuildSequence() {
  if (type_->form == NodeForm::kArray) {
    ObjectPtr<ArrayObj> array = ArrayObj::Create(static_cast<int64_t>(items_.size()));
    for (const int64_t i : items_) array->PushOwned(Any(AnyView::FromRaw(nodes_[static_cast<size_t>(i)].value)));
    return Any(std::move(array));
  }
  List<Any> list;
  list.reserve(static_cast<int64_t>(items_.size()));
  for (const int64_t i : items_) list.push_back(Any(AnyView::FromRaw(nodes_[static_cast<size_t>(i)].value)));
  return Any(std::move(list));
}

Any JsonNodeParser::BuildMap() {
  if (items_.size() % 2 != 0) {
    Fail(offset_,
         [&] { return "a map of " + std::to_string(items_.size()) + " elements; keys and values must alternate"; });
    return Any();
  }
  std::vector<Any> pairs;
  pairs.reserve(items_.size());
  for (const int64_t i : items_) pairs.push_back(Any(AnyView::FromRaw(nodes_[static_cast<size_t>(i)].value)));
  const size_t n = pairs.size() / 2;
  Any map = Try([&] {
    return type_->form == NodeForm::kMap ? Any(MapObj::CreateFromPairs(pairs.data(), n))
                                         : Any(DictObj::CreateFromPairs(pairs.data(), n));
  });
  if (!skip_ && graph::MapOf(*map.raw()).size() != n) {
    Fail(offset_, [&] { return "the key " + RepeatedKey() + " is there twice"; });
  }
  return map;
}

// The first key of a map's data that stands there a second time.
std::string JsonNodeParser::RepeatedKey() {
  std::unordered_set<Any, AnyHash, AnyEqual> keys;
  graph::PlanTable plans;
  for (size_t i = 0; i < items_.size(); i += 2) {
    const TVMFFIAny& key = nodes_[static_cast<size_t>(items_[i])].value;
    if (!keys.insert(Any(AnyView::FromRaw(key))).second)
      return graph::ShortKeyText(plans, key, static_cast<int64_t>(i / 2));
  }
  return "";
}

Any JsonNodeParser::BuildDevice() {
  constexpr int64_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();
  const bool two = items_.size() == 2;
  if (!two || items_[0] < kMin || items_[0] > kMax || items_[1] < kMin || items_[1] > kMax) {
    Fail(offset_, [] { return std::string("a device is its type and its number, two integers of 32 bits"); });
    return Any();
  }
  return Any(Device(static_cast<int32_t>(items_[0]), static_cast<int32_t>(items_[1])));
}

bool JsonNodeParser::CompleteFields() {
  const auto& fields = type_->descriptor->fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (seen_[i] != 0) continue;
    if (fields[i].has_default && fields[i].default_is_known) {
      fields_[i] = *fields[i].default_value.raw();
      continue;
    }
    bool registered = false;
    Any value = Try([&] {
      Any made;
      registered = factory_.RegisteredDefault(*type_, fields[i].name, &made);
      return made;
    });
    if (skip_) return false;
    if (registered) {
      fields_[i] = *value.raw();
      defaults_.push_back(std::move(value));
      continue;
    }
    Fail(offset_, [&] {
      return "the field " + Quoted(fields[i].name) + " of type " + fields[i].type_text + " is missing, and " +
             (fields[i].has_default ? "the schema does not state its default" : "it has no default") + VersionHint();
    });
    return false;
  }
  return true;
}

Any JsonNodeParser::BuildCustom() {
  return Try([&] {
    if (custom_object_) {
      const Any tree = ParseJsonValue(custom_);
      custom_.clear();
      schema::AppendCanonicalJson(*tree.raw(), &custom_);
    }
    return factory_.MakeCustom(*type_, custom_);
  });
}

Any JsonNodeParser::BuildReference() {
  std::vector<TVMFFIAny> elements;
  for (const int64_t i : items_) elements.push_back(nodes_[static_cast<size_t>(i)].value);
  return factory_.references()->Resolve(index_, elements);
}

}  // namespace transom::formats
