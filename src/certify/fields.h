// The fields of each noun of a certificate, in the order of its text. checker/text/read.cpp reads it.
#pragma once
#include <concepts>

#include "src/values/certificate.h"

namespace noclobber {

/// Polynomials, which are written as places in the table of numbers.
template <class T>
struct Num {
  T& at;
  bool may_be_bad = false;
};
template <class T>
Num(T&) -> Num<T>;
template <class T>
Num(T&, bool) -> Num<T>;
template <class T>
inline constexpr bool kIsNum = false;
template <class T>
inline constexpr bool kIsNum<Num<T>> = true;

/// The form of a noun: what it has in common with others of its kind, written once in the table of forms.
template <class T>
struct Form {
  T& of;
};
/// A list, of which only the number of entries is written; only the entries.
template <class T>
struct Count {
  T& of;
};
template <class T>
struct Entries {
  T& of;
};
template <class T>
Form(T&) -> Form<T>;
template <class T>
Count(T&) -> Count<T>;
template <class T>
Entries(T&) -> Entries<T>;

/// The list of conditions of a step, which is always empty.
inline const std::vector<std::uint32_t> kNone;

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

void form(auto& io, Is<TraceView> auto& v) { io(v.type, v.lanes, Num{v.shape}, v.maps); }
void form(auto& io, Is<TraceStorage> auto& s) { io(s.start, Num{s.shape}, s.lanes, s.writable, s.compared); }
void form(auto& io, Is<TraceStep> auto& s) {
  io(s.kind, s.key, s.elementwise, Count{s.reads}, Count{s.writes}, s.access, s.bodies);
}
void fields(auto& io, Is<TraceView> auto& v) { io(Form{v}, v.storage); }
void fields(auto& io, Is<TraceStorage> auto& s) { io(Form{s}, s.key.text()); }
void fields(auto& io, Is<TraceStep> auto& s) {
  io(Form{s}, s.origin, Entries{s.reads}, Entries{s.writes}, s.reaching, kNone);
}
void fields(auto& io, Is<TraceOutput> auto& o) {
  io(o.view, o.scalar, Num{o.strides}, o.strides_known, o.reaching);
}
void fields(auto& io, Is<TraceClaim> auto& c) {
  io(c.origin, c.what, Num{c.said, true}, Num{c.computed, true});
}
void fields(auto& io, Is<TracePlacement> auto& p) {
  io(p.name, p.arena, Num{p.offset}, Num{p.size}, p.first, p.last, p.storage);
  if (p.storage) io(p.order);
  io(p.below);
}
void fields(auto& io, Is<Trace> auto& t) {
  io(t.storages, t.inputs, kNone, t.steps, t.outputs, t.claims, t.unknown, t.any_order, t.edges,
     Num{t.arenas}, t.placements);
}
void fields(auto& io, Is<TraceInput> auto& i) { io(i.name, i.view); }
void fields(auto& io, Is<Boundary> auto& b) {
  io(b.compare_strides, b.sharing_may_grow, b.sharing_may_shrink, b.may_share);
}
void fields(auto& io, Is<Obligation> auto& o) { io(o.kind, o.of_before, o.a, o.b); }
/// The lemmas follow as a part of their own.
void fields(auto& io, Is<Check> auto& c) { io(c.key, c.before, c.after, c.boundary, c.by_solver); }
void fields(auto& io, Is<checker::Lemma> auto& l) {
  io(l.kind, l.a, l.b, l.c, l.d, l.order());
  if (l.kind == checker::Lemma::Kind::identity) io(std::string(l.row()));
}
void fields(auto& io, Is<Line> auto& l) { io(l.rule, l.a, l.b, l.c, Num{l.poly}, Num{l.by}); }
void fields(auto& io, Is<Derivation> auto& d) { io(Num{d.facts}, d.lines); }
void fields(auto& io, Is<checker::Refutation> auto& r) { io(r.about, r.index, r.other, r.path, r.order); }

}  // namespace noclobber
