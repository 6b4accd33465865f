/*
 * Objects of registered types, made empty and filled by their reflection records.
 */
#ifndef TRANSOM_SRC_GRAPH_NATIVE_OBJECT_H_
#define TRANSOM_SRC_GRAPH_NATIVE_OBJECT_H_

#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>

namespace transom::graph {

/*! \brief Whether the type says how to make an object of it: a creator, or `__ffi_new__`. */
bool CanCreate(int32_t type_index);

/*! \brief A new object whose fields are default-constructed. Throws the creator's error. */
Any CreateEmpty(int32_t type_index);

/*! \brief The registered default of a field. False when there is none. Throws the factory's error. */
bool DefaultOf(const TVMFFIFieldInfo& field, Any* value);

/*! \brief Gives a field its registered default. False when there is none. Throws the setter's or factory's error. */
bool SetDefault(const TVMFFIFieldInfo& field, const Any& object);

/*! \brief Sets a field; throws the setter's error. */
void SetField(const TVMFFIFieldInfo& field, const Any& object, AnyView value);

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_NATIVE_OBJECT_H_
