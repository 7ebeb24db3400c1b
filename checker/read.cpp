#include "checker/read.h"

#include <algorithm>
#include <charconv>

namespace noclobber {
namespace {

constexpr std::int64_t kMost = 50'000'000;  // entries of one list
constexpr int kDepth = 100;                 // nested expressions

class Reader {
 public:
  Reader(Space& space, std::string_view text) : space_(space), text_(text) {}

  std::optional<Certificate> read(std::string& fault) {
    Certificate out;
    expect("noclobber.cert/0");
    expect("symbols");
    for (std::int64_t n = count(); n > 0 && good_; --n) symbol();
    expect("facts");
    for (std::int64_t n = count(); n > 0 && good_; --n) space_.assume_nonnegative(poly(0));
    expect("traces");
    const std::int64_t traces = count();
    if (traces != 1 && traces != 2) fail("one or two traces");
    if (traces == 2) out.before = trace();
    out.after = trace();
    boundary(out);
    expect("assumptions");
    out.assumptions = text();
    if (!blank()) fail("the end");
    if (good_) return out;
    fault = "byte " + std::to_string(at_) + ": expected " + wanted_;
    return std::nullopt;
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
    while (good_ && at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\n' && text_[at_] != ')') ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void expect(const char* wanted) {
    if (word() != wanted) fail(wanted);
  }
  std::int64_t number() {
    const std::string_view digits = word();
    std::int64_t out = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (fault != std::errc() || digits.empty() || end != digits.data() + digits.size()) fail("a number");
    return good_ ? out : 0;
  }
  std::int64_t count() {
    const std::int64_t out = number();
    if (out < 0 || out > kMost) fail("a count");
    return good_ ? out : 0;
  }
  std::uint32_t index() { return static_cast<std::uint32_t>(count()); }
  bool flag() { return count() != 0; }
  std::string text() {
    blank();
    const std::size_t colon = text_.find(':', at_);
    std::size_t length = 0;
    const char* end = text_.data() + (colon == std::string_view::npos ? at_ : colon);
    const auto [stop, fault] = std::from_chars(text_.data() + at_, end, length);
    if (fault != std::errc() || stop != end || length > text_.size() - colon - 1) fail("a text");
    if (!good_) return "";
    at_ = colon + 1 + length;
    return std::string(text_.substr(colon + 1, length));
  }
  void symbol() {
    const std::string name = text();
    const auto bound = [this]() -> std::optional<std::int64_t> {
      blank();
      if (at_ < text_.size() && text_[at_] == '-' &&
          (at_ + 1 == text_.size() || text_[at_ + 1] == ' ' || text_[at_ + 1] == '\n')) {
        ++at_;
        return std::nullopt;
      }
      return number();
    };
    const auto least = bound(), most = bound();
    if (good_) space_.range(name, least, most);
  }
  bool take(char c) {
    blank();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  PolyId poly(int depth) {
    if (depth > kDepth) fail("a flatter expression");
    if (!good_) return Space::kBad;
    if (!take('(')) return space_.constant(number());
    const std::string_view op = word();
    if (op == "s") {
      const std::string name = text();
      if (!take(')')) fail(")");
      return space_.symbol(name);
    }
    const std::string function = op == "f" ? text() : "";
    std::vector<PolyId> parts;
    while (good_ && !take(')')) parts.push_back(poly(depth + 1));
    if (op == "f") return space_.opaque(function, parts);
    if (parts.size() < 2 || (op != "+" && op != "*" && op != "//")) fail("an expression");
    PolyId out = good_ ? parts[0] : Space::kBad;
    for (std::size_t k = 1; k < parts.size() && good_; ++k)
      out = op == "+"   ? space_.add(out, parts[k])
            : op == "*" ? space_.mul(out, parts[k])
                        : space_.quotient_in(out, parts[k]);
    return out;
  }
  std::vector<PolyId> polys() {
    std::vector<PolyId> out;
    for (std::int64_t n = count(); n > 0 && good_; --n) out.push_back(poly(0));
    return out;
  }
  Map map() {
    Map out;
    const std::uint32_t kind = index();
    if (kind > static_cast<std::uint32_t>(Map::Kind::strided)) fail("a kind of map");
    out.kind = static_cast<Map::Kind>(kind);
    out.from = polys();
    out.to = polys();
    out.dim = index();
    out.other = index();
    out.start = poly(0);
    out.step = poly(0);
    for (std::int64_t n = count(); n > 0 && good_; --n) out.order.push_back(index());
    out.strides = polys();
    if (good_ && !well_formed(out)) fail("a map of these shapes");
    return out;
  }
  TraceView view(const Trace& trace) {
    TraceView out;
    out.storage = index();
    if (out.storage >= trace.storages.size()) fail("a storage");
    out.type = text();
    out.lanes = count();
    out.shape = polys();
    for (std::int64_t n = count(); n > 0 && good_; --n) out.maps.push_back(map());
    if (good_ && !fits(trace.storages[out.storage], out)) fail("maps that fit one another");
    return out;
  }
  Trace trace() {
    Trace out;
    expect("storages");
    for (std::int64_t n = count(); n > 0 && good_; --n) {
      TraceStorage s;
      const std::uint32_t start = index();
      if (start > static_cast<std::uint32_t>(TraceStorage::Start::token)) fail("a kind of storage");
      s.start = static_cast<TraceStorage::Start>(start);
      s.key = text();
      s.lanes = count();
      s.writable = flag();
      s.compared = flag();
      s.shape = polys();
      out.storages.push_back(std::move(s));
    }
    expect("inputs");
    for (std::int64_t n = count(); n > 0 && good_; --n) {
      std::string name = text();
      out.inputs.push_back({std::move(name), view(out)});
    }
    expect("steps");
    for (std::int64_t n = count(); n > 0 && good_; --n) out.steps.push_back(step(out));
    expect("outputs");
    for (std::int64_t n = count(); n > 0 && good_; --n) out.outputs.push_back(output(out));
    rest(out);
    return out;
  }
  TraceStep step(const Trace& trace) {
    TraceStep out;
    const std::uint32_t kind = index();
    if (kind > static_cast<std::uint32_t>(TraceStep::Kind::opaque)) fail("a kind of step");
    out.kind = static_cast<TraceStep::Kind>(kind);
    out.key = text();
    out.elementwise = flag();
    out.origin = index();
    for (std::int64_t n = count(); n > 0 && good_; --n) out.reads.push_back(view(trace));
    for (std::int64_t n = count(); n > 0 && good_; --n) out.writes.push_back(view(trace));
    for (std::size_t r = 0; r < out.reads.size() && good_; ++r) {
      out.access.emplace_back();
      for (std::size_t w = 0; w < out.writes.size() && good_; ++w)
        out.access.back().push_back(static_cast<Access>(index() % 3));
    }
    for (std::int64_t n = count(); n > 0 && good_; --n) out.means.push_back(index());
    if (good_ && !well_formed(out)) fail("a step of this form");
    return out;
  }
  TraceOutput output(const Trace& trace) {
    TraceOutput out;
    if (flag()) out.view = view(trace);
    out.scalar = text();
    out.strides_known = flag();
    out.strides = polys();
    if (flag()) out.means = index();
    if (out.strides_known && (!out.view || out.strides.size() != out.view->shape.size()))
      fail("strides of the output");
    return out;
  }
  void rest(Trace& out) {
    expect("claims");
    for (std::int64_t n = count(); n > 0 && good_; --n) {
      TraceClaim claim;
      claim.origin = index();
      claim.what = text();
      const bool bad = flag();
      claim.said = poly(0);
      claim.computed = bad ? Space::kBad : poly(0);
      out.claims.push_back(std::move(claim));
    }
    expect("unknown");
    for (std::int64_t n = count(); n > 0 && good_; --n) {
      std::string reason = text();
      out.unknown.emplace_back(std::move(reason), text());
    }
  }
  void boundary(Certificate& out) {
    expect("boundary");
    out.boundary.compare_strides = flag();
    out.boundary.sharing_may_grow = flag();
    for (std::int64_t n = count(); n > 0 && good_; --n) {
      const std::uint32_t output = index();
      out.boundary.may_share.emplace(output, index());
    }
    expect("solver");
    for (std::int64_t n = count(); n > 0 && good_; --n) {
      Obligation o;
      o.kind = static_cast<Obligation::Kind>(index());
      o.of_before = flag();
      o.a = index();
      o.b = index();
      out.by_solver.insert(o);
    }
  }

  static bool well_formed(const Map& m) {
    const std::size_t from = m.from.size(), to = m.to.size();
    switch (m.kind) {
      case Map::Kind::slice:
        return from == to && m.dim < from;
      case Map::Kind::permute:
        return from == to && std::set<std::uint32_t>(m.order.begin(), m.order.end()).size() == from &&
               m.order.size() == from &&
               (from == 0 || *std::max_element(m.order.begin(), m.order.end()) < from);
      case Map::Kind::reshape:
        return true;
      case Map::Kind::expand:
        return from == to;
      case Map::Kind::diagonal:
        return from >= 2 && to + 1 == from && m.dim < from && m.other < from && m.dim != m.other;
      case Map::Kind::unfold:
        return to == from + 1 && m.dim < from;
      case Map::Kind::strided:
        return from == 1 && m.strides.size() == to;
    }
    return false;
  }
  /// Each map begins where the one before it ends; the last ends in the view's own shape.
  bool fits(const TraceStorage& storage, const TraceView& view) const {
    Shape shape = storage.shape;
    if ((storage.lanes > 0) != (view.lanes > 0)) return false;
    if (storage.lanes > 0) shape.push_back(space_.constant(storage.lanes));
    for (const Map& m : view.maps) {
      if (m.from.size() > shape.size() || !std::equal(m.from.begin(), m.from.end(), shape.begin()))
        return false;
      Shape next = m.to;
      next.insert(next.end(), shape.begin() + static_cast<std::ptrdiff_t>(m.from.size()), shape.end());
      shape = std::move(next);
    }
    Shape own = view.shape;
    if (view.lanes > 0) own.push_back(space_.constant(view.lanes));
    return own == shape;
  }
  static bool well_formed(const TraceStep& s) {
    const bool same_shapes = std::all_of(s.reads.begin(), s.reads.end(), [&](const TraceView& v) {
      return !s.writes.empty() && v.shape == s.writes[0].shape;
    });
    if (!s.means.empty() && s.means.size() != s.reads.size()) return false;
    if (s.kind == TraceStep::Kind::move) return s.reads.size() == 1 && s.writes.size() == 1 && same_shapes;
    if (s.kind == TraceStep::Kind::fill) return s.reads.empty() && s.writes.size() == 1;
    return !s.elementwise || (s.writes.size() == 1 && same_shapes);
  }

  Space& space_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool good_ = true;
  std::string wanted_;
};

}  // namespace

std::optional<Certificate> read_certificate(Space& space, std::string_view text, std::string& fault) {
  return Reader(space, text).read(fault);
}

}  // namespace noclobber
