// From differences to witnesses.
#include <algorithm>

#include "src/interp/replay_session.h"

namespace noclobber {

namespace {

constexpr int kTargetsExplained = 48;
constexpr std::size_t kVariantsPerTrial = 24;
constexpr int kTargetsAgain = 6;  // each with a whole search, and again in further runs

bool is_metadata(Difference::Kind kind) {
  using Kind = Difference::Kind;
  return kind == Kind::count || kind == Kind::dtype || kind == Kind::shape || kind == Kind::stride ||
         kind == Kind::device;
}

std::string_view kind_text(Difference::Kind kind) {
  switch (kind) {
    case Difference::Kind::raised:
      return "outcome";
    case Difference::Kind::count:
      return "";
    case Difference::Kind::dtype:
      return "dtype";
    case Difference::Kind::shape:
      return "shape";
    case Difference::Kind::stride:
      return "strides";
    case Difference::Kind::device:
      return "device";
    case Difference::Kind::value:
      return "value";
    case Difference::Kind::sharing:
      return "sharing";
    case Difference::Kind::effects:
      return "effects";
    case Difference::Kind::immutable:
      return "writes";
  }
  return "";
}

Witness metadata(const Difference& d) {
  Witness w = named("NC020");
  w.aspect = kind_text(d.kind);
  w.message = std::string(kind_text(d.kind)) + " of " + target_text(d.target) + " should be " + d.expected +
              " and is " + d.actual;
  return w;
}

Witness sharing(const Scene& scene, const Difference& d) {
  Witness w = named("NC005");
  const auto& shown = scene.after.run->outputs[static_cast<std::size_t>(d.target.output)].tensor;
  if (shown) w.storage = storage_name(scene.after, *shown);
  w.first_byte = d.bytes.first;
  w.last_byte = d.bytes.last;
  w.aspect = d.other.output < 0 ? "input" : d.other.output == d.target.output ? "itself" : "output";
  if (d.lost) w.aspect += " lost";
  w.message = difference_text(scene, d);
  return w;
}

Witness immutable(const Scene& scene, const Difference& d) {
  const Graph& graph = *scene.after.graph;
  Witness w = named("NC003");
  w.clobber = place_of(graph, d.step);
  const StepRefs refs = step_refs(scene.ops, graph.steps[d.step]);
  for (const ValueId target : refs.opaque ? refs.operands : refs.targets) {
    const Tensor* view = view_in(*scene.after.run, target);
    if (view == nullptr || scene.after.run->storages[view->storage].input.empty()) continue;
    if (!refs.opaque && scene.may_write.contains(scene.after.run->storages[view->storage].input)) continue;
    w.storage = storage_name(scene.after, *view);
    w.first_byte = byte_extent(*view).first;
    w.last_byte = byte_extent(*view).last;
    if (view->storage == scene.after.run->immutable_storage) break;
  }
  w.message = w.clobber->name + " writes into " + (w.storage.empty() ? "an input" : w.storage) +
              ", which may not be written";
  return w;
}

Witness effects(const Scene& scene, const Difference& d) {
  const std::vector<std::string>& then = scene.expected.effects;
  const std::vector<std::string>& now = scene.after.run->effects;
  const std::multiset<std::string> a(then.begin(), then.end()), b(now.begin(), now.end());
  std::string rule = "NC004";
  if (b.size() < a.size()) rule = "NC006";
  if (b.size() > a.size()) rule = "NC009";
  Witness w = named(rule);
  w.message = "the effects of the program should be " + d.expected + " and are " + d.actual;
  return w;
}

/// Explains the differences of one run, target by target. A difference that the repair of a known fault
/// removes is a consequence of that fault.
class Values {
 public:
  Values(Session& session, const Scene& scene)
      : session_(session),
        scene_(scene),
        left_(kVariantRuns + kVariantsPerTrial * affordable_trials(*scene.after.graph, *scene.after.run)) {}

  void explain(const std::vector<Difference>& found) {
    if (std::ranges::any_of(found, &of_receiver)) mistakes_ = mistaken_outputs(scene_);
    exchanged(found);
    for (const Difference& d : found) {
      if (d.kind != Difference::Kind::value || explained_ >= kTargetsExplained) continue;
      if (exchanged_.contains(d.target)) continue;
      ++explained_;
      const bool again = session_.settled.contains(d.target);
      if (again && explained_ > kTargetsAgain) continue;
      if (cause_of(d, true) != Witness::kItself) continue;
      const std::size_t most = explained_ <= kTargetsAgain ? kVariantRuns : kVariantRuns / 4;
      scene_.runs_left = static_cast<int>(std::min(most, left_));
      const int given = scene_.runs_left;
      one(d, again);
      left_ -= std::min(left_, static_cast<std::size_t>(std::max(0, given - scene_.runs_left)));
    }
    for (const Difference& d : found)
      if (d.kind == Difference::Kind::value) session_.settled.insert(d.target);
  }

  /// True if the signature explains it: the target is exchanged, or receives the value of another.
  bool told_by_signature(const Difference& d) {
    if (exchanged_.contains(d.target)) return true;
    const std::size_t cause = cause_of(d, false);
    const auto mistake = mistakes_.others.find(d.target);
    if (mistake == mistakes_.others.end()) return false;
    misnamed_[d.target] = session_.add(mistake->second, scene_, d, cause);
    return true;
  }

  /// Index of the witness of an output that receives the value of another, and so has its sharing.
  std::size_t misnamed(const Difference& d) const {
    for (const Target& end : {d.target, d.other})
      if (const auto at = misnamed_.find(end); at != misnamed_.end()) return at->second;
    return Witness::kItself;
  }

  /// Index of the fault whose repair removes the difference, or kItself. `notes`: adds the target to its
  /// `reaches`.
  std::size_t cause_of(const Difference& d, bool notes) {
    for (const Repaired& fault : repaired_) {
      if (shows(fault.run, d)) continue;
      if (notes) note(fault.witness, target_text(d.target));
      return fault.witness;
    }
    return Witness::kItself;
  }

 private:
  struct Repaired {
    std::size_t witness;
    Run run;
  };

  static bool of_receiver(const Difference& d) {
    return d.kind == Difference::Kind::value || (is_metadata(d.kind) && d.kind != Difference::Kind::count);
  }

  /// Exchanged outputs come first: only their places are wrong.
  void exchanged(const std::vector<Difference>& found) {
    for (const Exchange& exchange : mistakes_.exchanges) {
      const auto shows = [&](const Difference& d) {
        return of_receiver(d) && exchange.places.contains(d.target);
      };
      const auto d = std::ranges::find_if(found, shows);
      if (d == found.end()) continue;
      keep(exchange.witness, *d, session_.settled.contains(d->target));
      exchanged_.insert(exchange.places.begin(), exchange.places.end());
    }
  }

  void note(std::size_t witness, const std::string& target) {
    Witness& w = session_.result.witnesses[witness];
    if (w.where != target && std::ranges::find(w.reaches, target) == w.reaches.end())
      w.reaches.push_back(target);
  }

  bool shows(const Run& run, const Difference& d) const {
    if (d.kind == Difference::Kind::value)
      return value_difference(scene_.expected, run, d.target).has_value();
    const std::vector<Difference> now = differences(scene_.value, scene_.expected, run);
    return std::ranges::any_of(
        now, [&](const Difference& other) { return other.kind == d.kind && other.target == d.target; });
  }

  void keep(Witness w, const Difference& d, bool again) {
    if (again && session_.found(w.rule) && !session_.knows(w)) return;
    const std::shared_ptr<const Graph> graph = w.repaired;
    const std::optional<KeptValue> kept = w.kept;
    const std::size_t at = session_.add(std::move(w), scene_, d);
    if (kept) scene_.repairs.push_back(*kept);
    ++scene_.runs_left;  // this run is not part of the search
    if (at == Witness::kItself) return;
    note(at, target_text(d.target));
    if (graph == nullptr) return;
    if (std::optional<Run> run = scene_.variant(*graph)) repaired_.push_back({at, *std::move(run)});
  }

  void one(const Difference& d, bool again) {
    Witness w = explain_value(scene_, d);
    if (w.rule == "NC004") {
      std::vector<Witness> several = stale_reads(scene_, d);
      for (Witness& read : several) keep(std::move(read), d, again);
      if (!several.empty()) return;
      if (told_by_signature(d)) return;
    }
    // A step over lists is also a sequence of calls: an earlier one may have changed an operand of a later
    // one.
    const bool sequence =
        w.rule == "NC007" && w.clobber && w.clobber->step < scene_.after.graph->steps.size() &&
        scene_.after.graph->steps[w.clobber->step].op->find("_foreach_") != std::string::npos;
    const bool lost_to_output = w.rule == "NC006" && d.target.output >= 0;
    keep(std::move(w), d, again);
    if (!sequence && !lost_to_output) return;
    Witness also = value_mismatch(scene_, d);
    if (again && session_.found(also.rule)) return;
    session_.add(std::move(also), scene_, d, session_.result.witnesses.size() - 1);
  }

  Session& session_;
  Scene scene_;
  std::vector<Repaired> repaired_;
  Mistakes mistakes_;
  std::set<Target> exchanged_;  // those with a witness
  std::map<Target, std::size_t> misnamed_;
  int explained_ = 0;
  std::size_t left_;  // variants left in all; fewer for graphs that are costly to run
};

std::string where_text(const Difference& d) {
  if (d.kind == Difference::Kind::effects) return "effects";
  const bool of_step = d.kind == Difference::Kind::immutable || d.kind == Difference::Kind::raised;
  return of_step ? "step " + std::to_string(d.step) : target_text(d.target);
}

bool touches_as_target(const StepRefs& refs, const Ran& ran, const Tensor* view) {
  return view != nullptr && std::any_of(refs.targets.begin(), refs.targets.end(), [&](ValueId target) {
           const Tensor* written = view_in(*ran.run, target);
           return written != nullptr && share_bytes(*written, *view);
         });
}

/// The steps listed behind `swap.first` that run before it, in the order of `swap`, as text.
std::string moved_text(const Graph& graph, const Swap& swap) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> names;
  for (const std::uint32_t s : swap.order) {
    if (s == swap.first) break;
    if (s > swap.first) names.push_back(place_of(graph, s).name);
  }
  if (names.size() > kShown) {
    const std::string more = std::to_string(names.size() - kShown) + " more";
    names.resize(kShown);
    names.push_back(more);
  }
  std::string out;
  for (std::size_t k = 0; k < names.size(); ++k)
    out += (k == 0 ? "" : k + 1 < names.size() ? ", " : " and ") + names[k];
  return out.empty() ? "the other" : out;
}

}  // namespace

Witness order_witness(const Scene& scene, const Swap& swap, const Difference& d) {
  const Graph& graph = *scene.after.graph;
  const Tensor* view = view_in(*scene.after.run, swap.shared);
  const bool first_writes =
      touches_as_target(step_refs(scene.ops, graph.steps[swap.first]), scene.after, view);
  const bool second_writes =
      touches_as_target(step_refs(scene.ops, graph.steps[swap.second]), scene.after, view);
  const Place first = place_of(graph, swap.first), second = place_of(graph, swap.second);
  Witness w = named(is_return(graph.steps[swap.second]) ? "NC011" : "NC010");
  w.define = first_writes && second_writes ? second : defining_place(graph, swap.shared);
  w.clobber = first_writes ? first : second;
  w.read = first_writes
               ? second_writes ? place_of(graph, static_cast<std::uint32_t>(graph.steps.size())) : second
               : first;
  if (!swap.shared.valid()) w.define = w.read = std::nullopt;
  if (view != nullptr) {
    w.storage = storage_name(scene.after, *view);
    w.first_byte = byte_extent(*view).first;
    w.last_byte = byte_extent(*view).last;
  }
  w.aspect = !swap.shared.valid()            ? "effects"
             : first_writes && second_writes ? "write-write"
             : first_writes                  ? "write-read"
                                             : "read-write";
  w.message = "nothing orders " + first.name + " before " + second.name + ", and with " +
              moved_text(graph, swap) + " before it, " + difference_text(scene, d);
  return w;
}

bool Session::found(const std::string& rule) const {
  return std::any_of(result.witnesses.begin(), result.witnesses.end(),
                     [&](const Witness& w) { return w.rule == rule; });
}

bool Session::knows(const Witness& witness) const {
  return std::ranges::find(result.witnesses, fault_key(witness), &fault_key) != result.witnesses.end();
}

std::size_t Session::add(Witness witness, const Scene& scene, const Difference& d, std::size_t follows) {
  if (witness.where.empty()) witness.where = where_text(d);
  const std::string key = fault_key(witness);
  const auto known = std::ranges::find(result.witnesses, key, &fault_key);
  if (known != result.witnesses.end()) return static_cast<std::size_t>(known - result.witnesses.begin());
  if (result.witnesses.size() >= kMostWitnesses) return Witness::kItself;
  witness.follows = follows;
  witness.lanes = lanes_of(scene, witness);
  if (!hint.inner) witness.inside = steps_inside(scene, witness);
  witness.numbers = input_numbers(value, scene.options);
  witness.symbols = scene.options.symbols;
  witness.options = scene.options;
  witness.inputs = describe_inputs(value, scene.options);
  if (d.kind == Difference::Kind::value) witness.index = index_at(scene, d);
  if (d.kind != Difference::Kind::sharing) {
    witness.expected = d.expected;
    witness.actual = d.actual;
  }
  result.witnesses.push_back(std::move(witness));
  return result.witnesses.size() - 1;
}

namespace {

/// Removes the differences that the guard doubts and memory effects do not explain, and notes the doubtful
/// operators.
void leave_sure(Session& session, const Scene& scene, std::vector<Difference>& found, const Guard& guard) {
  std::erase_if(found, [&](const Difference& d) {
    const std::vector<std::string> names = guard.doubts(d, scene.expected);
    if (names.empty() || due_to_memory(scene, d, guard.one_sided_constants(d))) return false;
    session.result.approximated = true;
    for (const std::string& name : names) {
      auto& known = session.result.names;
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
    return true;
  });
}

}  // namespace

bool explain(Session& session, const Scene& scene, std::vector<Difference> found, const Guard* guard) {
  if (guard != nullptr) leave_sure(session, scene, found, *guard);
  for (const Difference& d : found) {
    if (d.kind == Difference::Kind::raised) explain_raised(session, scene, d);
  }
  Values values(session, scene);
  values.explain(found);
  for (const Difference& d : found) {
    const bool other =
        d.kind == Difference::Kind::immutable || d.kind == Difference::Kind::sharing || is_metadata(d.kind);
    if (!other) continue;
    if (d.kind == Difference::Kind::count) session.add(number_of_outputs(scene, d), scene, d);
    if (d.kind == Difference::Kind::count || (is_metadata(d.kind) && values.told_by_signature(d))) continue;
    std::size_t cause = values.cause_of(d, false);
    if (cause == Witness::kItself) cause = values.misnamed(d);
    if (d.kind == Difference::Kind::immutable) session.add(immutable(scene, d), scene, d);
    if (d.kind == Difference::Kind::sharing) session.add(sharing(scene, d), scene, d, cause);
    if (is_metadata(d.kind)) session.add(metadata(d), scene, d, cause);
  }
  const bool values_differ = std::any_of(
      found.begin(), found.end(), [](const Difference& d) { return d.kind == Difference::Kind::value; });
  for (const Difference& d : found) {
    const bool same_length = scene.expected.effects.size() == scene.after.run->effects.size();
    if (d.kind == Difference::Kind::effects && !(values_differ && same_length))
      session.add(effects(scene, d), scene, d);
  }
  return !found.empty();
}

}  // namespace noclobber
