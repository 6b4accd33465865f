/* Objects that stand for something by their identity. One each per process, never destroyed. */
#ifndef TRANSOM_SRC_RUNTIME_SENTINELS_H_
#define TRANSOM_SRC_RUNTIME_SENTINELS_H_

#include <transom/runtime/object.h>

namespace transom::runtime {

/* A missing value, such as that of a key which a map lacks. */
ObjectRef InvalidObject();
/* Among the arguments of a constructor: names and values follow. */
ObjectRef KwargsObject();

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_SENTINELS_H_
