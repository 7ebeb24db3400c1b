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
    times([&] { symbol(out); });
    expect("numbers");
    times([&] { polys_.push_back(number()); });
    expect("facts");
    times([&] { space_.assume_nonnegative(poly()); });
    expect("views");
    times([&] { view(); });
    section("evidence", out.evidence);
    section("checks", out.checks);
    section("refutation", out.refutation);
    const std::size_t end = std::min(at_ + 1, text_.size());
    expect("sha256");
    if (word() != sha256(text_.substr(0, end))) fail("the hash of all that stands before it");
    if (!blank()) fail("the end");
    for (const Check& check : out.checks)
      for (const Trace* trace : {check.before ? &*check.before : nullptr, &check.after})
        if (good_ && trace != nullptr) validate(*trace);
    if (out.checks.empty()) fail("a check");
    if (good_) return out;
    fault = "byte " + std::to_string(at_) + ": expected " + wanted_;
    return std::nullopt;
  }

  template <class... T> void operator()(T&&... all) { (value(all), ...); }

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
  template <class T> void section(const char* name, T&& content) {
    expect(name);
    value(content);
  }
  template <class T> T integer() { return number<T>(word(), "a number"); }
  template <class T> T number(std::string_view digits, const char* wanted) {
    T out = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (fault != std::errc() || end != digits.data() + digits.size()) fail(wanted);
    return good_ ? out : 0;
  }
  /// Of a list: each entry takes at least two bytes.
  std::size_t size() {
    const auto out = integer<std::size_t>();
    if (out > (text_.size() - at_) / 2) fail("a shorter list");
    return good_ ? out : 0;
  }
  void times(auto&& each) {
    for (std::size_t n = size(); n > 0 && good_; --n) each();
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
  template <std::integral T> void value(T& out) { out = integer<T>(); }
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
    const auto length = number<std::size_t>(text_.substr(at_, colon - at_), "a text");
    if (colon == text_.size() || length > text_.size() - colon - 1) return fail("a text");
    out = text_.substr(colon + 1, length);
    at_ = colon + 1 + length;
  }
  template <class T> void value(std::vector<T>& out) {
    times([&] { value(out.emplace_back()); });
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
    times([&] { out.at.push_back(poly()); });
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
    PolyId out = Space::kBad;
    if (kind == "s" || kind == "f") {
      std::string name;
      std::vector<PolyId> arguments;
      value(name);
      if (kind == "f") times([&] { arguments.push_back(poly()); });
      const auto fixed = values_.find(name);
      if (kind == "f") return space_.opaque(name, arguments);
      return concrete_ && fixed != values_.end() ? space_.constant(fixed->second) : space_.symbol(name);
    } else if (kind == "i") {
      const auto position = integer<std::uint32_t>();
      out = space_.index(position, poly());
    } else if (kind == "q") {
      const PolyId dividend = poly();
      out = space_.quotient_in(dividend, poly());
    } else if (kind == "p") {
      out = 0;
      times([&] {
        PolyId product = space_.constant(integer<std::int64_t>());
        times([&] { product = space_.mul(product, poly()); });
        out = space_.add(out, product);
      });
    } else if (kind != "bad") {
      fail("a kind of number");
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

  Shape with_lanes(Shape shape, std::int64_t lanes) {
    if (lanes > 0) shape.push_back(space_.constant(lanes));
    return shape;
  }
  /// Each map begins where the one before it ends; the last ends in the view's own shape.
  void validate(const Trace& trace, const TraceView& view) {
    if (view.storage >= trace.storages.size()) return fail("a storage of the trace");
    const TraceStorage& storage = trace.storages[view.storage];
    Shape shape = with_lanes(storage.shape, storage.lanes);
    for (const Map& m : view.maps) {
      const bool fits =
          m.from.size() <= shape.size() && std::equal(m.from.begin(), m.from.end(), shape.begin());
      if (!fits) return fail("maps that fit one another");
      shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(m.from.size()));
      shape.insert(shape.begin(), m.to.begin(), m.to.end());
    }
    if ((storage.lanes > 0) != (view.lanes > 0) || shape != with_lanes(view.shape, view.lanes))
      fail("maps that end in the view's shape");
  }
  void validate(const Trace& trace, const TraceStep& s) {
    const std::size_t reads = s.reads.size(), writes = s.writes.size();
    bool good = (s.means.empty() || s.means.size() == reads) && s.access.size() == reads;
    for (const auto& row : s.access) good = good && row.size() == writes;
    const bool move = s.kind == TraceStep::Kind::move, fill = s.kind == TraceStep::Kind::fill;
    if (move || fill) good = good && !s.elementwise && reads == (move ? 1U : 0U);
    if (move || fill || s.elementwise) good = good && writes == 1;
    if (move || s.elementwise)
      for (const TraceView& view : s.reads) good = good && view.shape == s.writes[0].shape;
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

  Space& space_;
  std::string_view text_;
  bool concrete_;
  std::size_t at_ = 0;
  bool good_ = true;
  std::string wanted_;
  std::vector<PolyId> polys_;
  std::vector<TraceView> views_;
  std::map<std::string, std::int64_t> values_;
};

}  // namespace

std::optional<Certificate> read_certificate(Space& space, std::string_view text, bool concrete,
                                            std::string& fault) {
  return Reader(space, text, concrete).read(fault);
}

}  // namespace noclobber
