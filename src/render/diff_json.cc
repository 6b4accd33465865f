#include <transom/render/diff_report.h>
#include <transom/render/dump.h>
#include <transom/structural/group_edits.h>
#include <transom/structural/hash.h>

#include <cmath>
#include <utility>

#include "graph/path.h"
#include "render/edit_path.h"
#include "render/value_text.h"
#include "schema/json_text.h"
#include "structural/diff/edit_steps.h"

namespace transom {
namespace {

using graph::ValueClass;

constexpr int kVersion = 1;
constexpr size_t kMaxText = 200;

class JsonWriter {
 public:
  explicit JsonWriter(const StructuralOptions& options) : options_(options) {}

  std::string Run(const DiffResult& diff, bool group) {
    out_ = "{\"transom_diff\":" + std::to_string(kVersion) + ",\"equal\":" + (diff.equal() ? "true" : "false") +
           ",\"differences\":[";
    if (group) {
      WriteGroups(diff);
    } else {
      for (size_t i = 0; i < diff.edits.size(); ++i) {
        if (i != 0) out_ += ',';
        WriteEdit(diff.edits[i], diff.edits[i].places);
        out_ += '}';
      }
    }
    out_ += "],\"counts\":{";
    for (int i = 0; i < kNumEditKinds; ++i) {
      if (i != 0) out_ += ',';
      Text(EditKindName(static_cast<EditKind>(i)));
      out_ += ":" + std::to_string(diff.counts[static_cast<size_t>(i)]);
    }
    out_ += std::string("},\"truncated\":") + (diff.truncated ? "true" : "false") + ",\"hook_types\":[";
    for (size_t i = 0; i < diff.hook_types.size(); ++i) {
      if (i != 0) out_ += ',';
      Text(diff.hook_types[i]);
    }
    return std::move(out_ += "]}\n");
  }

 private:
  void Text(std::string_view text) {
    // What is not UTF-8 cannot stand in JSON: it is shown as people see it.
    schema::AppendJsonString(schema::IsValidUtf8(text) ? std::string(text) : graph::Quoted(text), &out_);
  }

  void WriteGroups(const DiffResult& diff) {
    bool first = true;
    for (const EditGroup& edits : GroupEdits(diff)) {
      if (!std::exchange(first, false)) out_ += ',';
      WriteEdit(diff.edits[edits.edits[0]], edits.places);
      out_ += ",\"alike\":" + std::to_string(edits.edits.size()) + "}";
    }
  }

  // Without the end of the object.
  void WriteEdit(const Edit& edit, uint64_t places) {
    out_ += "{\"kind\":";
    Text(EditKindName(edit.kind));
    out_ += ",\"lhs\":";
    Text(graph::PathText(structural::StepsToPath(edit.lhs_path), false));
    out_ += ",\"rhs\":";
    Text(graph::PathText(structural::StepsToPath(edit.rhs_path), false));
    out_ += ",\"lhs_steps\":";
    WriteSteps(edit.lhs_path);
    out_ += ",\"rhs_steps\":";
    WriteSteps(edit.rhs_path);
    out_ += ",\"lhs_value\":";
    WriteValue(*edit.lhs.raw());
    out_ += ",\"rhs_value\":";
    WriteValue(*edit.rhs.raw());
    out_ += ",\"places\":" + std::to_string(places);
    if (!edit.around.empty()) {
      out_ += ",\"around\":";
      WriteSteps(edit.around);
    }
    if (edit.kind == EditKind::kSharing) out_ += std::string(",\"splits\":") + (edit.splits ? "true" : "false");
  }

  void WriteSteps(const std::vector<DiffStep>& steps) {
    out_ += '[';
    for (size_t i = 0; i < steps.size(); ++i) {
      out_ += (i == 0 ? "[" : ",[") + std::to_string(steps[i].kind) + ",";
      WriteValue(*steps[i].key.raw());
      out_ += ']';
    }
    out_ += ']';
  }

  // Plain values that JSON has stand as such; everything else is described.
  void WriteValue(const TVMFFIAny& value) {
    const bool json_has_it = value.type_index != kTVMFFIFloat || std::isfinite(value.v_float64);
    if (json_has_it && schema::AppendJsonPlain(value, &out_)) return;
    if (graph::Classify(value.type_index) == ValueClass::kString && schema::IsValidUtf8(graph::TextOf(value)))
      return Text(graph::TextOf(value));
    out_ += "{\"type\":";
    Text(graph::TypeKeyOf(value));
    out_ += ",\"text\":";
    Text(Summary(AnyView::FromRaw(value), kMaxText));
    out_ += ",\"digest\":";
    WriteDigest(value);
    out_ += '}';
  }

  void WriteDigest(const TVMFFIAny& value) {
    try {
      Text(StructuralDigest(AnyView::FromRaw(value), options_).ToString());
    } catch (const Error&) {  // a function or the like: it has no digest, and the difference is reported all the same
      out_ += "null";
    }
  }

  const StructuralOptions& options_;
  std::string out_;
};

}  // namespace

std::string DiffJson(const DiffResult& diff, const StructuralOptions& options, bool group) {
  return JsonWriter(options).Run(diff, group);
}

}  // namespace transom
