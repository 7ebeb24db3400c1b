// Types as Thunder prints them, and the real inputs as `inputs.json` (noclobber.inputs/1) describes them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// "cpu f32[3, 3]", "cuda:0 bf16[]", "FUTURE cpu f32[2]". A symbolic size has the value that was traced.
/// Strides are contiguous. Empty if the text is no tensor type, or its sizes are invalid.
std::optional<Type> thunder_tensor_type(std::string_view text);
/// "int 2", "float 0.0", "bool True": the number, as an argument.
std::optional<Arg> thunder_number(std::string_view text);
/// "dtypes.float32", "dtypes.float32_", "torch.float32", "float8_e4m3fn".
std::optional<Dtype> thunder_dtype(std::string_view name);

/// One argument of the computation as it was at run time.
struct ThunderInput {
  std::string name;
  Type type;
  std::string storage;                   // "" if no other input shares it
  std::optional<SymExpr> storage_numel;  // if shared: the extent that its inputs cover, in elements
};
struct ThunderFacts {
  bool known = false;  // an inputs.json was given
  std::vector<ThunderInput> inputs;
};
/// error: `where` is a JSON pointer or "line N, column M".
Result<ThunderFacts> read_thunder_inputs(std::string_view text);

}  // namespace noclobber
