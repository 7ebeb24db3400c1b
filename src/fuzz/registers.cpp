// Register programs, as delegates run them: sound ones, and ones that certainly break one rule.
#include <algorithm>

#include "src/fuzz/probe.h"

namespace noclobber::fuzz {
namespace {

class RegisterWriter {
 public:
  explicit RegisterWriter(Random& random) : random_(random) {
    for (std::uint32_t& count : out_.counts) count = static_cast<std::uint32_t>(random_.between(1, 3));
    out_.name = "delegate";
    out_.chains.emplace_back();
  }

  RegisterProgram write(const std::string& fault) {
    for (std::uint32_t k = 0; k < out_.counts[Space::input]; ++k) list(out_.inputs, first(Space::input) + k);
    for (std::uint32_t k = 0; k < out_.counts[Space::state]; ++k) list(out_.states, first(Space::state) + k);
    for (std::uint32_t k = 0; k < first(Space::output); ++k) held_.push_back(k);
    for (std::uint32_t k = 0; k < out_.counts[Space::state]; ++k) held_.push_back(first(Space::state) + k);
    for (std::uint32_t k = 0; k < out_.counts[Space::temporary]; ++k) step(first(Space::temporary) + k);
    for (std::uint32_t k = 0; k < out_.counts[Space::output]; ++k) {
      step(first(Space::output) + k);
      list(out_.outputs, first(Space::output) + k);
    }
    if (!fault.empty()) damage(fault);
    return out_;
  }

 private:
  using Space = RegisterProgram::Space;

  /// Registers are numbered space by space.
  std::uint32_t first(Space space) const {
    std::uint32_t at = 0;
    for (std::uint8_t k = 0; k < space; ++k) at += out_.counts[k];
    return at;
  }
  static void list(std::vector<RegisterProgram::Slot>& slots, std::uint32_t at) {
    slots.push_back({at, true});
  }
  std::uint32_t any_held() { return random_.one_of(held_); }
  void step(std::uint32_t writes) {
    RegisterStep one;
    one.op = random_.chance(50) ? "AddNode" : "ExpNode";
    one.reads.assign(static_cast<std::size_t>(random_.between(1, 2)), any_held());
    one.writes = {writes};
    one.at = 8 * (out_.chains[0].size() + 1);
    out_.chains[0].push_back(one);
    held_.push_back(writes);
  }

  void damage(const std::string& fault) {
    auto& steps = out_.chains[0];
    if (fault == "register-signature") {
      const bool other = random_.chance(50);  // a constant, or an input listed twice
      list(out_.inputs, other ? 0 : first(Space::input));
    } else if (fault == "register-constant") {
      steps.back().writes[0] = 0;
      step(first(Space::output) + out_.counts[Space::output] - 1);
    } else {  // register-undefined: reads what is written later
      steps.front().reads[0] = steps.back().writes[0];
    }
  }

  Random& random_;
  RegisterProgram out_;
  std::vector<std::uint32_t> held_;
};

}  // namespace

RegisterProgram random_registers(Random& random, const std::string& fault) {
  return RegisterWriter(random).write(fault);
}

}  // namespace noclobber::fuzz
