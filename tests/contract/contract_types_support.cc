#include "contract/contract_types.h"

TRANSOM_STATIC_INIT_BLOCK() {
  PrimExprNode::RegisterReflection();
  IntImmNode::RegisterReflection();
  FunctionNode::RegisterReflection();
  IRModuleNode::RegisterReflection();
}
