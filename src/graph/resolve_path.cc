#include <transom/graph/resolve_path.h>

#include "graph/path.h"

namespace transom {

Any ResolvePath(const Any& root, std::string_view path) { return graph::ResolvePath(root, path); }

}  // namespace transom
