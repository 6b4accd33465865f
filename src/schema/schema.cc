#include <transom/schema/schema.h>

#include <transom/runtime/error.h>

#include <mutex>

#include "schema/builder.h"
#include "schema/bundled.h"

namespace transom::schema {
namespace {

// Schemas by the text they were made of. The table does not keep them alive. Never destroyed: schemas may outlive
// static objects.
struct InternTable {
  std::mutex mutex;
  std::unordered_map<std::string_view, const Schema*> by_text;  // keys point into the schemas
};

InternTable& Interned() {
  static auto* table = new InternTable();
  return *table;
}

// Schemas that this library carries. Parsed at first use, kept for the process.
struct BundledTable {
  std::mutex mutex;
  std::unordered_map<std::string_view, SchemaRef> by_name;
};

}  // namespace

SchemaRef::SchemaRef(const Schema* schema) : schema_(schema) {
  if (schema_ != nullptr) schema_->AddRefs(1);
}
SchemaRef::SchemaRef(const SchemaRef& other) : SchemaRef(other.schema_) {}
SchemaRef::~SchemaRef() {
  if (schema_ != nullptr) schema_->DropRefs(1);
}

void Schema::AddRefs(int64_t n) const { refs_.fetch_add(n, std::memory_order_relaxed); }

void Schema::DropRefs(int64_t n) const {
  if (refs_.fetch_sub(n, std::memory_order_acq_rel) == n) SchemaBuilder::Destroy(this);
}

const TypeDescriptor* Schema::Find(std::string_view key) const {
  auto it = by_key_.find(key);
  return it != by_key_.end() ? it->second : nullptr;
}

SchemaRef SchemaBuilder::FindInterned(std::string_view text) {
  InternTable& table = Interned();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto it = table.by_text.find(text);
  if (it == table.by_text.end()) return SchemaRef();
  // A count of 0 belongs to a schema that another thread is about to destroy.
  std::atomic<int64_t>& refs = it->second->refs_;
  int64_t count = refs.load(std::memory_order_relaxed);
  while (count != 0) {
    if (!refs.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel)) continue;
    SchemaRef found(it->second);
    it->second->DropRefs(1);
    return found;
  }
  return SchemaRef();
}

SchemaRef SchemaBuilder::Intern(SchemaRef schema, std::string_view text) {
  if (SchemaRef known = FindInterned(text)) return known;
  InternTable& table = Interned();
  std::lock_guard<std::mutex> lock(table.mutex);
  // Nobody else has seen this schema yet. Where two threads parse one text at once the later one replaces the earlier.
  auto* own = const_cast<Schema*>(schema.get());
  own->text_ = std::string(text);
  table.by_text.erase(own->text_);
  table.by_text.emplace(own->text_, own);
  return schema;
}

void SchemaBuilder::Destroy(const Schema* schema) {
  if (!schema->text_.empty()) {
    InternTable& table = Interned();
    std::lock_guard<std::mutex> lock(table.mutex);
    auto it = table.by_text.find(schema->text_);
    if (it != table.by_text.end() && it->second == schema) table.by_text.erase(it);
  }
  delete schema;
}

SchemaRef Schema::Bundled(std::string_view name) {
  static auto* table = new BundledTable();
  std::lock_guard<std::mutex> lock(table->mutex);
  if (auto it = table->by_name.find(name); it != table->by_name.end()) return it->second;
  std::string names;
  for (const BundledFile& file : BundledFiles()) {
    if (file.name == name) return table->by_name[file.name] = Parse(file.text, "bundled schema " + std::string(name));
    names += (names.empty() ? "" : ", ") + std::string(file.name);
  }
  TRANSOM_THROW(KeyError) << "no bundled schema is named " << Quote(name) << "; there are " << names;
}

std::vector<std::string> Schema::BundledNames() {
  std::vector<std::string> names;
  for (const BundledFile& file : BundledFiles()) names.emplace_back(file.name);
  return names;
}

}  // namespace transom::schema
