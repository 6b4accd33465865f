#include "formats/json/json_reader.h"

#include <transom/formats/json_graph.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "formats/json/json_node_parser.h"
#include "formats/json/json_sax.h"
#include "formats/nodes/node_table.h"
#include "formats/nodes/patch_script.h"
#include "graph/path.h"

namespace transom {
namespace formats {
namespace {

// Where the members of the outermost object that decide about the schema lie; empty: not there.
struct Outline {
  std::string_view metadata;
  std::string_view schema;
};

size_t SkipSpace(std::string_view text, size_t i) {
  while (i < text.size() && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r')) ++i;
  return i;
}

// The value of the member whose key starts at `key`.
std::string_view MemberValue(std::string_view text, size_t key, std::string_view source) {
  const size_t colon = SkipSpace(text, SkipValue(text, key, source));
  if (colon >= text.size()) ThrowAt(source, text.size(), "the JSON text ends too early; the file is truncated");
  const size_t begin = SkipSpace(text, colon + 1);
  return text.substr(begin, SkipValue(text, begin, source) - begin);
}

/*
 * The value of one of the members that Transom writes first: that of a patch, and the schema. Empty: it is not there.
 */
std::string_view LeadingMember(std::string_view text, std::string_view key, std::string_view source) {
  size_t i = SkipSpace(text, 0);
  if (i >= text.size() || text[i] != '{') return {};
  i = SkipSpace(text, i + 1);
  const auto is_member = [&](std::string_view name) {
    return text.substr(i, 1) == "\"" && text.substr(i + 1, name.size()) == name &&
           text.substr(i + 1 + name.size(), 1) == "\"";
  };
  if (is_member(key)) return MemberValue(text, i, source);
  if (!is_member(kPatchKey)) return {};
  const std::string_view patch = MemberValue(text, i, source);
  i = SkipSpace(text, static_cast<size_t>(patch.data() + patch.size() - text.data()));
  if (i >= text.size() || text[i] != ',') return {};
  i = SkipSpace(text, i + 1);
  return is_member(key) ? MemberValue(text, i, source) : std::string_view();
}

/*
 * Metadata that stands last in the file, as writers put it. A guess from the end of the text: quotes inside strings are
 * escaped, so the key cannot lie in one, and what follows its value must close the file. The reader compares it with
 * the member that it meets in the end.
 */
std::string_view GuessMetadata(std::string_view text) {
  constexpr std::string_view kKey = "\"metadata\"";
  const size_t key = text.rfind(kKey);
  if (key == std::string_view::npos) return {};
  size_t before = key;
  while (before > 0 && SkipSpace(text, before - 1) != before - 1) --before;
  if (before == 0 || (text[before - 1] != ',' && text[before - 1] != '{')) return {};
  try {
    const std::string_view value = MemberValue(text, key, "");
    const size_t close = SkipSpace(text, static_cast<size_t>(value.data() + value.size() - text.data()));
    if (close >= text.size() || text[close] != '}' || SkipSpace(text, close + 1) != text.size()) return {};
    return value;
  } catch (const Error&) {
    return {};  // the reading of the whole text will say what is wrong
  }
}

/*
 * The outermost object. Nodes go to the node parser as they come; other members are passed over, with their places
 * noted.
 */
class GraphHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, GraphHandler> {
 public:
  GraphHandler(std::string_view text, std::string_view source, const JsonInPlaceStream& stream, JsonNodeParser* parser,
               NodeTable* nodes)
      : text_(text), source_(source), stream_(stream), parser_(parser), nodes_(nodes) {}

  bool Null() { return in_node_ ? (parser_->OnNull(At()), true) : Scalar("null"); }
  bool Bool(bool b) { return in_node_ ? (parser_->OnBool(At(), b), true) : Scalar(b ? "true" : "false"); }
  bool Int(int i) { return Int64(i); }
  bool Uint(unsigned i) { return Int64(i); }
  bool Int64(int64_t i) {
    if (in_node_) {
      parser_->OnInt(At(), i);
      return true;
    }
    if (depth_ == 1 && member_ == Member::kRootIndex) {
      root_index_ = i;
      root_index_at_ = At();
      return true;
    }
    return Scalar("an integer");
  }
  bool Uint64(uint64_t) { return Double(0); }
  bool Double(double) { return in_node_ ? (parser_->OnNumber(At()), true) : Scalar("a number"); }
  bool String(const char* s, rapidjson::SizeType n, bool) {
    return in_node_ ? (parser_->OnString(At(), {s, n}), true) : Scalar("a string");
  }
  bool Key(const char* s, rapidjson::SizeType n, bool) {
    if (in_node_) {
      parser_->OnKey(At(), {s, n});
    } else if (depth_ == 1) {
      TopKey({s, n});
    }
    return true;
  }
  bool StartObject() { return Open(true); }
  bool StartArray() { return Open(false); }
  bool EndObject(rapidjson::SizeType) { return Close(true); }
  bool EndArray(rapidjson::SizeType) { return Close(false); }

  /*! \brief Throws when a required member is missing. */
  void CheckComplete() const {
    if (!root_index_)
      ThrowAt(source_, 0, "the member \"root_index\" is missing; a JSON graph has \"root_index\" and \"nodes\"");
    if (!has_nodes_)
      ThrowAt(source_, 0, "the member \"nodes\" is missing; a JSON graph has \"root_index\" and \"nodes\"");
  }

  int64_t root_index() const { return *root_index_; }
  size_t root_index_at() const { return root_index_at_; }
  Outline outline() const {
    Outline outline;
    if (metadata_key_) outline.metadata = MemberValue(text_, *metadata_key_, source_);
    if (schema_key_) outline.schema = MemberValue(text_, *schema_key_, source_);
    return outline;
  }

 private:
  enum class Member : uint8_t { kNone, kRootIndex, kNodes, kOther };

  // RapidJSON's Tell is not const for this stream.
  size_t At() const { return static_cast<size_t>(stream_.src_ - stream_.head_); }

  void TopKey(std::string_view key) {
    if (!keys_.insert(std::string(key)).second)
      ThrowAt(source_, At(), "the member " + graph::Quoted(key) + " is there twice");
    member_ = key == "root_index" ? Member::kRootIndex : key == "nodes" ? Member::kNodes : Member::kOther;
    if (key == "metadata") metadata_key_ = At();
    if (key == "schema") schema_key_ = At();
    if (member_ == Member::kNodes) has_nodes_ = true;
  }

  bool Scalar(const char* what) {
    if (depth_ == 0)
      ThrowAt(source_, At(), std::string("a JSON graph is an object with \"root_index\" and \"nodes\", found ") + what);
    if (depth_ == 1 && member_ == Member::kRootIndex) {
      ThrowAt(source_, At(), std::string("\"root_index\" must be the index of a node, found ") + what);
    }
    if (depth_ == 1 && member_ == Member::kNodes)
      ThrowAt(source_, At(), std::string("\"nodes\" must be an array, found ") + what);
    if (depth_ == 2 && member_ == Member::kNodes) {
      ThrowAt(source_, At(),
              "node " + std::to_string(count_) + " must be an object with \"type\" and \"data\", found " + what);
    }
    return true;
  }

  bool Open(bool is_object) {
    if (in_node_) {
      parser_->OnOpen(At(), is_object);
      return true;
    }
    if (depth_ == 2 && member_ == Member::kNodes && is_object) {
      ++count_;
      ++depth_;
      nodes_->Add(At());
      parser_->Begin(count_ - 1, At());
      in_node_ = true;
      return true;
    }
    if (depth_ <= 2 && !(depth_ == 0 && is_object) && !(depth_ == 1 && member_ == Member::kNodes && !is_object)) {
      Scalar(is_object ? "an object" : "an array");
    }
    ++depth_;
    return true;
  }

  bool Close(bool is_object) {
    if (in_node_) {
      parser_->OnClose(At(), is_object);
      if (!parser_->done()) return true;
      in_node_ = false;
    }
    --depth_;
    return true;
  }

  std::string_view text_;
  std::string_view source_;
  const JsonInPlaceStream& stream_;
  JsonNodeParser* parser_;
  NodeTable* nodes_;
  bool in_node_ = false;
  bool has_nodes_ = false;
  int64_t depth_ = 0;
  Member member_ = Member::kNone;
  uint64_t count_ = 0;
  std::optional<int64_t> root_index_;
  size_t root_index_at_ = 0;
  std::optional<size_t> metadata_key_;
  std::optional<size_t> schema_key_;
  std::set<std::string> keys_;
};

// Gives the events of one node, read on its own, to the parser.
class NodeHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, NodeHandler> {
 public:
  NodeHandler(JsonNodeParser& parser, const JsonStream& stream, size_t offset)
      : parser_(parser), stream_(stream), offset_(offset) {}
  bool Null() { return parser_.OnNull(At()), true; }
  bool Bool(bool b) { return parser_.OnBool(At(), b), true; }
  bool Int(int i) { return parser_.OnInt(At(), i), true; }
  bool Uint(unsigned i) { return parser_.OnInt(At(), i), true; }
  bool Int64(int64_t i) { return parser_.OnInt(At(), i), true; }
  bool Uint64(uint64_t) { return parser_.OnNumber(At()), true; }
  bool Double(double) { return parser_.OnNumber(At()), true; }
  bool String(const char* s, rapidjson::SizeType n, bool) { return parser_.OnString(At(), {s, n}), true; }
  bool Key(const char* s, rapidjson::SizeType n, bool) { return parser_.OnKey(At(), {s, n}), true; }
  bool StartObject() {
    if (!std::exchange(started_, true)) return true;
    return parser_.OnOpen(At(), true), true;
  }
  bool EndObject(rapidjson::SizeType) { return parser_.OnClose(At(), true), true; }
  bool StartArray() { return parser_.OnOpen(At(), false), true; }
  bool EndArray(rapidjson::SizeType) { return parser_.OnClose(At(), false), true; }

 private:
  size_t At() const { return offset_ + stream_.Tell(); }
  JsonNodeParser& parser_;
  const JsonStream& stream_;
  size_t offset_;
  bool started_ = false;
};

// Finds a node's type.
class TypeHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, TypeHandler> {
 public:
  bool Default() { return Value(); }
  bool String(const char* s, rapidjson::SizeType n, bool) {
    if (depth_ == 1 && is_type_ && !type_) type_ = std::string(s, n);
    return Value();
  }
  bool Key(const char* s, rapidjson::SizeType n, bool) {
    if (depth_ == 1) is_type_ = std::string_view(s, n) == "type";
    return true;
  }
  bool StartObject() { return ++depth_ != 0; }
  bool EndObject(rapidjson::SizeType) { return depth_-- != 0; }
  bool StartArray() { return ++depth_ != 0; }
  bool EndArray(rapidjson::SizeType) { return depth_-- != 0; }
  const std::optional<std::string>& type() const { return type_; }

 private:
  bool Value() { return true; }
  int64_t depth_ = 0;
  bool is_type_ = false;
  std::optional<std::string> type_;
};

/*
 * Reading a graph:
 *   1. Choose the schema: the caller's; else what the file's end says (GuessMetadata) or, with a "schema" member, the
 * file's own.
 *   2. Read all nodes in one pass; those that need a node which is not there yet are left for later.
 *   3. When the pass met a schema or metadata that step 1 did not know, take these and start again.
 *   4. From the root, read the nodes that were left, each after those it refers to.
 */
class GraphReader {
 public:
  GraphReader(std::string_view text, const LoadOptions& options, References* references)
      : text_(text), options_(options), source_(options.source), references_(references) {}

  LoadResult Run() {
    CheckEncoding();
    if (references_ == nullptr && !LeadingMember(text_, kPatchKey, source_).empty()) {
      ThrowAt(source_, 0, "the file is a patch, where a graph is expected; transom patch OLD PATCH -o NEW applies it",
              Unreadable::kPatch);
    }
    outline_.metadata = GuessMetadata(text_);
    outline_.schema = LeadingMember(text_, "schema", source_);
    if (!Pass()) {
      if (!Pass()) ThrowAt(source_, 0, "the members \"schema\" and \"metadata\" cannot be located");
    }
    LoadResult result;
    result.value = Root();
    result.metadata = std::string(outline_.metadata);
    result.schema = factory_->schema();
    result.schema_in_file = !outline_.schema.empty();
    result.record_types = factory_->RecordTypes();
    std::set<std::string> dropped = parser_->dropped_fields();
    factory_->AddLostFields(&dropped);
    result.dropped_fields.assign(dropped.begin(), dropped.end());
    result.num_nodes = nodes_->size();
    if (options_.count_unreachable) result.num_unreachable = CountUnreachable();
    return result;
  }

 private:
  void CheckEncoding() const {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") ThrowAt(source_, 0, "a byte order mark; JSON is UTF-8 without one");
    const bool marked = text_.substr(0, 2) == "\xFF\xFE" || text_.substr(0, 2) == "\xFE\xFF";
    const bool unmarked = text_.size() >= 2 && (text_[0] == '\0') != (text_[1] == '\0');
    if (marked || unmarked) ThrowAt(source_, 0, "UTF-16 text; JSON graphs are UTF-8");
  }

  schema::SchemaRef ChooseSchema() const {
    if (options_.schema) return options_.schema;
    if (!outline_.schema.empty()) {
      return schema::Schema::Parse(outline_.schema,
                                   source_.empty() ? "the embedded schema" : source_ + ": embedded schema");
    }
    try {
      return schema::Schema::MatchBundled(outline_.metadata);
    } catch (const Error& error) {
      const size_t at = outline_.metadata.empty() ? 0 : static_cast<size_t>(outline_.metadata.data() - text_.data());
      ThrowAt(source_, at, "no schema can be chosen: " + std::string(error.message()));
    }
  }

  std::string SchemaText(const schema::SchemaRef& schema) const {
    if (!schema) return "";
    if (!options_.schema && !outline_.schema.empty()) return "the file's own schema";
    return "the schema " + graph::Quoted(schema->name().empty() ? schema->source() : schema->name());
  }

  // Reads all nodes; false when the file turned out to have another outline, which is known now.
  bool Pass() {
    nodes_ = std::make_unique<NodeTable>();
    factory_ = std::make_unique<NodeFactory>(options_);
    const schema::SchemaRef schema = ChooseSchema();
    factory_->SetSchema(schema, SchemaText(schema));
    factory_->check().LimitLooks(text_.size());
    factory_->SetMetadata(outline_.metadata);
    factory_->SetReferences(references_);
    parser_ = std::make_unique<JsonNodeParser>(text_, source_, *factory_, *nodes_, options_.drop_unknown_fields);
    edges_.clear();
    if (options_.count_unreachable) parser_->RecordEdges(&edges_);
    std::string scratch(text_);
    JsonInPlaceStream stream(scratch.data());
    GraphHandler handler(text_, source_, stream, parser_.get(), nodes_.get());
    const size_t end = ParseInPlace(text_, source_, stream, handler);
    if (end < text_.size()) ThrowAt(source_, end, "a NUL byte, where the JSON text should have ended");
    handler.CheckComplete();
    root_index_ = handler.root_index();
    root_index_at_ = handler.root_index_at();
    const Outline met = handler.outline();
    const bool as_guessed = met.metadata == outline_.metadata && met.schema == outline_.schema;
    outline_ = met;
    return as_guessed || options_.schema;
  }

  Any Root() {
    const auto size = static_cast<int64_t>(nodes_->size());
    if (root_index_ < 0 || root_index_ >= size) {
      ThrowAt(source_, root_index_at_,
              "\"root_index\" is " + std::to_string(root_index_) + ", where the file has " + std::to_string(size) +
                  " nodes");
    }
    if (!nodes_->Built(root_index_)) BuildLate();
    return Any(AnyView::FromRaw((*nodes_)[static_cast<size_t>(root_index_)].value));
  }

  // Depth-first over the nodes that were left, with a stack of our own.
  void BuildLate() {
    std::vector<int64_t> stack{root_index_};
    std::vector<uint8_t> open(nodes_->size(), 0);
    while (!stack.empty()) {
      const int64_t i = stack.back();
      if (nodes_->Built(i)) {
        stack.pop_back();
        continue;
      }
      const std::vector<int64_t> missing = ReadAgain(static_cast<size_t>(i));
      if (missing.empty()) continue;  // built now; popped at the next turn
      open[static_cast<size_t>(i)] = 1;
      for (auto m = missing.rbegin(); m != missing.rend(); ++m) {
        if (open[static_cast<size_t>(*m)] != 0 && !nodes_->Built(*m)) ThrowCycle(stack, open, *m);
        stack.push_back(*m);
      }
    }
  }

  std::vector<int64_t> ReadAgain(size_t i) {
    const size_t offset = (*nodes_)[i].offset;
    JsonStream stream(text_.data());
    TypeHandler type;
    ParseValue<rapidjson::kParseStopWhenDoneFlag>(text_, offset, source_, stream, type);
    if (!type.type())
      ThrowAt(source_, offset, "node " + std::to_string(i) + ": the member \"type\" is missing or no type key");
    parser_->BeginAgain(i, offset, *type.type());
    NodeHandler handler(*parser_, stream, offset);
    ParseValue<rapidjson::kParseStopWhenDoneFlag>(text_, offset, source_, stream, handler);
    return parser_->missing();
  }

  uint64_t CountUnreachable() {
    // A node that was read twice has its edges twice; that is no harm.
    std::sort(edges_.begin(), edges_.end());
    std::vector<uint8_t> reached(nodes_->size(), 0);
    std::vector<int64_t> stack{root_index_};
    reached[static_cast<size_t>(root_index_)] = 1;
    uint64_t count = nodes_->size() - 1;
    while (!stack.empty()) {
      const int64_t i = stack.back();
      stack.pop_back();
      for (auto e = std::lower_bound(edges_.begin(), edges_.end(), std::pair<int64_t, int64_t>(i, 0));
           e != edges_.end() && e->first == i; ++e) {
        if (reached[static_cast<size_t>(e->second)] != 0) continue;
        reached[static_cast<size_t>(e->second)] = 1;
        --count;
        stack.push_back(e->second);
      }
    }
    return count;
  }

  // `open` nodes on the stack are those being built; `again` is one of them.
  [[noreturn]] void ThrowCycle(const std::vector<int64_t>& stack, const std::vector<uint8_t>& open, int64_t again) {
    std::vector<int64_t> ring;
    std::vector<uint8_t> listed(open.size(), 0);
    for (const int64_t i : stack) {
      if (ring.empty() && i != again) continue;
      if (open[static_cast<size_t>(i)] != 0 && std::exchange(listed[static_cast<size_t>(i)], 1) == 0) ring.push_back(i);
    }
    constexpr size_t kShown = 8;
    std::string text;
    for (size_t k = 0; k < ring.size() && k < kShown; ++k) text += "node " + std::to_string(ring[k]) + " -> ";
    if (ring.size() > kShown) text += "... (" + std::to_string(ring.size()) + " nodes) -> ";
    ThrowAt(source_, (*nodes_)[static_cast<size_t>(again)].offset,
            "the nodes refer to each other in a circle: " + text + "node " + std::to_string(again) +
                "; a graph must have no cycles");
  }

  std::string_view text_;
  const LoadOptions& options_;
  std::string source_;
  References* references_;
  Outline outline_;
  int64_t root_index_ = 0;
  size_t root_index_at_ = 0;
  std::vector<std::pair<int64_t, int64_t>> edges_;  // when unreachable nodes are to be counted
  std::unique_ptr<NodeTable> nodes_;
  std::unique_ptr<NodeFactory> factory_;
  std::unique_ptr<JsonNodeParser> parser_;
};

}  // namespace

LoadResult LoadJsonText(const std::string& text, const LoadOptions& options, References* references) {
  return GraphReader(text, options, references).Run();
}

std::string_view PatchHeader(const std::string& text, std::string_view source) {
  return LeadingMember(text, kPatchKey, source);
}

}  // namespace formats

LoadResult LoadJSON(std::string_view text, const LoadOptions& options) {
  return formats::LoadJsonText(std::string(text), options);
}

Deserialized DeserializeFromJSON(const String& text) {
  return Deserialized(LoadJSON(std::string_view(text.data(), text.size())).value);
}

}  // namespace transom
