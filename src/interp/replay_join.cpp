// Identifies the witnesses of one fault, and the faults that follow from one cause.
#include <algorithm>
#include <array>
#include <numeric>

#include "src/base/number.h"
#include "src/interp/replay_session.h"

namespace noclobber {

namespace {

/// Among witnesses of one cause, the one whose rule is listed first here is the cause.
constexpr std::array<std::string_view, 15> kCauseFirst = {"NC021", "NC023", "NC007", "NC008", "NC001",
                                                          "NC009", "NC002", "NC011", "NC010", "NC022",
                                                          "NC006", "NC003", "NC005", "NC004", "NC020"};

std::size_t rank_of(const Witness& w) {
  return static_cast<std::size_t>(std::ranges::find(kCauseFirst, w.rule) - kCauseFirst.begin());
}

std::string step_text(const std::optional<Place>& place) {
  return place ? std::to_string(place->step) + place->name : "-";
}

/// True if the fault is visible at the boundary only, so that its place there distinguishes it.
bool told_by_boundary(const Witness& w) {
  return w.rule == "NC006" || (w.rule == "NC020" && !w.clobber) || !w.clobber;
}

bool same_storage(const Witness& a, const Witness& b) {
  return a.storage.empty() || b.storage.empty() || a.storage == b.storage;
}

/// The step that defines the output named in `where`; empty for an input that is returned.
std::optional<std::uint32_t> maker_of_output(const Graph& after, const std::string& where) {
  const auto k = leading_number<std::size_t>(where, "output ");
  if (!k || *k >= after.outputs.size() || after.outputs[*k].kind != Arg::Kind::ref) return std::nullopt;
  const std::uint32_t step = defining_step(after, after.outputs[*k].ref);
  return step == Place::kEntry ? std::nullopt : std::optional(step);
}

/// True if `shares` follows from `other`: an output that receives the value of another ("output 0 is m, which
/// before gives as output 1") shares with it.
bool shares_as_another(const Witness& shares, const Witness& other) {
  return shares.rule == "NC005" && other.rule == "NC022" &&
         (shares.where == other.where || other.message.ends_with(" as " + shares.where));
}

bool one_cause(const Graph& after, const Witness& a, const Witness& b) {
  if (a.rule == b.rule) return false;
  if (shares_as_another(a, b) || shares_as_another(b, a)) return true;
  const auto final_of = [](const Witness& w) { return w.rule == "NC004" && w.where.ends_with(" at exit"); };
  if (a.clobber && b.clobber && a.clobber->step == b.clobber->step && same_storage(a, b)) return true;
  if (final_of(a) && b.rule == "NC003" && a.storage == b.storage) return true;
  if (final_of(b) && a.rule == "NC003" && a.storage == b.storage) return true;
  for (const auto& [shares, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (shares->rule != "NC005" || !other->clobber || !same_storage(*shares, *other)) continue;
    const auto maker = maker_of_output(after, shares->where);
    if (maker && *maker == other->clobber->step) return true;
  }
  return false;
}

/// Union-find over witnesses; the smallest member represents a group.
struct Groups {
  std::vector<std::size_t> parent;
  explicit Groups(std::size_t count) : parent(count) { std::iota(parent.begin(), parent.end(), 0U); }
  std::size_t of(std::size_t k) const {
    while (parent[k] != k) k = parent[k];
    return k;
  }
  void join(std::size_t a, std::size_t b) {
    const std::size_t x = of(a), y = of(b);
    parent[std::max(x, y)] = std::min(x, y);
  }
};

Groups groups_of(const Graph& after, const std::vector<Witness>& all) {
  Groups groups(all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].follows < all.size()) groups.join(k, all[k].follows);
  for (std::size_t b = 0; b < all.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      if (!one_cause(after, all[a], all[b])) continue;
      groups.join(a, b);
      break;  // two causes with a common consequence stay separate
    }
  return groups;
}

}  // namespace

std::string fault_key(const Witness& w) {
  if (w.rule == "NC005") return w.rule + "|" + w.where;  // what it shares with may depend on the run
  // An unwritten storage is one cause, whichever step reads it.
  if (w.rule == "NC002" && w.define) return w.rule + "|" + w.storage + "|" + step_text(w.define);
  std::string key =
      w.rule + "|" + w.aspect + "|" + w.storage + "|" + step_text(w.define) + "|" + step_text(w.clobber);
  if (told_by_boundary(w)) key += "|" + w.where;
  return key;
}

void join_causes(const Graph& after, std::vector<Witness>& all) {
  const Groups groups = groups_of(after, all);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::size_t k) { return std::tuple(groups.of(k), rank_of(all[k]), k); };
  std::ranges::sort(order, {}, key);
  std::vector<Witness> sorted;
  std::size_t head = 0;
  for (const std::size_t k : order) {
    const bool first = sorted.empty() || groups.of(k) != groups.of(order[head]);
    if (first) head = sorted.size();
    all[k].follows = first ? Witness::kItself : head;
    sorted.push_back(std::move(all[k]));
  }
  all = std::move(sorted);
}

}  // namespace noclobber
