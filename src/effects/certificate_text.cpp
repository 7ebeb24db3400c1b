#include "src/effects/certificate_text.h"

namespace noclobber {
namespace {

class Writer {
 public:
  explicit Writer(const Space& space) : space_(space) {}

  std::string out;

  void word(const std::string& text) { out += text + " "; }
  void number(std::int64_t value) { word(std::to_string(value)); }
  void text(const std::string& value) { word(std::to_string(value.size()) + ":" + value); }
  void line(const std::string& text) { out += "\n" + text + " "; }

  std::string poly(PolyId id) {
    if (id == 0) return "0";
    const Polynomial terms = space_.terms(id);
    std::string sum;
    for (const Monomial& m : terms) {
      std::string product = std::to_string(m.factor);
      for (AtomId a : m.atoms) product += " " + atom(a);
      sum += (sum.empty() ? "" : " ") + (m.atoms.empty() ? product : "(* " + product + ")");
    }
    return terms.size() == 1 ? sum : "(+ " + sum + ")";
  }
  void polys(const std::vector<PolyId>& values) {
    number(static_cast<std::int64_t>(values.size()));
    for (PolyId p : values) word(poly(p));
  }

  void map(const Map& m) {
    number(static_cast<int>(m.kind));
    polys(m.from);
    polys(m.to);
    number(m.dim);
    number(m.other);
    word(poly(m.start));
    word(poly(m.step));
    number(static_cast<std::int64_t>(m.order.size()));
    for (std::uint32_t k : m.order) number(k);
    polys(m.strides);
  }

  void view(const TraceView& v) {
    number(v.storage);
    text(v.type);
    number(v.lanes);
    polys(v.shape);
    number(static_cast<std::int64_t>(v.maps.size()));
    for (const Map& m : v.maps) map(m);
  }

  void step(const TraceStep& s) {
    out += "\n";
    number(static_cast<int>(s.kind));
    text(s.key);
    number(s.elementwise ? 1 : 0);
    number(s.origin);
    number(static_cast<std::int64_t>(s.reads.size()));
    for (const TraceView& v : s.reads) view(v);
    number(static_cast<std::int64_t>(s.writes.size()));
    for (const TraceView& v : s.writes) view(v);
    for (const auto& row : s.access)
      for (Access a : row) number(static_cast<int>(a));
    number(static_cast<std::int64_t>(s.means.size()));
    for (std::uint32_t k : s.means) number(k);
  }

  void trace(const Trace& t) {
    line("storages " + std::to_string(t.storages.size()));
    for (const TraceStorage& s : t.storages) {
      out += "\n";
      number(static_cast<int>(s.start));
      text(s.key);
      number(s.lanes);
      number(s.writable ? 1 : 0);
      number(s.compared ? 1 : 0);
      polys(s.shape);
    }
    line("inputs " + std::to_string(t.inputs.size()));
    for (const TraceInput& input : t.inputs) {
      text(input.name);
      view(input.view);
    }
    line("steps " + std::to_string(t.steps.size()));
    for (const TraceStep& s : t.steps) step(s);
    line("outputs " + std::to_string(t.outputs.size()));
    for (const TraceOutput& o : t.outputs) {
      number(o.view ? 1 : 0);
      if (o.view) view(*o.view);
      text(o.scalar);
      number(o.strides_known ? 1 : 0);
      polys(o.strides);
      number(o.means ? 1 : 0);
      if (o.means) number(*o.means);
    }
    line("claims " + std::to_string(t.claims.size()));
    for (const TraceClaim& c : t.claims) {
      number(c.origin);
      text(c.what);
      const bool bad = c.computed == Space::kBad || c.said == Space::kBad;
      number(bad ? 1 : 0);
      word(c.said == Space::kBad ? "0" : poly(c.said));
      if (!bad) word(poly(c.computed));
    }
    line("unknown " + std::to_string(t.unknown.size()));
    for (const auto& [reason, name] : t.unknown) {
      text(reason);
      text(name);
    }
  }

 private:
  std::string atom(AtomId id) {
    const Atom& a = space_.atom(id);
    const auto named = [](const std::string& name) { return std::to_string(name.size()) + ":" + name; };
    if (a.kind == Atom::Kind::symbol) return "(s " + named(a.name) + ")";
    if (a.kind == Atom::Kind::quotient) return "(// " + poly(a.first) + " " + poly(a.second) + ")";
    std::string all = "(f " + named(a.name);
    for (PolyId p : a.arguments) all += " " + poly(p);
    return all + ")";
  }

  const Space& space_;
};

}  // namespace

std::string certificate_text(const Space& space, const Trace* before, const Trace& after,
                             const Boundary& boundary, const std::set<Obligation>& by_solver,
                             const std::string& assumptions) {
  Writer writer(space);
  writer.out = "noclobber.cert/0";
  std::string symbols;
  std::int64_t count = 0;
  for (AtomId a = 0; a < space.atom_count(); ++a) {
    const Atom& atom = space.atom(a);
    if (atom.kind != Atom::Kind::symbol) continue;
    ++count;
    symbols += " " + std::to_string(atom.name.size()) + ":" + atom.name + " " +
               (atom.bounded_below ? std::to_string(atom.least) : "-") + " " +
               (atom.most ? std::to_string(*atom.most) : "-");
  }
  writer.line("symbols " + std::to_string(count) + symbols);
  writer.line("facts");
  writer.polys(space.facts());
  writer.line(before != nullptr ? "traces 2" : "traces 1");
  if (before != nullptr) writer.trace(*before);
  writer.trace(after);
  writer.line("boundary");
  writer.number(boundary.compare_strides ? 1 : 0);
  writer.number(boundary.sharing_may_grow ? 1 : 0);
  writer.number(static_cast<std::int64_t>(boundary.may_share.size()));
  for (const auto& [output, input] : boundary.may_share) {
    writer.number(output);
    writer.number(input);
  }
  writer.line("solver");
  writer.number(static_cast<std::int64_t>(by_solver.size()));
  for (const Obligation& o : by_solver) {
    writer.number(static_cast<int>(o.kind));
    writer.number(o.of_before ? 1 : 0);
    writer.number(o.a);
    writer.number(o.b);
  }
  writer.line("assumptions");
  writer.text(assumptions);
  return writer.out + "\n";
}

}  // namespace noclobber
