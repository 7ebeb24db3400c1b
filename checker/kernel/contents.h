// What elements of storages hold. Two contents are followed back, each from its last write to where that had
// it from, until both are the same by a lemma, or were made by one operator from equal operands.
#pragma once
#include "checker/kernel/certificate.h"

namespace noclobber::checker {

constexpr int kNested = 200;
constexpr const char* kDiffer = "two contents differ";

/// Not shown: why.
struct Open {
  std::string why;
};
inline void require(bool is, const char* why) {
  if (!is) throw Open{why};
}

/// By an identity: what a step is, in place of its operator.
struct Simpler {
  std::uint32_t lemma = 0;
  bool converts = false, folds = false;                  // what was cast before; the scalar `key`
  std::optional<std::uint32_t> keeps = {}, number = {};  // a read: that it is; that is a number in `key`
  std::string key = {};
};

/// A Trace as it runs. Version k of a storage is its contents after its k-th write.
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
  /// Is the step's access to storages harmless?
  bool clean(std::uint32_t step);
  std::uint32_t exit() const { return static_cast<std::uint32_t>(trace.steps.size()); }
  std::uint64_t number(StorageId storage, std::uint32_t version) const {
    return first_[storage] + storage + version;
  }

  const Trace& trace;
  std::map<std::uint32_t, Simpler> simpler = {};  // by step
  std::vector<bool> bits = {};                    // seen_as_bits, where an identity asked

 private:
  Space& space_;
  std::vector<std::uint32_t> first_;  // per storage: where its writes begin
  std::vector<Write> writes_;
  std::vector<char> clean_;  // per step: once it was asked
};

/// Of an element whose storage has no bytes: how many it has, and which one is meant; none: the running one.
using Byte = std::optional<std::pair<std::int64_t, PolyId>>;

/// A content: what element `index` of a storage holds at a version; or what a step stores at `index` of what
/// it writes. The byte of an element comes last, where the storage has bytes.
struct Content {
  Run* run = nullptr;
  StorageId storage = 0;
  std::uint32_t version = 0;
  std::optional<Run::Write> stored = {};
  Index index = {};
  Byte byte = {};
};

/// Are two steps one operator, to be given equal operands? Of `whole` operands shapes count.
bool one_operator(const Trace& s, const Step& a, const Trace& t, const Step& b, bool whole);

/// Storages that are looked at as several types or in parts, as bits: of each, whether it is one.
std::vector<bool> seen_as_bits(const Trace& trace);

/// What is known at a place: polynomials that are >= 0.
using Facts = std::vector<PolyId>;

class Equality {
 public:
  /// `single`: both are one Trace, and what nobody wrote is equal to nothing.
  Equality(Space& space, Run& before, Run& after, bool single)
      : space_(space), before_(before), after_(after), single_(single),
        always_(after.exit(), {kUnset, kUnset}) {}
  /// Element `index` of a view (without the byte) when step `time` begins.
  Content at(Run& run, const View& view, Index index, std::uint32_t time);
  Content at_all(Run& run, const View& view, std::uint32_t time) {
    return at(run, view, checker::running(space_, view.form->shape, 0), time);
  }
  /// Adds what the lemma says to what is known, under what is assumed. All here throw Open if they do not
  /// show it.
  void learn(const Lemma& lemma, const std::vector<std::string>& assumed);
  /// The same at every index. `output`: of which what `before` never wrote may be chosen.
  void shown(const Content& before, const Content& after, std::optional<std::uint32_t> output = {});
  /// Contents of each storage that nobody wrote were chosen at one place only.
  void chosen_once() const;
  /// Per lemma: does what was shown beside lemmas rest on it?
  std::vector<bool> used() const;
  /// The content followed to the step that stored it, or to the beginning. Throws where a condition is open.
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
  std::vector<Places> always_;  // per step of `after`: (the first same one of `before`, lemma)
  std::map<std::uint32_t, std::vector<Places>> more_;  // and others, where there are several
  Numbers told_;  // contents that a lemma is about: twice their number, one more in `after`
  Numbers same_contents_, same_calls_;       // the lemma, by numbers of both; of calls in more_ alone
  std::uint32_t learned_ = 0, proving_ = 0;  // how many; which one, or as many: an obligation
  std::vector<Places> uses_;  // (lemma that is being shown, or as many as there are; lemma that it rests on)
  int steps_ = 0, splits_ = 0, depth_ = 0;  // that are left; of this question
  std::uint64_t outer_ = 0;              // running bytes, as Space::lanes, that places of elements depend on
  std::optional<std::uint32_t> output_;  // whose elements are compared; none: of something else
  Index running_;
  /// Of each storage of `before` that nobody wrote: the outputs, and their places, that show it.
  std::map<StorageId, std::set<std::pair<std::optional<std::uint32_t>, Index>>> shows_;
  std::set<StorageId> chosen_;
};

}  // namespace noclobber::checker
