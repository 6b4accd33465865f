/*
 * A .tsm file taken apart, so that tests can change what is behind its checksums.
 */
#ifndef TRANSOM_SUPPORT_TSM_FILE_H_
#define TRANSOM_SUPPORT_TSM_FILE_H_

#include <tsm_generated.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace transom::testing {

/*! \brief What the footer says beside the sizes and checksums of the sections. */
struct TsmFooterFields {
  uint16_t major = 0;
  uint16_t minor = 1;
  uint32_t reserved = 0;
  int64_t more_graph_bytes = 0;  // added to the sizes that are right
  int64_t more_blob_bytes = 0;
  int64_t more_file_bytes = 0;
};

/*! \brief A file of these sections. `blobs`: with the zero bytes between blobs. */
std::string TsmFileOf(std::string_view graph, std::string_view blobs, const TsmFooterFields& footer = {});

/*! \brief The graph section of a good file, and its blob section. */
std::string_view GraphSection(std::string_view file);
std::string_view BlobSection(std::string_view file);

/*! \brief The tables of a good file. */
struct TsmParts {
  tsm::GraphT graph;
  std::string blobs;              // the blob section
  bool has_node_groups8 = false;  // whether the table is there, though it may be empty
  bool has_node_groups16 = false;
  bool aligned_schemas = true;  // schemas begin at multiples of 8

  static TsmParts Of(std::string_view file);
  /*! \brief The graph section. A list column without a vector gets the empty one of its form. */
  std::string GraphBytes() const;
  std::string ToFile() const { return TsmFileOf(GraphBytes(), blobs); }

  /*! \brief The first group of a form; std::runtime_error: there is none. */
  tsm::GroupT& Group(tsm::Form form);
  /*! \brief Changes schema `i`. */
  void EditSchema(size_t i, const std::function<void(tsm::SchemaT&)>& edit);
  /*! \brief Adds a blob after the others and returns its number; its checksum is right. */
  uint32_t AddBlob(std::string_view bytes);
};

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_TSM_FILE_H_
