#include "src/plan/registers.h"

#include <algorithm>
#include <set>

namespace noclobber {
namespace {

constexpr std::size_t kReportedRegisters = 256;
constexpr std::size_t kDeepestChain = 32;
constexpr std::size_t kStepsRun = 1'000'000;  // counting those of a chain each time it is entered

/// The registers that are defined.
struct Held {
  std::vector<bool> tensors, numbers;
};

class RegisterCheck {
 public:
  explicit RegisterCheck(const RegisterProgram& program) : program_(program) {}

  PlanAnswer run() {
    std::uint64_t all = 0;
    for (const std::uint32_t count : program_.counts) all += count;
    Held held{std::vector<bool>(all, false), std::vector<bool>(program_.numbers, false)};
    for (std::uint32_t k = 0; k < program_.counts[RegisterProgram::constant]; ++k) held.tensors[k] = true;
    slots(program_.states, RegisterProgram::state, "state", held);
    const Held lasting = held;
    if (program_.init >= 0) chain(static_cast<std::uint32_t>(program_.init), held, 0);
    held = lasting;
    slots(program_.inputs, RegisterProgram::input, "input", held);
    chain(program_.main, held, 0);
    for (const RegisterProgram::Slot& slot : program_.outputs) {
      ++answer_.obligations;
      if (!(slot.is_tensor ? held.tensors : held.numbers)[slot.at])
        undefined(slot.is_tensor ? name(slot.at) : number_name(slot.at), "the caller", "the caller");
    }
    return std::move(answer_);
  }

 private:
  std::string name(std::uint32_t tensor) const {
    if (const auto at = program_.names.find(tensor); at != program_.names.end()) return at->second;
    static constexpr const char* kSpaces[] = {"constant", "input", "output", "state", "temporary"};
    return kSpaces[program_.space_of(tensor)] + std::string(" ") + std::to_string(tensor);
  }
  static std::string number_name(std::uint32_t number) { return "number " + std::to_string(number); }
  static std::string place(const RegisterStep& step) {
    return step.op + " at byte " + std::to_string(step.at);
  }

  void report(PlanFault::Kind kind, const std::string& aspect, const std::string& first,
              const std::string& message, const std::string& expected, const std::string& actual) {
    if (answer_.faults.size() >= kReportedRegisters) return;
    PlanFault out;
    out.kind = kind;
    out.first = first;
    out.arena = program_.name;
    out.message = first + message;
    out.aspect = aspect;
    out.expected = expected;
    out.actual = actual;
    answer_.faults.push_back(std::move(out));
  }

  void undefined(const std::string& what, const std::string& by, const std::string& op) {
    if (!answer_.open.empty() || !told_.insert(what).second) return;  // an unknown instruction may write it
    report(PlanFault::Kind::undefined, "read by " + op, what, " is read by " + by + " and nothing wrote it",
           "an array", "nothing");
  }

  /// Checks what the caller gives or keeps: registers of that kind, each listed once.
  void slots(const std::vector<RegisterProgram::Slot>& all, RegisterProgram::Space space, const char* kind,
             Held& held) {
    for (const RegisterProgram::Slot& slot : all) {
      ++answer_.obligations;
      auto bit = (slot.is_tensor ? held.tensors : held.numbers)[slot.at];
      const std::string own = slot.is_tensor ? name(slot.at) : number_name(slot.at);
      if (slot.is_tensor && program_.space_of(slot.at) != space)
        report(PlanFault::Kind::signature, std::string("no ") + kind, own,
               std::string(" is listed as ") + kind + " and is none", kind, name(slot.at));
      else if (bit)
        report(PlanFault::Kind::signature, std::string("twice ") + kind, own,
               std::string(" is listed twice as ") + kind, "once", "twice");
      bit = true;
    }
  }

  void chain(std::uint32_t number, Held& held, std::size_t depth) {
    if (depth > kDeepestChain) return give_up("chains that run each other");
    for (const RegisterStep& step : program_.chains[number]) {
      if (++steps_ > kStepsRun) return give_up("chains that run each other");
      if (step.op.empty()) return give_up("an instruction of a later version");
      reads(step, held);
      accepted(step);
      writes(step);
      switch (step.runs) {
        case RegisterStep::Runs::itself:
          break;
        case RegisterStep::Runs::one_of:
          either(step, held, depth);
          break;
        case RegisterStep::Runs::repeatedly:
          trip(step, held, depth);
          break;
      }
      for (const std::uint32_t k : step.writes) held.tensors[k] = true;
      for (const std::uint32_t k : step.write_numbers) held.numbers[k] = true;
    }
  }

  void reads(const RegisterStep& step, const Held& held) {
    answer_.obligations += step.reads.size() + step.read_numbers.size();
    for (const std::uint32_t k : step.reads)
      if (!held.tensors[k]) undefined(name(k), place(step), step.op);
    for (const std::uint32_t k : step.read_numbers)
      if (!held.numbers[k]) undefined(number_name(k), place(step), step.op);
  }

  void accepted(const RegisterStep& step) {
    if (step.refused.empty()) return;
    ++answer_.obligations;
    report(PlanFault::Kind::refused, "refused by " + step.op, place(step),
           " stops with an error: " + step.refused, "a result", "an error");
  }

  void writes(const RegisterStep& step) {
    std::set<std::uint32_t> own;
    for (const std::uint32_t k : step.writes) {
      ++answer_.obligations;
      if (program_.space_of(k) == RegisterProgram::constant)
        report(PlanFault::Kind::immutable, "written by " + step.op, name(k),
               " is a constant and is written by " + place(step), "what it held", "another array");
      if (!own.insert(k).second && step.runs == RegisterStep::Runs::itself)
        report(PlanFault::Kind::metadata, "twice by " + step.op, name(k),
               " is written twice by " + place(step), "one result", "two results");
    }
  }

  /// Only registers that both arms write are certainly defined afterwards.
  void either(const RegisterStep& step, Held& held, std::size_t depth) {
    Held common = held;
    bool first = true;
    for (const std::uint32_t way : step.chains) {
      Held own = held;
      chain(way, own, depth + 1);
      const auto merge = [&](std::vector<bool>& into, const std::vector<bool>& more) {
        for (std::size_t k = 0; k < into.size(); ++k) into[k] = first ? more[k] : into[k] && more[k];
      };
      merge(common.tensors, own.tensors);
      merge(common.numbers, own.numbers);
      first = false;
    }
    held = std::move(common);
  }

  /// The first iteration has the fewest defined registers. What the chain writes besides its rows may be
  /// undefined afterwards: the trip count may be 0.
  void trip(const RegisterStep& step, Held& held, std::size_t depth) {
    Held own = held;
    for (const std::uint32_t k : step.writes) own.tensors[k] = true;
    for (const std::uint32_t k : step.rows) own.tensors[k] = false;
    for (const std::uint32_t way : step.chains) chain(way, own, depth + 1);
    for (const std::uint32_t k : step.rows) {
      if (!own.tensors[k]) undefined(name(k), place(step), step.op);
      held.tensors[k] = true;
    }
  }

  void give_up(const char* what) {
    const std::pair<std::string, std::string> entry{"unsupported-op", program_.name + ": " + what};
    if (std::ranges::find(answer_.open, entry) == answer_.open.end()) answer_.open.push_back(entry);
  }

  const RegisterProgram& program_;
  PlanAnswer answer_;
  std::set<std::string> told_;
  std::size_t steps_ = 0;
};

/// The live registers: (is a tensor, number).
using LiveRegisters = std::set<std::pair<bool, std::uint32_t>>;

bool writes_any(const RegisterStep& step, const LiveRegisters& live) {
  const auto in = [&](bool tensor) {
    return [&live, tensor](std::uint32_t at) { return live.contains({tensor, at}); };
  };
  return std::ranges::any_of(step.writes, in(true)) || std::ranges::any_of(step.write_numbers, in(false));
}

/// Updates the live set across a step that is not dead.
void read_before(const RegisterStep& step, LiveRegisters& live) {
  for (const std::uint32_t at : step.writes) live.erase({true, at});
  for (const std::uint32_t at : step.write_numbers) live.erase({false, at});
  for (const std::uint32_t at : step.reads) live.insert({true, at});
  for (const std::uint32_t at : step.read_numbers) live.insert({false, at});
}

}  // namespace

PlanAnswer check_registers(const RegisterProgram& program) { return RegisterCheck(program).run(); }

std::vector<std::size_t> dead_steps(const RegisterProgram& program) {
  bool all_live = false;  // every register is live
  LiveRegisters live;
  for (const auto* slots : {&program.outputs, &program.states})
    for (const RegisterProgram::Slot& slot : *slots) live.insert({slot.is_tensor, slot.at});
  const std::vector<RegisterStep>& steps = program.chains[program.main];
  std::vector<std::size_t> out;
  for (std::size_t k = steps.size(); k-- > 0 && !all_live;) {
    const RegisterStep& step = steps[k];
    all_live = step.op.empty() || step.runs != RegisterStep::Runs::itself;
    const bool used = writes_any(step, live);
    if (all_live || used)
      read_before(step, live);
    else if (!step.writes.empty() || !step.write_numbers.empty())
      out.push_back(k);
  }
  std::ranges::reverse(out);
  return out;
}

std::size_t steps_of(const RegisterProgram& program) {
  std::size_t out = 0;
  for (const auto& chain : program.chains) out += chain.size();
  return out;
}

}  // namespace noclobber
