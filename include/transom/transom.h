/*
 * All of Transom. A source that needs one thing includes the header of that thing.
 */
#ifndef TRANSOM_TRANSOM_H_
#define TRANSOM_TRANSOM_H_

#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/expected.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/optional.h>
#include <transom/containers/shape.h>
#include <transom/containers/string.h>
#include <transom/containers/tensor.h>
#include <transom/containers/tuple.h>
#include <transom/containers/variant.h>
#include <transom/formats/inspect.h>
#include <transom/formats/json_graph.h>
#include <transom/formats/load.h>
#include <transom/formats/patch.h>
#include <transom/formats/tsm.h>
#include <transom/graph/resolve_path.h>
#include <transom/graph/statistics.h>
#include <transom/reflection/access_path.h>
#include <transom/reflection/field_access.h>
#include <transom/reflection/field_options.h>
#include <transom/reflection/registry.h>
#include <transom/render/diff_report.h>
#include <transom/render/dump.h>
#include <transom/render/statistics_text.h>
#include <transom/runtime/any.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/device.h>
#include <transom/runtime/dlpack.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>
#include <transom/runtime/function_traits.h>
#include <transom/runtime/object.h>
#include <transom/runtime/object_block.h>
#include <transom/runtime/object_deleter.h>
#include <transom/runtime/ref_count.h>
#include <transom/runtime/type_traits.h>
#include <transom/runtime/type_traits_object.h>
#include <transom/runtime/type_traits_text.h>
#include <transom/schema/descriptor.h>
#include <transom/schema/record.h>
#include <transom/schema/schema.h>
#include <transom/schema/type_expr.h>
#include <transom/structural/deduplicate.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>
#include <transom/structural/options.h>
#include <transom/version.h>

#endif  // TRANSOM_TRANSOM_H_
