/*
 * Text of graphs, made from the parts up: what a value's text is made of is put together once for all places where the
 * value occurs.
 */
#ifndef TRANSOM_SRC_INTEROP_TEXT_PIECES_H_
#define TRANSOM_SRC_INTEROP_TEXT_PIECES_H_

#include <transom/export.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace transom::interop {

/*! \brief A text with other pieces inserted. */
struct TextPiece {
  struct Insert {
    size_t at;       // place in the text
    uint32_t piece;  // its number
  };
  std::string text;
  std::vector<Insert> inserts;  // by place
  uint64_t length = 0;          // of the whole text
};

/*! \brief Owns pieces, numbered in the order of their making. */
class TRANSOM_API TextPieces {
 public:
  /*! \brief Longest text that is put together. */
  static constexpr uint64_t kMaxLength = uint64_t{1} << 30;

  /*! \brief Number of a new piece, whose inserts exist. ValueError: its text would be longer than kMaxLength. */
  uint32_t Add(TextPiece piece);
  /*! \brief The whole text of a piece. No recursion. */
  std::string TextOf(uint32_t piece) const;

 private:
  std::deque<TextPiece> pieces_;
};

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_TEXT_PIECES_H_
