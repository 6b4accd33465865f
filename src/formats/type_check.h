/*
 * Declared types: whether a value is what a field's type promises, all the way down.
 */
#ifndef TRANSOM_SRC_FORMATS_TYPE_CHECK_H_
#define TRANSOM_SRC_FORMATS_TYPE_CHECK_H_

#include <transom/export.h>
#include <transom/schema/record.h>
#include <transom/schema/schema.h>

#include <cstdint>
#include <string>
#include <unordered_set>

namespace transom::formats {

/*! \brief Checks values against declared types of one schema. Every pair of container and type is looked into once. */
class TRANSOM_API TypeCheck {
 public:
  explicit TypeCheck(const schema::Schema* schema);

  /*! \brief Whether the value is of the type. An object-typed place may hold None. */
  bool Fits(const schema::TypeExpr& type, const TVMFFIAny& value);

  /*! \brief What about the value does not fit, for a message: "element 3 is ffi.String". Only after Fits said no. */
  std::string Describe(const schema::TypeExpr& type, const TVMFFIAny& value);

 private:
  bool FitsNamed(const schema::TypeExpr& type, const TVMFFIAny& value) const;
  bool FitsItems(const schema::TypeExpr& type, const TVMFFIAny& value);
  bool FitsEntries(const schema::TypeExpr& type, const TVMFFIAny& value);
  bool FitsTuple(const schema::TypeExpr& type, const TVMFFIAny& value);
  bool Known(const TVMFFIAny& value, const schema::TypeExpr& type, bool remember);

  const schema::Schema* schema_;
  int32_t record_type_;
  struct Pair {
    const void* object;
    uint32_t type;
    bool operator==(const Pair&) const = default;
  };
  struct PairHash {
    size_t operator()(const Pair& p) const {
      return (reinterpret_cast<uintptr_t>(p.object) + p.type) * 0x9E3779B97F4A7C15u >> 8;
    }
  };
  std::unordered_set<Pair, PairHash> known_;  // large containers that fit
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TYPE_CHECK_H_
