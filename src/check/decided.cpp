#include "src/check/decided.h"

#include <algorithm>
#include <unordered_map>

#include "src/certify/lemmas.h"
#include "src/check/assumable.h"
#include "src/effects/loops.h"
#include "src/graph/body_key.h"
#include "src/ops/branches.h"
#include "src/ops/devices.h"
#include "src/prover/order.h"
#include "src/prover/prover.h"
#include "src/second/direct.h"
#include "src/second/direct_order.h"
#include "src/values/sharing.h"

namespace noclobber {
namespace {

constexpr std::size_t kShownPairs = 16;
constexpr int kNestedBodies = 64;
constexpr std::size_t kAskedRebuilt = 4;  // most open obligations to ask a solver about

/// `may_share` matters only for an output and an input in one storage. Of the other pairs one is enough: it
/// states that the caller makes the output anew.
Boundary boundary_of(const Case& value, const Trace& after) {
  Boundary out{value.compare_strides, value.sharing_may_grow, value.sharing_may_shrink, {}};
  if (value.may_share.empty()) return out;
  std::unordered_multimap<std::string_view, std::uint32_t> named;
  for (std::uint32_t k = 0; k < after.inputs.size(); ++k) named.emplace(after.inputs[k].name, k);
  for (const auto& [output, name] : value.may_share) {
    const TraceView* view = output_view(after, output);
    for (auto [at, end] = named.equal_range(name); at != end; ++at)
      if (!made_anew(out, output) ||
          (view != nullptr && view->storage == after.inputs[at->second].view.storage))
        out.may_share.emplace(output, at->second);
  }
  return out;
}

/// The Traces of one world, and the decision about them.
struct ShownCase {
  Traced traced;
  Boundary boundary;
  std::vector<Obligation> all;
  Decision decision;
  std::set<Obligation> by_solver;
  std::vector<checker::Lemma> lemmas;  // for the checker
  std::vector<std::map<std::string, std::int64_t>> models;
  std::optional<Traced> running;  // without identities, if `traced` has them

  const Trace* before() const { return traced.before ? &*traced.before : nullptr; }
};

/// True if all are about contents: a solver's answer does not count for other obligations.
bool all_compare_contents(const std::vector<Obligation>& open) {
  using enum Obligation::Kind;
  return std::all_of(open.begin(), open.end(), [](const Obligation& o) {
    return o.kind == value || o.kind == exit || o.kind == current || o.kind == current_output;
  });
}

/// --engine auto: the rules, then the solver for the equalities that they leave open: first about their
/// terms, then by the second engine. `terms` may come from an earlier pass over the Traces.
void show_by_rules(ShownCase& shown, Engine& engine, Terms& terms, bool ask) {
  Space& space = engine.space();
  Rules rules(space, terms, shown.before(), shown.traced.after, shown.boundary);
  shown.decision = decide(rules, shown.all, {});
  if (shown.decision.proved) shown.lemmas = find_lemmas(space, terms, rules.of_before(), rules.of_after());
  if (rules.exhausted()) engine.questions.limit();  // then there is nothing to ask a solver either
  if (!ask || shown.decision.open.empty() || rules.exhausted() || engine.options.no_assumptions) return;
  Solved solved = solve(space, terms, rules, shown.decision.open, engine.questions);
  if (!solved.shown.empty()) shown.decision = decide(rules, shown.all, solved.shown);
  shown.by_solver = std::move(solved.shown);
  shown.models = std::move(solved.models);
  if (solved.hopeless || shown.decision.open.empty() || !all_compare_contents(shown.decision.open)) return;
  DirectAnswer second = decide_directly(space, shown.before(), shown.traced.after, shown.boundary,
                                        shown.decision.open, engine.questions);
  if (second.shown.empty()) return;
  shown.by_solver.merge(second.shown);
  shown.decision = decide(rules, shown.all, shown.by_solver);
}

/// --engine z3: the solver for everything, without the rules.
void show_by_questions(ShownCase& shown, Engine& engine) {
  if (engine.options.no_assumptions) {
    shown.decision.open = shown.all;
    return;
  }
  DirectAnswer answer = decide_directly(engine.space(), shown.before(), shown.traced.after, shown.boundary,
                                        shown.all, engine.questions);
  for (const Obligation& o : shown.all)
    if (!answer.shown.contains(o)) shown.decision.open.push_back(o);
  shown.decision.by_solver = answer.by_solver;
  shown.decision.by_rule = answer.shown.size() - answer.by_solver;
  shown.decision.proved = shown.decision.open.empty();
  shown.by_solver = std::move(answer.shown);
  shown.models = std::move(answer.models);
}

ShownCase show(const Case& value, Identities use, const Loops& loops, bool ask, Engine& engine,
               Terms& terms) {
  ShownCase out;
  out.traced = trace_case(value, engine.ops, engine.sizes, use, loops);
  out.boundary = boundary_of(value, out.traced.after);
  out.all = enumerate(out.before(), out.traced.after, out.boundary);
  if (engine.options.solver_only)
    show_by_questions(out, engine);
  else
    show_by_rules(out, engine, terms, ask);
  return out;
}

/// Sets how far the Traces follow the identities of their steps, and collects the assumptions of these.
void follow(Traced& traced, Identities use) {
  std::set<std::string> assumes;
  for (Trace* trace : {traced.before ? &*traced.before : nullptr, &traced.after}) {
    if (trace == nullptr) continue;
    trace->identities = use;
    for (const TraceStep& step : trace->steps)
      if (step.identity && !step.identity->assumes.empty()) assumes.insert(step.identity->assumes);
  }
  traced.inexact = use == Identities::all ? std::move(assumes) : std::set<std::string>();
}

/// Decides the same Traces with the identities that their steps note. The certificate states them.
bool show_by_identities(ShownCase& shown, Engine& engine, Terms& terms) {
  if (!notes_identity(*shown.traced.before) && !notes_identity(shown.traced.after)) return false;
  for (const Identities use : {Identities::exact, Identities::all}) {
    if (use == Identities::all && engine.options.no_assumptions) break;
    if (!may_follow(*shown.traced.before, use) || !may_follow(shown.traced.after, use)) break;
    follow(shown.traced, use);
    show_by_rules(shown, engine, terms, false);
    if (shown.decision.proved) return true;
  }
  follow(shown.traced, Identities::none);
  return false;
}

/// Decides Traces that are rebuilt with identities. The checker has no lemma for these, so their rows are
/// assumed.
bool show_rebuilt(ShownCase& plain, const Case& value, const Loops& loops, Engine& engine) {
  if (engine.options.no_assumptions) return false;
  Terms terms(engine.space());
  ShownCase more = show(value, Identities::exact, loops, false, engine, terms);
  if (!more.decision.proved && more.decision.open.size() <= kAskedRebuilt && !engine.options.solver_only)
    show_by_rules(more, engine, terms, true);
  if (more.decision.proved)
    more.traced.inexact.clear();
  else if (!more.traced.inexact.empty())
    more = show(value, Identities::all, loops, false, engine, terms);
  if (!more.decision.proved || !may_build(more.traced, plain.traced)) return false;
  more.running = std::move(plain.traced);
  plain = std::move(more);
  return true;
}

/// Decides a world with as few of the table's identities as suffice; without any if none suffice.
ShownCase show_world(const Case& value, const Loops& loops, Engine& engine) {
  const bool first_by_rules = !engine.options.solver_only;
  Terms terms(engine.space());
  ShownCase plain = show(value, Identities::none, loops, !first_by_rules, engine, terms);
  plain.traced.inexact.clear();
  if (plain.decision.proved) return plain;
  // In a graph without a partner all reads count, and an identity leaves some out.
  if (plain.traced.simpler > 0 && value.before) {
    if (first_by_rules && show_by_identities(plain, engine, terms)) return plain;
    if (show_rebuilt(plain, value, loops, engine)) return plain;
  }
  if (first_by_rules) show_by_rules(plain, engine, terms, true);
  return plain;
}

/// The decision about a body or a pair of bodies, cached. nullptr: it contains itself, or bodies are nested
/// too deeply.
std::shared_ptr<const Decided> decided_body(const LoopBody& body, const std::string& name, Engine& engine) {
  const std::string key = (body.value.before ? body_key(body.value, *body.value.before) : "alone") + "|" +
                          body_key(body.value, body.value.after);
  if (const auto known = engine.bodies.find(key); known != engine.bodies.end()) return known->second;
  if (engine.nested >= kNestedBodies) return nullptr;
  engine.bodies.emplace(key, nullptr);
  ++engine.nested;
  auto decided = std::make_shared<const Decided>(decide_case(body.value, name, engine));
  --engine.nested;
  return engine.bodies[key] = std::move(decided);
}

/// True if the bodies declare their inputs alike. Contents of storages are compared, so an input that is not
/// all of its storage must have the same type in both.
bool declare_alike(const LoopBody& body, const Decided& decided) {
  const Graph &before = *body.value.before, &after = body.value.after;
  for (const Input& input : after.inputs) {
    const Value& value = after.value(input.value);
    const ValueId other = before.find(value.name);
    if (!other.valid()) return false;
    const auto k = static_cast<std::uint32_t>(std::stoul(value.name));
    const bool whole = decided.before.whole.contains(k) && decided.after.whole.contains(k);
    if (!whole && !(before.value(other).type == value.type)) return false;
  }
  return true;
}

/// The facts of a body about its loop-carried results alone.
BodyFacts carried_facts(BodyFacts facts, std::size_t passing) {
  facts.from.resize(std::min(facts.from.size(), passing));
  if (passing == 0) facts.results.clear();
  return facts;
}

/// Appends the checks that are not in the list yet. They come before the checks that use them.
void add_checks(std::vector<Check>& all, const std::vector<Check>& more) {
  for (const Check& check : more)
    if (std::ranges::none_of(all, [&](const Check& known) { return known.key == check.key; }))
      all.push_back(check);
}

void use_body(const LoopBody& body, const std::string& name, const Decided& one, Loops& loops) {
  LoopUse &ours = loops.before[body.loop], &theirs = loops.after[body.loop];
  for (LoopUse* use : {&ours, &theirs}) {
    use->side = use == &ours ? "before" : "after";
    if (!one.proved) use->alone += "@" + name + " of " + use->side;
    for (std::size_t k = 0; one.proved && k < one.checks.size(); ++k)
      use->bodies.push_back(one.checks[k].key);
  }
  theirs.scratch = body.scratch;
  const BodyFacts before = carried_facts(one.before, body.passing),
                  after = carried_facts(one.after, body.passing);
  for (BodyFacts* facts : {&ours.own, &theirs.other}) merge(*facts, before);
  for (BodyFacts* facts : {&theirs.own, &ours.other}) merge(*facts, after);
}

/// The budget of a proof's runs, in elements: proportional to the cost of its check unless --run says
/// otherwise.
std::int64_t work_of_run(const Case& value, const CheckOptions& options) {
  constexpr std::int64_t kLeast = 10'000, kPerStep = 20, kAll = 30'000'000;
  if (options.run == CheckOptions::Runs::never) return 0;
  if (options.run == CheckOptions::Runs::always) return kAll;
  const std::size_t steps = value.after.steps.size() + (value.before ? value.before->steps.size() : 0);
  return kLeast + kPerStep * static_cast<std::int64_t>(steps);
}

void add_run(ProofRun& all, const ProofRun& one) {
  all.ran = all.ran && one.ran;
  if (all.contradiction.empty()) all.contradiction = one.contradiction;
}

/// For a graph without a partner: true if the body is proved by itself, whatever step runs it.
bool is_right_alone(LoopBody body, const std::string& name, Decided& out, Engine& engine) {
  body.value.before.reset();
  const auto one = decided_body(body, name + " alone", engine);
  if (one == nullptr || !one->proved) return false;
  add_checks(out.checks, one->checks);
  return true;
}

/// Decides the bodies of loops. Their checks come before that of the loop.
Loops show_bodies(const Case& value, const std::string& key, Decided& out, Engine& engine) {
  Loops loops;
  std::set<std::uint32_t> open;
  for (const LoopBody& body : loop_bodies(value)) {
    const std::string name = key + body.key;
    const std::size_t known = engine.bodies.size();
    const auto one = decided_body(body, name, engine);
    loops.before.resize(body.loop + 1);
    loops.after.resize(body.loop + 1);
    if (one == nullptr || !declare_alike(body, *one)) open.insert(body.loop);
    if (!value.before && !is_right_alone(body, name, out, engine)) open.insert(body.loop);
    if (one == nullptr) continue;
    use_body(body, name, *one, loops);
    if (one->proved) add_run(out.run, one->run);
    if (one->proved) add_checks(out.checks, one->checks);
    if (one->proved) out.inexact.insert(one->inexact.begin(), one->inexact.end());
    if (one->proved) out.built_by.insert(one->built_by.begin(), one->built_by.end());
    if (engine.bodies.size() == known) continue;  // counted when it was decided
    out.obligations += one->obligations, out.by_rule += one->by_rule, out.by_solver += one->by_solver;
    out.models.insert(out.models.end(), one->models.begin(), one->models.end());
  }
  for (std::uint32_t k = 0; k < loops.before.size(); ++k)
    loops.before[k].understood = loops.after[k].understood =
        !open.contains(k) && !loops.before[k].side.empty();
  return loops;
}

/// Outputs whose strides are compared and are unknown in one graph.
std::set<std::uint32_t> untold_strides(const ShownCase& shown) {
  std::set<std::uint32_t> out;
  const Trace* before = shown.before();
  if (before == nullptr || !shown.boundary.compare_strides) return out;
  const Trace& after = shown.traced.after;
  for (std::uint32_t k = 0; k < std::min(before->outputs.size(), after.outputs.size()); ++k) {
    const TraceOutput &a = before->outputs[k], &b = after.outputs[k];
    if (a.view && b.view && !(a.strides_known && b.strides_known)) out.insert(k);
  }
  return out;
}

void take(Decided& out, ShownCase&& shown, const std::string& name) {
  out.obligations += shown.all.size();
  out.by_rule += shown.decision.by_rule;
  out.by_solver += shown.decision.by_solver;
  out.in_place = std::max(out.in_place, shown.traced.in_place);
  out.unmodelled = std::max(out.unmodelled, shown.traced.unmodelled);
  out.storages =
      std::max(out.storages, shown.traced.after.storages.size() +
                                 (shown.before() != nullptr ? shown.before()->storages.size() : 0));
  out.models.insert(out.models.end(), shown.models.begin(), shown.models.end());
  if (name.empty()) out.flown = shown.traced.flown;
  out.inexact.insert(shown.traced.inexact.begin(), shown.traced.inexact.end());
  out.built_by.insert(shown.traced.built_by.begin(), shown.traced.built_by.end());
  out.untold_strides.merge(untold_strides(shown));
  if (shown.traced.before) merge(out.before, facts_of(*shown.traced.before, shown.traced.reached_before));
  merge(out.after, facts_of(shown.traced.after, shown.traced.reached_after));
  out.proved = shown.decision.proved && out.unordered.empty();
  out.open = std::move(shown.decision.open);
  out.checks.push_back({name,
                        std::move(shown.traced.before),
                        std::move(shown.traced.after),
                        shown.boundary,
                        {shown.by_solver.begin(), shown.by_solver.end()},
                        std::move(shown.lemmas)});
}

/// Outputs that are on another device than in `before`. A Trace models bytes, not devices.
std::vector<Obligation> moved_outputs(const Case& value) {
  std::vector<Obligation> out;
  if (!value.before) return out;
  if (!name_several_devices({&*value.before, &value.after})) return out;
  const Devices before(*value.before), after(value.after);
  for (std::uint32_t k = 0; k < std::min(value.before->outputs.size(), value.after.outputs.size()); ++k)
    if (same_device(before.of(value.before->outputs[k]), after.of(value.after.outputs[k])) == false)
      out.push_back({Obligation::Kind::type, false, k, 0});
  return out;
}

void name_steps(const Graph& graph, Questions& questions) {
  std::vector<std::string> steps;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) steps.push_back(statement_text(graph, k));
  questions.name_steps(std::move(steps));
}
}  // namespace

std::vector<std::string> unordered_steps(const Case& value, const Trace& after, Engine& engine) {
  std::vector<std::string> out;
  if (!value.dataflow) return out;
  const OrderAnswer answer = engine.options.solver_only
                                 ? unordered_directly(engine.space(), after, engine.questions)
                                 : unordered_conflicts(engine.space(), value.after, after);
  if (!answer.known) out.emplace_back("the order of steps");
  for (const Unordered& pair : answer.open) {
    if (out.size() == kShownPairs) break;
    out.push_back("the order of " + statement_text(value.after, pair.first) + " and " +
                  statement_text(value.after, pair.second));
  }
  for (const Step& step : value.after.steps)  // the view that a name denotes then depends on the order
    if (const Schema* schema = engine.ops.find(step.op); schema != nullptr && schema->has(Tag::inplace_view))
      out.push_back("the order of " + step.op + " and other uses of its name");
  return out;
}

Decided decide_case(const Case& value, const std::string& key, Engine& engine) {
  Decided out;
  if (!engine.options.questions.empty() && key.empty()) name_steps(value.after, engine.questions);
  const auto decide_one = [&](const std::string& name, const Case& one) {
    const Loops loops = show_bodies(one, name + (name.empty() ? "" : " "), out, engine);
    ShownCase shown = show_world(one, loops, engine);
    if (!may_stand(out.checks, shown.traced)) shown.decision.proved = false, shown.decision.open = shown.all;
    out.simplified = shown.running.has_value();
    // Without identities: one leaves out reads that another order would disturb.
    const Trace& runs = shown.running ? shown.running->after : shown.traced.after;
    out.unordered = unordered_steps(one, runs, engine);
    if (out.simplified && one.dataflow) out.checks.push_back({name + " as it runs", runs, runs, {}, {}});
    if (shown.decision.proved && out.unordered.empty())
      add_run(out.run, run_proof(one, shown.running ? *shown.running : shown.traced, engine.space(),
                                 engine.ops, shown.traced.inexact.empty(), work_of_run(one, engine.options)));
    if (value.plan && name.empty()) out.running = shown.running ? std::move(shown.running) : shown.traced;
    take(out, std::move(shown), name);
    return out.proved;
  };
  std::vector<World> worlds = worlds_of(value);
  if (worlds.empty()) decide_one(key, value);
  for (World& world : worlds) {
    const bool shown = decide_one(key + (key.empty() ? "" : " ") + world.name, world.value);
    out.of = std::move(world.value);
    if (shown) continue;
    if (&world != &worlds.back())
      out.before.plain = out.after.plain = false;  // the other worlds are not decided
    break;
  }
  const std::vector<Obligation> moved = moved_outputs(value);
  out.open.insert(out.open.end(), moved.begin(), moved.end());
  out.proved = out.proved && moved.empty();
  if (out.proved && !worlds.empty())
    add_run(out.run, run_unwatched(value, out.inexact.empty(), work_of_run(value, engine.options)));
  return out;
}

}  // namespace noclobber
