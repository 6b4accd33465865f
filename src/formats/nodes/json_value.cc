#include "formats/nodes/json_value.h"

#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "schema/json_tree.h"

namespace transom::formats {
namespace {

using schema::JsonTree;

// The last `n` values, first one last on the stack, as an array of owned values in document order.
std::vector<Any> TakeReversed(std::vector<Any>* stack, size_t n) {
  std::vector<Any> items(std::make_move_iterator(stack->end() - static_cast<ptrdiff_t>(n)),
                         std::make_move_iterator(stack->end()));
  stack->resize(stack->size() - n);
  std::reverse(items.begin(), items.end());
  return items;
}

Any Convert(const JsonTree::Node& node, std::vector<Any>* stack) {
  switch (node.kind) {
    case JsonTree::Kind::kNull:
      return Any();
    case JsonTree::Kind::kBool:
      return Any(node.bool_value);
    case JsonTree::Kind::kInt:
      return Any(node.int_value);
    case JsonTree::Kind::kDouble:
      return Any(node.double_value);
    case JsonTree::Kind::kString:
      return Any(String(node.text()));
    case JsonTree::Kind::kArray: {
      std::vector<Any> items = TakeReversed(stack, node.size);
      ObjectPtr<ArrayObj> array = ArrayObj::Create(static_cast<int64_t>(items.size()));
      for (Any& item : items) array->PushOwned(std::move(item));
      return Any(std::move(array));
    }
    case JsonTree::Kind::kObject: {
      std::vector<Any> items = TakeReversed(stack, 2 * size_t{node.size});
      return Any(MapObj::CreateFromPairs(items.data(), node.size));
    }
  }
  return Any();
}

// The parser would round an integer beyond 64 bits to a float. The text is well-formed.
void CheckIntegers(std::string_view json) {
  constexpr std::string_view kNumber = "0123456789+-.eE";
  for (size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') {
      for (++i; json[i] != '"'; ++i) i += json[i] == '\\';
    } else if (json[i] == '-' || (json[i] >= '0' && json[i] <= '9')) {
      const std::string_view token = json.substr(i, json.find_first_not_of(kNumber, i) - i);
      int64_t value = 0;
      const bool is_integer = token.find_first_of(".eE") == std::string_view::npos && token.size() > 1;
      if (is_integer &&
          std::from_chars(token.data(), token.data() + token.size(), value).ec == std::errc::result_out_of_range) {
        TRANSOM_THROW(ValueError) << "byte " << i << ": an integer beyond 64 bits: " << token.substr(0, 40);
      }
      i += token.size() - 1;
    }
  }
}

}  // namespace

void CheckMetadata(std::string_view metadata) {
  if (metadata.empty()) return;
  try {
    const JsonTree tree(metadata, "");
  } catch (const Error& error) {
    TRANSOM_THROW(ValueError) << "the metadata is no JSON text: " << error.message();
  }
}

Any ParseJsonValue(std::string_view json) {
  const JsonTree tree(json, "");
  CheckIntegers(json);
  // Nodes stand in document order, so from the back every container comes after its items.
  std::vector<Any> stack;
  for (uint32_t i = tree.root().end; i-- > 0;) {
    Any value = Convert(tree[i], &stack);
    stack.push_back(std::move(value));
  }
  return std::move(stack.back());
}

}  // namespace transom::formats
