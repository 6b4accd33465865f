// Many threads register types, fields, attributes and functions while others look them up, call, hash, compare, save
// and load. What this is worth, the thread sanitizer says.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/formats/json_graph.h>
#include <transom/formats/tsm.h>
#include <transom/graph/drop.h>
#include <transom/reflection/enum.h>
#include <transom/reflection/field_access.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace transom {
namespace {

namespace refl = transom::reflection;

#if defined(__SANITIZE_THREAD__)
constexpr int kRounds = 50;
#else
constexpr int kRounds = 300;
#endif

class NodeObj : public Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  int64_t number = 0;
  Any child;
  TRANSOM_DECLARE_OBJECT_INFO("test.threads.Node", NodeObj, Object);
};

// One of many classes that are registered only when the threads run.
template <int kNumber>
class LateObj : public NodeObj {
 public:
  static constexpr char kKey[] = {'t', 'e', 's', 't', '.', 'l', 'a', 't', 'e', '.', static_cast<char>('a' + kNumber),
                                  0};
  int64_t extra = kNumber;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL(kKey, LateObj, NodeObj);
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<NodeObj>().def_ro("number", &NodeObj::number).def_ro("child", &NodeObj::child);
}

template <class Obj>
Any MakeChain(int length) {
  Any chain = Array<Any>{"leaf", 1.5};
  for (int i = 0; i < length; ++i) {
    auto node = make_object<Obj>();
    node->number = i;
    node->child = std::move(chain);
    chain = i % 3 == 0 ? Any(Map<String, Any>{{"value", node}}) : Any(node);
  }
  return chain;
}

void CheckGraph(const Any& graph, const Any& same, uint64_t hash) {
  ASSERT_EQ(StructuralHash::Hash(graph), hash);
  ASSERT_TRUE(StructuralEqual::Equal(graph, same));
}

/* Runs all bodies at once, each in a thread of its own. */
void RunTogether(const std::vector<std::function<void()>>& bodies) {
  std::atomic<size_t> ready{0};
  std::vector<std::thread> threads;
  for (const auto& body : bodies) {
    threads.emplace_back([&] {
      ++ready;
      while (ready < bodies.size()) std::this_thread::yield();
      body();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/* Registers the class and uses it at once. */
template <int kNumber>
void RegisterAndUse() {
  using Late = LateObj<kNumber>;
  refl::ObjectDef<Late>().def_ro("extra", &Late::extra).def("twice", [](const Late* self) { return 2 * self->extra; });
  refl::TypeAttrDef<Late>().def("test.threads.attr", int64_t{kNumber});
  const Any graph = MakeChain<Late>(20);
  const Any same = MakeChain<Late>(20);
  const uint64_t hash = StructuralHash::Hash(graph);
  for (int i = 0; i < kRounds / 10; ++i) {
    CheckGraph(graph, same, hash);
    CheckGraph(LoadJSON(SaveJSON(graph)).value, same, hash);
    CheckGraph(LoadTSM(SaveTSM(graph)).value, same, hash);
  }
}

TEST(Threads, TypesAreRegisteredWhileOthersTraverse) {
  const Any graph = MakeChain<NodeObj>(100);
  const Any same = MakeChain<NodeObj>(100);
  const uint64_t hash = StructuralHash::Hash(graph);
  const std::string json = SaveJSON(graph);
  const std::string tsm = SaveTSM(graph);
  auto traverse = [&] {
    for (int i = 0; i < kRounds / 5; ++i) {
      CheckGraph(graph, same, hash);
      CheckGraph(LoadJSON(json).value, same, hash);
      CheckGraph(LoadTSM(tsm).value, same, hash);
      Any own = MakeChain<NodeObj>(50);
      Drop(std::move(own));
    }
  };
  RunTogether({&RegisterAndUse<0>, &RegisterAndUse<1>, &RegisterAndUse<2>, &RegisterAndUse<3>, traverse, traverse});
}

TVMFFIByteArray Text(const std::string& text) { return TVMFFIByteArray{text.data(), text.size()}; }

int32_t NewType(const std::string& key) {
  TVMFFIByteArray bytes = Text(key);
  return TVMFFITypeGetOrAllocIndex(&bytes, -1, 1, 0, 1, kTVMFFIObject);
}

void AddField(int32_t type_index, const std::string& name) {
  TVMFFIFieldInfo info{};
  info.name = Text(name);
  info.size = info.alignment = 8;
  info.offset = 24;
  info.field_static_type_index = kTVMFFIInt;
  ASSERT_EQ(TVMFFITypeRegisterField(type_index, &info), 0);
}

TEST(Threads, TablesGrowWhileOthersRead) {
  const int32_t growing = NewType("test.threads.growing");
  std::atomic<int> types{0};
  auto add_types = [&] {
    for (int i = 0; i < kRounds; ++i) {
      const int number = types++;
      const int32_t index = NewType("test.threads.type" + std::to_string(number));
      Any value(number);
      const std::string attr = "test.threads.number";
      const TVMFFIByteArray name = Text(attr);
      ASSERT_EQ(TVMFFITypeRegisterAttr(index, &name, value.raw()), 0);
      AddField(index, "field");
    }
  };
  auto add_fields = [&] {
    for (int i = 0; i < kRounds; ++i) AddField(growing, "field" + std::to_string(i));
  };
  auto read = [&] {
    for (int i = 0; i < kRounds; ++i) {
      int fields = 0;
      refl::ForEachField(TVMFFIGetTypeInfo(growing), [&](const TVMFFIFieldInfo* field) {
        ASSERT_EQ(std::string(field->name.data), "field" + std::to_string(fields++));
      });
      for (int number = 0; number < types; number += 17) {
        const std::string key = "test.threads.type" + std::to_string(number);
        TVMFFIByteArray bytes = Text(key);
        int32_t index = 0;
        if (TVMFFITypeKeyToIndex(&bytes, &index) != 0) continue;  // not there yet
        ASSERT_EQ(std::string(TVMFFIGetTypeInfo(index)->type_key.data), key);
        const TVMFFIAny* attr = detail::FindTypeAttr(detail::TypeAttrColumn("test.threads.number"), index);
        if (attr != nullptr) {
          ASSERT_EQ(attr->v_int64, number);
        }
      }
    }
  };
  RunTogether({add_types, add_types, add_fields, read, read});
  EXPECT_EQ(TVMFFIGetTypeInfo(growing)->num_fields, kRounds);
}

TEST(Threads, FunctionsAreReplacedAndRemovedWhileOthersCall) {
  Function::SetGlobal("test.threads.replaced", Function::FromTyped([] { return 0; }));
  const Function kept = Function::GetGlobalRequired("test.threads.replaced");
  auto replace = [] {
    for (int i = 0; i < kRounds; ++i) {
      Function::SetGlobal("test.threads.replaced", Function::FromTyped([i] { return i; }), true);
    }
  };
  auto add_and_remove = [] {
    for (int i = 0; i < kRounds; ++i) {
      const std::string name = "test.threads.function" + std::to_string(i % 7);
      Function::SetGlobal(name, Function::FromTyped([i] { return i; }), true);
      Function::RemoveGlobal(name);
    }
  };
  auto call = [&] {
    for (int i = 0; i < kRounds; ++i) {
      ASSERT_EQ(kept().cast<int>(), 0);
      ASSERT_LT(Function::GetGlobalRequired("test.threads.replaced")().cast<int>(), kRounds);
      if (auto other = Function::GetGlobal("test.threads.function" + std::to_string(i % 7))) {
        ASSERT_LT((*other)().cast<int>(), kRounds);
      }
      if (i % 10 == 0) {
        ASSERT_GE(Function::ListGlobalNames().size(), 1u);
      }
    }
  };
  RunTogether({replace, add_and_remove, add_and_remove, call, call});
}

TEST(Threads, SharedObjectsAreReadCopiedAndReleased) {
  const Any shared = MakeChain<NodeObj>(10);
  const Map<String, Any> map = {{"a", shared}, {"b", 1}, {"c", 2}, {"d", 3}, {"e", shared}};
  std::atomic<uint64_t> wrong{0};
  auto use = [&] {
    for (int i = 0; i < kRounds; ++i) {
      Map<String, Any> own = map.insert("f", i).erase("b");
      wrong += own.size() != 5 || map.size() != 5 || map.at("b").cast<int>() != 1;
      Array<Any> array = {shared, own, own};
      WeakObjectPtr<Object> watcher(array[1].cast<ObjectPtr<Object>>());
      own = Map<String, Any>();
      wrong += watcher.lock() == nullptr;
      array = Array<Any>();
      wrong += watcher.lock() != nullptr;
    }
  };
  RunTogether({use, use, use, use});
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(shared.cast<ObjectRef>().use_count(), 4u);  // here, two in the map, and the cast
}

TEST(Threads, ErrorsBelongToTheirThreads) {
  const Function fails = Function::FromTyped([](int64_t i) -> int64_t { TRANSOM_THROW(ValueError) << i; });
  auto call = [&](int64_t first) {
    for (int64_t i = first; i < first + kRounds; ++i) {
      try {
        fails(i);
        ADD_FAILURE();
      } catch (const Error& error) {
        ASSERT_EQ(error.message(), std::to_string(i));
      }
    }
  };
  RunTogether({[&] { call(0); }, [&] { call(100000); }, [&] { call(200000); }});
}

class SignalObj : public IntEnumObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.threads.Signal", SignalObj, IntEnumObj);
};
class Signal : public IntEnum {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Signal, IntEnum, SignalObj);
};
TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<SignalObj>();
  refl::EnumDef<SignalObj>("stop", 1);
  refl::EnumDef<SignalObj>("go", 2);
}

TEST(Threads, EnumMembersAreFoundFromAll) {
  auto find = [] {
    for (int i = 0; i < kRounds; ++i) {
      ASSERT_TRUE(refl::EnumMember<Signal>("go").same_as(refl::EnumMember<Signal>(2)));
      ASSERT_FALSE(refl::FindEnumMember<Signal>(3).has_value());
    }
  };
  RunTogether({find, find, find});
}

}  // namespace
}  // namespace transom
