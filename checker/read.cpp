#include <algorithm>
#include <charconv>

#include "checker/fields.h"

namespace noclobber {
namespace {

constexpr std::uint32_t kGraphSteps = 1U << 20;

class Reader {
 public:
  Reader(Space& space, std::string_view text, bool concrete)
      : space_(space), text_(text), concrete_(concrete) {}

  std::optional<Certificate> read(std::string& fault) {
    Certificate out;
    expect("noclobber.cert/1");
    section("about", out.about);
    section("inputs", out.inputs);
    section("operators", out.operators);
    section("assumptions", out.assumptions);
    expect("symbols");
    for (std::size_t n = size(); n > 0 && good_; --n) symbol(out);
    expect("numbers");
    for (std::size_t n = size(); n > 0 && good_; --n) polys_.push_back(number());
    section("facts", Num{facts_});
    for (PolyId fact : facts_) space_.assume_nonnegative(fact);
    expect("views");
    for (std::size_t n = size(); n > 0 && good_; --n) view();
    section("evidence", out.evidence);
    section("checks", out.checks);
    section("refutation", out.refutation);
    const std::size_t end = std::min(at_ + 1, text_.size());
    expect("sha256");
    if (word() != sha256(text_.substr(0, end))) fail("the hash of all that stands before it");
    if (!blank()) fail("the end");
    for (const Check& check : out.checks) validate(check);
    if (good_ && out.checks.empty()) fail("a check");
    if (good_) return out;
    fault = "byte " + std::to_string(at_) + ": expected " + wanted_;
    return std::nullopt;
  }

  template <class... T>
  void operator()(T&&... all) {
    (value(all), ...);
  }

 private:
  void fail(const char* wanted) {
    if (good_) wanted_ = wanted;
    good_ = false;
  }
  bool blank() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ == text_.size();
  }
  std::string_view word() {
    blank();
    const std::size_t begin = at_;
    while (good_ && at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\n') ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void expect(const char* wanted) {
    if (word() != wanted) fail(wanted);
  }
  template <class T>
  void section(const char* name, T&& content) {
    expect(name);
    value(content);
  }
  template <class T>
  T integer() {
    const std::string_view digits = word();
    T out = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (fault != std::errc() || digits.empty() || end != digits.data() + digits.size()) fail("a number");
    return good_ ? out : 0;
  }
  /// Of a list: each entry takes at least two bytes.
  std::size_t size() {
    const auto out = integer<std::size_t>();
    if (out > (text_.size() - at_) / 2) fail("a shorter list");
    return good_ ? out : 0;
  }
  PolyId poly(bool may_be_bad = false) {
    const auto k = integer<std::size_t>();
    if (k >= polys_.size() || (!may_be_bad && polys_[k] == Space::kBad)) fail("a number of the table");
    return good_ ? polys_[k] : Space::kBad;
  }

  void value(bool& out) {
    const auto flag = integer<unsigned>();
    if (flag > 1) fail("0 or 1");
    out = flag == 1;
  }
  template <std::integral T>
  void value(T& out) {
    out = integer<T>();
  }
  template <class T>
  requires std::is_enum_v<T>
  void value(T& out) {
    const auto kind = integer<unsigned>();
    if (kind > static_cast<unsigned>(last(T{}))) fail("a smaller kind");
    if (good_) out = static_cast<T>(kind);
  }
  void value(std::string& out) {
    blank();
    const std::size_t colon = std::min(text_.find(':', at_), text_.size());
    std::size_t length = 0;
    const auto [end, fault] = std::from_chars(text_.data() + at_, text_.data() + colon, length);
    if (fault != std::errc() || end != text_.data() + colon || colon + 1 > text_.size() ||
        length > text_.size() - colon - 1)
      return fail("a text");
    out = text_.substr(colon + 1, length);
    at_ = colon + 1 + length;
  }
  template <class T>
  void value(std::vector<T>& out) {
    for (std::size_t n = size(); n > 0 && good_; --n) value(out.emplace_back());
  }
  template <class T>
  void value(std::set<T>& out) {
    std::vector<T> all;
    value(all);
    out.insert(all.begin(), all.end());
  }
  template <class T>
  void value(std::optional<T>& out) {
    bool present = false;
    value(present);
    if (present && good_) value(out.emplace());
  }
  template <class A, class B>
  void value(std::pair<A, B>& out) {
    value(out.first);
    value(out.second);
  }
  void value(Num<PolyId>& out) { out.at = poly(out.may_be_bad); }
  void value(Num<std::vector<PolyId>>& out) {
    for (std::size_t n = size(); n > 0 && good_; --n) out.at.push_back(poly());
  }
  void value(TraceView& out) {
    const auto k = integer<std::size_t>();
    if (k >= views_.size()) return fail("a view of the table");
    out = views_[k];
  }
  template <class T>
  requires requires(Reader& r, T& t) { fields(r, t); }
  void value(T& out) { fields(*this, out); }

  void symbol(Certificate& out) {
    std::string name;
    std::optional<std::int64_t> least, most;
    std::int64_t at = 0;
    (*this)(name, least, most, at);
    if (!good_) return;
    if (at < least.value_or(at) || at > most.value_or(at)) fail("a value in range");
    if (!out.symbols.emplace(name, at).second) fail("another name");
    if (!concrete_) space_.range(name, least, most);
    values_[name] = at;
  }
  /// bad | s name | f name arguments | i position extent | q dividend divisor | p sum of products
  PolyId number() {
    const std::string_view kind = word();
    std::string name;
    std::vector<PolyId> parts;
    if (kind == "bad") return Space::kBad;
    if (kind == "s" || kind == "f") value(name);
    if (kind == "s")
      return concrete_ && values_.contains(name) ? space_.constant(values_[name]) : space_.symbol(name);
    if (kind == "p") return sum();
    const auto position = kind == "i" ? integer<std::uint32_t>() : 0;
    for (std::size_t n = kind == "f" ? size() : kind == "q" ? 2 : 1; n > 0 && good_; --n)
      parts.push_back(poly());
    if (!good_ || (kind != "f" && kind != "q" && kind != "i")) fail("a kind of number");
    if (!good_) return Space::kBad;
    if (kind == "f") return space_.opaque(name, parts);
    return kind == "q" ? space_.quotient_in(parts[0], parts[1]) : space_.index(position, parts[0]);
  }
  PolyId sum() {
    PolyId out = 0;
    for (std::size_t n = size(); n > 0 && good_; --n) {
      PolyId product = space_.constant(integer<std::int64_t>());
      for (std::size_t k = size(); k > 0 && good_; --k) product = space_.mul(product, poly());
      out = space_.add(out, product);
    }
    return out;
  }
  void view() {
    TraceView out;
    (*this)(out.storage, out.type, out.lanes, Num{out.shape}, out.maps);
    for (const Map& m : out.maps)
      if (good_ && !well_formed(m)) fail("a map of these shapes");
    views_.push_back(std::move(out));
  }

  static bool well_formed(const Map& m) {
    const std::size_t from = m.from.size(), to = m.to.size();
    switch (m.kind) {
      case Map::Kind::slice: return from == to && m.dim < from;
      case Map::Kind::permute:
        return from == to && std::set<std::uint32_t>(m.order.begin(), m.order.end()).size() == from &&
               m.order.size() == from &&
               std::all_of(m.order.begin(), m.order.end(), [&](auto k) { return k < from; });
      case Map::Kind::reshape: return true;
      case Map::Kind::expand: return from == to;
      case Map::Kind::diagonal:
        return from >= 2 && to + 1 == from && m.dim < from && m.other < from && m.dim != m.other;
      case Map::Kind::unfold: return to == from + 1 && m.dim < from;
      case Map::Kind::strided: return from == 1 && m.strides.size() == to;
    }
    return false;
  }
  /// Each map begins where the one before it ends; the last ends in the view's own shape.
  void validate(const Trace& trace, const TraceView& view) {
    if (view.storage >= trace.storages.size()) return fail("a storage of the trace");
    const TraceStorage& storage = trace.storages[view.storage];
    Shape shape = storage.shape;
    bool fits = (storage.lanes > 0) == (view.lanes > 0);
    if (storage.lanes > 0) shape.push_back(space_.constant(storage.lanes));
    for (const Map& m : view.maps) {
      fits = fits && m.from.size() <= shape.size() && std::equal(m.from.begin(), m.from.end(), shape.begin());
      if (!fits) return fail("maps that fit one another");
      Shape next = m.to;
      next.insert(next.end(), shape.begin() + static_cast<std::ptrdiff_t>(m.from.size()), shape.end());
      shape = std::move(next);
    }
    Shape own = view.shape;
    if (view.lanes > 0) own.push_back(space_.constant(view.lanes));
    if (!fits || own != shape) fail("maps that end in the view's shape");
  }
  void validate(const Trace& trace, const TraceStep& s) {
    bool good = s.means.empty() || s.means.size() == s.reads.size();
    good = good && s.access.size() == s.reads.size();
    for (const auto& row : s.access) good = good && row.size() == s.writes.size();
    const bool same = std::all_of(s.reads.begin(), s.reads.end(), [&](const TraceView& v) {
      return !s.writes.empty() && v.shape == s.writes[0].shape;
    });
    if (s.kind == TraceStep::Kind::move) good = good && s.reads.size() == 1 && s.writes.size() == 1 && same;
    if (s.kind == TraceStep::Kind::fill) good = good && s.reads.empty() && s.writes.size() == 1;
    if (s.kind != TraceStep::Kind::opaque) good = good && !s.elementwise;
    if (s.elementwise) good = good && s.writes.size() == 1 && same;
    for (const auto& [guard, wanted] : s.guards) good = good && guard < trace.guards.size();
    if (!good) fail("a step of this form");
    for (const TraceView& view : s.reads) validate(trace, view);
    for (const TraceView& view : s.writes) validate(trace, view);
  }
  /// One storage for each start and key; conditions of one element, looked at before they are needed.
  void validate_frame(const Trace& trace) {
    std::set<std::pair<TraceStorage::Start, std::string>> seen;
    bool good = true;
    for (const TraceStorage& s : trace.storages)
      good = good && s.lanes >= 0 && seen.emplace(s.start, s.key).second;
    for (const TraceGuard& g : trace.guards)
      good = good && std::all_of(g.view.shape.begin(), g.view.shape.end(),
                                 [&](PolyId extent) { return space_.value(extent) == 1; });
    for (std::size_t k = 0; good && k < trace.steps.size(); ++k) {
      good = trace.steps[k].origin < kGraphSteps;
      for (const auto& [guard, wanted] : trace.steps[k].guards)
        good = good && guard < trace.guards.size() && trace.guards[guard].time <= k;
    }
    for (const auto& [earlier, later] : trace.edges) good = good && later < kGraphSteps;
    if (!good) fail("a trace of this form");
  }
  void validate(const Trace& trace) {
    validate_frame(trace);
    for (const TraceInput& input : trace.inputs) validate(trace, input.view);
    for (const TraceStep& step : trace.steps) validate(trace, step);
    for (const TraceGuard& guard : trace.guards) validate(trace, guard.view);
    for (const TraceOutput& o : trace.outputs) {
      if (o.view) validate(trace, *o.view);
      if (o.strides_known && (!o.view || o.strides.size() != o.view->shape.size()))
        fail("strides of the output");
    }
    for (const TracePlacement& p : trace.placements)
      if (p.storage && *p.storage >= trace.storages.size()) fail("a storage of the trace");
  }

  void validate(const Check& check) {
    if (good_ && check.before) validate(*check.before);
    if (good_) validate(check.after);
  }

  Space& space_;
  std::string_view text_;
  bool concrete_;
  std::size_t at_ = 0;
  bool good_ = true;
  std::string wanted_;
  std::vector<PolyId> polys_, facts_;
  std::vector<TraceView> views_;
  std::map<std::string, std::int64_t> values_;
};

}  // namespace

std::optional<Certificate> read_certificate(Space& space, std::string_view text, bool concrete,
                                            std::string& fault) {
  return Reader(space, text, concrete).read(fault);
}

}  // namespace noclobber
