/*
 * One node of a JSON graph, from RapidJSON's events to a value.
 */
#ifndef TRANSOM_SRC_FORMATS_JSON_JSON_NODE_PARSER_H_
#define TRANSOM_SRC_FORMATS_JSON_JSON_NODE_PARSER_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/json/json_sax.h"
#include "formats/nodes/node_table.h"

namespace transom::formats {

/*!
 * \brief Reads nodes one after the other.
 *
 * In the first pass nothing about a node's content is an error yet: a node that refers forward, has its data before its
 * type, or is damaged is left unbuilt, since only nodes that the root reaches count. Such nodes are read again on
 * their own
 * (`BeginAgain`) when they turn out to be reached; then what is wrong is thrown.
 */
class JsonNodeParser {
 public:
  JsonNodeParser(std::string_view text, std::string_view source, NodeFactory& factory, NodeTable& nodes,
                 bool drop_unknown_fields)
      : text_(text), source_(source), factory_(factory), nodes_(nodes), drop_unknown_fields_(drop_unknown_fields) {}

  /*! \brief From now on, notes every reference as (node, node it refers to). */
  void RecordEdges(std::vector<std::pair<int64_t, int64_t>>* edges) { edges_ = edges; }

  /*! \brief Starts with the next node of the table; its `{` has been read. */
  void Begin(size_t index, size_t offset);
  /*! \brief Starts with a node that was left unbuilt and whose type is known now. `on_missing` nodes collect in
   * missing(). */
  void BeginAgain(size_t index, size_t offset, std::string_view type);

  /*! \brief Fields that were dropped, as "TYPE.FIELD". */
  const std::set<std::string>& dropped_fields() const { return dropped_fields_; }

  bool done() const { return depth_ == 0; }
  /*! \brief With BeginAgain: nodes that must be built before this one. */
  const std::vector<int64_t>& missing() const { return missing_; }

  // Events; `at` is the byte of the token.
  void OnNull(size_t at) { OnScalar(Token::Null(at)); }
  void OnBool(size_t at, bool b) { OnScalar(Token::Bool(at, b)); }
  void OnInt(size_t at, int64_t i) { OnScalar(Token::Int(at, i)); }
  void OnNumber(size_t at);
  void OnString(size_t at, std::string_view text);
  void OnKey(size_t at, std::string_view key);
  void OnOpen(size_t at, bool is_object);
  void OnClose(size_t at, bool is_object);

 private:
  enum class State : uint8_t {
    kMember,   // a key of the node comes next
    kType,     // the value of "type"
    kData,     // the value of "data"
    kItems,    // elements of a data array
    kFields,   // a key of the data object
    kField,    // the value of a field
    kDrop,     // the value of a field that the type does not have, by option
    kCustom,   // inside custom data
    kEscape,   // the members of an escaped string
    kEscaped,  // its text
    kSkip,     // the rest of a node that is left unbuilt
  };

  struct Token {
    enum Kind : uint8_t { kNull, kBool, kInt, kFloat, kString, kOpen } kind;
    size_t at;
    int64_t i = 0;
    double f = 0;
    std::string_view text{};
    static Token Null(size_t at) { return {kNull, at}; }
    static Token Bool(size_t at, bool b) { return {kBool, at, b}; }
    static Token Int(size_t at, int64_t i) { return {kInt, at, i}; }
    static Token Float(size_t at, double f) { return {kFloat, at, 0, f}; }
    static Token String(size_t at, std::string_view s) { return {kString, at, 0, 0, s}; }
  };

  void Reset(size_t index, size_t offset);
  void OnScalar(const Token& token);
  void OnType(const Token& token);
  void OnData(const Token& token);
  void OnField(const Token& token);
  void OnItem(const Token& token);
  void CustomScalar(const Token& token);
  void BeginData(size_t at, bool is_object);
  void SetType(std::string_view key, size_t at);
  bool ScalarData(const Token& token);
  bool TextData(const Token& token);
  bool BigIntData(const Token& token);
  bool Available(int64_t i);
  void Reference(const Token& token, const schema::FieldDescriptor& field);
  void InlineField(const Token& token, const schema::FieldDescriptor& field);
  bool InlineValue(const Token& token, const schema::FieldDescriptor& field, TVMFFIAny* value);

  void Finish();
  template <class Make>
  Any Try(Make&& make);
  std::string RepeatedKey();
  Any Build();
  Any BuildSequence();
  Any BuildMap();
  Any BuildShape();
  Any BuildDevice();
  Any BuildObject();
  Any BuildCustom();
  Any BuildReference();
  bool CompleteFields();

  /*! \brief What is wrong with the node at byte `at`. Throws in the second reading; in the first, leaves the node
   * unbuilt. */
  template <class MakeText>
  void Fail(size_t at, MakeText&& make_text, Unreadable why = Unreadable::kDamaged) {
    if (strict_) ThrowNode(at, make_text(), why);
    state_ = State::kSkip;
    skip_ = true;
  }
  [[noreturn]] void ThrowNode(size_t at, const std::string& what, Unreadable why);
  static std::string Found(const Token& token);
  std::string FieldText() const;
  std::string VersionHint() const;

  std::string_view text_;
  std::string_view source_;
  NodeFactory& factory_;
  NodeTable& nodes_;
  bool drop_unknown_fields_;
  std::set<std::string> dropped_fields_;
  std::vector<std::pair<int64_t, int64_t>>* edges_ = nullptr;

  size_t index_ = 0;
  size_t offset_ = 0;
  bool strict_ = false;
  State state_ = State::kMember;
  bool skip_ = false;
  int64_t depth_ = 0;
  const NodeType* type_ = nullptr;
  bool has_type_ = false;
  bool has_data_ = false;
  bool scalar_ = false;  // value_ holds the data
  Any value_;
  std::vector<int64_t> items_;     // elements of a data array
  std::vector<TVMFFIAny> fields_;  // borrowed, by field
  std::vector<uint8_t> seen_;
  std::vector<Any> defaults_;  // of the registered type; keeps what fields_ borrows
  int32_t field_ = -1;
  uint32_t next_field_ = 0;
  std::string custom_;  // custom data, compact
  bool custom_comma_ = false;
  bool custom_object_ = false;
  std::vector<int64_t> missing_;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_JSON_JSON_NODE_PARSER_H_
