#include "tests/support/read_back.h"

#include <algorithm>

namespace noclobber::testing {
namespace {

/// Primitive maps, one after the other, from a space whose dimensions are renamed on the way.
struct Chain {
  Space& space;
  Shape now;
  std::vector<Map> maps = {};

  void add(Map map, Shape to) {
    now = std::move(to);
    maps.push_back(std::move(map));
  }
  /// The first dimensions become others.
  void first(Map map, std::size_t count) {
    Shape to = map.to;
    to.insert(to.end(), now.begin() + static_cast<std::ptrdiff_t>(count), now.end());
    add(std::move(map), std::move(to));
  }
  /// Dimension k of the new ones is order[k] of the old ones.
  void permute(std::vector<std::uint32_t> order) {
    Map map;
    map.kind = Map::Kind::permute;
    map.from = now, map.order = std::move(order);
    for (const std::uint32_t k : map.order) map.to.push_back(now[k]);
    const Shape to = map.to;
    add(std::move(map), to);
  }
  /// The first dimensions go behind all others.
  void turn(std::size_t count) {
    std::vector<std::uint32_t> order;
    for (std::size_t k = 0; k < now.size(); ++k)
      order.push_back(static_cast<std::uint32_t>((k + count) % now.size()));
    permute(std::move(order));
  }
};

void reshape(Chain& chain, const checker::Map& m) {
  std::size_t i = 0, j = 0;
  for (const auto& [i_end, j_end] : m.groups) {
    Map map;
    map.from.assign(m.from.begin() + static_cast<std::ptrdiff_t>(i), m.from.begin() + i_end);
    map.to.assign(m.to.begin() + static_cast<std::ptrdiff_t>(j), m.to.begin() + j_end);
    chain.first(std::move(map), i_end - i);
    if (m.groups.size() > 1) chain.turn(j_end - j);
    i = i_end, j = j_end;
  }
}

/// Each dimension has its own index alone.
void slices(Chain& chain, const checker::Map& m) {
  for (std::uint32_t d = 0; d < m.from.size(); ++d) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = map.to = chain.now, map.to[d] = m.to[d];
    map.dim = d, map.start = m.start[d];
    for (const auto& f : m.factors)
      if (f.from == d) map.step = chain.space.add(map.step, f.by);
    const Shape to = map.to;
    chain.add(std::move(map), to);
  }
}

/// Each dimension of `from` gets all indices for itself; then the copies of one index become one.
void sums(Chain& chain, const checker::Map& m) {
  const std::size_t rank = m.to.size();
  if (m.from.empty()) {
    Map one;
    one.to = {chain.space.constant(1)};
    chain.first(one, 0);
  }
  std::vector<std::size_t> labels;
  for (std::size_t d = 0; d < std::max<std::size_t>(m.from.size(), 1); ++d) {
    Map map;
    map.kind = Map::Kind::strided;
    map.from = {chain.now[0]}, map.to = m.to;
    map.start = m.from.empty() ? 0 : m.start[d];
    map.strides.assign(rank, 0);
    for (const auto& f : m.factors)
      if (f.from == d) map.strides[f.to] = chain.space.add(map.strides[f.to], f.by);
    chain.first(std::move(map), 1);
    if (!chain.now.empty()) chain.turn(rank);
    for (std::size_t k = 0; k < rank; ++k) labels.push_back(k);
  }
  std::vector<std::uint32_t> order;
  for (std::size_t k = 0; k < rank; ++k) {
    for (auto a = std::ranges::find(labels, k); std::find(a + 1, labels.end(), k) != labels.end();
         a = std::ranges::find(labels, k)) {
      const auto b = std::find(a + 1, labels.end(), k);
      Map map;
      map.kind = Map::Kind::diagonal;
      map.from = map.to = chain.now;
      map.dim = static_cast<std::uint32_t>(a - labels.begin());
      map.other = static_cast<std::uint32_t>(b - labels.begin());
      map.to.erase(map.to.begin() + map.other), map.to.erase(map.to.begin() + map.dim);
      map.to.push_back(m.to[k]);
      labels.erase(b), labels.erase(a), labels.push_back(k);
      const Shape to = map.to;
      chain.add(std::move(map), to);
    }
  }
  for (std::size_t k = 0; k < rank; ++k)
    order.push_back(static_cast<std::uint32_t>(std::ranges::find(labels, k) - labels.begin()));
  chain.permute(std::move(order));
}

TraceView view_of(Space& space, const checker::View& v) {
  TraceView out{
      v.storage, {}, v.form->shape, std::string(v.form->type), static_cast<std::int16_t>(v.form->lanes)};
  for (const checker::Map& m : v.form->maps) {
    Chain chain{space, m.from};
    const bool own = std::ranges::all_of(m.factors, [](const auto& f) { return f.from == f.to; });
    if (m.reshape)
      reshape(chain, m);
    else if (own && m.from.size() == m.to.size())
      slices(chain, m);
    else
      sums(chain, m);
    out.maps.append(chain.maps);
  }
  return out;
}

std::vector<std::string> texts(const std::vector<checker::Text>& all) { return {all.begin(), all.end()}; }

void steps_of(Space& space, const checker::Trace& t, Trace& out) {
  for (std::size_t k = 0; k < t.steps.size(); ++k) {
    const checker::Step& s = t.steps[k];
    TraceStep& step = out.steps.emplace_back();
    step.kind = static_cast<TraceStep::Kind>(s.form->kind);
    step.elementwise = s.form->elementwise;
    step.origin = s.origin, step.key = std::string(s.form->key);
    for (const checker::View& v : t.reads(s)) step.reads.push_back(view_of(space, v));
    for (const checker::View& v : t.writes(s)) step.writes.push_back(view_of(space, v));
    for (const auto& row : s.form->access) {
      std::vector<Access>& copy = step.access.edit().emplace_back();
      for (const checker::Access a : row) copy.push_back(static_cast<Access>(a));
    }
    step.reaching.edit().assign(t.reaching.data() + s.reaching, t.reaching.data() + s.reaching_end);
    step.bodies = texts(s.form->bodies);
  }
}

Trace trace_of(Space& space, const checker::Trace& t) {
  Trace out;
  for (const checker::Storage& s : t.storages)
    out.storages.push_back({static_cast<TraceStorage::Start>(s.form->start), std::string(s.key),
                            s.form->shape, static_cast<std::int16_t>(s.form->lanes), s.form->writable,
                            s.form->compared});
  for (const auto& [name, view] : t.inputs) out.inputs.push_back({std::string(name), view_of(space, view)});
  steps_of(space, t, out);
  for (const checker::Output& o : t.outputs)
    out.outputs.push_back({o.view ? std::optional(view_of(space, *o.view)) : std::nullopt,
                           std::string(o.scalar), o.strides, o.strides_known, o.reaching});
  for (const auto& [told, computed] : t.claims) out.claims.push_back({0, "", told, computed});
  out.unknown.resize(t.unknown);
  out.any_order = t.any_order, out.edges = t.edges, out.arenas = t.arenas;
  for (const checker::Placement& p : t.placements)
    out.placements.push_back({"", p.arena, p.offset, p.size, p.first, p.last, p.storage, p.order, p.below});
  return out;
}

}  // namespace

std::vector<Check> checks_of(Space& space, const checker::Certificate& read) {
  std::vector<Check> out;
  for (const checker::Check& c : read.checks) {
    Check& check = out.emplace_back();
    check.key = std::string(c.key);
    if (c.before) check.before = trace_of(space, *c.before);
    check.after = trace_of(space, c.after);
    check.boundary = c.boundary;
    for (const checker::Obligation& o : c.claimed)
      check.by_solver.push_back({static_cast<Obligation::Kind>(o.kind), o.of_before, o.a, o.b});
    check.lemmas = c.lemmas;
  }
  return out;
}

}  // namespace noclobber::testing
