/*
 * Registered types of every structural kind, and the same values as records.
 */
#ifndef TRANSOM_SUPPORT_NATIVE_TYPES_H_
#define TRANSOM_SUPPORT_NATIVE_TYPES_H_

#include <transom/containers/array.h>
#include <transom/containers/optional.h>
#include <transom/containers/string.h>
#include <transom/runtime/device.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/object.h>

#include <string>
#include <utility>

#include "support/error_of.h"

namespace transom::testing {

/*! \brief A tree node; `span` is ignored. */
class CallObj : public Object {
 public:
  String op;
  Array<Any> args;
  Any span;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Call", CallObj, Object);
};

/*! \brief A tree node with a field of every kind of storage. */
class ScalarsObj : public Object {
 public:
  int64_t i = 0;
  int32_t narrow = 0;
  uint8_t tiny = 0;
  double f = 0;
  float single = 0;
  bool b = false;
  DataType dtype;
  Device device{kDLCPU, 0};
  String s;
  Bytes bytes;
  Optional<int64_t> maybe;
  Any any;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Scalars", ScalarsObj, Object);
};

/*! \brief A tree node with defaults: an int, a float given as an int, a dtype given as text, an array, one from a
 * factory. */
class DefaultsObj : public Object {
 public:
  int64_t count = 7;
  double price = 2;
  DataType dtype;
  Array<Any> items;
  Array<Any> made;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Defaults", DefaultsObj, Object);
};

class ConstObj : public Object {
 public:
  Any value;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Const", ConstObj, Object);
};

class NodeObj : public Object {
 public:
  Any value;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Node", NodeObj, Object);
};

class TokenObj : public Object {
 public:
  int64_t id = 0;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Token", TokenObj, Object);
};

/*! \brief A free variable whose name is ignored. */
class VarObj : public Object {
 public:
  String name;
  Any type;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Var", VarObj, Object);
};

/*! \brief `params` is a recursive definition region. */
class LambdaObj : public Object {
 public:
  Array<Any> params;
  Any body;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Lambda", LambdaObj, Object);
};

/*! \brief `var` is a simple definition region. */
class LetObj : public Object {
 public:
  Any value;
  Any var;
  Any body;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Let", LetObj, Object);
};

/*! \brief No structural kind. */
class PlainObj : public Object {
 public:
  Any payload;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Plain", PlainObj, Object);
};

/*! \brief Compares by a hook of its own. */
class HookedObj : public Object {
 public:
  int64_t id = 0;
  Any note;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Hooked", HookedObj, Object);
};

/*! \brief Saved as data of its own, a map from "name" to its name. */
class OpObj : public Object {
 public:
  String name;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Op", OpObj, Object);
};

class Token : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Token, ObjectRef, TokenObj);
};

/*! \brief Its field takes native tokens only. */
class BoxObj : public Object {
 public:
  Token token;
  int64_t size = 0;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Box", BoxObj, Object);
};

inline Any Call(String op, Array<Any> args = {}, Any span = nullptr) {
  auto obj = make_object<CallObj>();
  obj->op = std::move(op);
  obj->args = std::move(args);
  obj->span = std::move(span);
  return Any(std::move(obj));
}

inline Any Const(Any value) {
  auto obj = make_object<ConstObj>();
  obj->value = std::move(value);
  return Any(std::move(obj));
}

inline Any Node(Any value) {
  auto obj = make_object<NodeObj>();
  obj->value = std::move(value);
  return Any(std::move(obj));
}

inline Any MakeToken(int64_t id) {
  auto obj = make_object<TokenObj>();
  obj->id = id;
  return Any(std::move(obj));
}

inline Any Var(String name, Any type = nullptr) {
  auto obj = make_object<VarObj>();
  obj->name = std::move(name);
  obj->type = std::move(type);
  return Any(std::move(obj));
}

inline Any Lambda(Array<Any> params, Any body) {
  auto obj = make_object<LambdaObj>();
  obj->params = std::move(params);
  obj->body = std::move(body);
  return Any(std::move(obj));
}

inline Any Let(Any var, Any value, Any body) {
  auto obj = make_object<LetObj>();
  obj->value = std::move(value);
  obj->var = std::move(var);
  obj->body = std::move(body);
  return Any(std::move(obj));
}

inline Any Plain(Any payload) {
  auto obj = make_object<PlainObj>();
  obj->payload = std::move(payload);
  return Any(std::move(obj));
}

inline Any Hooked(int64_t id, Any note = nullptr) {
  auto obj = make_object<HookedObj>();
  obj->id = id;
  obj->note = std::move(note);
  return Any(std::move(obj));
}

inline Any Op(String name) {
  auto obj = make_object<OpObj>();
  obj->name = std::move(name);
  return Any(std::move(obj));
}

/*! \brief The value as it is where its types are not registered: saved with its schema and loaded as records. */
Any AsRecords(const Any& value);

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_NATIVE_TYPES_H_
