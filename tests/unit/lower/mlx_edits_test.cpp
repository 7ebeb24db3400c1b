// Payloads of MLX with one edit each, as a pass that hands out registers might make it by mistake. What an
// edit changes is decided by terms over registers, which share nothing with the reader.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "src/formats/mlx/payload.h"
#include "src/lower/mlx/case.h"
#include "src/lower/mlx/ops.h"
#include "tests/support/sample.h"
#include "tests/unit/lower/pte_program.h"

namespace mlx_edits_test {

using namespace noclobber;

namespace {

constexpr const char* kEditedGraphs[] = {"seed",  "chain", "diamond", "tower", "clamp",  "norm",
                                         "gates", "two",   "signs",   "fan",   "ladder", "pick"};

struct Edited {
  std::string what;
  RegisterProgram program;
  std::vector<std::size_t> from;  // per instruction: which one of the right payload it was
};

std::vector<RegisterStep>& main_of(RegisterProgram& program) { return program.chains[program.main]; }

/// What the registers hold, as terms, and what each read of an instruction found.
struct Meaning {
  std::vector<std::string> outputs;
  std::map<std::size_t, std::vector<std::string>> found;                // by instruction of the right payload
  std::map<std::size_t, std::vector<std::set<std::string>>> held_once;  // of the registers it reads
  bool reads_nothing = false, writes_constant = false;
};

bool has_any_order(const std::string& op) {
  constexpr std::string_view kOps[] = {"AddNode", "MultiplyNode", "MaximumNode", "MinimumNode"};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

Meaning meaning_of(const Edited& edited) {
  const RegisterProgram& program = edited.program;
  std::map<std::uint32_t, std::string> held;
  std::map<std::uint32_t, std::set<std::string>> once;
  const auto store = [&](std::uint32_t at, const std::string& term) { once[at].insert(held[at] = term); };
  for (const auto& [at, name] : program.names)
    if (program.space_of(at) == RegisterProgram::constant || program.space_of(at) == RegisterProgram::state)
      store(at, name);
  for (std::size_t k = 0; k < program.inputs.size(); ++k)
    store(program.inputs[k].at, "input" + std::to_string(k));
  Meaning out;
  const auto load = [&](std::uint32_t at) {
    out.reads_nothing = out.reads_nothing || !held.contains(at);
    return held.contains(at) ? held[at] : "nothing";
  };
  const std::vector<RegisterStep>& steps = program.chains[program.main];
  for (std::size_t k = 0; k < steps.size(); ++k) {
    std::vector<std::string> reads;
    for (const std::uint32_t at : steps[k].reads) {
      reads.push_back(load(at));
      out.held_once[edited.from[k]].push_back(once[at]);
    }
    out.found[edited.from[k]] = reads;
    if (has_any_order(steps[k].op)) std::ranges::sort(reads);
    const bool plain = !mlx_op_of(steps[k].op).op.empty();
    std::string term = steps[k].op + (plain ? "" : "#" + std::to_string(edited.from[k])) + "(";
    for (const std::string& read : reads) term += read + ",";
    for (std::size_t j = 0; j < steps[k].writes.size(); ++j) {
      out.writes_constant =
          out.writes_constant || program.space_of(steps[k].writes[j]) == RegisterProgram::constant;
      store(steps[k].writes[j], steps[k].op == "IdCopyNode" ? reads[0] : term + ")" + std::to_string(j));
    }
  }
  for (const RegisterProgram::Slot& slot : program.outputs) out.outputs.push_back(load(slot.at));
  return out;
}

/// The rules that may be named, the best of them first.
std::set<std::string> rules_of(const Meaning& right, const Meaning& edited) {
  if (edited.reads_nothing) return {"uninitialized-read"};
  if (edited.writes_constant) return {"immutable-write"};
  for (const auto& [step, found] : edited.found) {
    const auto meant = right.found.find(step);
    if (meant == right.found.end()) continue;
    for (std::size_t j = 0; j < found.size(); ++j)
      if (found[j] != meant->second[j] && edited.held_once.at(step)[j].contains(meant->second[j]))
        return {"stale-read", "value-mismatch", "metadata"};
  }
  return {"value-mismatch", "metadata", "stale-read", "alias-growth"};
}

class Edits {
 public:
  explicit Edits(const RegisterProgram& right) : right_{"right", right, {}} {
    for (std::size_t k = 0; k < main_of(right_.program).size(); ++k) right_.from.push_back(k);
    for (const std::uint32_t count : right.counts) registers_ += count;
  }
  const Edited& right() const { return right_; }

  std::vector<Edited> all() {
    const std::size_t steps = right_.from.size();
    for (std::size_t k = 0; k < steps; ++k) {
      for (std::uint32_t at = 0; at < registers_; ++at) one_register(k, at);
      dropped(k);
      moved(k, k + 1);
      moved(k, 0);
      repeated(k);
    }
    for (std::uint32_t at = 0; at < registers_; ++at) returned(at);
    return std::move(edits_);
  }

 private:
  void add(const std::string& what, const std::function<void(Edited&)>& edit) {
    Edited made = right_;
    made.what = what;
    edit(made);
    edits_.push_back(std::move(made));
  }

  void one_register(std::size_t k, std::uint32_t at) {
    const RegisterStep& step = main_of(right_.program)[k];
    const std::string where = " of instruction " + std::to_string(k) + " is register " + std::to_string(at);
    for (std::size_t j = 0; j < step.reads.size(); ++j)
      if (step.reads[j] != at)
        add("operand " + std::to_string(j) + where, [&](Edited& e) { main_of(e.program)[k].reads[j] = at; });
    if (step.writes.size() != 1 || step.writes[0] == at) return;
    const std::uint32_t old = step.writes[0];
    add("the result" + where, [&](Edited& e) { main_of(e.program)[k].writes[0] = at; });
    add("the result, and all that read it," + where, [&](Edited& e) {
      auto& steps = main_of(e.program);
      steps[k].writes[0] = at;
      bool live = true;
      for (std::size_t later = k + 1; later < steps.size() && live; ++later) {
        std::ranges::replace(steps[later].reads, old, at);
        live = std::ranges::find(steps[later].writes, old) == steps[later].writes.end();
      }
      for (auto& slot : e.program.outputs)
        if (live && slot.at == old) slot.at = at;
    });
  }

  void dropped(std::size_t k) {
    add("instruction " + std::to_string(k) + " is dropped", [&](Edited& e) {
      main_of(e.program).erase(main_of(e.program).begin() + static_cast<std::ptrdiff_t>(k));
      e.from.erase(e.from.begin() + static_cast<std::ptrdiff_t>(k));
    });
  }

  void moved(std::size_t k, std::size_t to) {
    if (k == to || to >= right_.from.size()) return;
    add("instruction " + std::to_string(k) + " is moved to " + std::to_string(to), [&](Edited& e) {
      const auto turn = [&](auto& all) {
        const auto begin = all.begin();
        const auto a = static_cast<std::ptrdiff_t>(k), b = static_cast<std::ptrdiff_t>(to);
        k < to ? std::rotate(begin + a, begin + a + 1, begin + b + 1)
               : std::rotate(begin + b, begin + a, begin + a + 1);
      };
      turn(main_of(e.program));
      turn(e.from);
    });
  }

  void repeated(std::size_t k) {
    add("instruction " + std::to_string(k) + " runs again at the end", [&](Edited& e) {
      main_of(e.program).push_back(main_of(e.program)[k]);
      e.from.push_back(e.from[k]);
    });
  }

  void returned(std::uint32_t at) {
    for (std::size_t k = 0; k < right_.program.outputs.size(); ++k)
      if (right_.program.outputs[k].at != at)
        add("output " + std::to_string(k) + " is register " + std::to_string(at),
            [&](Edited& e) { e.program.outputs[k].at = at; });
  }

  Edited right_;
  std::uint32_t registers_ = 0;
  std::vector<Edited> edits_;
};

struct Figures {
  int wrong = 0, refuted = 0, named = 0, proved = 0, right = 0, right_refuted = 0;
};

CheckRecord judged(const Case& pair, const RegisterProgram& program) {
  Case value = pair;
  auto made = case_of_mlx(program, *value.before);
  REQUIRE(made);
  value.after = std::move(made->after);
  value.assumed = std::move(made->assumed);
  value.registers = {program};
  bool contradiction = false;
  CheckRecord record = check_case(value, {}, contradiction);
  CHECK_FALSE(contradiction);
  return record;
}

void count(const Case& pair, const Edited& edited, const Meaning& right, Figures& to) {
  const Meaning meaning = meaning_of(edited);
  const CheckRecord record = judged(pair, edited.program);
  const bool refuted = record.status == Status::refuted;
  if (meaning.outputs == right.outputs && !meaning.writes_constant && !meaning.reads_nothing) {
    ++to.right;
    to.right_refuted += refuted ? 1 : 0;
    INFO(edited.what);
    CHECK_FALSE(refuted);
    return;
  }
  const auto rules = rules_of(right, meaning);
  const bool named =
      std::ranges::any_of(record.findings, [&](const Finding& f) { return rules.contains(f.property); });
  ++to.wrong;
  to.refuted += refuted ? 1 : 0;
  to.named += refuted && named ? 1 : 0;
  to.proved += record.status == Status::proved ? 1 : 0;
  INFO(edited.what);
  CHECK(record.status != Status::proved);
}

}  // namespace

TEST_CASE("mlx: of one edit in payloads of twelve graphs no wrong one is proved and no right one refuted",
          "[mlx]") {
  Figures all;
  for (const char* graph : kEditedGraphs) {
    INFO(graph);
    const std::string path = kPrograms + "mlx-" + graph;
    const Work work = work_of_pair(path + ".case.json", path + ".mlx");
    REQUIRE(work.kind == Work::Kind::check);
    REQUIRE(work.value.registers.size() == 1);
    Edits edits(work.value.registers[0]);
    CHECK(judged(work.value, edits.right().program).status == Status::proved);
    const Meaning right = meaning_of(edits.right());
    const std::vector<Edited> made = edits.all();
    const std::size_t every = std::max<std::size_t>(1, made.size() / noclobber::testing::sampled(60));
    for (std::size_t k = 0; k < made.size(); k += every) count(work.value, made[k], right, all);
  }
  INFO(all.wrong << " wrong, " << all.refuted << " refuted, " << all.named << " by the rule; " << all.right
                 << " right, " << all.right_refuted << " refuted");
  CHECK(all.wrong >= static_cast<int>(noclobber::testing::sampled(300)));
  CHECK(all.right >= static_cast<int>(noclobber::testing::sampled(20)));
  CHECK(all.proved == 0);
  CHECK(all.right_refuted == 0);
  if (noclobber::testing::every() == 1)
    CHECK(all.named * 100 >= all.wrong * 95);  // of few edits, one is much
}

}  // namespace mlx_edits_test
