// Objects made from names and values, as callers without a class for the type make them.
#include <transom/reflection/field_access.h>
#include <transom/reflection/registry.h>

#include <string>
#include <unordered_map>

#include "graph/native_object.h"
#include "interop/registered_type.h"

namespace transom::interop {
namespace {

const TVMFFITypeInfo* TypeOf(const AnyView& type) {
  if (const auto* index = type.as<int64_t>()) return RegisteredType(*index);
  const auto key = type.cast<String>();
  const TVMFFIByteArray text{key.data(), key.size()};
  int32_t index = 0;
  CheckCall(TVMFFITypeKeyToIndex(&text, &index));
  return TVMFFIGetTypeInfo(index);
}

using Named = std::unordered_map<std::string, AnyView>;

Named NamedValues(const TVMFFITypeInfo* type, PackedArgs args) {
  Named values;
  for (int32_t i = 1; i < args.size(); i += 2) {
    const std::string name = args[i].cast<String>();
    TRANSOM_CHECK(reflection::FindField(type, name) != nullptr, TypeError)
        << "Type `" << detail::ToStringView(type->type_key) << "` does not have field `" << name << "`";
    TRANSOM_CHECK(values.emplace(name, args[i + 1]).second, TypeError)
        << "Field `" << name << "` of type `" << detail::ToStringView(type->type_key) << "` is given twice";
  }
  return values;
}

void MakeObject(PackedArgs args, Any* result) {
  TRANSOM_CHECK(args.size() % 2 == 1, TypeError)
      << "Expected a type, then names and values of fields in turns, but got " << args.size() << " arguments";
  const TVMFFITypeInfo* type = TypeOf(args[0]);
  TRANSOM_CHECK(graph::CanCreate(type->type_index), RuntimeError)
      << "Type `" << detail::ToStringView(type->type_key)
      << "` cannot be created: it has no creator and no `__ffi_new__`";
  const Named values = NamedValues(type, args);
  Any object = graph::CreateEmpty(type->type_index);
  reflection::ForEachField(type, [&](const TVMFFIFieldInfo* field) {
    const std::string name(detail::ToStringView(field->name));
    const auto value = values.find(name);
    if (value != values.end()) return graph::SetField(*field, object, value->second);
    TRANSOM_CHECK(graph::SetDefault(*field, object), TypeError)
        << "Required field `" << name << "` not set in type `" << detail::ToStringView(type->type_key) << "`";
  });
  *result = std::move(object);
}

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def_packed("ffi.MakeObjectFromPackedArgs", &MakeObject,
                                     "Object of a type (key or index) with named field values.");
}

}  // namespace
}  // namespace transom::interop
