#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/runtime/error.h>

#include <string>
#include <vector>

#include "graph/pointer_map.h"
#include "graph/type_plan.h"
#include "interop/json_text.h"
#include "schema/json_text.h"

namespace transom::interop {
namespace {

using graph::ValueClass;

class Writer {
 public:
  explicit Writer(int64_t indent) : indent_(indent) {}

  std::string Run(const TVMFFIAny& root) {
    Write(root);
    while (!open_.empty()) {
      Open& top = open_.back();
      if (top.is_object ? top.place == MapBaseObj::kEnd : top.place == top.count) {
        Close();
      } else {
        WriteNext();
      }
    }
    return std::move(out_);
  }

 private:
  // A container that has been begun; `place` is the next element or entry.
  struct Open {
    TVMFFIAny value;
    bool is_object;
    bool is_first;
    uint64_t place;
    uint64_t count;
  };

  void NewLine() {
    if (indent_ == 0) return;
    out_ += '\n';
    if (indent_ > 0) out_.append(static_cast<size_t>(indent_) * open_.size(), ' ');
  }

  void Write(const TVMFFIAny& value) {
    if (schema::AppendJsonPlain(value, &out_)) return;
    switch (value.type_index) {
      case kTVMFFISmallStr:
      case kTVMFFIStr:
        return schema::AppendJsonString(graph::TextOf(value), &out_);
      case kTVMFFIList:
        if (!*Entered(value)) {
          *Entered(value) = true;
          return Begin(value, false);
        }
        TRANSOM_THROW(ValueError) << "Cycle detected: List contains itself";
      case kTVMFFIArray:
        return Begin(value, false);
      case kTVMFFIMap:
        return Begin(value, true);
      default: {
        const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(value.type_index);
        TRANSOM_THROW(ValueError) << "Unsupported type: `" << std::string_view(info->type_key.data, info->type_key.size)
                                  << "`";
      }
    }
  }

  bool* Entered(const TVMFFIAny& list) { return lists_.Insert(list.v_obj).first; }

  void Begin(const TVMFFIAny& value, bool is_object) {
    out_ += is_object ? '{' : '[';
    const uint64_t count = is_object ? 0 : static_cast<uint64_t>(graph::SequenceOf(value).size);
    open_.push_back({value, is_object, true, is_object ? graph::MapOf(value).First() : 0, count});
  }

  void WriteNext() {
    Open& top = open_.back();
    if (!top.is_first) out_ += ',';
    top.is_first = false;
    NewLine();
    const uint64_t place = top.place;
    if (!top.is_object) {
      ++top.place;
      return Write(graph::ItemsOf(graph::SequenceOf(top.value))[place]);
    }
    const MapBaseObj& map = graph::MapOf(top.value);
    top.place = map.Next(place);
    const TVMFFIAny& key = *map.KeyAt(place).raw();
    TRANSOM_CHECK(graph::Classify(key.type_index) == ValueClass::kString, ValueError)
        << "Expect key to be string, got `" << map.KeyAt(place).GetTypeKey() << "`";
    schema::AppendJsonString(graph::TextOf(key), &out_);
    out_ += indent_ != 0 ? ": " : ":";
    Write(*map.ValueAt(place).raw());
  }

  void Close() {
    const Open top = open_.back();
    open_.pop_back();
    NewLine();
    out_ += top.is_object ? '}' : ']';
    if (top.value.type_index == kTVMFFIList) *Entered(top.value) = false;
  }

  const int64_t indent_;
  std::string out_;
  std::vector<Open> open_;
  graph::PointerMap<bool> lists_;  // whether it is open
};

}  // namespace

String StringifyJson(const AnyView& value, int64_t indent) { return String(Writer(indent).Run(*value.raw())); }

}  // namespace transom::interop
