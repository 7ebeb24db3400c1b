// A delegate of an ExecuTorch program. The program does not say which arguments of a call are results; the
// payload does, for MLX (formats/mlx/payload.h) and, here, for XNNPACK and Vulkan: a header of 30 bytes, then
// a FlatBuffers table with the numbers of its inputs and outputs. Schema facts:
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
  std::string digest;                      // SHA-256 of the payload and its compile specs
  std::optional<RegisterProgram> program;  // what it runs, if that is a register program
  struct Roles {
    std::size_t inputs = 0;  // leading arguments of a call; outputs follow
    std::optional<std::size_t> outputs;
    bool is_function = false;  // no state between calls, no random draws
  };
  std::optional<Roles> roles;           // if the payload gives them
  std::shared_ptr<XnnProgram> xnnpack;  // what it computes, if the backend is XNNPACK
};

/// Fills `out` from the payload of a delegate at byte `base` of the file. Payloads of other backends are not
/// read. Empty on success. error: `where` is "byte N".
std::optional<Diagnostic> read_payload(std::string_view bytes, std::size_t base, PteDelegate& out);

}  // namespace noclobber
