// A plan as a table: what lives when, and where, told in the order of time and decided while it is read.
// What is alive is a list from low to high bytes; a newcomer says behind which of them it goes, so that
// two comparisons show it to be apart from all. Linear in the number of buffers.
#include "checker/certificate.h"

namespace noclobber {
namespace {

constexpr std::int64_t kDigits = 18;  // of any number, so that sums of two have 64 bits

class PlanReader {
 public:
  explicit PlanReader(std::string_view text)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), alive_(1) {}

  std::optional<Certificate> read(Judgement& out, std::string& fault) {
    Certificate about = header();
    expect("capacity");
    const std::int64_t capacity = number();
    expect("rows");
    const std::int64_t rows = number();
    expect("moments");
    for (std::int64_t n = number(); n > 0 && good_; --n) moment(capacity);
    const char* const summed = std::min(at_ + 1, end_);
    expect("sum");
    require(word() == checksum({begin_, summed}), "the sum of all that stands before it");
    require(word().empty(), "the end");
    if (good_ && born_ != static_cast<std::uint64_t>(rows)) fail("as many rows as there are");
    out.obligations = 2 * born_;
    out.by_rule = out.obligations - open_;
    out.why = why_;
    if (why_.empty()) out.verdict = Judgement::Verdict::proved;
    if (good_) return about;
    fault = "byte " + std::to_string(at_ - begin_) + ": expected " + wanted_;
    return std::nullopt;
  }

 private:
  /// One that is alive, by its slot. Slot 0 lies before the first and behind the last.
  struct Slot {
    std::int64_t offset = 0, end = 0;
    std::uint32_t below = 0, above = 0;
    bool alive = true;
  };

  Certificate header() {
    Certificate out;
    expect(kPlanFormat);
    expect("about");
    out.about = text();
    expect("inputs");
    for (std::int64_t n = number(); n > 0 && good_; --n) {
      std::string hash = text();
      out.inputs.emplace_back(std::move(hash), text());
    }
    expect("assumptions");
    for (std::int64_t n = number(); n > 0 && good_; --n) out.assumptions.push_back(text());
    return out;
  }
  void fail(const char* wanted) {
    if (good_) wanted_ = wanted;
    good_ = false;
  }
  void require(bool is, const char* wanted) {
    if (!is) fail(wanted);
  }
  void blank() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n')) ++at_;
  }
  std::string_view word() {
    blank();
    const char* const first = at_;
    while (good_ && at_ != end_ && *at_ != ' ' && *at_ != '\n') ++at_;
    return {first, at_};
  }
  void expect(const char* wanted) { require(word() == wanted, wanted); }
  /// Up to a blank; of a text's length, up to its colon.
  std::int64_t number(char last = ' ') {
    if (good_) blank();
    const char* const first = at_;
    std::uint64_t out = 0;
    for (unsigned digit = 0; good_ && at_ != end_ && (digit = static_cast<unsigned>(*at_ - '0')) < 10; ++at_)
      out = 10 * out + digit;
    const bool ends = at_ != end_ && (*at_ == last || (*at_ == '\n' && last == ' '));
    require(ends && at_ != first && at_ - first <= kDigits, "a number");
    return good_ ? static_cast<std::int64_t>(out) : 0;
  }
  std::string text() {
    const std::int64_t length = number(':');
    require(length < end_ - at_, "a text");
    if (!good_) return {};
    std::string out(at_ + 1, static_cast<std::size_t>(length));
    at_ += 1 + length;
    return out;
  }

  /// Those that leave, by slot; then those that come, each into the slot that was left last.
  void moment(std::int64_t capacity) {
    number();
    for (std::int64_t n = number(); n > 0 && good_; --n) {
      const auto slot = static_cast<std::uint64_t>(number());
      if (!good_ || slot == 0 || slot >= alive_.size() || !alive_[slot].alive)
        return fail("one that is alive");
      Slot& gone = alive_[slot];
      alive_[gone.below].above = gone.above;
      alive_[gone.above].below = gone.below;
      gone.alive = false;
      left_.push_back(static_cast<std::uint32_t>(slot));
    }
    for (std::int64_t n = number(); n > 0 && good_; --n) birth(capacity);
  }

  void birth(std::int64_t capacity) {
    const std::int64_t size = number(), offset = number();
    const auto below = static_cast<std::uint64_t>(number());
    if (!good_ || below >= alive_.size() || !alive_[below].alive) return fail("one that is alive, or 0");
    const std::uint32_t above = alive_[below].above;
    const auto own = left_.empty() ? static_cast<std::uint32_t>(alive_.size()) : left_.back();
    if (left_.empty()) alive_.emplace_back();
    else left_.pop_back();
    const bool apart = alive_[below].end <= offset && (above == 0 || offset + size <= alive_[above].offset);
    if (!apart) open(" meets a neighbour");
    if (capacity > 0 && offset + size > capacity) open(" ends behind the arena");
    alive_[own] = {offset, offset + size, static_cast<std::uint32_t>(below), above, true};
    alive_[below].above = alive_[above].below = own;
    ++born_;
  }

  void open(const char* why) {
    if (open_++ == 0) why_ = "row " + std::to_string(born_) + " in the order of time" + why;
  }

  const char *begin_, *at_, *end_, *wanted_ = "";
  bool good_ = true;
  std::vector<Slot> alive_;
  std::vector<std::uint32_t> left_;
  std::uint64_t born_ = 0, open_ = 0;
  std::string why_;
};

}  // namespace

std::optional<Certificate> read_plan(std::string_view text, Judgement& out, std::string& fault) {
  return PlanReader(text).read(out, fault);
}

}  // namespace noclobber
