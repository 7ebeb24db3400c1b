#include "src/graph/seeded_draws.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "src/graph/rewritten.h"

namespace noclobber {
namespace {

constexpr std::string_view kSeed = "prims.inductor_seed.default";
constexpr std::string_view kSeeds = "prims.inductor_seeds.default";
constexpr std::string_view kLookup = "prims.inductor_lookup_seed.default";
constexpr std::string_view kSaves = "higher_order.run_and_save_rng_state";  // runs its first argument

/// A draw that Inductor replaces with `seeded`: the leading arguments stay, then come the seed and the mode.
struct DrawForm {
  std::string_view op, seeded;
  std::size_t leading;
  const char* mode;  // nullptr: none
};
constexpr std::array kDrawForms = {
    DrawForm{"aten.rand.default", "prims.inductor_random.default", 1, "rand"},
    DrawForm{"aten.randn.default", "prims.inductor_random.default", 1, "randn"},
    DrawForm{"aten.randint.low", "prims.inductor_randint.default", 3, nullptr},
};

std::string drawn_device(const Step& step) {
  for (const auto& [key, arg] : step.kwargs)
    if (key == "device" && arg.kind == Arg::Kind::device) return arg.text;
  return "";
}

const DrawForm* draw_form(const Graph& graph, const Step& step) {
  for (const DrawForm& form : kDrawForms) {
    if (step.op != form.op || step.args.size() != form.leading || step.results.size() != 1) continue;
    const ValueId result = step.results[0];
    if (result.valid() && graph.value(result).type && !drawn_device(step).empty()) return &form;
  }
  return nullptr;
}

/// The number of seeds that the first call for each device gives; -1 if it is not a constant.
std::map<std::string, std::int64_t> seeds_given(const Graph& graph) {
  std::map<std::string, std::int64_t> out;
  for (const Step& step : graph.steps) {
    const bool saves = step.op->starts_with(kSaves) && !step.args.empty() &&
                       step.args[0].kind == Arg::Kind::text && step.args[0].text == kSeeds;
    const std::size_t at = saves ? 1 : 0;
    if ((step.op != kSeeds && !saves) || step.args.size() != at + 2) continue;
    if (step.args[at + 1].kind != Arg::Kind::device) continue;
    const Arg& count = step.args[at];
    const bool is_number = count.kind == Arg::Kind::sym && count.sym.is_constant();
    out.try_emplace(step.args[at + 1].text, is_number ? count.sym.constant() : -1);
  }
  return out;
}

/// The device of a step that draws one seed; "" for any other.
std::string seeded_device(const Step& step) {
  const bool is_seed = step.op == kSeed && step.args.size() == 1 && step.args[0].kind == Arg::Kind::device &&
                       step.results.size() == 1 && step.results[0].valid();
  return is_seed ? std::string(step.args[0].text) : "";
}

/// The number of seeds that are drawn one by one, per device.
std::map<std::string, std::int64_t> single_seeds(const Graph& graph) {
  std::map<std::string, std::int64_t> out;
  for (const Step& step : graph.steps)
    if (const std::string device = seeded_device(step); !device.empty()) ++out[device];
  return out;
}

/// Rewrites a graph with seeded draws, step by step.
class Seeder {
 public:
  /// `one_by_one`: each draw draws a seed of its own, else all seeds are drawn at once.
  Seeder(Graph& graph, std::map<std::string, std::int64_t> counts, bool one_by_one)
      : graph_(graph), counts_(std::move(counts)), one_by_one_(one_by_one) {}
  void run() {
    for (Step& step : graph_.take_old()) {
      const DrawForm* form = draw_form(graph_.graph(), step);
      const std::string single = one_by_one_ ? "" : seeded_device(step);
      if (form != nullptr && counts_.contains(drawn_device(step)))
        draw(std::move(step), *form);
      else if (!single.empty() && counts_.contains(single))
        look_up(std::move(step), single);
      else
        graph_.append(std::move(step));
    }
  }

 private:
  struct Seeds {
    ValueId value;
    std::int64_t next = 0;
  };
  Seeds& seeds_of(const Step& step, const std::string& device);
  ValueId seed(const Step& step);
  void draw(Step step, const DrawForm& form);
  void look_up(Step step, const std::string& device);

  GraphRewriter graph_;
  std::map<std::string, std::int64_t> counts_;  // draws per device
  bool one_by_one_;
  std::map<std::string, Seeds> seeds_;
};

Type seed_type(const std::string& device) {
  Type type;
  type.dtype = Dtype::i64;
  type.device = device;
  return type;
}

/// The seeds of the device, drawn before the first of them is used.
Seeder::Seeds& Seeder::seeds_of(const Step& step, const std::string& device) {
  Seeds& seeds = seeds_[device];
  if (!seeds.value.valid()) {
    const SymExpr count(counts_.at(device));
    Type all = seed_type(device);
    all.shape = {count};
    seeds.value = graph_.add(step, kSeeds, {Arg::of(count), Arg::of_device(device)}, all, "inductor_seeds");
  }
  return seeds;
}

/// A step that draws a seed of its own becomes a lookup of the next of all seeds.
void Seeder::look_up(Step step, const std::string& device) {
  Seeds& seeds = seeds_of(step, device);
  step.op = kLookup;
  step.args = {Arg::of(seeds.value), Arg::of(SymExpr(seeds.next++))};
  graph_.append(std::move(step));
}

ValueId Seeder::seed(const Step& step) {
  const std::string device = drawn_device(step);
  const Type type = seed_type(device);
  if (one_by_one_) return graph_.add(step, kSeed, {Arg::of_device(device)}, type, "inductor_seed");
  Seeds& seeds = seeds_of(step, device);
  return graph_.add(step, kLookup, {Arg::of(seeds.value), Arg::of(SymExpr(seeds.next++))}, type,
                    "inductor_lookup_seed");
}

/// The numbers are made in the default type, and converted if another one is asked for.
void Seeder::draw(Step step, const DrawForm& form) {
  const Type wanted = *graph_.graph().value(step.results[0]).type;
  Type made = wanted;
  made.dtype = form.mode != nullptr ? Dtype::f32 : Dtype::i64;
  std::vector<Arg> args = step.args;
  args.push_back(Arg::of(seed(step)));
  if (form.mode != nullptr) args.push_back(Arg::of_text(form.mode));
  step.op = form.seeded;
  if (made.dtype != wanted.dtype) {
    const ValueId numbers = graph_.add(step, form.seeded, std::move(args), made, "inductor_random");
    step.op = "prims.convert_element_type.default";
    args = {Arg::of(numbers), Arg::of_dtype(wanted.dtype)};
  }
  step.args = std::move(args);
  step.kwargs.clear();
  graph_.append(std::move(step));
}

}  // namespace

bool draw_by_seeds(Case& value) {
  if (!value.before || !seeds_given(*value.before).empty()) return false;
  const std::map<std::string, std::int64_t> singles = single_seeds(*value.before);
  std::map<std::string, std::int64_t> given = seeds_given(value.after);
  const bool one_by_one = given.empty();
  if (one_by_one) given = single_seeds(value.after);
  if (given.empty()) return false;
  std::map<std::string, std::int64_t> drawn = one_by_one ? std::map<std::string, std::int64_t>{} : singles;
  for (const Step& step : value.before->steps)
    if (draw_form(*value.before, step) != nullptr) ++drawn[drawn_device(step)];
  std::erase_if(drawn, [&](const auto& own) {
    const auto at = given.find(own.first);
    const auto before = singles.find(own.first);
    const bool more = one_by_one && before != singles.end();  // single seeds that `before` already draws
    return at == given.end() || at->second != own.second + (more ? before->second : 0);
  });
  if (drawn.empty()) return false;
  Seeder(*value.before, std::move(drawn), one_by_one).run();
  return true;
}

}  // namespace noclobber
