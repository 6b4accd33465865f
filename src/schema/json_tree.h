/*
 * A small JSON document, parsed as a whole. Schemas and metadata are read through it.
 */
#ifndef TRANSOM_SRC_SCHEMA_JSON_TREE_H_
#define TRANSOM_SRC_SCHEMA_JSON_TREE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/message.h"

namespace transom::schema {

// Flat list of the nodes of a JSON document in document order: a container is followed by its items (an object's items
// are keys and values in turns), `end` is the index after the last of them. Strings are decoded inside the tree's copy
// of the text, so a string's address tells its byte offset. No recursion, a small multiple of the text in memory.
class JsonTree {
 public:
  enum class Kind : uint8_t { kNull, kBool, kInt, kDouble, kString, kArray, kObject };

  struct Node {
    Kind kind = Kind::kNull;
    uint32_t end = 0;
    uint32_t size = 0;  // of a string: bytes; of a container: items or members
    union {
      bool bool_value;
      int64_t int_value = 0;
      double double_value;
      const char* data;
    };
    std::string_view text() const { return {data, size}; }
  };

  // Parses `text`. Throws ValueError: malformed JSON, a key twice in one object (both with the byte offset), more than
  // 4 GiB. `source` is kept as a view. With `stop_before`, the document ends before that member of the root object.
  JsonTree(std::string_view text, std::string_view source, std::string_view stop_before = {});
  JsonTree(const JsonTree&) = delete;
  JsonTree& operator=(const JsonTree&) = delete;

  const Node& root() const { return nodes_[0]; }
  const Node& operator[](uint32_t index) const { return nodes_[index]; }
  uint32_t IndexOf(const Node& node) const { return static_cast<uint32_t>(&node - nodes_.data()); }
  // Value of a member; null when the node is no object or has no such member.
  const Node* Member(uint32_t object, std::string_view key) const;
  // For messages about views into the tree's strings.
  const TextOrigin& origin() const { return origin_; }

 private:
  friend class JsonTreeHandler;
  std::string buffer_;  // decoded in place
  TextOrigin origin_;
  std::vector<Node> nodes_;
};

// "an integer", "null" and the like, for messages.
std::string_view KindName(JsonTree::Kind kind);

}  // namespace transom::schema

#endif  // TRANSOM_SRC_SCHEMA_JSON_TREE_H_
