// The global function that tells where the tensors in a container live.
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/tensor.h>
#include <transom/reflection/registry.h>

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <vector>

namespace transom::runtime {
namespace {

constexpr DLDevice kHost = {kDLCPU, 0};

/* Depth-first search through containers, in order. Its own stack and the containers that it remembers make it safe for any
 * depth, for sharing and for lists and dicts that contain themselves. */
class DeviceSearch {
 public:
  DLDevice Run(const Any& root) {
    stack_.push_back(&root);
    while (!stack_.empty()) {
      const Any* value = stack_.back();
      stack_.pop_back();
      if (const auto* tensor = value->as<TensorObj>()) {
        if (tensor->device.device_type != kDLCPU) return tensor->device;
      } else if (IsContainer(value->type_index()) && IsFirstVisit(value->raw()->v_obj)) {
        PushChildren(*value);
      }
    }
    return kHost;
  }

 private:
  static bool IsContainer(int32_t type_index) {
    return type_index == kTVMFFIArray || type_index == kTVMFFIList || type_index == kTVMFFIMap ||
           type_index == kTVMFFIDict;
  }
  /* What only one reference leads to is met once. */
  bool IsFirstVisit(const TVMFFIObject* container) {
    return transom::detail::UseCount(container) <= 1 || shared_.insert(container).second;
  }
  void PushChildren(const Any& container) {
    const size_t start = stack_.size();
    if (const auto* array = container.as<ArrayObj>()) {
      for (const Any& item : *array) stack_.push_back(&item);
    } else if (const auto* list = container.as<ListObj>()) {
      for (const Any& item : *list) stack_.push_back(&item);
    } else {
      const auto* map = static_cast<const MapBaseObj*>(transom::detail::ObjectAccess::FromHeader(container.raw()->v_obj));
      for (uint64_t pos = map->First(); pos != MapBaseObj::kEnd; pos = map->Next(pos)) {
        stack_.push_back(&map->ValueAt(pos));
      }
    }
    std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(start), stack_.end());
  }

  std::vector<const Any*> stack_;
  std::unordered_set<const TVMFFIObject*> shared_;
};

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def(
      "ffi.ContainerFindFirstNonCPUDevice", [](const Any& value) { return DeviceSearch().Run(value); },
      "Device of the first tensor outside the CPU, in the value or in containers in it; the CPU when there is none");
}

}  // namespace
}  // namespace transom::runtime
