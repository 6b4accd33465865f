#include <transom/runtime/error.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>

#include <cstring>

#include "structural/diff/edit_script.h"
#include "structural/rules/diff_scope.h"

namespace transom {
namespace {

// A diff that leaves out edits because their paths are too long to list is as good as a whole one.
void CheckWhole(const DiffResult& diff) {
  const bool by_request = diff.options.first_only || diff.edits.size() >= diff.options.max_edits;
  if (!diff.truncated || !by_request) return;
  TRANSOM_THROW(PatchError) << "the diff lists " << diff.edits.size() << " of " << diff.total()
                            << " differences or more, and is applied as a whole or not at all; make it without "
                               "first_only and with max_edits of "
                               "at least their number, or make a patch, which lists all";
}

// Where something is ignored, or elements stand in another order, there is no saying what the result should have there.
void CheckOptions(const DiffOptions& options) {
  const char* option = !options.ignore.empty()      ? "ignore"
                       : !options.only.empty()      ? "only"
                       : !options.unordered.empty() ? "unordered"
                       : !options.keys.empty()      ? "keys"
                                                    : nullptr;
  TRANSOM_CHECK(option == nullptr, ValueError)
      << "a diff with the option " << option << " cannot be applied: it does not say all that differs; make it without";
}

void CheckOld(AnyView old_value, const DiffResult& diff) {
  if (std::memcmp(old_value.raw(), diff.old_value.raw(), sizeof(TVMFFIAny)) == 0) return;
  const auto mismatch = StructuralEqual::GetFirstMismatch(diff.old_value, old_value, diff.options);
  if (!mismatch) return;
  TRANSOM_THROW(PatchError) << "the diff was made of another value, which has at " << mismatch->lhs->ToString()
                            << " what this one does not have at " << mismatch->rhs->ToString()
                            << "; apply it to the one that it was made of";
}

}  // namespace

Any ApplyDiff(AnyView old_value, const DiffResult& diff) {
  CheckOptions(diff.options);
  CheckWhole(diff);
  CheckOld(old_value, diff);
  if (diff.equal()) return Any(old_value);
  structural::DiffScope scope(diff.options);
  const structural::EditScript script =
      structural::MakeEditScript(scope.plans(), *old_value.raw(), *diff.new_value.raw(), diff.options, &scope);
  // Objects are made again with all their fields.
  graph::PlanTable plans(diff.options.rules);
  return structural::ApplyEditScript(plans, *old_value.raw(), script);
}

}  // namespace transom
