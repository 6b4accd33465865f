#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <transom/runtime/c_api.h>
#include <unwind.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/thread_state.h"

namespace transom::runtime {
namespace {

/* Symbols where code of this contract was entered from another language, by the start of their names. */
constexpr std::string_view kBoundaries[] = {"TVMFFIFunctionCall", "slot_tp_call", "object_is_not_callable", "_Py",
                                            "PyObject"};

constexpr const char* kLimitVariable = "TVM_TRACEBACK_LIMIT";
constexpr long kDefaultLimit = 512;

/* Number of lines of a backtrace at most. */
size_t LineLimit() {
  static const size_t limit = [] {
    const char* text = std::getenv(kLimitVariable);
    char* end = nullptr;
    const long value = text == nullptr ? kDefaultLimit : std::strtol(text, &end, 10);
    return static_cast<size_t>(end == text || value < 0 ? kDefaultLimit : value);
  }();
  return limit;
}

void AppendLine(std::string_view file, int line, std::string_view function, std::string* text) {
  text->append("  File \"").append(file).append("\", line ").append(std::to_string(line));
  text->append(", in ").append(function).append("\n");
}

/* What is shown of a place in code. */
struct Frame {
  uintptr_t pc = 0;
  bool is_boundary = false;
  std::string line;
};

std::string Demangled(const char* symbol) {
  if (std::string_view(symbol).substr(0, 2) != "_Z") return symbol;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr), &std::free);
  return text != nullptr ? std::string(text.get()) : std::string(symbol);
}

std::string Hex(uintptr_t number) {
  char text[2 + 2 * sizeof(number) + 1];
  std::snprintf(text, sizeof(text), "0x%zx", static_cast<size_t>(number));
  return text;
}

/* The library's name stands for the file, as sources are not known. Code without a symbol is told by its offset, which
 * tools for debugging understand. */
Frame Describe(uintptr_t pc) {
  Frame frame{pc, false, ""};
  Dl_info info;
  void* entry = nullptr;
  const auto* address = reinterpret_cast<const void*>(pc);
  if (dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0) {
    AppendLine("<unknown>", 0, Hex(pc), &frame.line);
    return frame;
  }
  std::string_view library = info.dli_fname != nullptr ? info.dli_fname : "<unknown>";
  library.remove_prefix(library.rfind('/') + 1);  // Nothing where there is no slash.
  // Functions that a library hides lie behind one that it shows, which is not theirs.
  const auto* symbol = static_cast<const ElfW(Sym)*>(entry);
  const bool is_within = info.dli_sname != nullptr && symbol != nullptr &&
                         pc - reinterpret_cast<uintptr_t>(info.dli_saddr) < std::max<uintptr_t>(symbol->st_size, 1);
  if (!is_within) {
    AppendLine(library, 0, Hex(pc - reinterpret_cast<uintptr_t>(info.dli_fbase)), &frame.line);
    return frame;
  }
  const std::string_view name = info.dli_sname;
  frame.is_boundary = std::any_of(std::begin(kBoundaries), std::end(kBoundaries),
                                  [&](std::string_view start) { return name.substr(0, start.size()) == start; });
  AppendLine(library, 0, Demangled(info.dli_sname), &frame.line);
  return frame;
}

/* Number of libraries that were ever unloaded: after that an address may belong to another one. */
uint64_t UnloadCount() {
  uint64_t count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        *static_cast<uint64_t*>(result) = info->dlpi_subs;
        return 1;
      },
      &count);
  return count;
}

/* Frames that a thread has described, as errors mostly come from few places; and the text of its last backtrace. */
class ThreadBacktrace {
 public:
  /* Starts a new text. */
  std::string* Restart() {
    if (const uint64_t count = UnloadCount(); frames_.empty() || count != unload_count_) {
      frames_.assign(kNumFrames, Frame());
      unload_count_ = count;
    }
    text_.clear();
    return &text_;
  }
  const TVMFFIByteArray* View() {
    view_ = {text_.data(), text_.size()};
    return &view_;
  }
  /* Valid until the next call. */
  const Frame& FrameAt(uintptr_t pc) {
    Frame& frame = frames_[(pc ^ (pc >> 12)) % frames_.size()];
    if (frame.pc != pc) frame = Describe(pc);
    return frame;
  }

 private:
  static constexpr size_t kNumFrames = 512;

  std::vector<Frame> frames_; /* each at a place that follows from its address */
  uint64_t unload_count_ = 0;
  std::string text_;
  TVMFFIByteArray view_{nullptr, 0};
};

/* Appends the frames of the calling thread. */
struct Unwinder {
  ThreadBacktrace* thread;
  std::string* text;
  size_t frames_to_skip;
  size_t lines_left;
  bool stop_at_boundary;
  bool out_of_memory = false;

  static _Unwind_Reason_Code Visit(_Unwind_Context* context, void* data) noexcept {
    auto* self = static_cast<Unwinder*>(data);
    try {
      return self->Add(_Unwind_GetIP(context)) ? _URC_NO_REASON : _URC_END_OF_STACK;
    } catch (const std::bad_alloc&) {
      self->out_of_memory = true;
      return _URC_END_OF_STACK;
    }
  }
  /* False to stop. */
  bool Add(uintptr_t return_address) {
    if (frames_to_skip > 0) {
      --frames_to_skip;
      return true;
    }
    if (lines_left == 0 || return_address == 0) return false;
    const Frame& frame = thread->FrameAt(return_address - 1);  // Of the call, not of what follows it.
    if (stop_at_boundary && frame.is_boundary) return false;
    text->append(frame.line);
    --lines_left;
    return true;
  }
};

/* Capture, on behalf of the exported function that calls it. */
__attribute__((noinline)) const TVMFFIByteArray* Capture(const char* file, int line, const char* function,
                                                         bool cross_boundary) {
  static constexpr size_t kOwnFrames = 2;  // this function and the exported one
  auto* thread = ThreadState<ThreadBacktrace>();
  std::string* text = thread->Restart();
  size_t lines = LineLimit();
  const bool has_frame = file != nullptr && function != nullptr && lines > 0;
  if (has_frame) {
    AppendLine(file, line, function, text);
    --lines;
  }
  // The frame that the caller states is its own.
  Unwinder unwinder{thread, text, kOwnFrames + (has_frame ? 1 : 0), lines, !cross_boundary};
  _Unwind_Backtrace(&Unwinder::Visit, &unwinder);
  if (unwinder.out_of_memory) text->clear();
  return thread->View();
}

}  // namespace
}  // namespace transom::runtime

const TVMFFIByteArray* TVMFFIBacktrace(const char* filename, int lineno, const char* func, int cross_ffi_boundary) {
  static constexpr TVMFFIByteArray kNothing{"", 0};
  const TVMFFIByteArray* result = &kNothing;
  try {
    result = transom::runtime::Capture(filename, lineno, func, cross_ffi_boundary != 0);
  } catch (const std::bad_alloc&) {
  }
  return result;
}
