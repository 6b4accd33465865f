/*
 * A stack of plain values, for walks.
 */
#ifndef TRANSOM_SRC_GRAPH_STACK_H_
#define TRANSOM_SRC_GRAPH_STACK_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace transom::graph {

/*! \brief Like std::vector for values that are copied bit by bit, with a push that is a few instructions. Pushing moves
 * the values. */
template <class T>
class Stack {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  Stack() = default;
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() { std::free(begin_); }

  size_t size() const { return static_cast<size_t>(top_ - begin_); }
  bool empty() const { return top_ == begin_; }
  T* data() { return begin_; }
  T& operator[](size_t i) { return begin_[i]; }
  const T& operator[](size_t i) const { return begin_[i]; }
  T& back() { return top_[-1]; }
  T* begin() { return begin_; }
  T* end() { return top_; }
  const T* begin() const { return begin_; }
  const T* end() const { return top_; }

  /*! \brief Room for `n` more at the top; their values are not set. */
  T* Extend(size_t n) {
    Reserve(n);
    T* top = top_;
    top_ += n;
    return top;
  }
  /*! \brief Memory for `n` more than there are. */
  void Reserve(size_t n) {
    if (n > static_cast<size_t>(limit_ - top_)) Grow(n);
  }
  void push_back(const T& value) {
    const T copy = value;  // it may be one of these
    *Extend(1) = copy;
  }
  /*! \brief push_back with memory that Reserve gave. */
  void PushReserved(const T& value) { *top_++ = value; }
  void pop_back() { --top_; }
  /*! \brief Takes the last `n` away. */
  void Drop(size_t n) { top_ -= n; }
  /*! \brief Keeps the first `n`. */
  void Truncate(size_t n) { top_ = begin_ + n; }
  /*! \brief Gives the memory back. */
  void Release() {
    std::free(begin_);
    begin_ = top_ = limit_ = nullptr;
  }

 private:
  [[gnu::noinline]] void Grow(size_t n) {
    constexpr size_t kFirst = 64;
    const size_t size = this->size();
    const size_t old = static_cast<size_t>(limit_ - begin_);
    size_t capacity = old < kFirst ? kFirst : 2 * old;
    if (capacity < size + n) capacity = size + n;
    // Large blocks move by their pages, without a copy.
    void* data =
        capacity > SIZE_MAX / sizeof(T) ? nullptr : std::realloc(static_cast<void*>(begin_), capacity * sizeof(T));
    if (data == nullptr) throw std::bad_alloc();
    begin_ = static_cast<T*>(data);
    top_ = begin_ + size;
    limit_ = begin_ + capacity;
  }

  // Pointers, so that what a walk asks most, the top, is one load away.
  T* begin_ = nullptr;
  T* top_ = nullptr;
  T* limit_ = nullptr;
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_STACK_H_
