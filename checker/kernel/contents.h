// Equality of contents. Two contents are followed back, write by write, until a lemma says that they are the
// same, or one operator made both from equal operands.
#pragma once
#include "checker/kernel/certificate.h"

namespace noclobber::checker {

constexpr int kNested = 200;
constexpr const char* kDiffer = "two contents differ";

/// Thrown where something is not shown, with the reason.
struct Open {
  std::string why;
};
inline void require(bool is, const char* why) {
  if (!is) throw Open{why};
}

/// What a step computes by an accepted identity, in place of its operator.
struct Simpler {
  std::uint32_t lemma = 0;
  bool converts = false, folds = false;                  // a cast from an earlier type; the scalar `key`
  std::optional<std::uint32_t> keeps = {}, number = {};  // the read that is kept; that is a number in `key`
  std::string key = {};
};

/// A Trace with the writes of each storage. Version k of a storage is its contents after its k-th write.
class Run {
 public:
  struct Write {
    std::uint32_t step = 0, slot = 0;
  };
  Run(Space& space, const Trace& trace);
  std::uint32_t version(StorageId storage, std::uint32_t time) const;
  const Write& write(StorageId storage, std::uint32_t version) const {
    return writes_[first_[storage] + version - 1];
  }
  const View& view(const Write& w) const { return trace.writes(trace.steps[w.step])[w.slot]; }
  /// True if the accesses of the step do not disturb each other. Lemma 6.
  bool clean(std::uint32_t step);
  std::uint32_t exit() const { return static_cast<std::uint32_t>(trace.steps.size()); }
  std::uint64_t number(StorageId storage, std::uint32_t version) const {
    return first_[storage] + storage + version;
  }

  const Trace& trace;
  std::map<std::uint32_t, Simpler> simpler = {};  // by step
  std::vector<bool> bits = {};                    // seen_as_bits(trace), once an identity asked

 private:
  Space& space_;
  std::vector<std::uint32_t> first_;  // per storage: offset of its writes
  std::vector<Write> writes_;
  std::vector<char> clean_;  // per step: 2 until it was asked
};

/// A byte of an element whose storage has no bytes: (bytes of the element, index). Empty: the running byte.
using Byte = std::optional<std::pair<std::int64_t, PolyId>>;

/// A content: what element `index` of a storage holds at a version, or what a step stores at `index` of what
/// it writes. The last index is the byte if the storage has bytes.
struct Content {
  Run* run = nullptr;
  StorageId storage = 0;
  std::uint32_t version = 0;
  std::optional<Run::Write> stored = {};
  Index index = {};
  Byte byte = {};
};

/// True if two steps are one operator: of one key, bodies and types, and if `whole` of one shape per view.
bool one_operator(const Trace& s, const Step& a, const Trace& t, const Step& b, bool whole);

/// Per storage: true if it is viewed as several types or in parts, so that its bits are seen.
std::vector<bool> seen_as_bits(const Trace& trace);

/// Facts at a place: polynomials that are >= 0.
using Facts = std::vector<PolyId>;

class Equality {
 public:
  /// `single`: both runs are of one Trace, and undefined contents equal nothing, not even themselves.
  Equality(Space& space, Run& before, Run& after, bool single)
      : space_(space), before_(before), after_(after), single_(single),
        always_(after.exit(), {kUnset, kUnset}) {}
  /// The content of element `index` (without the byte) of a view when step `time` begins.
  Content at(Run& run, const View& view, Index index, std::uint32_t time);
  Content at_all(Run& run, const View& view, std::uint32_t time) {
    return at(run, view, checker::running(space_, view.form->shape, 0), time);
  }
  /// Shows the lemma under these assumptions. All functions here throw Open if something is not shown.
  void learn(const Lemma& lemma, const std::vector<std::string>& assumed);
  /// Shows both equal at every index. `output`: for which undefined contents of `before` may be chosen.
  void shown(const Content& before, const Content& after, std::optional<std::uint32_t> output = {});
  /// Requires that undefined contents that were chosen are seen at one place only. Lemma 8.
  void chosen_once() const;
  /// Per lemma: true if an obligation rests on it.
  std::vector<bool> used() const;
  /// Follows the content to the step that stored it, or to the beginning. Throws if a condition is open.
  Content followed(Content content);
  /// Operand `number` of the step that stored this: at the same element, or of a whole operand at `index`.
  Content operand(const Content& content, std::uint32_t number, const Index& index = {});

 private:
  enum class Went : std::uint8_t { back, no_further, open };
  void begin(std::uint32_t proving, std::optional<std::uint32_t> output);
  Went back(Content& content, const Facts& facts, Condition& open);
  bool rests_on(std::uint32_t lemma);
  std::uint32_t called(std::uint32_t a, std::uint32_t b) const;
  bool may_meet(const Content& content, const Content& other) const;
  bool meets(const Content& x, const Content& y, const Facts& facts);
  void equal(const Content& x, const Content& y, const Facts& facts);
  void either(const Condition& open, const Content& x, const Content& y, const Facts& facts);
  void made_alike(const Content& x, const Content& y, const Facts& facts);
  bool one_of_both(const Content& x, const Content& y);
  void begin_alike(const Content& x, const Content& y, const Facts& facts);
  // identities.cpp
  const Simpler* simpler(const Run& run, std::uint32_t step) const;
  Text scalar(const Content& content);
  bool one_scalar(const Content& x, const Content& y);
  std::optional<std::int64_t> value(Run& run, std::uint32_t step, Text argument, std::uint32_t read,
                                    Text type);
  void keeping(Simpler& out, const struct Row& row, const struct Call& call, std::uint32_t step, Run& run,
               std::uint32_t k);
  void numbered(Simpler& out, const Row& row, const Call& call, std::uint32_t step, Run& run,
                std::uint32_t k);
  void identity(const Lemma& lemma, const std::vector<std::string>& assumed);
  std::pair<Text, Content> cast_of(const Content& content);
  std::vector<std::uint32_t> operands(const Content& content, Text& key);
  std::vector<std::pair<Content, Content>> parts(const Content& x, const Content& y);

  void calls(std::uint32_t a, std::uint32_t b);
  void contents(const Lemma& lemma);
  void writes(Lemma lemma);
  std::vector<Run::Write> latest(Run& run, StorageId& storage, std::uint32_t& version, std::size_t count);
  void same_write(Run::Write a, Run::Write b);
  bool same_bytes(const Content& x, const Content& y, bool elements, const Facts& facts);
  Content byte_at(Run& run, const View& view, Index index, std::uint32_t time);
  Content source(Run& run, Run::Write write, Index index, const Byte& byte);
  bool running_byte(const Byte& byte);
  bool one_byte(const Byte& a, const Byte& b, const Facts& facts);

  Space& space_;
  Run &before_, &after_;
  bool single_;
  std::vector<Places> always_;  // per step of `after`: (the first equal one of `before`, lemma)
  std::map<std::uint32_t, std::vector<Places>> more_;  // further equal steps
  Numbers told_;                             // contents that a lemma is about: 2 * number, + 1 in `after`
  Numbers same_contents_, same_calls_;       // lemma by the numbers of both; of calls, those in more_ alone
  std::uint32_t learned_ = 0, proving_ = 0;  // lemmas so far; the one being shown, learned_: an obligation
  std::vector<Places> uses_;                 // (proving_, lemma that it rests on)
  int steps_ = 0, splits_ = 0, depth_ = 0;   // steps and splits left, and depth, of this question
  std::uint64_t outer_ = 0;              // running bytes (Space::lanes) that indices of elements depend on
  std::optional<std::uint32_t> output_;  // the output that is compared, if any
  Index running_;
  /// Per undefined storage: the outputs, and the indices, by which it is seen.
  std::map<StorageId, std::set<std::pair<std::optional<std::uint32_t>, Index>>> shows_;
  std::set<StorageId> chosen_;
};

}  // namespace noclobber::checker
