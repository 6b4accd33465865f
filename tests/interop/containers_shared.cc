/*
 * Changes containers in turn with this project's headers and the other library's, and compares them with a plain model.
 * Prints the number of changes; the exit status tells whether all agreed.
 */
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "containers_peer.h"

namespace transom {
namespace {

std::mt19937_64 random_bits(7);
int64_t changes = 0;

int64_t Below(size_t limit) { return static_cast<int64_t>(random_bits() % limit); }

PeerValue Give(Any any) {
  TVMFFIAny raw = any.Release();
  PeerValue value;
  std::memcpy(&value, &raw, sizeof(value));
  return value;
}

Any Take(PeerValue value) {
  TVMFFIAny raw;
  std::memcpy(&raw, &value, sizeof(raw));
  return Any::FromOwned(raw);
}

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "after %lld changes: %s\n", static_cast<long long>(changes), what);
  std::exit(1);
}

bool Equal(const Any& lhs, const Any& rhs) { return AnyEqual()(lhs, rhs); }

Any ValueOf(int64_t number) { return String("value number " + std::to_string(number)); }

/* Integers, texts that lie in the value and texts that do not. */
enum class KeyKind { kInt, kShortText, kLongText };
Any KeyOf(int64_t number, KeyKind kind) {
  if (kind == KeyKind::kInt) return number;
  return String((kind == KeyKind::kShortText ? "k" : "a key on the heap ") + std::to_string(number));
}

/* Entries in order: an overwrite keeps its place in the small layout only. */
class Model {
 public:
  void Set(int64_t key, int64_t value, const ObjectRef& map) {
    uint64_t slots;
    std::memcpy(&slots, reinterpret_cast<const char*>(map.get()) + 40, sizeof(slots));
    bool small = slots >> 63 != 0 && !((slots & 7) == 4 && entries_.size() == 4);
    auto at = Find(key);
    if (at != entries_.end() && small) {
      at->second = value;
      return;
    }
    Erase(key);
    entries_.emplace_back(key, value);
  }
  void Erase(int64_t key) {
    auto at = Find(key);
    if (at != entries_.end()) entries_.erase(at);
  }
  void Clear() { entries_.clear(); }
  template <class M>
  void Check(const M& map, KeyKind kind) const {
    Require(static_cast<size_t>(map.size()) == entries_.size(), "sizes differ");
    size_t i = 0;
    for (auto [key, value] : map) {
      Require(Equal(key, KeyOf(entries_[i].first, kind)), "keys or their order differ");
      Require(Equal(value, ValueOf(entries_[i].second)), "values differ");
      ++i;
    }
    for (const auto& [key, value] : entries_) Require(Equal(map[KeyOf(key, kind)], ValueOf(value)), "a key is lost");
  }
  const std::vector<std::pair<int64_t, int64_t>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<int64_t, int64_t>>::iterator Find(int64_t key) {
    return std::find_if(entries_.begin(), entries_.end(), [key](const auto& entry) { return entry.first == key; });
  }
  std::vector<std::pair<int64_t, int64_t>> entries_;
};

void ChangeMaps(Map<> map, KeyKind kind, size_t key_space, int64_t steps) {
  Model model;
  for (int64_t step = 0; step < steps; ++step, ++changes) {
    int64_t number = Below(key_space);
    Any key = KeyOf(number, kind);
    bool peer = Below(2) == 0;
    Map<> old = Below(50) == 0 ? map : Map<>();  // A second owner: the change must copy.
    Model old_model = old.same_as(map) ? model : Model();
    if (Below(5) < 3) {
      model.Set(number, step, map);
      map = peer ? Take(PeerMapSet(Give(std::move(map)), Give(key), Give(ValueOf(step)))).cast<Map<>>()
                 : std::move(map).insert(key, ValueOf(step));
    } else {
      model.Erase(number);
      map = peer ? Take(PeerMapErase(Give(std::move(map)), Give(key))).cast<Map<>>() : std::move(map).erase(key);
    }
    old_model.Check(old, kind);
    if (step % 67 != 0) continue;
    model.Check(map, kind);
    for (const auto& [k, v] : model.entries()) {
      Require(PeerMapHas(Give(map), Give(KeyOf(k, kind))) == 1, "the other library does not find a key");
    }
    Require(PeerMapHas(Give(map), Give(KeyOf(-1, kind))) == 0, "the other library finds a key that is not there");
  }
  model.Check(map, kind);
}

void ChangeDicts(Dict<> dict, KeyKind kind, size_t key_space, int64_t steps) {
  Model model;
  for (int64_t step = 0; step < steps; ++step, ++changes) {
    int64_t number = Below(key_space);
    Any key = KeyOf(number, kind);
    bool peer = Below(2) == 0;
    int64_t choice = Below(500);
    if (choice == 0 && key_space < 1000) {
      model.Clear();
      peer ? PeerDictClear(Give(dict)) : dict.clear();
    } else if (choice < 300) {
      model.Set(number, step, dict);
      peer ? PeerDictSet(Give(dict), Give(key), Give(ValueOf(step))) : dict.set(key, ValueOf(step));
    } else if (model.Erase(number); peer) {
      PeerDictErase(Give(dict), Give(key));
    } else {
      dict.erase(key);
    }
    if (step % 67 == 0) model.Check(dict, kind);
  }
  model.Check(dict, kind);
}

void ChangeSequences(List<> list, int64_t steps) {
  std::vector<int64_t> model;
  Array<> array;
  for (int64_t step = 0; step < steps; ++step, ++changes) {
    bool peer = Below(2) == 0;
    if (!model.empty() && Below(4) == 0) {
      int64_t at = Below(model.size());
      peer ? PeerListErase(Give(list), at) : list.erase(at);
      model.erase(model.begin() + at);
    } else {
      int64_t at = Below(model.size() + 1);
      peer ? PeerListInsert(Give(list), at, Give(ValueOf(step))) : list.insert(at, ValueOf(step));
      model.insert(model.begin() + at, step);
    }
    array = peer ? Take(PeerArrayPush(Give(std::move(array)), Give(ValueOf(step)))).cast<Array<>>()
                 : std::move(array).push_back(ValueOf(step));
    Require(list.size() == static_cast<int64_t>(model.size()), "sizes of lists differ");
    Require(array.size() == step + 1, "sizes of arrays differ");
    for (size_t i = 0; i < model.size(); i += 7) {
      Require(Equal(list.at(static_cast<int64_t>(i)), ValueOf(model[i])), "elements of lists differ");
    }
    for (int64_t i = 0; i <= step; i += 7) Require(Equal(array[i], ValueOf(i)), "elements of arrays differ");
  }
}

void Run() {
  for (KeyKind kind : {KeyKind::kInt, KeyKind::kShortText, KeyKind::kLongText}) {
    for (size_t key_space : {3, 5, 12, 60, 3000}) {
      int64_t steps = key_space > 1000 ? 20000 : 3000;
      ChangeMaps(Map<>(), kind, key_space, steps);
      ChangeMaps(Take(PeerNewMap()).cast<Map<>>(), kind, key_space, steps);
      ChangeDicts(Dict<>(), kind, key_space, steps);
      ChangeDicts(Take(PeerNewDict()).cast<Dict<>>(), kind, key_space, steps);
    }
  }
  ChangeSequences(List<>(), 1500);
  ChangeSequences(Take(PeerNewList()).cast<List<>>(), 1500);
}

}  // namespace
}  // namespace transom

int main() {
  transom::Run();
  std::printf("%lld changes agree\n", static_cast<long long>(transom::changes));
}
