// What a certificate holds of each noun, in the order of its text: one list for the reader and the writer.
#pragma once
#include <concepts>

#include "checker/certificate.h"

namespace noclobber {

/// Polynomials are written by their number in the certificate's table.
template <class T> struct Num {
  T& at;
  bool may_be_bad = false;
};
template <class T> Num(T&) -> Num<T>;
template <class T> Num(T&, bool) -> Num<T>;

/// What many nouns of a kind have in common stands once, in the table of their forms.
template <class T> struct Form { T& of; };
/// The number of entries alone; the entries alone.
template <class T> struct Count { T& of; };
template <class T> struct Entries { T& of; };
template <class T> Form(T&) -> Form<T>;
template <class T> Count(T&) -> Count<T>;
template <class T> Entries(T&) -> Entries<T>;

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

/// The last enumerator of each kind that is written as a number.
constexpr auto last(Map::Kind) { return Map::Kind::strided; }
constexpr auto last(TraceStorage::Start) { return TraceStorage::Start::token; }
constexpr auto last(TraceStep::Kind) { return TraceStep::Kind::opaque; }
constexpr auto last(Access) { return Access::before_write; }
constexpr auto last(Obligation::Kind) { return Obligation::Kind::placed; }
constexpr auto last(Line::Rule) { return Line::Rule::divide; }

void fields(auto& io, Is<Map> auto& m) {
  io(m.kind, Num{m.from}, Num{m.to}, m.dim, m.other, Num{m.start}, Num{m.step}, m.order, Num{m.strides});
}
void form(auto& io, Is<TraceView> auto& v) { io(v.type, v.lanes, Num{v.shape}, v.maps); }
void form(auto& io, Is<TraceStorage> auto& s) { io(s.start, Num{s.shape}, s.lanes, s.writable, s.compared); }
void form(auto& io, Is<TraceStep> auto& s) {
  io(s.kind, s.key, s.elementwise, Count{s.reads}, Count{s.writes}, s.access, s.bodies);
}
void fields(auto& io, Is<TraceView> auto& v) { io(Form{v}, v.storage); }
void fields(auto& io, Is<TraceStorage> auto& s) { io(Form{s}, s.key); }
void fields(auto& io, Is<TraceStep> auto& s) {
  io(Form{s}, s.origin, Entries{s.reads}, Entries{s.writes}, s.means, s.guards);
}
void fields(auto& io, Is<TraceOutput> auto& o) {
  io(o.view, o.scalar, Num{o.strides}, o.strides_known, o.means);
}
void fields(auto& io, Is<TraceClaim> auto& c) {
  io(c.origin, c.what, Num{c.said, true}, Num{c.computed, true});
}
void fields(auto& io, Is<TracePlacement> auto& p) {
  io(p.name, p.arena, Num{p.offset}, Num{p.size}, p.first, p.last, p.storage, p.below);
}
void fields(auto& io, Is<Trace> auto& t) {
  io(t.storages, t.inputs, t.guards, t.steps, t.outputs, t.claims, t.unknown, t.any_order, t.edges,
     Num{t.arenas}, t.placements);
}
void fields(auto& io, Is<TraceInput> auto& i) { io(i.name, i.view); }
void fields(auto& io, Is<TraceGuard> auto& g) { io(g.view, g.time); }
void fields(auto& io, Is<Boundary> auto& b) { io(b.compare_strides, b.sharing_may_grow, b.may_share); }
void fields(auto& io, Is<Obligation> auto& o) { io(o.kind, o.of_before, o.a, o.b); }
void fields(auto& io, Is<Check> auto& c) { io(c.key, c.before, c.after, c.boundary, c.by_solver); }
void fields(auto& io, Is<Line> auto& l) { io(l.rule, l.a, l.b, l.c, Num{l.poly}, Num{l.by}); }
void fields(auto& io, Is<Derivation> auto& d) { io(Num{d.facts}, d.lines); }
void fields(auto& io, Is<Refutation> auto& r) { io(r.about, r.index, r.other, r.path, r.order); }

}  // namespace noclobber
