#include "src/graph/seeded_draws.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "src/graph/rewritten.h"

namespace noclobber {
namespace {

constexpr std::string_view kSeeds = "prims.inductor_seeds.default";
constexpr std::string_view kLookup = "prims.inductor_lookup_seed.default";

/// A draw that Inductor replaces: leading arguments stay, the seed follows them, then the mode.
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

/// How many seeds the first call for each device gives; nothing for a device where nobody knows.
std::map<std::string, std::int64_t> seeds_given(const Graph& graph) {
  std::map<std::string, std::int64_t> out;
  for (const Step& step : graph.steps) {
    if (step.op != kSeeds || step.args.size() != 2 || step.args[1].kind != Arg::Kind::device) continue;
    const Arg& count = step.args[0];
    const bool is_number = count.kind == Arg::Kind::sym && count.sym.is_constant();
    out.try_emplace(step.args[1].text, is_number ? count.sym.constant() : -1);
  }
  return out;
}

/// The graph with seeded draws, step by step.
class Seeder {
 public:
  Seeder(Graph& graph, std::map<std::string, std::int64_t> counts)
      : graph_(graph), counts_(std::move(counts)) {}
  void run() {
    for (Step& step : graph_.take_old()) {
      const DrawForm* form = draw_form(graph_.graph(), step);
      if (form != nullptr && counts_.contains(drawn_device(step)))
        draw(std::move(step), *form);
      else
        graph_.append(std::move(step));
    }
  }

 private:
  struct Seeds {
    ValueId value;
    std::int64_t next = 0;
  };
  ValueId seed(const Step& step);
  void draw(Step step, const DrawForm& form);

  GraphRewriter graph_;
  std::map<std::string, std::int64_t> counts_;  // draws per device
  std::map<std::string, Seeds> seeds_;
};

ValueId Seeder::seed(const Step& step) {
  const std::string device = drawn_device(step);
  Type type;
  type.dtype = Dtype::i64;
  type.device = device;
  Seeds& seeds = seeds_[device];
  if (!seeds.value.valid()) {
    const SymExpr count(counts_.at(device));
    Type all = type;
    all.shape = {count};
    seeds.value = graph_.add(step, kSeeds, {Arg::of(count), Arg::of_device(device)}, all, "inductor_seeds");
  }
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
  const std::map<std::string, std::int64_t> given = seeds_given(value.after);
  if (given.empty()) return false;
  std::map<std::string, std::int64_t> drawn;
  for (const Step& step : value.before->steps)
    if (draw_form(*value.before, step) != nullptr) ++drawn[drawn_device(step)];
  std::erase_if(drawn, [&](const auto& own) {
    const auto at = given.find(own.first);
    return at == given.end() || at->second != own.second;
  });
  if (drawn.empty()) return false;
  Seeder(*value.before, std::move(drawn)).run();
  return true;
}

}  // namespace noclobber
