/*
 * Releasing graphs that other libraries' code would destroy recursively.
 */
#ifndef TRANSOM_GRAPH_DROP_H_
#define TRANSOM_GRAPH_DROP_H_

#include <transom/export.h>
#include <transom/runtime/any.h>

namespace transom {

/*!
 * \brief Releases a value, which becomes None, without deep recursion, whoever made the objects of its graph.
 *
 * Objects of this project's headers, of its runtime and records need no help: they never recurse. An object whose
 * deleter was compiled from other headers destroys its children inside its own destructor, so releasing a long chain of
 * them overflows the stack. Here each object that dies is destroyed while its children are still held, parents before
 * children; the stack stays flat.
 *
 * Only what dies is visited: an object that others refer to stays, with all below it. Children are those that
 * containers, errors and reflection records show; what a destructor releases beyond them (the state of a function, a
 * field that is not registered) is destroyed as its library does it.
 *
 * Linear in the objects that die plus their edges; it takes some memory for those that wait, and where there is none,
 * releases the rest plainly. Thread-safe as any release of a reference is. Not to be called from a destructor of an
 * object: what dies there waits for the end of that destructor.
 */
TRANSOM_API void Drop(Any&& value) noexcept;

}  // namespace transom
#endif  // TRANSOM_GRAPH_DROP_H_
