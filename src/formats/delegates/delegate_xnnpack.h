// The payload of an XNNPACK delegate: values, and the nodes that compute them. Schema facts:
// backends/xnnpack/serialization/schema.fbs of ExecuTorch 1.5.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/graph/dtype.h"
#include "src/text/flat.h"

namespace noclobber {

/// The id of no value, and the number of no argument of a call.
inline constexpr std::uint32_t kNoXnnId = 0xFFFFFFFF;

/// Quantization of integers: they represent (integer - zero) * scale.
struct XnnQuantum {
  float scale = 0;
  std::int32_t zero = 0;
  std::uint32_t scales = 0;   // index of the data with one scale per channel; 0: one scale for all
  std::uint32_t channel = 0;  // the dimension of the channels, if each has its own scale
  bool operator==(const XnnQuantum&) const = default;
};

struct XnnValue {
  std::uint32_t id = 0;
  Dtype dtype = Dtype::other;         // of its elements; other: also if not understood
  std::optional<XnnQuantum> quantum;  // of i8 and i32
  std::vector<std::int64_t> dims;
  std::uint32_t data = 0;             // index of its constant data; 0: none
  std::uint32_t external = kNoXnnId;  // its number as an argument of the delegate's call
  std::uint32_t flags = 0;
};

struct XnnNode {
  std::string_view kind;              // "Conv2d"; "" for one that this version does not know
  std::vector<std::uint32_t> inputs;  // kNoXnnId for one that is left out
  std::uint32_t output = kNoXnnId;
  std::vector<std::int64_t> numbers;  // in the order of the schema
  std::vector<std::vector<std::int64_t>> lists;
  std::vector<float> reals;
  std::optional<std::pair<float, float>> clamp;  // bounds of its output
  std::uint32_t flags = 0;
};

/// Contents of a constant: in the payload after its table, or in the program under the name `key`.
struct XnnData {
  std::string key;
  std::uint64_t offset = 0, size = 0;
  std::optional<std::string> bytes;  // if available
};

struct XnnProgram {
  std::vector<XnnValue> values;
  std::vector<XnnNode> nodes;
  std::vector<XnnData> data;

  const XnnValue* find(std::uint32_t id) const;
};

/// `behind`: the bytes after the table, which hold the constants. Faults are recorded in `flat`.
XnnProgram read_xnnpack(FlatBytes& flat, std::string_view behind);

}  // namespace noclobber
