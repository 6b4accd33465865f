#include <transom/structural/group_edits.h>
#include <transom/structural/hash.h>

#include <string>
#include <unordered_map>

#include "graph/path.h"
#include "graph/pointer_map.h"
#include "graph/saturating.h"

namespace transom {
namespace {

class Grouping {
 public:
  explicit Grouping(const DiffResult& diff) : diff_(diff) {}

  std::vector<EditGroup> Run() {
    std::vector<EditGroup> groups;
    std::unordered_map<std::string, size_t> group_of;
    for (size_t i = 0; i < diff_.edits.size(); ++i) {
      const auto [entry, is_new] = group_of.try_emplace(Signature(i), groups.size());
      if (is_new) groups.emplace_back();
      EditGroup& group = groups[entry->second];
      group.edits.push_back(i);
      group.places = graph::SaturatingAdd(group.places, diff_.edits[i].places);
    }
    return groups;
  }

 private:
  // Text that edits which are alike have in common. Names cannot hold a zero byte; digests are of one length.
  std::string Signature(size_t i) {
    const Edit& edit = diff_.edits[i];
    std::string text{static_cast<char>(edit.kind), edit.has_lhs ? '-' : ' ', edit.has_rhs ? '+' : ' ',
                     edit.splits ? '<' : ' '};
    for (const std::vector<DiffStep>* path : {&edit.lhs_path, &edit.rhs_path, &edit.around})
      AppendPath(*path, i, &text);
    AppendValue(*edit.lhs.raw(), i, &text);
    AppendValue(*edit.rhs.raw(), i, &text);
    return text;
  }

  void AppendPath(const std::vector<DiffStep>& path, size_t i, std::string* text) {
    for (const DiffStep& step : path) {
      *text += static_cast<char>('0' + step.kind);
      const TVMFFIAny& key = *step.key.raw();
      const bool is_name = step.kind % 3 == static_cast<int>(graph::StepKind::kAttr);
      const bool is_key = step.kind % 3 == static_cast<int>(graph::StepKind::kKey);
      if (is_name) text->append(graph::TextOf(key)).push_back('\0');
      if (is_key && !graph::HasChildren(graph::Classify(key.type_index))) AppendValue(key, i, text);
    }
    *text += ';';
  }

  // The type is in the digest.
  void AppendValue(const TVMFFIAny& value, size_t i, std::string* text) {
    if (!graph::IsObject(value)) return AppendOr(DigestOf(value), i, text);
    const auto [digest, is_new] = digests_.Insert(value.v_obj);
    if (is_new) *digest = DigestOf(value);
    AppendOr(*digest, i, text);
  }

  // What has no digest is like nothing else.
  static void AppendOr(const std::string& digest, size_t i, std::string* text) {
    text->append(digest.empty() ? "only " + std::to_string(i) + std::string(1, '\0') : digest);
  }

  std::string DigestOf(const TVMFFIAny& value) const {
    try {
      return StructuralDigest(AnyView::FromRaw(value), diff_.options).ToString();
    } catch (const Error&) {  // a function or the like
      return "";
    }
  }

  const DiffResult& diff_;
  graph::PointerMap<std::string> digests_;  // by object
};

}  // namespace

std::vector<EditGroup> GroupEdits(const DiffResult& diff) { return Grouping(diff).Run(); }

}  // namespace transom
