/*
 * Which of a list of types a value is of: how hooks by type are found.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_VISIT_TYPE_DISPATCH_H_
#define TRANSOM_SRC_STRUCTURAL_VISIT_TYPE_DISPATCH_H_

#include <transom/export.h>
#include <transom/runtime/c_api.h>
#include <transom/schema/descriptor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/pointer_map.h"

namespace transom::structural {

/*! \brief The types in order; the first that fits counts. For one traversal: records' descriptors are remembered. */
class TypeDispatch {
 public:
  /*! \brief Values of a registered type, and objects of those derived from it; strings and bytes in both forms.
   * kTVMFFIAny: all values. */
  void Add(int32_t type_index) { rules_.push_back({type_index, {}}); }
  /*! \brief The same by key, which need not be registered yet; objects that are records too. */
  void Add(std::string_view type_key) { rules_.push_back({kByKey, std::string(type_key)}); }

  /*! \brief Number of the first type that the value is of, -1 for none. O(1) but for the first value of a type. */
  TRANSOM_API int32_t Find(const TVMFFIAny& value);

 private:
  static constexpr int32_t kByKey = -2;
  static constexpr int32_t kNotAsked = -2;
  struct Rule {
    int32_t type_index;
    std::string type_key;  // kByKey
  };
  int32_t Search(const TVMFFIAny& value) const;

  std::vector<Rule> rules_;
  std::vector<int32_t> of_index_;
  graph::PointerMap<int32_t> of_descriptor_;  // plus 1
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_VISIT_TYPE_DISPATCH_H_
