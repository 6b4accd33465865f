#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>

#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace transom::runtime {
namespace {

TVMFFIByteArray View(const std::string& text) { return {text.data(), text.size()}; }

std::string Copy(const TVMFFIByteArray* bytes) {
  return bytes == nullptr || bytes->size == 0 ? std::string() : std::string(bytes->data, bytes->size);
}

/* An error with the memory of its texts. */
class OwnedErrorObj : public ErrorObj {
 public:
  OwnedErrorObj(std::string kind_text, std::string message_text, std::string backtrace_text)
      : kind_(std::move(kind_text)), message_(std::move(message_text)), backtrace_(std::move(backtrace_text)) {
    kind = View(kind_);
    message = View(message_);
    backtrace = View(backtrace_);
    update_backtrace = &Update;
    cause_chain = nullptr;
    extra_context = nullptr;
  }
  ~OwnedErrorObj() {
    // Others may have replaced the context meanwhile, so these are read from the cell.
    if (cause_chain != nullptr) detail::DecRef(static_cast<TVMFFIObject*>(cause_chain));
    if (extra_context != nullptr) detail::DecRef(static_cast<TVMFFIObject*>(extra_context));
  }

 private:
  /* Out of memory: the backtrace stays as it is. */
  static void Update(TVMFFIObjectHandle self, const TVMFFIByteArray* text, int32_t mode) {
    auto* error = static_cast<OwnedErrorObj*>(detail::ObjectAccess::FromHeader(self));
    try {
      std::string updated = mode == kTVMFFIBacktraceUpdateModeAppend ? error->backtrace_ : std::string();
      updated += Copy(text);
      error->backtrace_ = std::move(updated);
      error->backtrace = View(error->backtrace_);
    } catch (const std::bad_alloc&) {
    }
  }

  std::string kind_;
  std::string message_;
  std::string backtrace_;
};

/* The error of a thread. No object with a destructor, so code that runs while the thread ends may raise errors too. */
thread_local TVMFFIObject* raised = nullptr;

void Replace(TVMFFIObject* next) noexcept {
  // Releases what is left when the thread ends.
  static thread_local struct Owner {
    bool used = false;
    ~Owner() { Replace(nullptr); }
  } owner;
  owner.used = true;
  TVMFFIObject* old = std::exchange(raised, next);
  if (old != nullptr) detail::DecRef(old);
}

/* Made beforehand: it is raised when there is no memory for another. */
TVMFFIObject* OutOfMemoryError() {
  static TVMFFIObject* const error = [] {
    auto obj = make_object<OwnedErrorObj>("MemoryError", "Out of memory", "");
    return detail::ObjectAccess::Release(&obj);
  }();
  return error;
}
[[maybe_unused]] TVMFFIObject* const out_of_memory_error = OutOfMemoryError();

/* With the backtrace of the caller: C code does not say where it is. */
void RaiseNew(std::string_view kind, std::string message) {
  auto error = make_object<OwnedErrorObj>(std::string(kind), std::move(message), Copy(TVMFFIBacktrace(nullptr, 0, nullptr, 0)));
  Replace(detail::ObjectAccess::Release(&error));
}

void RaiseOutOfMemory() noexcept {
  detail::IncRef(OutOfMemoryError());
  Replace(OutOfMemoryError());
}

}  // namespace
}  // namespace transom::runtime

using transom::detail::IncRef;
using transom::runtime::raised;
using transom::runtime::Replace;

void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle* out) { *out = std::exchange(raised, nullptr); }

void TVMFFIErrorSetRaised(TVMFFIObjectHandle error) {
  auto* obj = static_cast<TVMFFIObject*>(error);
  if (obj != nullptr) IncRef(obj);
  Replace(obj);
}

void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) {
  TVMFFIErrorSetRaisedFromCStrParts(kind, &message, 1);
}

void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** message_parts, int32_t num_parts) {
  try {
    std::string message;
    for (int32_t i = 0; i < num_parts && message_parts != nullptr; ++i) {
      message += message_parts[i] != nullptr ? message_parts[i] : "";
    }
    transom::runtime::RaiseNew(kind != nullptr ? kind : "RuntimeError", std::move(message));
  } catch (const std::bad_alloc&) {
    transom::runtime::RaiseOutOfMemory();
  }
}

int TVMFFIErrorCreate(const TVMFFIByteArray* kind, const TVMFFIByteArray* message, const TVMFFIByteArray* backtrace,
                      TVMFFIObjectHandle* out) {
  return TVMFFIErrorCreateWithCauseAndExtraContext(kind, message, backtrace, nullptr, nullptr, out);
}

int TVMFFIErrorCreateWithCauseAndExtraContext(const TVMFFIByteArray* kind, const TVMFFIByteArray* message,
                                              const TVMFFIByteArray* backtrace, TVMFFIObjectHandle cause_chain,
                                              TVMFFIObjectHandle extra_context, TVMFFIObjectHandle* out) {
  using transom::runtime::Copy;
  try {
    auto error = transom::make_object<transom::runtime::OwnedErrorObj>(Copy(kind), Copy(message), Copy(backtrace));
    if (cause_chain != nullptr) IncRef(static_cast<TVMFFIObject*>(cause_chain));
    if (extra_context != nullptr) IncRef(static_cast<TVMFFIObject*>(extra_context));
    error->cause_chain = cause_chain;
    error->extra_context = extra_context;
    *out = transom::detail::ObjectAccess::Release(&error);
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}
