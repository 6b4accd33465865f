#include "runtime/chain_node.h"

TRANSOM_TEST_CHAIN_NODE("test.chain_one");
