// What an ExecuTorch program says of a delegate. Programs do not say which arguments of a call are results:
// payloads do, those of MLX (formats/mlx/payload.h) and, here, of XNNPACK and Vulkan: a header of 30 bytes,
// then a FlatBuffers table with the numbers of its inputs and outputs. Schema facts:
// backends/xnnpack/serialization/schema.fbs and backends/vulkan/serialization/schema.fbs of ExecuTorch 1.5.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/formats/delegates/delegate_xnnpack.h"
#include "src/graph/registers.h"

namespace noclobber {

struct PteDelegate {
  std::string id;                          // of the backend: "XnnpackBackend"
  std::string digest;                      // SHA-256 of the payload, and of what it is compiled for
  std::optional<RegisterProgram> program;  // what it runs, if that is one over registers
  struct Roles {
    std::size_t inputs = 0;  // of a call's arguments, before its outputs
    std::optional<std::size_t> outputs;
    bool is_function = false;  // nothing lasts from call to call, nothing is drawn
  };
  std::optional<Roles> roles;           // where the payload says them
  std::shared_ptr<XnnProgram> xnnpack;  // what it computes, if XNNPACK does
};

/// Fills `out` from the payload of a delegate that lies at byte `base` of the file; of other backends nothing
/// is read. error: `where` is "byte N".
std::optional<Diagnostic> read_payload(std::string_view bytes, std::size_t base, PteDelegate& out);

}  // namespace noclobber
