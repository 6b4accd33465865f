#include <transom/structural/hook.h>

namespace transom {

reflection::AccessPath WalkPlace::path() const { return source_->CurrentAccessPath(); }
std::string WalkPlace::path_text() const { return source_->CurrentPathText(); }

}  // namespace transom
