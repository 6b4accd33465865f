// Which schema a file's metadata asks for.
#include <transom/runtime/error.h>
#include <transom/schema/schema.h>

#include <algorithm>

#include "schema/bundled.h"
#include "schema/json_tree.h"
#include "schema/message.h"

namespace transom::schema {
namespace {

using MatchRules = std::vector<std::pair<std::string, std::string>>;

struct Candidate {
  std::string_view name;
  const MatchRules* match;
};

// 0.27 fits 0.27 and 0.27.0.post1, not 0.270.
bool IsDottedPrefix(std::string_view prefix, std::string_view version) {
  return version.substr(0, prefix.size()) == prefix &&
         (version.size() == prefix.size() || version[prefix.size()] == '.');
}

size_t NumComponents(std::string_view version) {
  return 1 + static_cast<size_t>(std::count(version.begin(), version.end(), '.'));
}

// Components of the version numbers that fit, over all rules; 0 when a rule does not fit or there are none.
size_t MatchLength(const MatchRules& rules, const JsonTree& metadata) {
  size_t length = 0;
  for (const auto& [member, wanted] : rules) {
    const JsonTree::Node* value = metadata.Member(0, member);
    if (value == nullptr || value->kind != JsonTree::Kind::kString) return 0;
    if (!IsDottedPrefix(wanted, value->text())) return 0;
    length += NumComponents(wanted);
  }
  return length;
}

// Index of the candidate with the longest match, or -1.
int64_t BestMatch(const std::vector<Candidate>& candidates, std::string_view metadata) {
  if (metadata.empty()) return -1;
  JsonTree tree(metadata, "metadata");
  int64_t best = -1;
  size_t best_length = 0;
  int64_t rival = -1;
  for (size_t i = 0; i < candidates.size(); ++i) {
    size_t length = MatchLength(*candidates[i].match, tree);
    if (length > best_length) {
      best = static_cast<int64_t>(i);
      best_length = length;
      rival = -1;
    } else if (length == best_length && length != 0) {
      rival = static_cast<int64_t>(i);
    }
  }
  if (rival >= 0) {
    TRANSOM_THROW(ValueError) << "the schemas " << Quote(candidates[best].name) << " and "
                              << Quote(candidates[rival].name)
                              << " match the metadata equally well; name the one to use";
  }
  return best;
}

// The match rules of the bundled schemas, read without the types.
const std::vector<MatchRules>& BundledRules() {
  static const auto* rules = [] {
    auto* result = new std::vector<MatchRules>();
    for (const BundledFile& file : BundledFiles()) {
      JsonTree tree(file.text, file.name, "types");
      MatchRules& match = result->emplace_back();
      const JsonTree::Node* object = tree.Member(0, "match");
      if (object == nullptr) continue;
      for (uint32_t i = tree.IndexOf(*object) + 1; i < object->end; i = tree[i + 1].end) {
        match.emplace_back(tree[i].text(), tree[i + 1].text());
      }
    }
    return result;
  }();
  return *rules;
}

}  // namespace

SchemaRef Schema::MatchBundled(std::string_view metadata) {
  const std::vector<MatchRules>& rules = BundledRules();
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < rules.size(); ++i) candidates.push_back({BundledFiles()[i].name, &rules[i]});
  int64_t best = BestMatch(candidates, metadata);
  return best >= 0 ? Bundled(candidates[best].name) : SchemaRef();
}

SchemaRef Schema::Match(const std::vector<SchemaRef>& candidates, std::string_view metadata) {
  std::vector<Candidate> list;
  for (const SchemaRef& schema : candidates) list.push_back({schema->name(), &schema->match()});
  int64_t best = BestMatch(list, metadata);
  return best >= 0 ? candidates[best] : SchemaRef();
}

}  // namespace transom::schema
