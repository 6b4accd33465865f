#include <transom/structural/hash.h>

#include <cstdio>

#include "structural/hash/digest_visitor.h"
#include "structural/hash/mix.h"

namespace transom {
namespace {

constexpr uint64_t kDigestVersion = 1;  // of docs/digest.md

}  // namespace

std::string Digest::ToString() const {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(high), static_cast<unsigned long long>(low));
  return text;
}

Digest StructuralDigest(AnyView value, const StructuralOptions& options) {
  graph::PlanTable plans(options.rules);
  structural::DigestVisitor visitor(plans, options, structural::DigestVisitor::Mode::kExact,
                                    structural::Hooks::kRun);
  const Digest node = visitor.Run(*value.raw());
  return structural::MixDigests(&node, 1, kDigestVersion);
}

uint64_t StructuralHash::Hash(AnyView value, const StructuralOptions& options) { return StructuralDigest(value, options).low; }

}  // namespace transom
