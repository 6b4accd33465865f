// The base types of enums: front ends make a type for each enum, and register its members in an EnumState.
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/reflection/registry.h>

namespace transom::interop {
namespace {

// A member of an enum.
class EnumObj : public Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  int64_t int_index = 0;
  String str_index;
  TRANSOM_DECLARE_OBJECT_INFO("ffi.Enum", EnumObj, Object);
};
static_assert(sizeof(EnumObj) == 48, "layout of the C contract");

// A member whose value is its integer index.
class IntEnumObj : public EnumObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO("ffi.IntEnum", IntEnumObj, EnumObj);
};

// A member whose value is its string index.
class StrEnumObj : public EnumObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO("ffi.StrEnum", StrEnumObj, EnumObj);
};

// The members of an enum: value of the attribute `__ffi_enum__` of its type.
class EnumStateObj : public Object {
 public:
  List<ObjectRef> entries;
  Dict<Any, ObjectRef> indexes;
  Dict<String, Dict<ObjectRef, Any>> attrs;
  TRANSOM_DECLARE_OBJECT_INFO("ffi.EnumState", EnumStateObj, Object);
};
static_assert(sizeof(EnumStateObj) == 48, "layout of the C contract");

TRANSOM_STATIC_INIT_BLOCK() {
  namespace refl = reflection;
  refl::ObjectDef<EnumStateObj>()
      .def(refl::init<>())
      .def_ro("entries", &EnumStateObj::entries, "Members in the order of their registration.", refl::InitOff())
      .def_ro("indexes", &EnumStateObj::indexes, "Members by integer and by string index.", refl::InitOff())
      .def_ro("attrs", &EnumStateObj::attrs, "By name of an attribute: its values by member.", refl::InitOff());
  refl::ObjectDef<EnumObj>()
      .no_init()
      .def_ro("_int_index", &EnumObj::int_index, "Integer index.", refl::SEqHashIgnore())
      .def_ro("_str_index", &EnumObj::str_index, "String index.");
  refl::ObjectDef<IntEnumObj>().no_init().def_ro("value", &IntEnumObj::int_index, "The integer index.",
                                                 refl::SEqHashIgnore(), refl::InitOff());
  refl::ObjectDef<StrEnumObj>().no_init().def_ro("value", &StrEnumObj::str_index, "The string index.",
                                                 refl::SEqHashIgnore(), refl::InitOff());
}

}  // namespace
}  // namespace transom::interop
