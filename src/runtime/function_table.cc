#include "runtime/function_table.h"

#include <transom/runtime/error.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "runtime/arguments.h"
#include "runtime/loaded_libraries.h"

namespace transom::runtime {
namespace {

/* Function of a C callback with its state. */
class ExternFunctionObj : public FunctionObj {
 public:
  ExternFunctionObj(void* state, TVMFFISafeCallType callback, void (*state_deleter)(void*))
      : state_(state), callback_(callback), state_deleter_(state_deleter) {
    // Without state the callback is the function's own entry.
    safe_call = state == nullptr && state_deleter == nullptr ? callback : &Trampoline;
    cpp_call = nullptr;
  }
  ~ExternFunctionObj() {
    if (state_deleter_ != nullptr) state_deleter_(state_);
  }
  /* The function as one of this class, or NULL. */
  static const ExternFunctionObj* From(const FunctionObj& function) {
    return function.safe_call == &Trampoline ? static_cast<const ExternFunctionObj*>(&function) : nullptr;
  }
  void PinCode() const noexcept {
    PinLibraryOf(reinterpret_cast<const void*>(callback_));
    PinLibraryOf(reinterpret_cast<const void*>(state_deleter_));
  }

 private:
  static int Trampoline(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
    auto* function = static_cast<ExternFunctionObj*>(detail::ObjectAccess::FromHeader(self));
    return function->callback_(function->state_, args, num_args, result);
  }
  void* state_;
  TVMFFISafeCallType callback_;
  void (*state_deleter_)(void*);
};

}  // namespace

void PinLibrariesOf(const TVMFFIAny& value) noexcept {
  if (value.type_index == kTVMFFIOpaquePtr) PinLibraryOf(value.v_ptr);
  if (value.type_index < kTVMFFIStaticObjectBegin) return;
  PinLibraryOf(reinterpret_cast<const void*>(value.v_obj->deleter));
  if (value.type_index != kTVMFFIFunction) return;
  const auto& function = *static_cast<FunctionObj*>(detail::ObjectAccess::FromHeader(value.v_obj));
  PinLibraryOf(reinterpret_cast<const void*>(function.safe_call));
  if (const ExternFunctionObj* callback = ExternFunctionObj::From(function)) callback->PinCode();
}

FunctionTable* FunctionTable::Global() {
  static FunctionTable* const table = new FunctionTable();
  return table;
}

void FunctionTable::Set(std::string_view name, GlobalFunction entry, bool allow_override) {
  TRANSOM_CHECK(entry.function.defined(), TypeError) << "Cannot register NULL as the function `" << name << "`";
  PinLibrariesOf(*AnyView(entry.function).raw());
  std::unique_lock lock(mutex_);
  auto [it, inserted] = functions_.try_emplace(std::string(name));
  TRANSOM_CHECK(inserted || allow_override, RuntimeError)
      << "Global function `" << name << "` is already registered; ask for override to replace it";
  std::swap(it->second, entry);
  lock.unlock();  // The function that was replaced is destroyed without the lock.
}

Function FunctionTable::FindFunction(std::string_view name) const {
  std::shared_lock lock(mutex_);
  auto it = functions_.find(name);
  return it == functions_.end() ? Function() : it->second.function;
}

std::optional<GlobalFunction> FunctionTable::Find(std::string_view name) const {
  std::shared_lock lock(mutex_);
  auto it = functions_.find(name);
  if (it == functions_.end()) return std::nullopt;
  return it->second;
}

bool FunctionTable::Remove(std::string_view name) {
  std::unique_lock lock(mutex_);
  auto it = functions_.find(name);
  if (it == functions_.end()) return false;
  auto removed = functions_.extract(it);
  lock.unlock();  // The function is destroyed without the lock.
  return true;
}

std::vector<std::string> FunctionTable::Names() const {
  std::vector<std::string> names;
  {
    std::shared_lock lock(mutex_);
    names.reserve(functions_.size());
    for (const auto& [name, entry] : functions_) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

Function FunctionFromHandle(TVMFFIObjectHandle handle) {
  auto* obj = static_cast<TVMFFIObject*>(handle);
  if (obj == nullptr) return Function();
  TRANSOM_CHECK(obj->type_index == kTVMFFIFunction, TypeError)
      << "Expected a `ffi.Function` but got `" << detail::TypeKeyOfIndex(obj->type_index) << "`";
  detail::IncRef(obj);
  return Function(detail::ObjectAccess::Adopt<FunctionObj>(obj));
}

/* Raises the error of a call of what is no function. */
__attribute__((cold)) int RefuseToCall(const TVMFFIObject* obj) noexcept {
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_THROW(TypeError) << "Expected a `ffi.Function` to call but got "
                           << (obj == nullptr ? "NULL" : "`" + detail::TypeKeyOfIndex(obj->type_index) + "`");
  TRANSOM_SAFE_CALL_END();
}

}  // namespace
}  // namespace transom::runtime

using transom::runtime::FunctionTable;
using transom::runtime::GlobalFunction;
using transom::runtime::TextArgument;

namespace {
constexpr const char* kName = "the name of a function";
}  // namespace

int TVMFFIFunctionCreate(void* self, TVMFFISafeCallType safe_call, void (*deleter)(void* self),
                         TVMFFIObjectHandle* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_CHECK(safe_call != nullptr, TypeError) << "Expected a function to call but got NULL";
  auto function = transom::make_object<transom::runtime::ExternFunctionObj>(self, safe_call, deleter);
  *out = transom::detail::ObjectAccess::Release(&function);
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  auto* obj = static_cast<TVMFFIObject*>(func);
  if (obj == nullptr || obj->type_index != kTVMFFIFunction) return transom::runtime::RefuseToCall(obj);
  return static_cast<transom::FunctionObj*>(transom::detail::ObjectAccess::FromHeader(obj))
      ->safe_call(func, args, num_args, result);
}

int TVMFFIFunctionSetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle func, int allow_override) {
  TRANSOM_SAFE_CALL_BEGIN();
  GlobalFunction entry;
  entry.function = transom::runtime::FunctionFromHandle(func);
  FunctionTable::Global()->Set(TextArgument(name, kName), std::move(entry), allow_override != 0);
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIFunctionSetGlobalFromMethodInfo(const TVMFFIMethodInfo* info, int allow_override) {
  TRANSOM_SAFE_CALL_BEGIN();
  GlobalFunction entry;
  const TVMFFIAny& method = transom::runtime::NotNull(info, "the record of a function").method;
  TRANSOM_CHECK(method.type_index == kTVMFFIFunction, TypeError)
      << "Expected a `ffi.Function` but got `" << transom::detail::TypeKeyOfIndex(method.type_index) << "`";
  entry.function = transom::runtime::FunctionFromHandle(method.v_obj);
  entry.doc.assign(transom::detail::NotNull(info->doc.data), info->doc.size);
  entry.metadata.assign(transom::detail::NotNull(info->metadata.data), info->metadata.size);
  entry.flags = info->flags;
  FunctionTable::Global()->Set(TextArgument(&info->name, kName), std::move(entry), allow_override != 0);
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIFunctionGetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  auto& place = transom::runtime::NotNull(out, "a place for the function");
  place = nullptr;
  auto function = FunctionTable::Global()->FindFunction(TextArgument(name, kName));
  place = transom::detail::ObjectAccess::Release(&function);
  TRANSOM_SAFE_CALL_END();
}
