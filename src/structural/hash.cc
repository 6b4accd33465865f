#include <transom/structural/hash.h>
#include <xxhash.h>

#include <cstdio>

#include "structural/digest_visitor.h"

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
  structural::DigestVisitor visitor(plans, options, structural::DigestVisitor::Mode::kExact);
  const Digest node = visitor.Run(*value.raw());
  const XXH128_hash_t h = XXH3_128bits_withSeed(&node, sizeof(node), kDigestVersion);
  return {h.low64, h.high64};
}

uint64_t StructuralHash::Hash(AnyView value, const StructuralOptions& options) { return StructuralDigest(value, options).low; }

}  // namespace transom
