#include "interop/text_pieces.h"

#include <transom/runtime/error.h>

#include <utility>

namespace transom::interop {

uint32_t TextPieces::Add(TextPiece piece) {
  piece.length = piece.text.size();
  for (const TextPiece::Insert& insert : piece.inserts) piece.length += pieces_[insert.piece].length;
  TRANSOM_CHECK(piece.length <= kMaxLength, ValueError)
      << "The text of the value would have more than " << kMaxLength
      << " bytes: parts of it that occur several times are written as often";
  pieces_.push_back(std::move(piece));
  return static_cast<uint32_t>(pieces_.size()) - 1;
}

std::string TextPieces::TextOf(uint32_t piece) const {
  struct Place {
    const TextPiece* piece;
    size_t at;
    size_t next_insert;
  };
  std::string text;
  text.reserve(pieces_[piece].length);
  std::vector<Place> stack{{&pieces_[piece], 0, 0}};
  while (!stack.empty()) {
    Place& place = stack.back();
    const TextPiece& current = *place.piece;
    if (place.next_insert == current.inserts.size()) {
      text.append(current.text, place.at, std::string::npos);
      stack.pop_back();
      continue;
    }
    const TextPiece::Insert& insert = current.inserts[place.next_insert++];
    text.append(current.text, place.at, insert.at - place.at);
    place.at = insert.at;
    stack.push_back({&pieces_[insert.piece], 0, 0});
  }
  return text;
}

}  // namespace transom::interop
