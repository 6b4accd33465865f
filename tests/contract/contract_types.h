/* The types that the pieces of the contract's page speak of. */
#ifndef TRANSOM_TESTS_CONTRACT_CONTRACT_TYPES_H_
#define TRANSOM_TESTS_CONTRACT_CONTRACT_TYPES_H_

#include <transom/transom.h>

namespace ffi = transom;
namespace refl = transom::reflection;

class PrimExprNode : public ffi::Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static void RegisterReflection() { refl::ObjectDef<PrimExprNode>(); }
  TRANSOM_DECLARE_OBJECT_INFO("contract.PrimExpr", PrimExprNode, ffi::Object);
};
class PrimExpr : public ffi::ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(PrimExpr, ffi::ObjectRef, PrimExprNode);
};

// As on the page, with the one line that gives the class its type key.
class IntImmNode : public PrimExprNode {
 public:
  int64_t value;
  ffi::DataType dtype;
  static void RegisterReflection() {
    refl::ObjectDef<IntImmNode>().def_ro("value", &IntImmNode::value).def_ro("dtype", &IntImmNode::dtype);
  }
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("contract.IntImm", IntImmNode, PrimExprNode);
};
class IntImm : public PrimExpr {
 public:
  IntImm(int64_t value, ffi::DataType dtype) : IntImm(ffi::make_object<IntImmNode>()) {
    static_cast<IntImmNode*>(get_mutable())->value = value;
    static_cast<IntImmNode*>(get_mutable())->dtype = dtype;
  }
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(IntImm, PrimExpr, IntImmNode);
};

class FunctionNode : public ffi::Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  ffi::Array<PrimExpr> params;
  PrimExpr body;
  static void RegisterReflection() {
    refl::ObjectDef<FunctionNode>().def_ro("params", &FunctionNode::params).def_ro("body", &FunctionNode::body);
  }
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("contract.Function", FunctionNode, ffi::Object);
};
class Func : public ffi::ObjectRef {
 public:
  Func(ffi::Array<PrimExpr> params, PrimExpr body) : Func(ffi::make_object<FunctionNode>()) {
    static_cast<FunctionNode*>(get_mutable())->params = std::move(params);
    static_cast<FunctionNode*>(get_mutable())->body = std::move(body);
  }
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Func, ffi::ObjectRef, FunctionNode);
};

class IRModuleNode : public ffi::Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  ffi::Map<ffi::String, Func> functions;
  static void RegisterReflection() { refl::ObjectDef<IRModuleNode>().def_ro("functions", &IRModuleNode::functions); }
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("contract.IRModule", IRModuleNode, ffi::Object);
};
class IRModule : public ffi::ObjectRef {
 public:
  explicit IRModule(ffi::Map<ffi::String, Func> functions) : IRModule(ffi::make_object<IRModuleNode>()) {
    static_cast<IRModuleNode*>(get_mutable())->functions = std::move(functions);
  }
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(IRModule, ffi::ObjectRef, IRModuleNode);
};

#endif  // TRANSOM_TESTS_CONTRACT_CONTRACT_TYPES_H_
