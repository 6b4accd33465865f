// Digest of a descriptor: what two schemas have to agree on to describe one type.
#include <transom/runtime/any.h>
#include <transom/schema/descriptor.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

#include "schema/builder.h"

namespace transom::schema {
namespace {

constexpr uint8_t kDigestVersion = 1;

// Collects the serialisation: numbers little-endian, texts after their length.
class DigestText {
 public:
  void Byte(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void Number(uint64_t value) {
    char raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    bytes_.append(raw, sizeof(raw));
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_.append(text);
  }
  void Fields(const std::vector<uint16_t>& fields) {
    Number(fields.size());
    for (uint16_t field : fields) Number(field);
  }
  void Type(std::string_view text) {
    std::string normalized;
    AppendNormalizedType(text, &normalized);
    Text(normalized);
  }
  void Default(const Any& value) {
    if (const String* text = value.as<String>()) {
      Number(kTVMFFIStr);
      return Text(*text);
    }
    Number(static_cast<uint64_t>(value.type_index()));
    Number(value.raw()->v_uint64);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

void SetDigest(TypeDescriptor* type) {
  DigestText text;
  text.Byte(kDigestVersion);
  text.Text(type->key);
  for (int word : {0, 1}) text.Number(type->parent != nullptr ? type->parent->digest[word] : 0);
  text.Byte(static_cast<uint8_t>(type->structural));
  text.Byte(type->hook);
  text.Byte(type->custom_data);
  text.Byte(type->has_compare);
  text.Fields(type->compare);
  text.Number(static_cast<uint64_t>(type->compare_if_field));
  text.Text(type->compare_if_type);
  text.Fields(type->compare_then);
  text.Number(static_cast<uint64_t>(type->label_field));
  for (size_t i = type->num_inherited; i < type->fields.size(); ++i) {
    const FieldDescriptor& field = type->fields[i];
    text.Text(field.name);
    text.Type(field.type_text);
    text.Byte(field.ignore);
    text.Byte(static_cast<uint8_t>(field.def));
    text.Byte(field.has_default);
    text.Byte(field.default_is_known);
    if (field.default_is_known) text.Default(field.default_value);
  }
  XXH128_hash_t hash = XXH3_128bits(text.bytes().data(), text.bytes().size());
  type->digest[0] = hash.low64;
  type->digest[1] = hash.high64;
}

}  // namespace transom::schema
