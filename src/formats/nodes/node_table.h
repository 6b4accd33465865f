/*
 * Nodes of a JSON graph while it is read: their values so far, and the types they may have.
 */
#ifndef TRANSOM_SRC_FORMATS_NODES_NODE_TABLE_H_
#define TRANSOM_SRC_FORMATS_NODES_NODE_TABLE_H_

#include <transom/formats/load.h>
#include <transom/schema/record.h>

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/nodes/references.h"
#include "graph/type_check.h"

namespace transom::formats {

/*! \brief What the "data" of a node of some type is. */
enum class NodeForm : uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kDataType,
  kDevice,
  kString,
  kBytes,
  kShape,
  kTensor,
  kBigInt,
  kArray,
  kList,
  kMap,
  kDict,
  kFields,     // an object of fields
  kCustom,     // JSON of the type's own writer
  kReference,  // in a patch: stands for an object of the old graph
  kUnknown,    // no schema and no registered type has it
};

/*! \brief A type key of the file, looked up once. */
struct NodeType {
  std::string key;
  NodeForm form = NodeForm::kUnknown;
  const schema::TypeDescriptor* descriptor = nullptr;
  int32_t native_index = -1;             // registered, and wanted natively
  std::vector<std::string> lost_fields;  // of the descriptor, which the registered type does not have
  mutable bool made_record = false;
  mutable bool lost_some = false;  // an object was made without them
};

/*! \brief The values of nodes; owns one reference to each object until it is destroyed. */
class NodeTable {
 public:
  struct Node {
    TVMFFIAny value;
    size_t offset = 0;  // of the node's text
    bool built = false;
  };

  NodeTable() = default;
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;
  ~NodeTable();

  size_t size() const { return nodes_.size(); }
  Node& operator[](size_t i) { return nodes_[i]; }
  /*! \brief Adds a node that is not built. */
  void Add(size_t offset);
  /*! \brief Sets a node's value, taking it over. */
  void Set(size_t i, Any value);
  /*! \brief Whether node `i` exists and has its value. */
  bool Built(int64_t i) const {
    return i >= 0 && static_cast<size_t>(i) < nodes_.size() && nodes_[static_cast<size_t>(i)].built;
  }

 private:
  std::vector<Node> nodes_;
};

/*! \brief Turns type keys into node types, and contents into values. Knows the schema of the file. */
class NodeFactory {
 public:
  explicit NodeFactory(const LoadOptions& options);
  ~NodeFactory();

  /*! \brief Schema to read with; before the first node whose type needs one. */
  void SetSchema(schema::SchemaRef schema, std::string text);
  const schema::SchemaRef& schema() const { return schema_; }
  /*! \brief What the schema is called in messages: the schema "tvm-0.27". */
  const std::string& schema_text() const { return schema_text_; }
  /*! \brief Metadata of the file, for messages about its version; lives as long as this. */
  void SetMetadata(std::string_view json) { metadata_ = json; }
  /*! \brief What the file says of its version: ; its metadata is {"tvm_version":"0.28.0"}. */
  std::string MetadataText() const;
  graph::TypeCheck& check() { return *check_; }
  /*! \brief For patches: what references lead to, records among it. Null: the file is no patch. */
  void SetReferences(References* references) {
    references_ = references;
    made_records_ |= references != nullptr;
  }
  References* references() { return references_; }

  /*! \brief The node type of a key; lives as long as this. Average O(1). */
  const NodeType& TypeOf(std::string_view key);
  /*! \brief Whether the key is a built-in type, for which no schema is needed. */
  static bool IsBuiltin(std::string_view key);

  /*!
   * \brief An object of a type with fields. `values` are borrowed, one per field of the descriptor, all present.
   * Throws what a native creator or setter throws.
   */
  Any MakeObject(const NodeType& type, const std::vector<TVMFFIAny>& values);
  /*!
   * \brief Whether all objects of the type become objects of the registered type, and this is of the types that the
   * descriptor calls its ancestors: then a field of such a type may hold them without asking.
   */
  bool IsAlwaysNative(const NodeType& type) const;
  /*! \brief Default of a field of a type that is made natively, as registered; false when there is none. `value` null:
   * only asks. Throws its factory's error. */
  bool RegisteredDefault(const NodeType& type, std::string_view field, Any* value) const;
  /*! \brief An object with custom data, given as canonical JSON text. Throws what a native hook throws. */
  Any MakeCustom(const NodeType& type, std::string_view json);

  /*! \brief Says that records are among the values, though this factory may have made none. */
  void ExpectRecords() { made_records_ = true; }
  /*! \brief Keys of the types of which records were made, sorted. */
  std::vector<std::string> RecordTypes() const;
  /*! \brief Fields that registered types do not have and that were left out, as "TYPE.FIELD". */
  void AddLostFields(std::set<std::string>* fields) const;
  /*! \brief For a type whose form is kUnknown: what to do about it. */
  std::string UnknownText(std::string_view key) const;

 private:
  Any MakeRecord(const NodeType& type, const std::vector<TVMFFIAny>& values);
  Any MakeNative(const NodeType& type, const std::vector<TVMFFIAny>& values);
  RecordObj* NewRecord(const NodeType& type);
  NodeType Resolve(std::string_view key);

  const LoadOptions& options_;
  schema::SchemaRef schema_;
  std::string schema_text_;
  std::string_view metadata_;
  References* references_ = nullptr;
  std::vector<schema::SchemaRef> registries_;  // of registered types that the schema lacks
  std::unique_ptr<graph::TypeCheck> check_;
  std::unordered_map<std::string, std::unique_ptr<NodeType>> types_;
  std::array<const NodeType*, 256> recent_{};  // by a cheap function of the key
  bool made_records_ = false;
  int64_t spare_refs_ = 0;  // references to schema_ that the next records will take
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_NODES_NODE_TABLE_H_
