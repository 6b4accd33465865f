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
  ~Stack() { std::free(data_); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  /*! \brief Room for `n` more at the top; their values are not set. */
  T* Extend(size_t n) {
    if (n > capacity_ - size_) Grow(n);
    T* top = data_ + size_;
    size_ += n;
    return top;
  }
  void push_back(const T& value) {
    const T copy = value;  // it may be one of these
    *Extend(1) = copy;
  }
  void pop_back() { --size_; }
  /*! \brief Keeps the first `n`. */
  void Truncate(size_t n) { size_ = n; }
  /*! \brief Gives the memory back. */
  void Release() {
    std::free(data_);
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

 private:
  void Grow(size_t n) {
    constexpr size_t kFirst = 64;
    size_t capacity = capacity_ < kFirst ? kFirst : 2 * capacity_;
    if (capacity < size_ + n) capacity = size_ + n;
    // Large blocks move by their pages, without a copy.
    void* data =
        capacity > SIZE_MAX / sizeof(T) ? nullptr : std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (data == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(data);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_STACK_H_
