// A program over registers that hold immutable arrays: a write replaces the array in a register. The payload
// of ExecuTorch's MLX delegate is such a program.
//
//   registers   constants, inputs, outputs, state, temporaries: numbered in this order
//   step        reads registers, then writes some; may run chains of steps: one of two, or one many times
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace noclobber {

struct RegisterStep {
  enum class Runs : std::uint8_t { itself, one_of, repeatedly };
  std::string op;  // "ExpNode"; "" for a kind that this version does not know
  Runs runs = Runs::itself;
  std::vector<std::uint32_t> reads, writes;                // tensors
  std::vector<std::uint32_t> read_numbers, write_numbers;  // registers of numbers
  std::vector<std::uint32_t> chains;
  std::vector<std::uint32_t> rows;  // tensors that the chain writes on every trip; the step stacks them
  std::size_t at = 0;               // byte offset in the file
  std::string refused;              // why its handler raises an error on its operands; "": not known to
  friend bool operator==(const RegisterStep&, const RegisterStep&) = default;
};

struct RegisterProgram {
  enum Space : std::uint8_t { constant, input, output, state, temporary };
  std::string name;
  std::array<std::uint32_t, 5> counts{};  // tensors, by space
  std::uint32_t numbers = 0;              // registers of numbers
  std::vector<std::vector<RegisterStep>> chains;
  std::uint32_t main = 0;
  std::int64_t init = -1;  // chain that runs once, before all others; -1: none
  struct Slot {
    std::uint32_t at = 0;
    bool is_tensor = true;
    friend bool operator==(const Slot&, const Slot&) = default;
  };
  std::vector<Slot> inputs, outputs, states;  // given, returned, kept between calls
  std::map<std::uint32_t, std::string> names;
  friend bool operator==(const RegisterProgram&, const RegisterProgram&) = default;

  /// The space of a tensor register; `temporary` also if there is no such register.
  Space space_of(std::uint32_t tensor) const {
    std::uint64_t end = 0;
    for (std::uint8_t k = 0; k < 4; ++k) {
      end += counts[k];
      if (tensor < end) return static_cast<Space>(k);
    }
    return temporary;
  }
};

}  // namespace noclobber
