// Reads a certificate and checks what must hold of each noun. Braced initializers run from left to right.
#include "checker/text/read.h"

#include <unordered_set>

#include "checker/text/scan.h"

namespace noclobber::checker {
namespace {

class Reader : Scanner {
 public:
  Reader(Space& space, std::string_view text, bool concrete)
      : Scanner(text, true), space_(space), concrete_(concrete) {
    if (text.starts_with("noclobber.cert/1"))
      throw Unreadable(
          "a text of noclobber.cert/1, which is no longer read: write it again as noclobber.cert/2");
  }

  Certificate read() {
    expect("noclobber.cert/2");
    about(out_.answer);
    expect("operators"), text(), assumptions(out_.answer);
    expect("symbols"), times([&] { line(), symbol(); });
    expect("numbers"), times([&] { table_number(); });
    indexed_ = false, stated_.resize(out_.numbers.size());
    expect("facts"), times([&] { space_.assume_nonnegative(poly()); });
    expect("views"), out_.views = forms([&] { return view_form(); });
    expect("storages"), out_.storages = forms([&] { return storage_form(); });
    expect("steps"), out_.steps = forms([&] { return step_form(); });
    without_index();
    const std::vector<bool> stated = stated_;
    expect("evidence"), out_.evidence = list([&] {
                          line();
                          return Derivation{polys(), list([&] { return rule(); })};
                        });
    indexed_ = false, stated_ = stated;
    expect("checks"), times([&] { check(out_.checks.emplace_back()); });
    without_index();
    expect("refutation"), out_.refutation = maybe([&] { return refutation(); });
    require(!out_.checks.empty(), "a check");
    ends();
    divisors();
    return std::move(out_);
  }

 private:
  std::vector<std::uint32_t> integers() {
    return list([&] { return integer(); });
  }
  Places places() { return {integer(), integer()}; }
  PolyId poly(bool may_be_bad = false) {
    const auto k = integer<std::size_t>();
    require(k < out_.numbers.size() && (may_be_bad || out_.numbers[k] != Space::kBad),
            "a number of the table");
    indexed_ = indexed_ || with_index_[k];
    if (stated_.empty()) parts_.back().parts.push_back(k);
    else stated_[k] = true;
    return out_.numbers[k];
  }
  Shape polys() {
    return list([&] { return poly(); });
  }
  Shape shape() {
    Shape out = polys();
    require(out.size() < Space::kLane, "fewer dimensions");
    return out;
  }
  std::int64_t lanes() {
    const auto out = integer<std::int64_t>();
    require(out >= 0, "a count of parts");
    return out;
  }
  /// A table of forms: one entry a line, no two of them equal.
  auto forms(auto&& each) -> std::vector<decltype(each())> {
    std::unordered_set<Text> known;
    return list([&] {
      line();
      const char* const from = at_;
      auto out = each();
      require(known.emplace(from, at_).second, "another form");
      return out;
    });
  }
  template <class T> T& form(std::vector<T>& all) {
    const auto k = integer<std::size_t>();
    require(k < all.size(), "a form of the table");
    return all[k];
  }

  /// Only evidence may use indices: what a Trace says is the same at every index.
  void without_index() { require(!indexed_, "numbers without an index"); }

  void symbol() {
    const std::string name(text());
    const auto bound = [&] { return integer<std::int64_t>(); };
    const auto least = maybe(bound), most = maybe(bound);
    const auto at = bound();
    require(at >= least.value_or(at) && at <= most.value_or(at), "a value in range");
    require(out_.symbols.emplace(name, at).second, "another name");
    if (!concrete_) space_.range(name, least, most);
  }
  /// Collects the divisors in all numbers that anything but evidence uses, also as parts of others.
  void divisors() {
    for (std::size_t k = stated_.size(); k-- > 0;) {
      if (!stated_[k]) continue;
      for (std::size_t part : parts_[k].parts) stated_[part] = true;
      if (parts_[k].divisor) out_.divisors.insert(*parts_[k].divisor);
    }
  }
  /// Equal numbers are one line: products are in rising order of the places of their factors, which rise too
  /// and are no sums; a sum of one atom is that atom. If symbols are values, numbers may be equal.
  void table_number() {
    line();
    indexed_ = false;
    parts_.emplace_back();
    const std::string_view kind = word();
    const PolyId out = number(kind);
    const Polynomial* const sum = out == Space::kBad ? nullptr : &space_.terms(out);
    const bool atom = sum != nullptr && sum->size() == 1 && sum->front().factor == 1 &&
                      space_.atoms(sum->front()).size() == 1;
    require(concrete_ ||
                (known_.insert(out).second && (kind == "bad" || (sum != nullptr && atom != (kind == "p")))),
            "a number in normal form, not one of those before");
    atoms_.push_back(kind != "p" && kind != "bad");
    with_index_.push_back(indexed_);
    out_.numbers.push_back(out);
  }
  /// bad | s name | f name arguments | i position extent | q dividend divisor | p sum of products
  PolyId number(std::string_view kind) {
    const std::string name(kind == "s" || kind == "f" ? text() : "");
    const auto fixed = out_.symbols.find(name);
    require(kind != "s" || fixed != out_.symbols.end(), "a symbol that was declared");
    if (kind == "s") return concrete_ ? space_.constant(fixed->second) : space_.symbol(name);
    if (kind == "f") return space_.opaque(name, polys());
    const PolyId first = kind == "i" ? integer() : kind == "q" ? poly() : 0;
    if (kind == "i") {
      const PolyId extent = poly();
      indexed_ = true;
      return space_.index(first, extent);
    }
    if (kind == "q") {
      const PolyId by = poly();
      parts_.back().divisor = by;
      return space_.quotient_in(first, by);
    }
    require(kind == "p" || kind == "bad", "a kind of number");
    if (kind == "bad") return Space::kBad;
    return sum();
  }
  PolyId sum() {
    PolyId out = 0;
    std::vector<std::size_t> before;
    const std::vector<std::size_t>& parts = parts_.back().parts;
    times([&, first = true]() mutable {
      const auto by = integer<std::int64_t>();
      const auto from = static_cast<std::ptrdiff_t>(parts.size());
      PolyId product = space_.constant(by);
      for (PolyId factor : polys()) product = space_.mul(product, factor);
      out = space_.add(out, product);
      std::vector<std::size_t> own(parts.begin() + from, parts.end());
      require(by != 0 && std::ranges::is_sorted(own) && (std::exchange(first, false) || before < own) &&
                  std::ranges::all_of(own, [&](std::size_t k) { return atoms_[k]; }),
              "products in order, of atoms in order");
      before = std::move(own);
    });
    return out;
  }
  Line rule() {
    const Line l{kind(Line::Rule::divide), integer(), integer(), integer(), poly(), poly()};
    const bool of_lines = l.rule >= Line::Rule::add, divides = l.rule == Line::Rule::divide;
    require((of_lines || (l.a == 0 && l.b == 0)) && (divides || (l.c == 0 && l.by == 0)) &&
                (!of_lines || divides || l.poly == 0),
            "0 where a rule uses nothing");
    return l;
  }

  ViewForm view_form() {
    const Text type = text();
    const char* const from = at_;
    ViewForm v{type, lanes(), shape(), list([&] { return map(); })};
    v.place = places_.emplace(Text(from, at_), static_cast<std::uint32_t>(places_.size())).first->second;
    return v;
  }
  Map map() {
    Map m{flag(), shape(), shape()};
    const Places ranks(m.from.size(), m.to.size());
    if (m.reshape) {
      m.groups = list([&] { return places(); });
      Places last{0, 0};
      for (const Places& end : m.groups) {
        require(end.first >= last.first && end.second >= last.second && end.first <= ranks.first &&
                    end.second <= ranks.second &&
                    (end == ranks ||
                     count(m.from, last.first, end.first) == count(m.to, last.second, end.second)),
                "groups of equally many elements");
        last = end;
      }
      require(last == ranks, "groups of all dimensions");
      return m;
    }
    for (std::uint32_t d = 0; d < ranks.first; ++d) m.start.push_back(poly());
    m.factors = list([&] { return Map::Factor{integer(), integer(), poly(true)}; });
    for (const auto& [to, from, by] : m.factors)
      require(to < ranks.second && from < ranks.first, "dimensions of the map");
    return m;
  }
  PolyId count(const Shape& shape, std::size_t from, std::size_t to) {
    PolyId out = space_.constant(1);
    for (; from < to; ++from) out = space_.mul(out, shape[from]);
    require(out != Space::kBad, "a count of elements");
    return out;
  }
  StorageForm storage_form() { return {kind(Start::token), shape(), lanes(), flag(), flag()}; }
  StepForm step_form() {
    StepForm s{kind(StepKind::opaque),
               text(),
               flag(),
               integer(),
               integer(),
               list([&] { return list([&] { return kind(Access::before_write); }); }),
               list([&] { return text(); })};
    const bool opaque = s.kind == StepKind::opaque, move = s.kind == StepKind::move;
    const auto each_write = [&](const auto& row) { return row.size() == s.writes; };
    require(s.access.size() == s.reads && std::ranges::all_of(s.access, each_write) &&
                (opaque || (!s.elementwise && s.reads == (move ? 1U : 0U))) &&
                (s.writes == 1 || (opaque && !s.elementwise)),
            "a step of this form");
    return s;
  }

  /// Each map begins where the one before it ends; the last ends in the view's own shape.
  bool fits(const ViewForm& view, const StorageForm& s) {
    if (view.maps.empty() && view.lanes == s.lanes && view.shape == s.shape) return true;
    const auto with_lanes = [&](Shape shape, std::int64_t lanes) {
      if (lanes > 0) shape.push_back(space_.constant(lanes));
      return shape;
    };
    Shape shape = with_lanes(s.shape, s.lanes);
    space_.work(shape.size());
    for (const Map& m : view.maps) {
      space_.work(4 + m.from.size() + m.to.size());
      if (m.from.size() > shape.size() || !std::equal(m.from.begin(), m.from.end(), shape.begin()))
        return false;
      shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(m.from.size()));
      shape.insert(shape.begin(), m.to.begin(), m.to.end());
    }
    return (s.lanes > 0) == (view.lanes > 0) && shape == with_lanes(view.shape, view.lanes);
  }
  View view() {
    ViewForm& v = form(out_.views);
    const StorageId storage = integer();
    require(storage < trace_->storages.size(), "a storage of the trace");
    const StorageForm* const s = trace_->storages[storage].form;
    require(v.fits == s || fits(v, *s), "maps that fit one another, from the storage to the view");
    v.fits = s;
    return {storage, &v};
  }
  /// The list of conditions of a step is always empty: conditional steps are not supported.
  void no_conditions() { require(integer() == 0, "no conditions"); }
  std::uint32_t few(std::size_t k) {
    return require(k < kUnset, "fewer views"), static_cast<std::uint32_t>(k);
  }
  Step step() {
    Trace& t = *trace_;
    Step s{&form(out_.steps), integer(), few(t.views.size()), few(t.reaching.size())};
    for (std::uint32_t k = s.form->reads + s.form->writes; k > 0; --k) t.views.push_back(view());
    times([&] {
      t.reaching.push_back(integer());
      require(t.reaching.back() <= t.steps.size(), "a time before");
    });
    s.reaching_end = few(t.reaching.size());
    no_conditions();
    const std::uint32_t reaching = s.reaching_end - s.reaching;
    bool good =
        (reaching == 0 || reaching == s.form->reads) && s.origin < kMostOrigin && s.origin >= t.origin;
    t.origin = s.origin;
    for (const View& v : t.reads(s))
      good = good && ((s.form->kind == StepKind::opaque && !s.form->elementwise) ||
                      v.form->shape == t.writes(s)[0].form->shape);
    require(good, "a step of this form");
    return s;
  }
  Output output() {
    Output o{maybe([&] { return view(); }), text(), polys(), flag(), maybe([&] { return integer(); })};
    require(!o.reaching || *o.reaching <= trace_->steps.size(), "a time before");
    require(!o.strides_known || (o.view && o.strides.size() == o.view->form->shape.size()),
            "the output's strides");
    return o;
  }
  Placement placement() {
    text();
    Placement p;
    p.arena = integer(), p.offset = poly(), p.size = poly(), p.first = integer(), p.last = integer();
    p.storage = maybe([&] { return integer(); });
    if (p.storage) p.order = integers();
    p.below = maybe([&] { return integer(); });
    require(!p.storage || *p.storage < trace_->storages.size(), "a storage of the trace");
    return p;
  }
  std::vector<Storage> storages() {
    std::map<Start, std::unordered_set<Text>> known;
    return list([&] {
      const Storage s{(line(), &form(out_.storages)), text()};
      require(known[s.form->start].insert(s.key).second, "other storages");
      return s;
    });
  }
  void trace(Trace& out) {
    trace_ = &out;
    out.storages = storages();
    out.inputs = list([&] { return std::pair<Text, View>{text(), view()}; });
    no_conditions();
    fill(out.steps, [&] { return line(), step(); });
    out.outputs = list([&] { return output(); });
    out.claims = list([&] { return (integer(), text(), Places{poly(true), poly(true)}); });
    times([&] { text(), text(), ++out.unknown; });
    out.any_order = flag();
    out.edges = list([&] { return places(); });
    for (const auto& [earlier, later] : out.edges) require(later < kMostOrigin, "a graph step");
    require(std::ranges::is_sorted(out.edges), "edges in order");
    out.arenas = polys();
    out.placements = list([&] { return line(), placement(); });
  }
  Obligation obligation() { return {kind(Obligation::Kind::placed), flag(), integer(), integer()}; }
  void check(Check& c) {
    c.key = text();
    if (flag()) trace(c.before.emplace());
    trace(c.after);
    c.boundary.compare_strides = flag(), c.boundary.sharing_may_grow = flag();
    c.boundary.sharing_may_shrink = flag();
    times([&] { c.boundary.may_share.insert(places()); });
    times([&] { require(c.claimed.insert(obligation()).second, "another claim"); });
    fill(c.lemmas, [&] {
      Lemma l{kind(Lemma::Kind::identity), integer(), integer(), integer(), integer()};
      Lemma::Rest rest{integers(), Text()};
      const bool calls = l.kind == Lemma::Kind::calls, writes = l.kind == Lemma::Kind::writes,
                 row = l.kind == Lemma::Kind::identity;
      if (row) rest.second = text();
      require((!calls || l.b == 0) && ((!calls && !row) || l.d == 0) && writes != rest.first.empty(),
              "0 where a lemma uses nothing");
      if (writes || row) l.rest.push_front(std::move(rest));
      require(c.lemmas.empty() || l != c.lemmas.back(), "another lemma");
      return l;
    });
  }
  Refutation refutation() {
    const auto element = [&] { return list([&] { return integer<std::int64_t>(); }); };
    return {obligation(), element(), element(), list([&] {
              return std::pair{integer(), element()};
            }),
            integers()};
  }

  Space& space_;
  bool concrete_;
  Certificate out_;
  std::set<PolyId> known_;        // all numbers
  std::vector<bool> atoms_;       // per number: true if it is an atom
  std::vector<bool> with_index_;  // per number: true if an index occurs in it
  bool indexed_ = false;          // true if one occurred in what was read
  /// Per number: the numbers it is made of, and its divisor if it is a quotient.
  struct Parts {
    std::vector<std::size_t> parts;
    std::optional<PolyId> divisor;
  };
  std::vector<Parts> parts_;
  std::vector<bool> stated_;  // per number, once all were read: true if anything but evidence uses it
  std::map<Text, std::uint32_t> places_;
  Trace* trace_ = nullptr;  // the Trace being read
};

}  // namespace

Certificate read(Space& space, std::string_view text, bool concrete) {
  return Reader(space, text, concrete).read();
}

}  // namespace noclobber::checker
