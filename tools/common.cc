#include "common.h"

#include <dlfcn.h>
#include <transom/graph/resolve_path.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>

namespace transom::tool {

std::string OneLine(const std::exception& error) {
  const auto* own = dynamic_cast<const Error*>(&error);
  std::string text(own != nullptr ? own->message() : std::string_view(error.what()));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

void Complain(std::string_view message) {
  const std::string line = "transom: " + std::string(message) + "\n";
  // Nothing is left to be done when standard error cannot be written.
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, line.data(), line.size());
}

Output& Output::Get() {
  static Output output;
  return output;
}

void Output::Write(std::string_view text) {
  constexpr size_t kBuffer = size_t{1} << 16;
  if (text.size() >= kBuffer) {
    Flush();
    return Send(text);
  }
  buffer_.append(text);
  if (buffer_.size() >= kBuffer) Flush();
}

void Output::Flush() {
  Send(buffer_);
  buffer_.clear();
}

void Output::Send(std::string_view text) {
  while (!text.empty() && !closed_) {
    const ssize_t n = write(STDOUT_FILENO, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EPIPE) {
      closed_ = true;  // the reader has seen enough
    } else if (errno != EINTR) {
      throw Trouble(std::string("standard output: ") + std::strerror(errno));
    }
  }
}

void Output::Close() {
  Flush();
  // Some file systems report a full disk only now.
  if (close(STDOUT_FILENO) != 0 && errno != EBADF)
    throw Trouble(std::string("standard output: ") + std::strerror(errno));
}

void CheckOutput(const std::string& output, const std::vector<std::string>& inputs) {
  if (output.empty() || output == "-") return;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (output != input && !std::filesystem::equivalent(input, output, ignored)) continue;
    throw UsageError("-o " + output + " would overwrite " + (inputs.size() == 1 ? "the" : "an") + " input");
  }
}

void CheckFormat(const std::string& output) {
  if (output != "-" && FormatOfName(output) == FileFormat::kUnknown)
    throw UsageError(output + ": the suffix does not tell the format (.json, .tsm and .b64 do)");
}

void WriteDocument(const std::string& path, std::string_view text) {
  if (path.empty() || path == "-") return Output::Get().Write(text);
  WriteFile(path, text);
}

void InputOptions::Declare(CLI::App* verb) {
  verb->add_option("--load", libraries, "Load a library that registers types; may be repeated")
      ->type_name("LIB")
      ->allow_extra_args(false);
  verb->add_option("--schema", schema, "Schema to read with: a file, or the name of a bundled one")->type_name("FILE");
}

namespace {

void LoadLibrary(const std::string& name) {
  const bool beside = name.find('/') == std::string::npos && std::filesystem::exists(name);
  const std::string path = beside ? "./" + name : name;
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) throw Trouble(std::string("--load: ") + dlerror());
}

schema::SchemaRef ReadSchema(const std::string& name) {
  const std::vector<std::string> bundled = schema::Schema::BundledNames();
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    if (std::find(bundled.begin(), bundled.end(), name) != bundled.end()) return schema::Schema::Bundled(name);
    std::string names;
    for (const std::string& known : bundled) names += (names.empty() ? "" : ", ") + known;
    throw Trouble("--schema: " + name + " is neither a file nor a bundled schema; bundled: " + names);
  }
  return schema::Schema::Parse(ReadFile(name), name);
}

}  // namespace

void InputOptions::Prepare() {
  for (const std::string& library : libraries) LoadLibrary(library);
  if (!schema.empty()) given_schema_ = ReadSchema(schema);
}

LoadOptions InputOptions::ForFile(const std::string& path) const {
  LoadOptions options;
  options.types = types;
  options.schema = given_schema_;
  options.drop_unknown_fields = drop_unknown_fields;
  options.count_unreachable = count_unreachable;
  options.check_tensors = true;
  options.records_for_lost_fields = records_for_lost_fields;
  options.source = NameOf(path);
  return options;
}

namespace {

const LoadResult& KeepForGood(LoadResult result) {
  // Held by a pointer that is never let go: no leak for those who look for leaks.
  static auto* kept = new std::deque<LoadResult>();
  return kept->emplace_back(std::move(result));
}

}  // namespace

void SaveGraph(const Any& value, const std::string& path, const SaveOptions& options, FileFormat format) {
  if (path != "-") return SaveToFile(value, path, options, format);
  Output::Get().Write(SaveToBytes(value, format, options));
}

FileFormat FormatNamed(std::string_view name) {
  return name.empty() ? FileFormat::kUnknown : FormatOfName("x." + std::string(name));
}

const LoadResult& Load(const std::string& path, const InputOptions& options, FileFormat format) {
  const LoadResult& result = KeepForGood(LoadFromFile(path, options.ForFile(path), format));
  if (!result.dropped_fields.empty() && options.note_dropped) {
    constexpr size_t kShown = 8;
    std::string names;
    for (size_t i = 0; i < result.dropped_fields.size() && i < kShown; ++i)
      names += (i == 0 ? "" : ", ") + result.dropped_fields[i];
    if (result.dropped_fields.size() > kShown)
      names += " and " + std::to_string(result.dropped_fields.size() - kShown) + " more";
    Complain("note: " + NameOf(path) + ": left out, as the schema does not have them: " + names);
  }
  return result;
}

std::string NameOf(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string WithoutName(const std::string& message, const std::string& file) {
  const std::string prefix = NameOf(file) + ": ";
  return message.compare(0, prefix.size(), prefix) == 0 ? message.substr(prefix.size()) : message;
}

Trouble TroubleIn(const std::string& names, const Error& error) {
  return Trouble(error.kind() == "OSError" ? OneLine(error) : names + ": " + WithoutName(OneLine(error), names));
}

Any ValueAt(const LoadResult& file, const std::string& path_text, const std::string& file_path) {
  if (path_text.empty()) return file.value;
  try {
    return ResolvePath(file.value, path_text);
  } catch (const Error& error) {
    throw Trouble(NameOf(file_path) + ": " + OneLine(error));
  }
}

void ColorOption::Declare(CLI::App* verb) {
  verb->add_option("--color", when, "Colour: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

bool ColorOption::Enabled(const std::string& output) const {
  if (when != "auto") return when == "always";
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? std::string_view(value) : std::string_view();
  };
  if (!set("NO_COLOR").empty()) return false;
  if (!output.empty() && output != "-") return false;
  const std::string_view force = set("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return isatty(STDOUT_FILENO) == 1 && set("TERM") != "dumb";
}

int ForEachFile(const std::vector<std::string>& files, const std::function<int(const std::string&)>& work) {
  if (std::count(files.begin(), files.end(), "-") > 1) throw UsageError("only one FILE can be standard input");
  int status = kSuccess;
  for (const std::string& file : files) {
    try {
      status = std::max(status, work(file));
    } catch (const UsageError&) {
      throw;
    } catch (const std::exception& error) {
      Complain(OneLine(error));
      status = kTrouble;
    }
  }
  return status;
}

}  // namespace transom::tool
