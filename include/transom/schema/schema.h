/*
 * A schema: descriptions of types, read from a schema file, a data file or the live reflection tables.
 */
#ifndef TRANSOM_SCHEMA_SCHEMA_H_
#define TRANSOM_SCHEMA_SCHEMA_H_

#include <transom/export.h>
#include <transom/schema/descriptor.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace transom {
namespace schema {

class Schema;

/*! \brief A counted reference to a schema; copying is thread-safe. */
class SchemaRef {
 public:
  SchemaRef() = default;
  TRANSOM_API explicit SchemaRef(const Schema* schema);  // adds a reference
  TRANSOM_API SchemaRef(const SchemaRef& other);
  SchemaRef(SchemaRef&& other) noexcept : schema_(std::exchange(other.schema_, nullptr)) {}
  SchemaRef& operator=(SchemaRef other) noexcept {
    std::swap(schema_, other.schema_);
    return *this;
  }
  TRANSOM_API ~SchemaRef();
  const Schema* get() const { return schema_; }
  const Schema* operator->() const { return schema_; }
  const Schema& operator*() const { return *schema_; }
  explicit operator bool() const { return schema_ != nullptr; }

 private:
  const Schema* schema_ = nullptr;
};

/*!
 * \brief Descriptions of types, checked: parents exist and have no cycles, field names are unique along each chain,
 * "compare" names are fields. Immutable after it is made; safe to read from many threads. Counted: records keep the
 * schema of their descriptor alive.
 */
class Schema {
 public:
  /*! \brief Version of the file form ("transom_schema") that this library reads and writes. */
  static constexpr int kVersion = 1;

  /*!
   * \brief Reads the file form. A text that a living schema was made of gives that schema, with its first source:
   * records of two files that carry the same schema share their descriptors. \param text JSON text; copied. \param
   * source Name for messages, for example the path of the file. \return The schema. Throws ValueError: malformed JSON
   * (byte offset), or a type that breaks a rule (the message names source, type and field). VersionError: a newer
   * version. O(size of the text).
   */
  TRANSOM_API static SchemaRef Parse(std::string_view text, std::string_view source);

  /*! \brief A schema that Transom carries ("tvm-0.27"), parsed once per process. KeyError: none is named so. */
  TRANSOM_API static SchemaRef Bundled(std::string_view name);
  /*! \brief Names of the bundled schemas, sorted. */
  TRANSOM_API static std::vector<std::string> BundledNames();

  /*!
   * \brief Chooses the bundled schema for a file by its metadata: every member of "match" must fit, versions by dotted
   *        prefix; the longest match wins.
   * \param metadata JSON text of the file's metadata; empty: none.
   * \return The schema, or an empty reference when none matches. ValueError: two match equally well (names both), or
   *         malformed JSON.
   */
  TRANSOM_API static SchemaRef MatchBundled(std::string_view metadata);

  /*! \brief The same choice among `candidates`. */
  TRANSOM_API static SchemaRef Match(const std::vector<SchemaRef>& candidates, std::string_view metadata);

  /*!
   * \brief Describes types of the live reflection tables.
   * \param keys The types wanted; their ancestors, and every type their field types name that is registered, join.
   *        Empty: all registered types that have reflection metadata.
   * \return A new schema named `name`, its types sorted by key. KeyError: a key that is not registered.
   */
  TRANSOM_API static SchemaRef FromRegistry(std::string_view name, const std::vector<std::string>& keys);

  /*!
   * \brief A schema of some types of other schemas, with their ancestors and the types that their fields name.
   * Descriptors of one key must have equal digests: ValueError naming the type and both sources otherwise.
   */
  TRANSOM_API static SchemaRef Select(std::string_view name, const std::vector<const TypeDescriptor*>& types);

  /*! \brief The file form, deterministic; `Parse` of it gives an equal schema. `indent`: spaces a level; 0: compact,
   * one type a line. */
  TRANSOM_API std::string ToJSON(int indent = 0) const;

  /*! \brief Descriptor by type key, or null. O(1). The pointer lives as long as the schema. */
  TRANSOM_API const TypeDescriptor* Find(std::string_view key) const;

  const std::string& name() const { return name_; }
  const std::string& source() const { return source_; }
  /*! \brief All types in the order of the file. */
  const std::vector<std::unique_ptr<TypeDescriptor>>& types() const { return types_; }
  const std::vector<std::pair<std::string, std::string>>& match() const { return match_; }
  /*! \brief Number of distinct declared types: TypeExpr::id is below it. */
  uint32_t num_type_exprs() const { return num_type_exprs_; }

  /*! \brief Adds or drops `n` references. For records, which count in batches. */
  TRANSOM_API void AddRefs(int64_t n) const;
  TRANSOM_API void DropRefs(int64_t n) const;

 private:
  friend class SchemaBuilder;
  Schema() = default;
  ~Schema() = default;
  std::string name_;
  std::string source_;
  std::vector<std::pair<std::string, std::string>> match_;
  std::vector<std::unique_ptr<TypeDescriptor>> types_;
  std::unordered_map<std::string_view, const TypeDescriptor*> by_key_;  // keys point into types_
  uint32_t num_type_exprs_ = 0;
  std::string text_;  // what it was parsed from; empty when it was not
  mutable std::atomic<int64_t> refs_{0};
};

}  // namespace schema
}  // namespace transom
#endif  // TRANSOM_SCHEMA_SCHEMA_H_
