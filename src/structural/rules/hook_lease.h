/*
 * What a type's hook is given to call back: it is good as long as the hook runs, though the hook may keep it.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_HOOK_LEASE_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_HOOK_LEASE_H_

#include <transom/runtime/error.h>
#include <transom/schema/descriptor.h>

#include <memory>
#include <string_view>
#include <utility>

#include "structural/rules/hook_stack.h"

namespace transom::structural {

/*! \brief Lends `T` to the holders of `get()` until this is destroyed. */
template <class T>
class HookLease {
 public:
  class Borrowed {
   public:
    explicit Borrowed(std::shared_ptr<T*> lent) : lent_(std::move(lent)) {}
    /*! \brief RuntimeError: the hook has returned. */
    T& operator*() const {
      TRANSOM_CHECK(*lent_ != nullptr, RuntimeError) << "a comparison callback was called after its hook had returned";
      return **lent_;
    }

   private:
    std::shared_ptr<T*> lent_;
  };

  /*! \param hook The attribute that is about to be called. RuntimeError: the thread's stack is nearly full of such calls
   * inside each other. */
  HookLease(T* lent, std::string_view hook) : lent_(std::make_shared<T*>(lent)) { CheckStackForHook(hook); }
  ~HookLease() { *lent_ = nullptr; }
  HookLease(const HookLease&) = delete;
  HookLease& operator=(const HookLease&) = delete;
  Borrowed get() const { return Borrowed(lent_); }

 private:
  std::shared_ptr<T*> lent_;
};

/*! \brief The region that a hook asks for. ValueError: no such kind. */
inline schema::DefRegion HookRegion(int region) {
  TRANSOM_CHECK(region >= kTVMFFIDefRegionKindNone && region <= kTVMFFIDefRegionKindNonRecursive, ValueError)
      << "expected 0, 1 or 2 as the kind of a definition region, found " << region;
  return static_cast<schema::DefRegion>(region);
}

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_HOOK_LEASE_H_
