/*
 * The parts beside those that changed.
 */
#ifndef TRANSOM_SRC_RENDER_NEIGHBOURS_H_
#define TRANSOM_SRC_RENDER_NEIGHBOURS_H_

#include <vector>

#include "graph/path.h"

namespace transom::render {

/*! \brief The parts of one value, in order, and which of them are shown beside those that changed. */
class Neighbours {
 public:
  /*! \brief Of the value where the first `steps` steps of `path` lead; none where that has no parts. */
  Neighbours(const Any& root, const graph::Path& path, size_t steps);

  /*! \brief Where a step leads: the part's place; for what is missing, that of the part it would stand before. */
  size_t PlaceOf(const graph::Step& step) const;
  /*! \brief Notes that the part changed, or that something would stand there. */
  void Change(const graph::Step& step);
  /*! \brief To be called after all changes: parts up to `context` places away from a change are shown. */
  void Show(uint64_t context);

  struct Part {
    graph::Step step;
    Any value;
    bool changed = false;
    bool shown = false;
  };
  const std::vector<Part>& parts() const { return parts_; }

 private:
  void Add(graph::Step step, const TVMFFIAny& value) {
    parts_.push_back({std::move(step), Any(AnyView::FromRaw(value)), false, false});
  }

  std::vector<Part> parts_;
  std::vector<size_t> gaps_;  // places before which something is missing
};

}  // namespace transom::render
#endif  // TRANSOM_SRC_RENDER_NEIGHBOURS_H_
