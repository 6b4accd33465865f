/*
 * Values through .tsm files: what the tests of the format share.
 */
#ifndef TRANSOM_TESTS_FORMATS_TSM_TEXT_H_
#define TRANSOM_TESTS_FORMATS_TSM_TEXT_H_

#include <gtest/gtest.h>
#include <transom/formats/json_graph.h>
#include <transom/formats/tsm.h>
#include <transom/structural/hash.h>

#include <string>

namespace transom::testing {

inline LoadOptions RecordsAlways() {
  LoadOptions options;
  options.types = LoadTypes::kRecords;
  return options;
}

inline Digest FileDigest(const Any& value) {
  StructuralOptions options;
  options.as_files = true;
  return StructuralDigest(value, options);
}

// The JSON graph without a schema: equal texts mean equal values with the same sharing.
inline std::string TextOf(const Any& value) {
  SaveOptions options;
  options.embed_schema = EmbedSchema::kNever;
  return SaveJSON(value, options);
}

// What the file holds is the value: the same text, digest and, saved again, the same bytes. Natively and as records.
inline void ExpectLoads(const std::string& bytes, const Any& value, const SaveOptions& save = {}) {
  for (const LoadTypes types : {LoadTypes::kNative, LoadTypes::kRecords}) {
    LoadOptions options;
    options.types = types;
    const LoadResult result = LoadTSM(bytes, options);
    EXPECT_EQ(TextOf(result.value), TextOf(value));
    EXPECT_EQ(FileDigest(result.value), FileDigest(value));
    EXPECT_EQ(result.metadata, save.metadata);
    EXPECT_TRUE(SaveTSM(result.value, save) == bytes) << TextOf(value);
  }
}

inline void ExpectRoundTrip(const Any& value, const SaveOptions& save = {}) {
  ExpectLoads(SaveTSM(value, save), value, save);
  EXPECT_EQ(TextOf(DeserializeFromBase64(SerializeToBase64(value))), TextOf(value));
}

}  // namespace transom::testing
#endif  // TRANSOM_TESTS_FORMATS_TSM_TEXT_H_
