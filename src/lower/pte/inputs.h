// The inputs of a method: user inputs in order, state, constants.
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

/// What an instruction does with a value.
struct PteTouch {
  enum class Kind : std::uint8_t { read, given, made, moved };
  std::uint32_t id = 0;
  Kind kind = Kind::read;
};

void add_inputs(PteBuilder& p);
std::vector<PteTouch> touches(const PteBuilder& p);
void add_input(PteBuilder& p, const Input& like, std::string name, Type type,
               std::optional<std::uint32_t> id);
bool same_size(const PteBuilder& p, const Graph& functional, const Input& input, std::uint32_t id);
bool surely_state(const PteBuilder& p, std::uint32_t id);

}  // namespace noclobber
