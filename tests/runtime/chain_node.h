// A linked node, compiled into several libraries under different type keys.
#ifndef TRANSOM_TESTS_RUNTIME_CHAIN_NODE_H_
#define TRANSOM_TESTS_RUNTIME_CHAIN_NODE_H_

#include <transom/runtime/any.h>
#include <transom/runtime/function.h>
#include <transom/runtime/object.h>

#include <utility>

// Defines the class and a global function "KEY.make" that puts a new node before the given value.
#define TRANSOM_TEST_CHAIN_NODE(Key)                                             \
  namespace {                                                                    \
  class ChainNode : public transom::Object {                                     \
   public:                                                                       \
    explicit ChainNode(transom::Any next_value) : next(std::move(next_value)) {} \
    transom::Any next;                                                           \
    TRANSOM_DECLARE_OBJECT_INFO_FINAL(Key, ChainNode, transom::Object);          \
  };                                                                             \
  }                                                                              \
  TVM_FFI_REGISTER_GLOBAL_FUNC(Key ".make").set_body([](transom::Any next) {     \
    return transom::make_object<ChainNode>(std::move(next));                     \
  })

#endif  // TRANSOM_TESTS_RUNTIME_CHAIN_NODE_H_
