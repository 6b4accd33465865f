#include <transom/formats/patch.h>

#include <transom/containers/map.h>
#include <transom/containers/string.h>
#include <transom/runtime/error.h>
#include <transom/structural/hash.h>

#include "formats/json/json_error.h"
#include "formats/json/json_reader.h"
#include "formats/json/json_writer.h"
#include "formats/nodes/json_value.h"
#include "formats/nodes/patch_script.h"
#include "formats/nodes/references.h"
#include "graph/type_check.h"
#include "structural/diff/edit_script.h"
#include "structural/rules/places.h"

namespace transom {
namespace {

constexpr int64_t kVersion = 1;

// What a patch says of the two values.
struct Header {
  StructuralOptions options;
  std::string old_digest;
  std::string new_digest;
};

std::string HeaderText(const Header& header, int indent) {
  const std::string space = indent == 0 ? "" : " ";
  const auto member = [&](const char* name, const std::string& value) {
    return std::string("\"") + name + "\":" + space + value;
  };
  const auto flag = [](bool b) { return std::string(b ? "true" : "false"); };
  const std::string comma = "," + space;
  return "{" + member("version", std::to_string(kVersion)) + comma + member("old", "\"" + header.old_digest + "\"") +
         comma + member("new", "\"" + header.new_digest + "\"") + comma +
         member("map_free_vars", flag(header.options.map_free_vars)) + comma +
         member("skip_tensor_content", flag(header.options.skip_tensor_content)) + "}";
}

class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view source) : source_(source) {
    const Any value = formats::ParseJsonValue(text);
    const auto members = value.try_cast<Map<String, Any>>();
    if (!members) Fail("is no object");
    members_ = *members;
  }

  Header Read(const schema::SchemaRef& rules) {
    const Any version = Member("version");
    if (version.type_index() != kTVMFFIInt || version.cast<int64_t>() < 1) Fail("has no \"version\" from 1 on");
    if (version.cast<int64_t>() > kVersion) {
      Fail("has version " + std::to_string(version.cast<int64_t>()) + ", and this program knows version " +
               std::to_string(kVersion) + "; a newer one may know it",
           formats::Unreadable::kNewer);
    }
    Header header;
    header.options.as_files = true;
    header.options.rules = rules;
    header.options.map_free_vars = Flag("map_free_vars");
    header.options.skip_tensor_content = Flag("skip_tensor_content");
    header.old_digest = DigestOf("old");
    header.new_digest = DigestOf("new");
    return header;
  }

 private:
  Any Member(const char* name) {
    const auto value = members_.get(String(name));
    return value.has_value() ? Any(*value) : Any();
  }
  bool Flag(const char* name) {
    const Any value = Member(name);
    if (value.type_index() != kTVMFFIBool) Fail(std::string("has no \"") + name + "\" that is true or false");
    return value.cast<bool>();
  }
  std::string DigestOf(const char* name) {
    const auto text = Member(name).try_cast<String>();
    if (!text || text->size() != 32) Fail(std::string("has no \"") + name + "\" of 32 hexadecimal digits");
    return std::string(*text);
  }
  [[noreturn]] void Fail(const std::string& what, formats::Unreadable why = formats::Unreadable::kDamaged) {
    formats::ThrowAt(source_, 0, "the member \"transom_patch\" " + what, why);
  }

  std::string_view source_;
  Map<String, Any> members_;
};

// Edits put values into fields without asking what these are declared to be, and containers into fields of others.
void CheckDeclaredTypes(graph::PlanTable& plans, const Any& value, size_t patch_size) {
  const structural::Places places(plans, *value.raw());
  const int32_t record_type = RecordObj::RuntimeTypeIndex();
  graph::TypeChecks checks(patch_size + 8 * places.objects().size());
  for (const TVMFFIAny& object : places.objects()) {
    const RecordObj* record = AsRecord(object, record_type);
    if (record == nullptr || record->descriptor->custom_data) continue;
    graph::TypeCheck& check = checks.Of(record->descriptor->schema);
    for (uint32_t i = 0; i < record->descriptor->fields.size(); ++i) {
      const schema::FieldDescriptor& field = record->descriptor->fields[i];
      const TVMFFIAny part = *record->Get(i).raw();
      if (check.Fits(field.type, part)) continue;
      TRANSOM_THROW(PatchError) << graph::PathText(places.PathTo(object.v_obj), true) << "." << field.name
                                << ": a value of type " << field.type_text << " is declared there, and the patch puts "
                                << check.Describe(field.type, part);
    }
  }
}

void CheckDigest(AnyView value, const StructuralOptions& options, const std::string& wanted, const char* what) {
  const std::string found = StructuralDigest(value, options).ToString();
  TRANSOM_CHECK(found == wanted, PatchError) << what << ": expected the digest " << wanted << ", found " << found;
}

}  // namespace

std::string SavePatch(AnyView old_value, AnyView new_value, const StructuralOptions& options, const SaveOptions& save) {
  Header header;
  header.options = options;
  header.options.as_files = true;
  header.old_digest = StructuralDigest(old_value, header.options).ToString();
  header.new_digest = StructuralDigest(new_value, header.options).ToString();
  graph::PlanTable plans(options.rules);
  const structural::EditScript script =
      structural::MakeEditScript(plans, *old_value.raw(), *new_value.raw(), header.options);
  const structural::Places places(plans, *old_value.raw());
  const formats::PatchForm form{HeaderText(header, save.indent), places};
  return formats::WriteJson(formats::ScriptToArrays(script), save, &form);
}

LoadResult ApplyPatch(AnyView old_value, std::string_view patch, const LoadOptions& options,
                      const schema::SchemaRef& rules) {
  const std::string text(patch);
  const std::string_view member = formats::PatchHeader(text, options.source);
  if (member.empty())
    formats::ThrowAt(options.source, 0, "no patch: a patch is a JSON object whose first member is \"transom_patch\"");
  const Header header = HeaderReader(member, options.source).Read(rules);
  CheckDigest(old_value, header.options, header.old_digest, "the patch is for another value");
  graph::PlanTable plans(rules);
  formats::References references(plans, *old_value.raw());
  LoadResult result = formats::LoadJsonText(text, options, &references);
  const structural::EditScript script = formats::ScriptFromArrays(result.value);
  result.value = structural::ApplyEditScript(plans, *old_value.raw(), script);
  CheckDeclaredTypes(plans, result.value, text.size());
  CheckDigest(result.value, header.options, header.new_digest,
              "the result of the patch is not the value that it was made for; the old value shares or orders its parts "
              "in another way than the one "
              "that the patch was made of, or the patch is damaged");
  return result;
}

}  // namespace transom
