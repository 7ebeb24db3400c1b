// What the payload of an XNNPACK delegate says: values, and the calls that make them. Schema facts:
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

/// Of values and of arguments of a call: none.
inline constexpr std::uint32_t kNoXnnId = 0xFFFFFFFF;

/// How integers stand for numbers: (integer - zero) * scale.
struct XnnQuantum {
  float scale = 0;
  std::int32_t zero = 0;
  std::uint32_t scales = 0;   // number of the data with a scale for each channel; 0: one for all
  std::uint32_t channel = 0;  // the dimension that counts channels, if each has its own
  bool operator==(const XnnQuantum&) const = default;
};

struct XnnValue {
  std::uint32_t id = 0;
  Dtype dtype = Dtype::other;         // of its elements; other: also of what is not understood
  std::optional<XnnQuantum> quantum;  // of i8 and i32
  std::vector<std::int64_t> dims;
  std::uint32_t data = 0;             // number of its constant data; 0: none
  std::uint32_t external = kNoXnnId;  // number of the argument of the delegate's call that it is
  std::uint32_t flags = 0;
};

struct XnnNode {
  std::string_view kind;              // "Conv2d"; "" for one that this version does not know
  std::vector<std::uint32_t> inputs;  // kNoXnnId for one that is left out
  std::uint32_t output = kNoXnnId;
  std::vector<std::int64_t> numbers;  // in the order of the schema
  std::vector<std::vector<std::int64_t>> lists;
  std::vector<float> reals;
  std::optional<std::pair<float, float>> clamp;  // of what it makes
  std::uint32_t flags = 0;
};

/// Contents of a constant: in the payload behind its table, or in the program under a name.
struct XnnData {
  std::string key;
  std::uint64_t offset = 0, size = 0;
  std::optional<std::string> bytes;  // where they are at hand
};

struct XnnProgram {
  std::vector<XnnValue> values;
  std::vector<XnnNode> nodes;
  std::vector<XnnData> data;

  const XnnValue* find(std::uint32_t id) const;
};

/// `behind`: what follows the table, with the constants.
XnnProgram read_xnnpack(FlatBytes& flat, std::string_view behind);

}  // namespace noclobber
