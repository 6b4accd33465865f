#include "runtime/sentinels.h"

namespace transom::runtime {

ObjectRef InvalidObject() {
  static const auto* const object = new ObjectRef(make_object<Object>());
  return *object;
}

ObjectRef KwargsObject() {
  static const auto* const object = new ObjectRef(make_object<Object>());
  return *object;
}

}  // namespace transom::runtime
