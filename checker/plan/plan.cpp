// A plan as a table of lifetimes and places in the order of time, decided while it is read. The live buffers
// form a list from low to high bytes. A new buffer names the one below it, so that two comparisons show that
// it is apart from all others. Linear in the number of buffers.
#include "checker/plan/plan.h"
#include "checker/text/scan.h"

namespace noclobber::checker {
namespace {

constexpr std::int64_t kMost = 1'000'000'000'000'000'000;  // bounds every number: the sum of two fits 64 bits

class PlanReader : Scanner {
 public:
  explicit PlanReader(std::string_view text) : Scanner(text, false), alive_(1) {}

  Answer read() {
    expect(kPlanFormat);
    about(out_);
    out_.what = "plan";
    assumptions(out_);
    expect("capacity");
    const std::int64_t capacity = number();
    expect("rows");
    const auto rows = integer<std::uint64_t>();
    expect("moments");
    times([&] {
      number();
      times([&] { left_.push_back(leaves()); });
      times([&] { birth(capacity); });
    });
    require(born_ == rows, "as many rows as there are");
    ends();
    out_.obligations = 2 * born_;
    if (out_.why.empty()) out_.said = Answer::Said::proved;
    return std::move(out_);
  }

 private:
  /// A live buffer. Slot 0 is the sentinel of the list: before the first and behind the last.
  struct Slot {
    std::int64_t offset = 0, end = 0;
    std::uint32_t below = 0, above = 0;
    bool alive = true;
  };

  std::int64_t number() {
    const auto out = integer<std::int64_t>();
    require(0 <= out && out < kMost, "a number of 18 digits");
    return out;
  }
  std::uint32_t slot() {
    const auto out = static_cast<std::uint64_t>(number());
    require(out < alive_.size() && alive_[out].alive, "one that is alive");
    return static_cast<std::uint32_t>(out);
  }

  /// Removes a live buffer and returns its slot. Each new buffer takes the slot that was freed last.
  std::uint32_t leaves() {
    const std::uint32_t out = slot();
    require(out > 0, "one that is alive");
    Slot& gone = alive_[out];
    alive_[gone.below].above = gone.above;
    alive_[gone.above].below = gone.below;
    gone.alive = false;
    return out;
  }
  void birth(std::int64_t capacity) {
    const std::int64_t size = number(), offset = number();
    const std::uint32_t below = slot(), above = alive_[below].above;
    if (left_.empty()) {
      left_.push_back(static_cast<std::uint32_t>(alive_.size()));
      alive_.emplace_back();
    }
    const std::uint32_t own = left_.back();
    left_.pop_back();
    decided(alive_[below].end <= offset && (above == 0 || offset + size <= alive_[above].offset),
            " meets a neighbour");
    decided(capacity == 0 || offset + size <= capacity, " ends behind the arena");
    alive_[own] = {offset, offset + size, below, above, true};
    alive_[below].above = alive_[above].below = own;
    ++born_;
  }
  void decided(bool good, const char* why) {
    if (good) ++out_.by_rule;
    else if (out_.why.empty()) out_.why = "row " + std::to_string(born_) + " in the order of time" + why;
  }

  Answer out_;
  std::vector<Slot> alive_;
  std::vector<std::uint32_t> left_;
  std::uint64_t born_ = 0;
};

}  // namespace

Answer check_plan(std::string_view text) { return PlanReader(text).read(); }

}  // namespace noclobber::checker
