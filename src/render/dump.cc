#include <transom/render/dump.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "render/outline.h"
#include "render/value_text.h"

namespace transom {
namespace {

using namespace render;  // NOLINT: this file is that namespace's front
using graph::ValueClass;

// Widths are counted from the line's indentation, so that code reads the same at every depth.
constexpr size_t kColumns = 100;           // a value that fits is written on one line
constexpr size_t kStatementColumns = 220;  // so is a whole `%n = ...` or binding: one statement, one line, as in any IR
constexpr size_t kFillColumns = 24;        // plain values up to this width share lines in a long sequence
constexpr int64_t kIndent = 2;

// A value whose children are being written.
struct Open {
  Children children;
  std::string_view closer;
  uint64_t count = 0;
  int64_t level = 0;
  bool binding = false;     // `Type %x: ... = value`
  bool object_key = false;  // of the last entry: `%x: Type => value`, where a colon would read as a type
};

// A value that is spread over lines, or a whole statement.
struct Block {
  enum class Layout : uint8_t { kLines, kHug, kStatement };
  Open open;
  Child child;
  TVMFFIAny value;  // kStatement
  int64_t indent = 0;
  Layout layout = Layout::kLines;
  bool ready = false;  // `child` was read, but is not written yet
  bool more = true;
  bool filling = false;  // the line holds plain values only
  bool sequence = false;
};

/*
 * Writes a graph as statements, one per listed object: `%n = ...`. A shared object is defined on the lines before the
 * line that first names it; an object below the depth limit after the statement that names it. Before a line goes out,
 * the definitions it needs are written, so the line waits (`suspended_`) while others overtake it.
 */
class TextDump {
 public:
  explicit TextDump(const DumpOptions& options)
      : options_(options),
        show_{options.all_fields, options.max_items},
        outline_(plans_, keeper_, show_, options.max_string, options.exact_sharing) {}

  std::string Run(const TVMFFIAny& root) {
    outline_.Read(root);
    next_number_ = outline_.next_number();
    if (Node* node = outline_.Find(root)) node->written = true;
    WriteStatement(root);
    while (!deep_.empty()) {
      const TVMFFIAny value = deep_.front();
      deep_.pop_front();
      WriteStatement(value);
    }
    return std::move(out_);
  }

 private:
  struct Suspended {
    std::string line;
    std::vector<TVMFFIAny> pending;
    size_t column;
    int64_t indent;
    int64_t level;
  };
  struct Mark {
    size_t line, column, pending, deep, written;
  };
  struct Written {
    Node* node;
    bool numbered;
  };

  void Put(Style style, std::string_view text) {
    AppendStyled(style, text, options_.color, &line_);
    column_ += text.size();
  }

  void PutName(const Node& node) {
    Put(Style::kName, node.name != 0 ? outline_.NameOf(node) : "%" + std::to_string(node.number));
  }

  // ---- Values that need no lines of their own

  // Writes a value that is complete in itself: a leaf, a variable or listed object that is named, a deep object that is
  // put off.
  bool WriteAtom(const TVMFFIAny& value, int64_t level) {
    const ValueClass cls = graph::Classify(value.type_index);
    Node* node = outline_.Find(value);
    if (node != nullptr && (node->variable ? node->written : node->number >= 0)) {
      if (!node->written) Name(node, value, level);
      PutName(*node);
      return true;
    }
    if (WriteLeaf(value, cls)) return true;
    if (level <= options_.depth || !IsDeep(value, *node)) return false;
    PutOff(node, value);
    PutName(*node);
    return true;
  }

  // Values whose text is the same in every place.
  bool WriteLeaf(const TVMFFIAny& value, ValueClass cls) {
    if (!graph::HasChildren(cls)) {
      Put(LeafStyle(cls), LeafText(value, cls, options_.max_string));
      return true;
    }
    if (cls != ValueClass::kObject) return false;
    const graph::TypePlan& plan = plans_.Of(value.v_obj);
    if (!plan.custom_data) return false;
    Put(Style::kText, CustomText(plan.key, graph::CustomDataOf(value.v_obj, plan, keeper_), options_.max_string));
    return true;
  }

  bool IsDeep(const TVMFFIAny& value, const Node& node) {
    if (!node.variable) return !(node.plain && node.width <= Outline::kSmall);
    Child child;
    return ChildrenOf(value, node).Next(keeper_, &child);
  }

  void Name(Node* node, const TVMFFIAny& value, int64_t level) {
    written_.push_back({node, false});
    node->written = true;
    if (level > options_.depth) {
      deep_.push_back(value);
    } else {
      pending_.push_back(value);
    }
  }

  void PutOff(Node* node, const TVMFFIAny& value) {
    const bool numbered = node->name == 0 && node->number < 0;
    if (numbered) node->number = next_number_++;
    written_.push_back({node, numbered});
    node->written = true;
    deep_.push_back(value);
  }

  // ---- Values on one line

  Mark Checkpoint() const { return {line_.size(), column_, pending_.size(), deep_.size(), written_.size()}; }

  void Rollback(const Mark& mark) {
    line_.resize(mark.line);
    column_ = mark.column;
    pending_.resize(mark.pending);
    deep_.resize(mark.deep);
    for (; written_.size() > mark.written; written_.pop_back()) {
      const Written& w = written_.back();
      w.node->written = false;
      if (w.numbered) {
        w.node->number = -1;
        --next_number_;
      }
    }
  }

  // Writes the value out on the rest of the line; false, and nothing changed, when it does not fit.
  bool WriteOnLine(const TVMFFIAny& value, int64_t level, size_t width) {
    const size_t columns = static_cast<size_t>(line_indent_) + width;
    const Mark mark = Checkpoint();
    opens_.clear();
    opens_.push_back(Begin(value, level));
    while (!opens_.empty() && column_ <= columns) {
      Child child;
      Open& open = opens_.back();
      if (!open.children.Next(keeper_, &child)) {
        End(open);
        opens_.pop_back();
        continue;
      }
      Separate(open, child);
      const int64_t child_level = open.level + 1;
      if (!WriteAtom(child.value, child_level)) opens_.push_back(Begin(child.value, child_level));
    }
    if (column_ <= columns) {
      written_.clear();
      return true;
    }
    Rollback(mark);
    return false;
  }

  Children ChildrenOf(const TVMFFIAny& value, const Node& node) {
    const ValueClass cls = graph::Classify(value.type_index);
    return Children(value, cls, cls == ValueClass::kObject ? &plans_.Of(value.v_obj) : nullptr, node.name != 0, show_);
  }

  // Writes what stands before the children.
  Open Begin(const TVMFFIAny& value, int64_t level) {
    Node* node = outline_.Find(value);
    Open open;
    open.level = level;
    open.children = ChildrenOf(value, *node);
    if (node->variable) {
      if (!node->written) written_.push_back({node, false});
      node->written = true;
      PutName(*node);
      Put(Style::kPlain, ": ");
    }
    const ValueClass cls = graph::Classify(value.type_index);
    if (cls != ValueClass::kObject) {
      if (value.type_index == kTVMFFIList || value.type_index == kTVMFFIDict)
        Put(Style::kType, graph::TypeKeyOf(value));
      Put(Style::kPlain, cls == ValueClass::kMap ? "{" : "[");
      open.closer = cls == ValueClass::kMap ? "}" : "]";
      return open;
    }
    Put(Style::kType, plans_.Of(value.v_obj).key);
    open.binding = !node->variable && IsBinding(open.children);
    Children children = open.children;
    Child child;
    if (open.binding) {
      Put(Style::kPlain, " ");
    } else if (!node->variable || children.Next(keeper_, &child)) {
      Put(Style::kPlain, "(");
      open.closer = ")";
    }
    return open;
  }

  // Two shown fields, of which the first defines a variable that is met for the first time here.
  bool IsBinding(Children children) {
    Child first, second;
    if (!children.Next(keeper_, &first) || first.role != Role::kField || first.field->def == graph::DefRegion::kNone)
      return false;
    const Node* node = outline_.Find(first.value);
    if (node == nullptr || !node->variable || node->written) return false;
    return children.Next(keeper_, &second) && !children.Next(keeper_, &second);
  }

  // Writes what stands between the child before and this one.
  void Separate(Open& open, const Child& child) {
    SeparateNoComma(open, child, open.count == 0 || child.role == Role::kMapValue ? "" : ", ");
  }

  void SeparateNoComma(Open& open, const Child& child, std::string_view comma) {
    if (open.binding) {
      if (open.count != 0) Put(Style::kPlain, " = ");
    } else if (child.role == Role::kMapValue) {
      Put(Style::kPlain, open.object_key ? " => " : ": ");
    } else {
      Put(Style::kPlain, comma);
      if (child.role == Role::kField) {
        Put(Style::kPlain, child.field->name);
        Put(Style::kPlain, "=");
      }
      open.object_key = graph::Classify(child.value.type_index) == ValueClass::kObject;
    }
    ++open.count;
  }

  void End(const Open& open) {
    if (open.children.hidden() != 0) {
      Put(Style::kFaint, (open.count == 0 ? "" : ", ") + HiddenText(open));
    }
    Put(Style::kPlain, open.closer);
  }

  static std::string HiddenText(const Open& open) { return "... " + std::to_string(open.children.hidden()) + " more"; }

  // ---- Lines

  void WriteStatement(const TVMFFIAny& value) {
    StartStatement(value, 0, 0);
    while (!blocks_.empty()) Step();
  }

  void StartStatement(const TVMFFIAny& value, int64_t level, int64_t indent) {
    StartLine(level, indent);
    const Node* node = outline_.Find(value);
    if (node != nullptr && !node->variable && node->number >= 0) {
      PutName(*node);
      Put(Style::kPlain, " = ");
    }
    Block block;
    block.layout = Block::Layout::kStatement;
    block.value = value;
    block.indent = indent;
    block.open.level = level;
    blocks_.push_back(block);
  }

  void StartLine(int64_t level, int64_t indent) {
    line_.assign(static_cast<size_t>(indent), ' ');
    column_ = static_cast<size_t>(indent);
    line_indent_ = indent;
    line_level_ = level;
  }

  // Sends the line out. False: a definition that it needs comes first, call again when that is done.
  bool FinishLine() {
    if (pending_.empty()) {
      out_.append(line_).push_back('\n');
      return true;
    }
    // Parts have lower numbers than what they are part of, so the lowest goes first.
    const auto first = std::min_element(
        pending_.begin(), pending_.end(),
        [this](const TVMFFIAny& a, const TVMFFIAny& b) { return outline_.Find(a)->number < outline_.Find(b)->number; });
    const TVMFFIAny value = *first;
    pending_.erase(first);
    const int64_t level = line_level_;
    const int64_t indent = line_indent_;
    suspended_.push_back({std::move(line_), std::move(pending_), column_, indent, level});
    pending_.clear();
    StartStatement(value, level, indent);
    return false;
  }

  void Resume() {
    Suspended& s = suspended_.back();
    line_ = std::move(s.line);
    pending_ = std::move(s.pending);
    column_ = s.column;
    line_indent_ = s.indent;
    line_level_ = s.level;
    suspended_.pop_back();
  }

  void Step() {
    switch (blocks_.back().layout) {
      case Block::Layout::kStatement:
        return StepStatement();
      case Block::Layout::kHug:
        return StepHug();
      case Block::Layout::kLines:
        return StepLines();
    }
  }

  void StepStatement() {
    Block& block = blocks_.back();
    if (!block.ready) {
      block.ready = true;
      const TVMFFIAny value = block.value;
      return WriteOut(value, block.open.level, block.indent);
    }
    if (!FinishLine()) return;
    blocks_.pop_back();
    if (!blocks_.empty()) Resume();
  }

  void StepHug() {
    Block& block = blocks_.back();
    Child child;
    if (!block.open.children.Next(keeper_, &child)) {
      End(block.open);
      blocks_.pop_back();
      return;
    }
    Separate(block.open, child);
    Write(child, block.open.level + 1, block.indent);
  }

  void StepLines() {
    Block& block = blocks_.back();
    if (!block.ready) {
      block.more = block.open.children.Next(keeper_, &block.child);
      block.ready = true;
    }
    if (!block.more) return EndLines(block);
    const int64_t level = block.open.level + 1;
    const int64_t indent = block.indent + kIndent;
    const Child child = block.child;
    if (child.role != Role::kMapValue) {
      if (Fill(block, child)) return;
      if (!FinishLine()) return;
      StartLine(level, indent);
    }
    block.ready = false;
    block.filling = IsFiller(block, child);
    SeparateNoComma(block.open, child, "");
    Write(child, level, indent);
  }

  void EndLines(Block& block) {
    if (!FinishLine()) return;
    if (block.open.children.hidden() != 0) {
      StartLine(block.open.level + 1, block.indent + kIndent);
      Put(Style::kFaint, HiddenText(block.open));
      FinishLine();
    }
    StartLine(block.open.level, block.indent);
    Put(Style::kPlain, block.open.closer);
    blocks_.pop_back();
  }

  bool IsFiller(const Block& block, const Child& child) {
    const ValueClass cls = graph::Classify(child.value.type_index);
    if (!block.sequence || graph::HasChildren(cls) || outline_.Find(child.value) != nullptr) return false;
    return LeafText(child.value, cls, options_.max_string).size() <= kFillColumns;
  }

  // Plain values share lines. True: the child was written behind the one before.
  bool Fill(Block& block, const Child& child) {
    if (!block.filling || column_ + kFillColumns > static_cast<size_t>(line_indent_) + kColumns) return false;
    if (!IsFiller(block, child)) return false;
    Put(Style::kPlain, ", ");
    ++block.open.count;
    block.ready = false;
    return WriteAtom(child.value, block.open.level + 1);
  }

  void Write(const Child& child, int64_t level, int64_t indent) {
    if (WriteAtom(child.value, level)) return;
    if (child.role != Role::kKey) return WriteOut(child.value, level, indent);
    if (WriteOnLine(child.value, level, kColumns)) return;
    Node* node = outline_.Find(child.value);  // a key stays on its line: what is too long is named and listed
    PutOff(node, child.value);
    PutName(*node);
  }

  // Writes a value in full where it stands: on this line, or as a block.
  void WriteOut(const TVMFFIAny& value, int64_t level, int64_t indent) {
    if (WriteLeaf(value, graph::Classify(value.type_index))) return;
    const Node* node = outline_.Find(value);
    const bool statement = !node->variable && (node->number >= 0 || IsBinding(ChildrenOf(value, *node)));
    const size_t width = statement ? kStatementColumns : kColumns;
    if (column_ + node->width <= static_cast<size_t>(line_indent_) + width && WriteOnLine(value, level, width)) return;
    Block block;
    block.indent = indent;
    block.sequence = graph::Classify(value.type_index) == ValueClass::kSequence;
    block.open = Begin(value, level);
    written_.clear();
    block.layout = block.open.binding || IsSingle(block.open.children) ? Block::Layout::kHug : Block::Layout::kLines;
    blocks_.push_back(block);
  }

  // One item, entry or field: brackets around it stay on its lines.
  bool IsSingle(Children children) {
    Child child;
    if (children.hidden() != 0) return false;
    if (children.Next(keeper_, &child) && child.role == Role::kKey) children.Next(keeper_, &child);
    return !children.Next(keeper_, &child);
  }

  const DumpOptions options_;
  const ShowOptions show_;
  graph::PlanTable plans_;
  graph::Keeper keeper_;
  Outline outline_;
  int64_t next_number_ = 0;

  std::string out_;
  std::string line_;
  size_t column_ = 0;  // of line_, without colour codes
  int64_t line_indent_ = 0;
  int64_t line_level_ = 0;
  std::vector<TVMFFIAny> pending_;  // objects that line_ names and that are not defined yet
  std::deque<TVMFFIAny> deep_;      // objects to be defined after this statement
  std::vector<Suspended> suspended_;
  std::vector<Block> blocks_;
  std::vector<Open> opens_;       // WriteOnLine's
  std::vector<Written> written_;  // what WriteOnLine undoes when the text does not fit
};

}  // namespace

std::string DumpText(AnyView value, const DumpOptions& options) { return TextDump(options).Run(*value.raw()); }

}  // namespace transom
