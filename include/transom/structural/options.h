/*
 * Options that structural comparison, hash and diff share.
 */
#ifndef TRANSOM_STRUCTURAL_OPTIONS_H_
#define TRANSOM_STRUCTURAL_OPTIONS_H_

#include <transom/schema/schema.h>

namespace transom {

/*! \brief What two values must share to be called equal. Two values that are compared and hashed need the same options. */
struct StructuralOptions {
  /*! \brief Every unbound variable may be paired with another, as if the root were a recursive definition region. */
  bool map_free_vars = false;
  /*! \brief Tensors count by shape and dtype only. */
  bool skip_tensor_content = false;
  /*!
   * \brief The two sides come from files: nothing is shared between them. Variables bound nowhere on their own side pair
   * one to one at first meeting when their counted fields agree, and so do unique instances; types without a declared
   * structural kind compare as trees. Without this, an unbound variable or unique instance equals only itself, and such a
   * type is an error.
   */
  bool as_files = false;
  /*! \brief Rules ("compare", kinds) that also hold for registered types of the same key; may be empty. */
  schema::SchemaRef rules;
};

}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_OPTIONS_H_
