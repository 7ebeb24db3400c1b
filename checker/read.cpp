#include <array>
#include <tuple>

#include "checker/fields.h"
#include "checker/scan.h"

namespace noclobber {
namespace {

constexpr std::size_t kReserved = 1U << 18;  // what a count is believed before its entries are there

class Reader : Scanner {
 public:
  Reader(Space& space, std::string_view text, bool concrete)
      : Scanner(text), space_(space), concrete_(concrete) {}

  std::optional<Certificate> read(std::string& fault) {
    expect("noclobber.cert/1");
    section("about", out_.about);
    section("inputs", out_.inputs);
    section("operators", out_.operators);
    section("assumptions", out_.assumptions);
    expect("symbols");
    times([&] { symbol(); });
    expect("numbers");
    times([&] { polys_.push_back(number()); });
    expect("facts");
    times([&] { space_.assume_nonnegative(poly()); });
    forms<TraceView>("views");
    forms<TraceStorage>("storages");
    forms<TraceStep>("steps");
    section("evidence", out_.evidence);
    section("checks", out_.checks);
    section("refutation", out_.refutation);
    require(!out_.checks.empty(), "a check");
    if (!ends(fault)) return std::nullopt;
    return std::move(out_);
  }

  template <class... T> void operator()(T&&... all) { (value(all), ...); }

 private:
  using Scanner::value;
  template <class T> void section(const char* name, T& content) { expect(name), value(content); }
  template <class T> void forms(const char* name) {
    expect(name), times([&] { form(*this, std::get<std::vector<T>>(forms_).emplace_back()); });
  }
  template <class T> void entries(std::vector<T>& out, auto&& each) {
    std::size_t n = size();
    for (out.reserve(std::min(n, kReserved)); n > 0 && good_; --n) each();
  }
  PolyId poly(bool may_be_bad = false) {
    const auto k = integer<std::size_t>();
    require(k < polys_.size() && (may_be_bad || polys_[k] != Space::kBad), "a number of the table");
    return good_ ? polys_[k] : Space::kBad;
  }

  template <std::integral T> void value(T& out) { out = integer<T>(); }
  void value(bool& out) {
    const auto flag = integer<unsigned>();
    require(flag <= 1, "0 or 1");
    out = flag == 1;
  }
  template <class T>
  requires std::is_enum_v<T>
  void value(T& out) {
    const auto kind = integer<unsigned>();
    require(kind <= static_cast<unsigned>(last(T{})), "a smaller kind");
    if (good_) out = static_cast<T>(kind);
  }
  void value(Text& out) {
    std::string text;
    value(text);
    out = std::move(text);
  }
  template <class T> void value(std::vector<T>& out) {
    entries(out, [&] { value(out.emplace_back()); });
  }
  template <class T> void value(std::set<T>& out) {
    std::vector<T> all;
    value(all);
    out.insert(all.begin(), all.end());
  }
  template <class T> void value(std::optional<T>& out) {
    bool present = false;
    value(present);
    if (present && good_) value(out.emplace());
  }
  template <class A, class B> void value(std::pair<A, B>& out) { (*this)(out.first, out.second); }
  void value(Num<PolyId>& out) { out.at = poly(out.may_be_bad); }
  void value(Num<std::vector<PolyId>>& out) {
    entries(out.at, [&] { out.at.push_back(poly()); });
  }
  template <class T> void value(Form<T> out) {
    const auto& all = std::get<std::vector<T>>(forms_);
    const auto place = integer<std::size_t>();
    require(place < all.size(), "a form of the table");
    if (good_) out.of = all[place];
  }
  template <class T> void value(Count<T> out) { out.of.resize(size()); }
  template <class T> void value(Entries<T> out) {
    for (auto& one : out.of) value(one);
  }
  template <class T>
  requires requires(Reader& r, T& t) { fields(r, t); }
  void value(T& out) {
    fields(*this, out);
    if (good_) complete(out);
  }
  void value(Trace& out) {
    trace_ = &out;
    for (auto& keys : keys_) keys = {};
    fields(*this, out);
    for (const auto& [earlier, later] : out.edges) require(later < TraceStep::kMostOrigin, "a graph step");
    require(std::ranges::is_sorted(out.steps, {}, &TraceStep::origin), "steps as the graph has them");
  }

  void symbol() {
    std::string name;
    std::optional<std::int64_t> least, most;
    std::int64_t at = 0;
    (*this)(name, least, most, at);
    if (!good_) return;
    require(at >= least.value_or(at) && at <= most.value_or(at), "a value in range");
    require(out_.symbols.emplace(name, at).second, "another name");
    if (!concrete_) space_.range(name, least, most);
  }
  /// bad | s name | f name arguments | i position extent | q dividend divisor | p sum of products
  PolyId number() {
    const std::string_view kind = word();
    std::string name;
    if (kind == "s") {
      value(name);
      const auto fixed = out_.symbols.find(name);
      return concrete_ && fixed != out_.symbols.end() ? space_.constant(fixed->second) : space_.symbol(name);
    }
    if (kind == "f") {
      std::vector<PolyId> arguments;
      (*this)(name, Num{arguments});
      return space_.opaque(name, arguments);
    }
    if (kind == "i") {
      const auto position = integer<std::uint32_t>();
      return space_.index(position, poly());
    }
    const PolyId dividend = kind == "q" ? poly() : 0;
    if (kind == "q") return space_.quotient_in(dividend, poly());
    require(kind == "p" || kind == "bad", "a kind of number");
    if (kind != "p") return Space::kBad;
    PolyId sum = 0;
    times([&] {
      PolyId product = space_.constant(integer<std::int64_t>());
      times([&] { product = space_.mul(product, poly()); });
      sum = space_.add(sum, product);
    });
    return sum;
  }

  /// What must hold of a noun that has been read, as has what stands before it in the trace.
  void complete(const auto&) {}
  void complete(const Map& m) { require(well_formed(m), "a map of these shapes"); }
  void complete(const TraceStorage& s) {
    auto& keys = keys_[static_cast<std::size_t>(s.start)];
    const std::string_view key(at_ - s.key.size(), s.key.size());  // it has just been read
    const std::size_t others = keys.size();
    require(keys.add(key, std::hash<std::string_view>{}(key)) == others && s.lanes >= 0, "another storage");
  }
  Shape with_lanes(Shape shape, std::int64_t lanes) {
    if (lanes > 0) shape.push_back(space_.constant(lanes));
    return shape;
  }
  /// Each map begins where the one before it ends; the last ends in the view's own shape.
  void complete(const TraceView& view) {
    require(view.storage < trace_->storages.size(), "a storage of the trace");
    if (!good_) return;
    const TraceStorage& s = trace_->storages[view.storage];
    if (view.maps.empty() && view.lanes == s.lanes && view.shape == s.shape) return;
    Shape shape = with_lanes(s.shape, s.lanes);
    for (const Map& m : view.maps) {
      if (m.from.size() > shape.size() || !std::equal(m.from.begin(), m.from.end(), shape.begin()))
        return fail("maps that fit one another");
      shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(m.from.size()));
      shape.insert(shape.begin(), m.to.begin(), m.to.end());
    }
    const bool ends =
        view.lanes >= 0 && (s.lanes > 0) == (view.lanes > 0) && shape == with_lanes(view.shape, view.lanes);
    require(ends, "maps that end in the view's shape");
  }
  /// One element, looked at before it is needed.
  void complete(const TraceGuard& g) {
    for (PolyId extent : g.view.shape) require(space_.value(extent) == 1, "a condition of one element");
  }
  void complete(const TraceStep& s) {
    const std::size_t reads = s.reads.size(), writes = s.writes.size();
    const auto each_write = [&](const auto& row) { return row.size() == writes; };
    const bool move = s.kind == TraceStep::Kind::move, opaque = s.kind == TraceStep::Kind::opaque;
    bool good = s.access.size() == reads && std::ranges::all_of(s.access, each_write) &&
                (s.means.empty() || s.means.size() == reads) && s.origin < TraceStep::kMostOrigin &&
                (opaque || (!s.elementwise && reads == (move ? 1U : 0U))) &&
                (writes == 1 || (opaque && !s.elementwise));
    for (const TraceView& view : s.reads)
      good = good && ((opaque && !s.elementwise) || view.shape == s.writes[0].shape);
    for (const auto& [guard, wanted] : s.guards)
      good = good && guard < trace_->guards.size() && trace_->guards[guard].time < trace_->steps.size();
    require(good, "a step of this form");
  }
  void complete(const TraceOutput& o) {
    require(!o.strides_known || (o.view && o.strides.size() == o.view->shape.size()), "the output's strides");
  }
  void complete(const TracePlacement& p) {
    require(!p.storage || *p.storage < trace_->storages.size(), "a storage of the trace");
  }

  Space& space_;
  bool concrete_;
  Certificate out_;
  std::vector<PolyId> polys_;
  std::tuple<std::vector<TraceView>, std::vector<TraceStorage>, std::vector<TraceStep>> forms_;
  const Trace* trace_ = nullptr;                    // the one being read
  std::array<Interned<std::string_view>, 3> keys_;  // of its storages, per start
};

}  // namespace

std::optional<Certificate> read_certificate(Space& space, std::string_view text, bool concrete,
                                            std::string& fault) {
  return Reader(space, text, concrete).read(fault);
}

}  // namespace noclobber
