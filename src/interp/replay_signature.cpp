// Outputs at the wrong receiver: each value is computed correctly, and another output should have it.
#include <algorithm>
#include <array>

#include "src/interp/replay_session.h"

namespace noclobber {

namespace {

/// The value of a receiver in one run: an output, or the contents at exit of an input in the signature.
struct Received {
  std::string type;  // dtype and shape; of an input at exit the dtype alone
  std::vector<std::uint8_t> bytes;
  std::string scalar;
  friend bool operator==(const Received&, const Received&) = default;
};

std::optional<Received> received_by(const Run::Output& output, bool shaped) {
  if (!output.tensor) return Received{"", {}, output.scalar};
  if (std::ranges::find(output.defined, 0) != output.defined.end()) return std::nullopt;
  const Tensor& t = *output.tensor;
  return Received{std::string(name(t.dtype)) + (shaped ? index_text(t.shape) : ""), output.bytes, ""};
}

/// Outputs first, then the inputs whose contents at exit are in the signature of `before`.
class Receivers {
 public:
  explicit Receivers(const Scene& scene) : outputs_(scene.before.graph->outputs.size()) {
    for (const auto& [input, contents] : scene.before.graph->finals)
      finals_.push_back(scene.before.graph->value(input).name);
  }

  std::size_t size() const { return outputs_ + finals_.size(); }
  bool is_output(std::size_t k) const { return k < outputs_; }
  Target target(std::size_t k) const {
    return is_output(k) ? Target{static_cast<int>(k), ""} : Target{-1, finals_[k - outputs_]};
  }

  /// `shaped`: with the shapes of outputs. Contents of storages have none.
  std::vector<std::optional<Received>> shown(const Run& run, bool shaped) const {
    std::vector<std::optional<Received>> out(size());
    for (std::size_t k = 0; k < outputs_ && k < run.outputs.size(); ++k)
      out[k] = received_by(run.outputs[k], shaped);
    for (std::size_t k = 0; k < finals_.size(); ++k)
      if (std::optional<Received> at = at_exit(run, finals_[k])) out[outputs_ + k] = std::move(at);
    return out;
  }

 private:
  static std::optional<Received> at_exit(const Run& run, const std::string& input) {
    const auto storage = run.input_storage.find(input);
    if (storage == run.input_storage.end()) return std::nullopt;
    const auto lives = [&](const std::optional<Tensor>& t) { return t && t->storage == storage->second; };
    const auto view = std::ranges::find_if(run.values, lives);
    const std::string type = view == run.values.end() ? "" : std::string(name((*view)->dtype));
    return Received{type, run.storages[storage->second].bytes, ""};
  }

  std::size_t outputs_;
  std::vector<std::string> finals_;
};

/// Name of the value that the graph gives to this receiver. "" if it has no name, or none is given.
std::string given_name(const Graph& graph, const Receivers& to, std::size_t k) {
  const Target target = to.target(k);
  const Arg* given = target.output >= 0 && k < graph.outputs.size() ? &graph.outputs[k] : nullptr;
  for (const auto& [input, contents] : graph.finals)
    if (target.output < 0 && graph.value(input).name == target.input) given = &contents;
  return given != nullptr && given->kind == Arg::Kind::ref ? value_name(graph, given->ref) : "";
}

/// For each receiver of `after`, the others whose value of `before` it receives instead of its own, in runs
/// on different contents.
class Mistaken {
 public:
  explicit Mistaken(const Scene& scene) : to(scene), shows_(to.size()), wrong_(to.size(), false) {
    if (!compare(*scene.before.run, *scene.after.run, true)) return;
    for (std::size_t k = 0; k < to.size(); ++k) {  // the right name: its value is computed wrongly
      const std::string name = given_name(*scene.after.graph, to, k);
      if (!name.empty() && name == given_name(*scene.before.graph, to, k)) shows_[k].clear();
    }
    for (const std::uint64_t more : {4, 10}) {
      RunOptions options = scene.options;
      options.contents_seed += more;
      // contents given by name are those of one run
      if (!options.contents.empty() || std::ranges::none_of(shows_, &any)) return;
      const std::optional<Run> then = again(scene, *scene.before.graph, options);
      const std::optional<Run> now = again(scene, *scene.after.graph, options);
      if (then && now) compare(*then, *now, false);
    }
  }

  bool wrong(std::size_t k) const { return wrong_[k]; }
  const std::vector<std::size_t>& shown_at(std::size_t k) const { return shows_[k]; }
  /// True if its value depends on contents. A constant value may occur at two receivers by chance.
  bool varies(std::size_t k) const { return varies_.empty() || varies_[k]; }

  const Receivers to;

 private:
  static bool any(const std::vector<std::size_t>& list) { return !list.empty(); }

  static std::optional<Run> again(const Scene& scene, const Graph& graph, RunOptions options) {
    options.order.clear();
    Result<Run> run = run_graph(scene.value, graph, scene.may_write, options);
    if (!run || run->raised || !run->unsupported.empty()) return std::nullopt;
    return *std::move(run);
  }

  /// False if no receiver has the value of another.
  bool compare(const Run& before, const Run& after, bool first) {
    const auto then = to.shown(before, true), now = to.shown(after, true);
    const auto then_flat = to.shown(before, false), now_flat = to.shown(after, false);
    const auto same = [&](std::size_t meant, std::size_t is) {
      const bool shaped = to.is_output(meant) && to.is_output(is);
      const auto& a = shaped ? then[meant] : then_flat[meant];
      const auto& b = shaped ? now[is] : now_flat[is];
      return a.has_value() && b.has_value() && *a == *b;
    };
    bool found = false;
    for (std::size_t k = 0; k < to.size(); ++k) {
      std::vector<std::size_t> candidates;
      if (first) {
        wrong_[k] = then[k].has_value() && now[k].has_value() && *then[k] != *now[k];
        for (std::size_t j = 0; wrong_[k] && j < to.size(); ++j)
          if (j != k && same(j, k)) candidates.push_back(j);
      } else {
        std::ranges::copy_if(shows_[k], std::back_inserter(candidates),
                             [&](std::size_t j) { return same(j, k); });
      }
      found = found || !candidates.empty();
      shows_[k] = std::move(candidates);
    }
    if (!first) varies_.resize(to.size(), false);
    for (std::size_t k = 0; k < varies_.size(); ++k)
      varies_[k] = varies_[k] || (then[k].has_value() && first_[k] != then[k]);
    if (first) first_ = then;
    return found;
  }

  std::vector<std::vector<std::size_t>> shows_;
  std::vector<bool> wrong_, varies_;
  std::vector<std::optional<Received>> first_;
};

bool as_many_outputs(const Scene& scene) {
  return scene.before.graph != nullptr && scene.before.run != nullptr && scene.options.order.empty() &&
         scene.before.graph->outputs.size() == scene.after.graph->outputs.size() &&
         scene.before.run->outputs.size() == scene.after.run->outputs.size();
}

/// "output 0 is add, which before gives as output 1"
std::string mistake_text(const Scene& scene, const Receivers& to, std::size_t k, std::size_t meant_for) {
  const std::string what = given_name(*scene.before.graph, to, meant_for);
  return target_text(to.target(k)) + " is " + (what.empty() ? "what" : what + ", which") +
         " before gives as " + target_text(to.target(meant_for));
}

/// For each receiver in a cycle of exchanged values, the one whose value it has; for others the number of
/// receivers.
std::vector<std::size_t> exchanged_with(const Mistaken& found) {
  const std::size_t count = found.to.size();
  std::vector<std::size_t> of(count, count);
  std::vector<bool> taken(count, false);
  for (std::size_t k = 0; k < count; ++k) {
    if (!found.wrong(k)) continue;
    for (const std::size_t j : found.shown_at(k)) {
      if (taken[j] || !found.wrong(j)) continue;
      of[k] = j;
      taken[j] = true;
      break;
    }
  }
  for (std::size_t k = 0; k < count; ++k) {  // keep cycles only
    std::size_t at = k;
    for (std::size_t left = count; left > 0 && of[at] < count && of[at] != k; --left) at = of[at];
    if (of[at] != k) of[k] = count;
  }
  return of;
}

/// `after` with its outputs and its contents of inputs back at the receivers that `before` has.
Graph exchanged_back(const Scene& scene, const Receivers& to, const std::vector<std::size_t>& of) {
  const Graph& after = *scene.after.graph;
  Graph out = after;
  const auto place = [&](Graph& graph, std::size_t k) -> Arg* {
    const Target target = to.target(k);
    if (target.output >= 0) return &graph.outputs[k];
    for (auto& [input, contents] : graph.finals)
      if (graph.value(input).name == target.input) return &contents;
    return nullptr;
  };
  Graph from = after;
  for (std::size_t k = 0; k < of.size(); ++k) {
    if (of[k] >= of.size()) continue;
    Arg *right = place(out, of[k]), *given = place(from, k);
    if (right != nullptr && given != nullptr) *right = *given;
  }
  return out;
}

Witness signature(std::string aspect, std::string where, std::string message) {
  Witness w = named("NC022");
  w.aspect = std::move(aspect);
  w.where = std::move(where);
  w.message = std::move(message);
  return w;
}

/// The cycle of `first` in `of`, a result of exchanged_with.
Exchange exchange_from(const Scene& scene, const Mistaken& found, const std::vector<std::size_t>& of,
                       std::size_t first) {
  Exchange out;
  std::vector<std::size_t> own(of.size(), of.size());
  std::string message;
  std::size_t at = first;
  do {
    own[at] = of[at];
    out.places.insert(found.to.target(at));
    message += (message.empty() ? "" : ", ") + mistake_text(scene, found.to, at, of[at]);
    at = of[at];
  } while (at != first);
  out.witness = signature("exchanged", target_text(found.to.target(first)), message);
  out.witness.repaired = std::make_shared<const Graph>(exchanged_back(scene, found.to, own));
  for (at = of[first]; at != first; at = of[at])
    out.witness.reaches.push_back(target_text(found.to.target(at)));
  return out;
}

/// A longest common subsequence, as indices into `many`.
std::vector<std::size_t> kept_in_order(const std::vector<std::optional<Received>>& few,
                                       const std::vector<std::optional<Received>>& many) {
  const std::size_t n = few.size(), m = many.size();
  std::vector<std::vector<std::size_t>> best(n + 1, std::vector<std::size_t>(m + 1, 0));
  const auto same = [&](std::size_t i, std::size_t j) { return few[i].has_value() && few[i] == many[j]; };
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      best[i][j] = std::max({best[i + 1][j], best[i][j + 1], same(i, j) ? best[i + 1][j + 1] + 1 : 0});
  std::vector<std::size_t> out;
  for (std::size_t i = 0, j = 0; i < n && j < m;) {
    if (same(i, j) && best[i][j] == best[i + 1][j + 1] + 1) {
      out.push_back(j);
      ++i, ++j;
    } else {
      best[i + 1][j] >= best[i][j + 1] ? ++i : ++j;
    }
  }
  return out;
}

/// ": output 1 (mul) of before is gone"; "" unless all others are there in their order.
std::string left_out(const Scene& scene) {
  constexpr std::size_t kCompared = 128;
  const auto shown = [](const Run& run) {
    std::vector<std::optional<Received>> out;
    for (const Run::Output& output : run.outputs) out.push_back(received_by(output, true));
    return out;
  };
  const auto then = shown(*scene.before.run), now = shown(*scene.after.run);
  if (std::max(then.size(), now.size()) > kCompared) return "";
  const bool fewer = now.size() < then.size();
  const auto& many = fewer ? then : now;
  const std::vector<std::size_t> kept = kept_in_order(fewer ? now : then, many);
  if (kept.size() != std::min(then.size(), now.size())) return "";
  const Graph& graph = fewer ? *scene.before.graph : *scene.after.graph;
  std::string out;
  for (std::size_t k = 0; k < many.size(); ++k) {
    if (std::ranges::find(kept, k) != kept.end()) continue;
    const bool named_one = k < graph.outputs.size() && graph.outputs[k].kind == Arg::Kind::ref;
    out += (out.empty() ? ": " : ", ") + target_text({static_cast<int>(k), ""}) +
           (named_one ? " (" + value_name(graph, graph.outputs[k].ref) + ")" : "");
  }
  return out + (fewer ? " of before is gone" : " is none of before");
}

}  // namespace

Mistakes mistaken_outputs(const Scene& scene) {
  Mistakes out;
  if (!as_many_outputs(scene)) return out;
  const Mistaken found(scene);
  const std::vector<std::size_t> of = exchanged_with(found);
  for (std::size_t k = 0; k < found.to.size(); ++k) {
    const Target target = found.to.target(k);
    const bool is_told = std::ranges::any_of(
        out.exchanges, [&](const Exchange& exchange) { return exchange.places.contains(target); });
    if (is_told) continue;
    if (of[k] < of.size()) {
      out.exchanges.push_back(exchange_from(scene, found, of, k));
    } else if (!found.shown_at(k).empty() && found.varies(found.shown_at(k).front())) {
      const std::string message = mistake_text(scene, found.to, k, found.shown_at(k).front());
      out.others.emplace(target, signature("of another", target_text(target), message));
    }
  }
  return out;
}

Witness number_of_outputs(const Scene& scene, const Difference& d) {
  Witness w = named("NC022");
  w.aspect = "number of outputs";
  w.message = "number of outputs should be " + d.expected + " and is " + d.actual;
  if (scene.before.run != nullptr) w.message += left_out(scene);
  return w;
}

}  // namespace noclobber
