// A plan as a table: what lives when, and where, told in the order of time and decided while it is read.
// What is alive is a list from low to high bytes; a newcomer says behind which of them it goes, so that
// two comparisons show it to be apart from all. Linear in the number of buffers.
#include "checker/scan.h"

namespace noclobber {
namespace {

constexpr std::int64_t kMost = 1'000'000'000'000'000'000;  // of any number, so that sums of two have 64 bits

class PlanReader : Scanner {
 public:
  explicit PlanReader(std::string_view text) : Scanner(text), alive_(1) {}

  std::optional<Certificate> read(Judgement& out, std::string& fault) {
    Certificate about = header();
    expect("capacity");
    const std::int64_t capacity = number();
    expect("rows");
    const auto rows = integer<std::uint64_t>();
    expect("moments");
    times([&] { moment(capacity); });
    require(born_ == rows, "as many rows as there are");
    out.obligations = 2 * born_;
    out.by_rule = out.obligations - open_;
    out.why = why_;
    if (why_.empty()) out.verdict = Judgement::Verdict::proved;
    if (!ends(fault)) return std::nullopt;
    return about;
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
    value(out.about);
    expect("inputs");
    times([&] {
      auto& [hash, name] = out.inputs.emplace_back();
      value(hash);
      value(name);
    });
    expect("assumptions");
    times([&] { value(out.assumptions.emplace_back()); });
    return out;
  }
  std::int64_t number() {
    const auto out = integer<std::int64_t>();
    require(0 <= out && out < kMost, "a number of 18 digits");
    return good_ ? out : 0;
  }

  /// Those that leave, by slot; then those that come, each into the slot that was left last.
  void moment(std::int64_t capacity) {
    number();
    times([&] {
      const auto slot = static_cast<std::uint64_t>(number());
      if (!good_ || slot == 0 || slot >= alive_.size() || !alive_[slot].alive)
        return fail("one that is alive");
      Slot& gone = alive_[slot];
      alive_[gone.below].above = gone.above;
      alive_[gone.above].below = gone.below;
      gone.alive = false;
      left_.push_back(static_cast<std::uint32_t>(slot));
    });
    times([&] { birth(capacity); });
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
