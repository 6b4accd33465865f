// The global functions of the C contract that stand above both layers. Registered where this file is part of a library:
// libtransom_ffi.
#include <transom/containers/optional.h>
#include <transom/containers/tuple.h>
#include <transom/reflection/access_path.h>
#include <transom/reflection/registry.h>

#include <vector>

#include "graph/path.h"
#include "interop/contract_equal.h"
#include "interop/contract_hash.h"
#include "interop/json_graph.h"
#include "interop/json_text.h"
#include "structural/equality/lock_step.h"

namespace transom::interop {
namespace {

using reflection::AccessPath;
using structural::Difference;
using structural::LockStep;

StructuralOptions Options(bool map_free_vars, bool skip_tensor_content) {
  StructuralOptions options;
  options.map_free_vars = map_free_vars;
  options.skip_tensor_content = skip_tensor_content;
  return options;
}

bool Equal(const Any& lhs, const Any& rhs, bool map_free_vars, bool skip_tensor_content) {
  return ContractEqual(lhs, rhs, Options(map_free_vars, skip_tensor_content));
}

Optional<Tuple<AccessPath, AccessPath>> FirstMismatch(const Any& lhs, const Any& rhs, bool map_free_vars,
                                                      bool skip_tensor_content) {
  const StructuralOptions options = Options(map_free_vars, skip_tensor_content);
  graph::PlanTable plans;
  std::vector<Difference> found;
  if (LockStep(plans, options, LockStep::Goal::kFirst, LockStep::Rules::kContract)
          .Run(*lhs.raw(), *rhs.raw(), 1, &found)) {
    return std::nullopt;
  }
  return Tuple<AccessPath, AccessPath>(graph::ToAccessPath(found[0].lhs_path), graph::ToAccessPath(found[0].rhs_path));
}

int64_t Hash(const Any& value, bool map_free_vars, bool skip_tensor_content) {
  return static_cast<int64_t>(ContractHash(value, Options(map_free_vars, skip_tensor_content)));
}

Any ToGraph(const Any& value, const Any& metadata) { return ToJsonGraph(value, metadata); }
String ToGraphString(const Any& value, const Any& metadata) { return StringifyJson(ToJsonGraph(value, metadata), 0); }
Any FromGraphString(const String& text) { return FromJsonGraph(ParseJson({text.data(), text.size()})); }
Any Parse(const String& text) { return ParseJson({text.data(), text.size()}); }
String Stringify(const Any& value, const Optional<int64_t>& indent) { return StringifyJson(value, indent.value_or(0)); }

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::detail::RegisterAccessPath();
  reflection::GlobalDef()
      .def("ffi.StructuralEqual", &Equal)
      .def("ffi.GetFirstStructuralMismatch", &FirstMismatch)
      .def("ffi.StructuralHash", &Hash)
      .def("ffi.ToJSONGraph", &ToGraph)
      .def("ffi.ToJSONGraphString", &ToGraphString)
      .def("ffi.FromJSONGraph", &FromJsonGraph)
      .def("ffi.FromJSONGraphString", &FromGraphString)
      .def("ffi.json.Parse", &Parse)
      .def("ffi.json.Stringify", &Stringify);
}

}  // namespace
}  // namespace transom::interop
