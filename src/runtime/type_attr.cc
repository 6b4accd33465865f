#include <transom/runtime/any.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/arguments.h"
#include "runtime/fatal.h"
#include "runtime/function_table.h"
#include "runtime/type_table.h"

namespace transom::runtime {
namespace {

/* Columns that code compiled against the contract looks up once and remembers, so they exist from the start. */
constexpr const char* kInitialColumns[] = {
    "__any_hash__",     "__any_equal__",      "__s_equal__",          "__s_hash__",   "__s_visit__",     "__s_mutate__",
    "__data_to_json__", "__data_from_json__", "__ffi_shallow_copy__", "__ffi_repr__", "__ffi_hash__",    "__ffi_eq__",
    "__ffi_compare__",  "__ffi_new__",        "__ffi_init__",         "__ffi_enum__", "__ffi_convert__",
};

/* A column that readers use without a lock: an entry is published after its payload, a larger array before its size.
 * Outgrown arrays stay alive; the newest one owns the values. */
class AttrColumn {
 public:
  const TVMFFITypeAttrColumn* view() const { return &column_; }

  void Set(int32_t type_index, Any value) {
    if (type_index >= column_.size) Grow(type_index + 1);
    TVMFFIAny* entry = &arrays_.back()[static_cast<size_t>(type_index)];
    TVMFFIAny owned = value.Release();
    entry->zero_padding = owned.zero_padding;
    entry->v_uint64 = owned.v_uint64;
    __atomic_store_n(&entry->type_index, owned.type_index, __ATOMIC_RELEASE);
  }
  bool Has(int32_t type_index) const {
    return type_index < column_.size && column_.data[type_index].type_index != kTVMFFINone;
  }

 private:
  void Grow(int32_t min_size) {
    auto size = std::max<int64_t>(min_size, std::min<int64_t>(int64_t{column_.size} * 2, INT32_MAX));
    auto array = std::make_unique<TVMFFIAny[]>(static_cast<size_t>(size));
    std::copy_n(column_.data, column_.size, array.get());
    arrays_.push_back(std::move(array));
    const TVMFFIAny* data = arrays_.back().get();
    __atomic_store_n(&column_.data, data, __ATOMIC_RELEASE);
    __atomic_store_n(&column_.size, static_cast<int32_t>(size), __ATOMIC_RELEASE);
  }

  TVMFFITypeAttrColumn column_{nullptr, 0, 0};
  std::vector<std::unique_ptr<TVMFFIAny[]>> arrays_;
};

/* Integers are keys of maps by their value. Hooks by address, as FormOfAddressHooks has them for this release. */
int64_t HashBigInt(const TVMFFIAny* value) {
  const TVMFFIByteArray words = TVMFFIBigIntGetContentByteArray(value);
  return static_cast<int64_t>(detail::HashBytes(words.data, words.size));
}
bool EqualBigInts(const TVMFFIAny* lhs, const TVMFFIAny* rhs) {
  return detail::ToStringView(TVMFFIBigIntGetContentByteArray(lhs)) == detail::ToStringView(TVMFFIBigIntGetContentByteArray(rhs));
}

class AttrTable {
 public:
  static AttrTable* Global() {
    static AttrTable* const table = new AttrTable();
    return table;
  }

  const TVMFFITypeAttrColumn* Find(std::string_view name) const {
    std::shared_lock lock(mutex_);
    auto it = columns_.find(std::string(name));
    return it == columns_.end() ? nullptr : it->second->view();
  }

  void Register(int32_t type_index, std::string_view name, AnyView value) {
    const TypeEntry* type = TypeTable::Global()->Get(type_index);
    PinLibrariesOf(*value.raw());
    std::unique_lock lock(mutex_);
    std::unique_ptr<AttrColumn>& column = columns_[std::string(name)];
    if (column == nullptr) column = std::make_unique<AttrColumn>();
    if (type_index == kTVMFFINone) return;
    TRANSOM_CHECK(!column->Has(type_index), RuntimeError)
        << "Type `" << type->key << "` has a value of the attribute `" << name << "` already";
    column->Set(type_index, Any(value));
  }

 private:
  AttrTable() {
    for (const char* name : kInitialColumns) columns_[name] = std::make_unique<AttrColumn>();
    columns_["__any_hash__"]->Set(kTVMFFIBigInt, Any(reinterpret_cast<void*>(&HashBigInt)));
    columns_["__any_equal__"]->Set(kTVMFFIBigInt, Any(reinterpret_cast<void*>(&EqualBigInts)));
  }
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<AttrColumn>> columns_;
};

}  // namespace
}  // namespace transom::runtime

using transom::runtime::AttrTable;

namespace {
constexpr const char* kName = "the name of an attribute";
}  // namespace

int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray* attr_name, const TVMFFIAny* attr_value) {
  TRANSOM_SAFE_CALL_BEGIN();
  AttrTable::Global()->Register(type_index, transom::runtime::TextArgument(attr_name, kName),
                                attr_value == nullptr ? transom::AnyView() : transom::AnyView::FromRaw(*attr_value));
  TRANSOM_SAFE_CALL_END();
}

const TVMFFITypeAttrColumn* TVMFFIGetTypeAttrColumn(const TVMFFIByteArray* attr_name) {
  return transom::runtime::OrExit("TVMFFIGetTypeAttrColumn",
                                  [&] { return AttrTable::Global()->Find(transom::runtime::TextArgument(attr_name, kName)); });
}
