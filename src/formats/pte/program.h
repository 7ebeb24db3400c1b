// The contents of an ExecuTorch program file, before any analysis. Schema facts: program.fbs of
// ExecuTorch 1.x (file identifier ET12). Indices have been checked: values, operators, jumps.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/formats/delegates/delegate_payload.h"
#include "src/graph/dtype.h"

namespace noclobber {

struct PteTensor {
  Dtype dtype = Dtype::other;
  std::vector<std::int64_t> sizes;      // upper bounds if `dynamic`
  std::vector<std::uint8_t> dim_order;  // a permutation of the dimensions, outermost first
  std::uint32_t data = 0;               // index of its constant data; 0: none
  std::string digest;                   // SHA-256 of that data in row-major order, if it lies in this file
  std::string contents;                 // that data in row-major order, if also at most kKeptConstant bytes
  struct Place {
    std::uint32_t arena = 0;
    std::int64_t offset = 0;
  };
  std::optional<Place> place;
  bool dynamic = false;
  std::string fqn;
  bool external = false;  // its data lie in another file
};

struct PteValue {
  enum class Kind : std::uint8_t {
    none,
    integer,
    boolean,
    real,
    tensor,
    text,
    integers,  // items: values of kind integer
    reals,
    booleans,
    tensors  // items: values of kind tensor, -1 for none
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  // integer, boolean
  double real = 0;
  PteTensor tensor;
  std::string text;
  std::vector<std::int64_t> items;  // integers, tensors; booleans
  std::vector<double> reals;
  std::size_t at = 0;  // byte offset in the file
};

struct PteInstruction {
  enum class Kind : std::uint8_t { kernel, delegate, move, jump_false, release };
  Kind kind = Kind::release;
  std::uint32_t target = 0;            // kernel: operator; delegate; jump_false: instruction, may be the end
  std::vector<std::uint32_t> args;     // values; move: from, to; jump_false: condition
  std::size_t at = 0;                  // byte offset in the file
  std::optional<std::size_t> results;  // delegate: number of the first argument that is a result, if known
  bool guessed = false;                // `results` is inferred from first uses, as no payload gives it
};

struct PteMethod {
  std::string name;
  std::vector<PteValue> values;
  std::vector<std::uint32_t> inputs, outputs;
  std::vector<PteInstruction> instructions;
  std::vector<std::string> operators;  // "aten.add.out"
  std::vector<PteDelegate> delegates;
  std::vector<std::int64_t> arenas;  // bytes; [0] is not used
  std::vector<PteTensor> shared;     // state of all methods in arenas that methods share
};

/// error: `where` is "byte N".
Result<std::vector<PteMethod>> read_pte(std::string_view bytes);
bool is_pte(std::string_view bytes);

/// Bytes of a tensor of these (upper bounds of) sizes; empty on overflow or if the dtype's width is unknown.
std::optional<std::int64_t> pte_bytes(const PteTensor& tensor);

}  // namespace noclobber
