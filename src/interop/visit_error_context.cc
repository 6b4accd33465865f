// ffi.VisitErrorContext: where a visit failed, as the objects that it was in, and the search for the places in a value
// that this can mean.
#include <transom/containers/list.h>
#include <transom/containers/optional.h>
#include <transom/reflection/access_path.h>
#include <transom/reflection/registry.h>

#include <set>
#include <utility>
#include <vector>

#include "graph/children.h"
#include "graph/path.h"

namespace transom::interop {
namespace {

using graph::ValueClass;

class VisitErrorContextObj : public Object {
 public:
  List<ObjectRef> reverse_visit_pattern;   // objects on the way to the failure, innermost first; some may be left out
  Optional<ObjectRef> prev_error_context;  // of the failure that this one followed from
  TRANSOM_DECLARE_OBJECT_INFO("ffi.VisitErrorContext", VisitErrorContextObj, Object);
};
static_assert(sizeof(VisitErrorContextObj) == 40, "layout of the C contract");

class VisitErrorContext : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(VisitErrorContext, ObjectRef, VisitErrorContextObj);
};

// Finds the paths from a root on which the objects of a pattern come one after the other, others between them. Walks
// path by path, with a stack of its own; what leads nowhere is entered once, and no path goes through a value twice.
class PathSearch {
 public:
  // A graph can have more paths than could be listed.
  static constexpr size_t kMaxPaths = size_t{1} << 12;

  PathSearch(const List<ObjectRef>& reverse_pattern, bool allow_prefix) : allow_prefix_(allow_prefix) {
    for (int64_t i = reverse_pattern.size(); i > 0; --i) {
      pattern_.push_back(detail::ObjectAccess::Header(reverse_pattern[i - 1].get()));
    }
  }

  Array<reflection::AccessPath> Run(const ObjectRef& root) {
    if (root.defined() && !pattern_.empty()) Enter(*AnyView(root).raw(), 0);
    while (!frames_.empty() && paths_.size() < kMaxPaths) {
      Frame& frame = frames_.back();
      if (frame.next < frame.children.size()) {
        const size_t i = frame.next++;
        Enter(frame.children[i].value, frame.num_matched);
      } else {
        Leave();
      }
    }
    return Array<reflection::AccessPath>(paths_.begin(), paths_.end());
  }

 private:
  struct Child {
    TVMFFIAny value;
    graph::Step step;
  };
  struct Frame {
    TVMFFIAny value;
    size_t num_matched;  // objects of the pattern on the way here
    std::vector<Child> children;
    size_t next;
    bool found;  // a path goes through here
  };
  using Place = std::pair<const TVMFFIObject*, size_t>;

  void Enter(const TVMFFIAny& value, size_t num_matched) {
    const ValueClass cls = graph::Classify(value.type_index);
    if (!graph::HasChildren(cls)) return;
    if (open_.count(value.v_obj) != 0 || dead_.count({value.v_obj, num_matched}) != 0) return;
    const bool matches = value.v_obj == pattern_[num_matched];
    if (matches && num_matched + 1 == pattern_.size()) return Report();
    open_.insert(value.v_obj);
    frames_.push_back({value, num_matched + (matches ? 1 : 0), ChildrenOf(value, cls), 0, false});
  }

  std::vector<Child> ChildrenOf(const TVMFFIAny& value, ValueClass cls) {
    std::vector<Child> children;
    int64_t i = 0;
    TVMFFIAny key = graph::NoneValue();
    graph::ForEachChild(value, plans_, keeper_, [&](const TVMFFIAny& child, const graph::FieldPlan* field) {
      const int64_t place = i++;
      if (cls == ValueClass::kObject) {
        children.push_back({child, graph::Step::Attr(field->name)});
      } else if (cls == ValueClass::kSequence) {
        children.push_back({child, graph::Step::Item(place)});
      } else if (place % 2 == 0) {
        key = child;
      } else {
        children.push_back({child, graph::Step::Key(key, place / 2)});
      }
    });
    return children;
  }

  void Leave() {
    Frame& frame = frames_.back();
    const TVMFFIObject* object = frame.value.v_obj;
    // Where the pattern breaks off, the deepest objects are the nearest to the failure.
    const bool is_prefix = allow_prefix_ && frame.num_matched > 0 && !frame.found &&
                           graph::Classify(frame.value.type_index) == ValueClass::kObject;
    if (!frame.found && !is_prefix) {
      const size_t before =
          frame.num_matched - (frame.num_matched > 0 && object == pattern_[frame.num_matched - 1] ? 1 : 0);
      dead_.insert({object, before});
    }
    open_.erase(object);
    frames_.pop_back();
    if (is_prefix) Report();
  }

  // The path to the child that the last frame is at.
  void Report() {
    graph::Path path;
    for (Frame& frame : frames_) {
      frame.found = true;
      path.push_back(frame.children[frame.next - 1].step);
    }
    paths_.push_back(graph::ToAccessPath(path));
  }

  std::vector<const TVMFFIObject*> pattern_;  // outermost first
  bool allow_prefix_;
  graph::PlanTable plans_;
  graph::Keeper keeper_;
  std::vector<Frame> frames_;
  std::set<const TVMFFIObject*> open_;
  std::set<Place> dead_;  // values, and how much was matched before them, that no path goes through
  std::vector<reflection::AccessPath> paths_;
};

Array<reflection::AccessPath> FindAccessPaths(const ObjectRef& root, const VisitErrorContext& context,
                                              bool allow_prefix_match) {
  return PathSearch(context->reverse_visit_pattern, allow_prefix_match).Run(root);
}

TRANSOM_STATIC_INIT_BLOCK() {
  namespace refl = reflection;
  refl::ObjectDef<VisitErrorContextObj>()
      .no_init()
      .def_ro("reverse_visit_pattern", &VisitErrorContextObj::reverse_visit_pattern,
              "Objects on the way to the failure, innermost first.")
      .def_ro("prev_error_context", &VisitErrorContextObj::prev_error_context,
              "Context of the failure that this one followed from.");
  refl::GlobalDef().def("ffi.VisitErrorContext.FindAccessPaths", &FindAccessPaths,
                        "Paths in a value that a context can mean.");
}

}  // namespace
}  // namespace transom::interop
