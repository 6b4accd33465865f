#include "schema/json_tree.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <transom/runtime/error.h>

#include <limits>
#include <unordered_set>

namespace transom::schema {

// Receives the events of RapidJSON's reader.
class JsonTreeHandler {
 public:
  JsonTreeHandler(JsonTree* tree, std::string_view stop_before) : tree_(tree), stop_before_(stop_before) {}

  bool Null() { return Add(JsonTree::Kind::kNull); }
  bool Bool(bool value) { return Add(JsonTree::Kind::kBool).Set(&JsonTree::Node::bool_value, value); }
  bool Int(int value) { return Int64(value); }
  bool Uint(unsigned value) { return Int64(value); }
  bool Int64(int64_t value) { return Add(JsonTree::Kind::kInt).Set(&JsonTree::Node::int_value, value); }
  // As in data files: what does not fit into 64 signed bits is a float.
  bool Uint64(uint64_t value) {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return Double(static_cast<double>(value));
    return Int64(static_cast<int64_t>(value));
  }
  bool Double(double value) { return Add(JsonTree::Kind::kDouble).Set(&JsonTree::Node::double_value, value); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* data, rapidjson::SizeType size, bool) { return AddText(data, size); }
  bool Key(const char* data, rapidjson::SizeType size, bool) {
    if (open_.size() == 1 && !stop_before_.empty() && stop_before_ == std::string_view(data, size)) {
      Close();
      stopped_ = true;
      return false;
    }
    return AddText(data, size);
  }
  bool StartObject() { return Open(JsonTree::Kind::kObject); }
  bool StartArray() { return Open(JsonTree::Kind::kArray); }
  bool EndObject(rapidjson::SizeType) {
    uint32_t object = open_.back();
    Close();
    CheckKeys(object);
    return duplicate_.data() == nullptr;
  }
  bool EndArray(rapidjson::SizeType) {
    Close();
    return true;
  }

  bool stopped() const { return stopped_; }
  // The second of two equal keys; no address when there is none.
  std::string_view duplicate() const { return duplicate_; }

 private:
  struct Added {
    JsonTree::Node* node;
    operator bool() const { return true; }  // NOLINT: what the reader expects
    template <class T>
    bool Set(T JsonTree::Node::*member, T value) const {
      node->*member = value;
      return true;
    }
  };

  Added Add(JsonTree::Kind kind) {
    if (!open_.empty()) ++tree_->nodes_[open_.back()].size;
    JsonTree::Node& node = tree_->nodes_.emplace_back();
    node.kind = kind;
    node.end = static_cast<uint32_t>(tree_->nodes_.size());
    return Added{&node};
  }
  bool AddText(const char* data, rapidjson::SizeType size) {
    JsonTree::Node* node = Add(JsonTree::Kind::kString).node;
    node->data = data;
    node->size = size;
    return true;
  }
  bool Open(JsonTree::Kind kind) {
    Add(kind);
    open_.push_back(static_cast<uint32_t>(tree_->nodes_.size()) - 1);
    return true;
  }
  void Close() {
    JsonTree::Node& node = tree_->nodes_[open_.back()];
    node.end = static_cast<uint32_t>(tree_->nodes_.size());
    if (node.kind == JsonTree::Kind::kObject) node.size /= 2;  // keys were counted as items
    open_.pop_back();
  }

  void CheckKeys(uint32_t object) {
    constexpr uint32_t kFewKeys = 8;
    const JsonTree::Node& node = tree_->nodes_[object];
    if (node.size > kFewKeys) return CheckManyKeys(node, object);
    std::string_view keys[kFewKeys];
    uint32_t count = 0;
    for (uint32_t i = object + 1; i < node.end; i = tree_->nodes_[i + 1].end) {
      std::string_view key = tree_->nodes_[i].text();
      for (uint32_t k = 0; k < count; ++k) {
        if (keys[k] == key) duplicate_ = key;
      }
      keys[count++] = key;
    }
  }
  void CheckManyKeys(const JsonTree::Node& node, uint32_t object) {
    std::unordered_set<std::string_view> keys;
    keys.reserve(node.size);
    for (uint32_t i = object + 1; i < node.end; i = tree_->nodes_[i + 1].end) {
      if (!keys.insert(tree_->nodes_[i].text()).second) {
        duplicate_ = tree_->nodes_[i].text();
        return;
      }
    }
  }

  JsonTree* tree_;
  std::string_view stop_before_;
  std::string_view duplicate_;
  bool stopped_ = false;
  std::vector<uint32_t> open_;  // containers that have not ended
};

namespace {

// What the text is, when it is no JSON at all.
const char* EncodingProblem(std::string_view text) {
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    return "the text starts with a byte order mark: save it as UTF-8 without one";
  if (text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff") return "the text is UTF-16: save it as UTF-8";
  return nullptr;
}

}  // namespace

JsonTree::JsonTree(std::string_view text, std::string_view source, std::string_view stop_before) : buffer_(text) {
  origin_ = TextOrigin{source, buffer_.data(), buffer_.size()};
  if (text.size() >= std::numeric_limits<uint32_t>::max()) {
    TRANSOM_THROW(ValueError) << origin_.Prefix() << "expected less than 4 GiB of JSON, found " << text.size()
                              << " bytes";
  }
  if (const char* problem = EncodingProblem(text)) TRANSOM_THROW(ValueError) << origin_.Prefix() << problem;

  constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                              rapidjson::kParseFullPrecisionFlag | rapidjson::kParseNanAndInfFlag;
  nodes_.reserve(text.size() / 10 + 1);
  JsonTreeHandler handler(this, stop_before);
  rapidjson::InsituStringStream stream(buffer_.data());
  rapidjson::Reader reader;
  rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (handler.stopped()) return;
  if (std::string_view key = handler.duplicate(); key.data() != nullptr) {
    TRANSOM_THROW(ValueError) << origin_.Prefix(key) << "the key " << Quote(key) << " is in this object twice";
  }
  if (!result) {
    TRANSOM_THROW(ValueError) << origin_.PrefixAt(result.Offset())
                              << "malformed JSON: " << rapidjson::GetParseError_En(result.Code());
  }
  if (stream.Tell() < buffer_.size()) {
    TRANSOM_THROW(ValueError) << origin_.PrefixAt(stream.Tell()) << "malformed JSON: a NUL byte";
  }
}

const JsonTree::Node* JsonTree::Member(uint32_t object, std::string_view key) const {
  if (nodes_[object].kind != Kind::kObject) return nullptr;
  for (uint32_t i = object + 1; i < nodes_[object].end; i = nodes_[i + 1].end) {
    if (nodes_[i].text() == key) return &nodes_[i + 1];
  }
  return nullptr;
}

std::string_view KindName(JsonTree::Kind kind) {
  switch (kind) {
    case JsonTree::Kind::kNull:
      return "null";
    case JsonTree::Kind::kBool:
      return "true or false";
    case JsonTree::Kind::kInt:
      return "an integer";
    case JsonTree::Kind::kDouble:
      return "a float";
    case JsonTree::Kind::kString:
      return "a string";
    case JsonTree::Kind::kArray:
      return "an array";
    case JsonTree::Kind::kObject:
      break;
  }
  return "an object";
}

}  // namespace transom::schema
