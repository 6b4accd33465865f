/* Device: where a tensor's memory lies, with its text ("cuda:1"). */
#ifndef TRANSOM_RUNTIME_DEVICE_H_
#define TRANSOM_RUNTIME_DEVICE_H_

#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace transom {

namespace detail {
/* Names of device types by DLPack number. Of several for one number the first is printed; those without `parsed` are
 * output only. */
struct DeviceName {
  std::string_view name;
  int32_t type;
  bool parsed;
};
inline constexpr std::array<DeviceName, 20> kDeviceNames = {{
    {"cpu", 1, true},      {"cuda", 2, true},        {"cuda_host", 3, false}, {"opencl", 4, true},
    {"vulkan", 7, true},   {"metal", 8, true},       {"mps", 8, true},        {"vpi", 9, true},
    {"rocm", 10, true},    {"rocm_host", 11, false}, {"ext_dev", 12, true},   {"cuda_managed", 13, false},
    {"oneapi", 14, false}, {"webgpu", 15, true},     {"wgpu", 15, true},      {"hexagon", 16, true},
    {"maia", 17, true},    {"trn", 18, true},        {"sdaccel", 5, false},   {"aocl", 6, false},
}};
}  // namespace detail

/* DLDevice with text and comparison. */
class Device : public DLDevice {
 public:
  /* The first CPU. */
  Device() noexcept : Device(kDLCPU, 0) {}
  Device(const DLDevice& device) noexcept : DLDevice(device) {}  // NOLINT
  Device(int32_t type, int32_t id) noexcept {
    std::memcpy(&device_type, &type, sizeof(type));
    device_id = id;
  }

  /* DLPack number of the device type. Not read as the enumeration, which may lack the newer numbers. */
  int32_t type() const noexcept {
    int32_t result;
    std::memcpy(&result, &device_type, sizeof(result));
    return result;
  }
  int32_t id() const noexcept { return device_id; }

  /* Device of a text such as "cpu" or "cuda:1"; what follows a space is ignored. ValueError: an unknown name, or an id
   * that is no int32. */
  static Device FromString(std::string_view text) {
    std::string_view spec = text.substr(0, text.find(' '));
    size_t colon = spec.find(':');
    std::string_view name = spec.substr(0, colon);
    for (const detail::DeviceName& entry : detail::kDeviceNames) {
      if (!entry.parsed || entry.name != name) continue;
      return Device(entry.type, colon == std::string_view::npos ? 0 : ParseId(spec.substr(colon + 1), text));
    }
    TRANSOM_THROW(ValueError) << "Expected a device such as `cpu` or `cuda:1` but got `" << text << "`";
  }

  /* Text of the device: "name:id", with "device_type<n>" for a type without a name. */
  std::string ToString() const {
    std::string name = "device_type<" + std::to_string(type()) + ">";
    for (const detail::DeviceName& entry : detail::kDeviceNames) {
      if (entry.type != type()) continue;
      name = entry.name;
      break;
    }
    return name + ":" + std::to_string(device_id);
  }

  bool operator==(const Device& other) const noexcept { return type() == other.type() && device_id == other.device_id; }
  bool operator!=(const Device& other) const noexcept { return !(*this == other); }

 private:
  static int32_t ParseId(std::string_view digits, std::string_view text) {
    int64_t id = 0;
    bool valid = !digits.empty();
    for (char c : digits) {
      valid = valid && c >= '0' && c <= '9' && (id = id * 10 + (c - '0')) <= INT32_MAX;
      if (!valid) break;
    }
    TRANSOM_CHECK(valid, ValueError) << "Expected a decimal device id after the colon but got `" << text << "`";
    return static_cast<int32_t>(id);
  }
};

static_assert(sizeof(Device) == 8, "layout of the C contract");

inline std::ostream& operator<<(std::ostream& os, const Device& device) { return os << device.ToString(); }

}  // namespace transom

#endif  // TRANSOM_RUNTIME_DEVICE_H_
