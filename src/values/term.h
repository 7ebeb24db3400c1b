// Contents as terms: what one element of a storage holds, at a symbolic index, as a function of the
// contents at entry. Terms are interned across both graphs: equal ids mean equal contents.
#pragma once
#include "src/trace/trace.h"

namespace noclobber {

using TermId = std::uint32_t;
using TextId = std::uint32_t;  // of the terms of one check: equal ids mean equal texts, 0 is ""

struct Term {
  enum class Kind : std::uint8_t {
    bad,        // unknown; not equal to any term, itself included
    start,      // element `index` of the storage `text` at entry
    undefined,  // element `index` of the fresh storage `text`, never written
    scalar,     // the constant `text`
    call,       // an application of operator `text` to the contents `terms` (each at a running index)
    result,     // of call terms[0]: result `number`, of type `text`, at `index`: its element, then its shape
    each,       // operator `text` of the elements `terms`
    cast,       // terms[0] stored as another type; `text` names both
    choose,     // terms[0] where all `conditions` hold, else terms[1]
    when,       // terms[1] where the boolean terms[0] is `number`, else terms[2]
    byte,       // byte index[0] of terms[0], an element of `number` bytes
    pack        // the element whose byte l is terms[0], l the running lane
  };
  Kind kind = Kind::bad;
  bool lane = false;  // the running byte occurs free in it
  bool open = false;  // an undefined term may occur in it
  std::uint32_t number = 0;
  TextId text = 0;
  Few<PolyId> index;
  Few<TermId> terms;
  Few<Condition> conditions;
  Term() = default;
  Term(Kind what, std::uint32_t count, TextId spelled, Few<PolyId> at, Few<TermId> of,
       Few<Condition> where = {})
      : kind(what),
        number(count),
        text(spelled),
        index(std::move(at)),
        terms(std::move(of)),
        conditions(std::move(where)) {}
  friend bool operator==(const Term&, const Term&) = default;
};

/// The place of an element of a storage in a view: `index` is the number of its index there.
struct Inside {
  bool shown = true;  // false: not known
  bool never = false;
  std::vector<Condition> conditions;  // without those that always hold
  std::uint32_t index = 0;
};

inline constexpr int kFollowed = 600;  // bound on nested lookups; contents beyond it are bad

/// Owns the terms of one check, and numbers indices and chains of maps: equal numbers mean equal values.
class Terms {
 public:
  static constexpr TermId kBad = 0;
  explicit Terms(Space& space) : space_(space) {
    all_.add({}, 0);
    chain({});  // has number 0
    text("");   // as well
  }
  TextId text(const std::string& spelled) { return texts_.add(spelled, std::hash<std::string>{}(spelled)); }
  const std::string& text(TextId id) const { return texts_[id]; }
  std::uint32_t number(Index index);
  const Index& index(std::uint32_t number) const { return indices_[number]; }
  std::uint32_t chain(const std::vector<Map>& maps);
  const Inside& inside(std::uint32_t chain, std::uint32_t index);
  /// The index in the storage of element `index` of a view with that chain, as a number.
  std::uint32_t root(std::uint32_t chain, std::uint32_t index);
  bool beside(std::uint32_t chain, std::uint32_t index);
  /// kBad if any part of it is bad. The lists of a new term are moved, those of a known term are left.
  TermId intern(Term&& term);
  const Term& operator[](TermId id) const { return all_[id]; }
  bool same(TermId a, TermId b) const { return a == b && a != kBad; }

 private:
  using Box = std::vector<std::pair<std::int64_t, std::int64_t>>;  // constant bounds in each dimension
  const Box& box(std::vector<Box>& all, std::uint32_t number, const auto& index);
  TermId byte_of(const Term& term);
  bool apart(const Term& a, const Term& b);
  TermId ordered(const Term& choice);

  Space& space_;
  Interned<Term> all_;
  Interned<Index> indices_;
  Interned<std::vector<Map>> chains_;
  Interned<std::string> texts_;
  std::deque<Inside> insides_;
  std::vector<Box> index_boxes_, chain_boxes_;
  Numbers inside_;  // by chain and index, in `insides_`
  Numbers roots_;   // by chain and index
  int depth_ = 0;
};

/// Visits the undefined terms in `whole`: without `operands`, only those below choices alone. The flag passed
/// to `visit` is true for a term below anything but choices.
void each_undefined(const Terms& terms, TermId whole, bool operands,
                    const std::function<void(const Term&, bool)>& visit);

/// Runs one Trace symbolically. A storage's version k is its contents after its k-th write.
class Contents {
 public:
  Contents(Space& space, Terms& terms, const Trace& trace);
  /// Content of element `index` (without lane) of `view` when step `time` begins; steps.size(): at exit.
  TermId at(const TraceView& view, Index index, std::uint32_t time);
  /// At every index of the view.
  TermId at_all(const TraceView& view, std::uint32_t time);
  std::uint32_t exit() const { return static_cast<std::uint32_t>(trace_.steps.size()); }
  /// True if the accesses of this step do not disturb each other. If not, what it writes is bad.
  bool clean(std::uint32_t step) const { return clean_[step]; }
  /// The content at `index` of operand `number` of the opaque step with this term; bad if there is none.
  TermId operand(TermId call, std::uint32_t number, const Index& index);
  const Trace& trace() const { return trace_; }
  /// The storage with the same key, start and shape as a storage of another Trace; empty for undefined ones.
  std::optional<StorageId> partner(const TraceStorage& other) const;
  std::uint32_t step_of(TermId call) const;  // steps.size(): none
  /// The content that a step stores in its write `slot`, at every index of that; bad if it is not clean().
  TermId put(std::uint32_t step, std::uint32_t slot);
  /// The content of a storage after its first `version` writes, at every index.
  TermId whole(StorageId storage, std::uint32_t version) {
    return element(storage, version, running_[storage]);
  }
  std::uint32_t version(StorageId storage, std::uint32_t time) const;
  std::uint32_t versions(StorageId storage) const { return first_[storage + 1] - first_[storage]; }
  /// Work so far, independent of the machine: contents that were looked up, and writes that were passed.
  std::size_t looked_up() const { return looked_up_; }
  std::size_t passed() const { return passed_; }
  /// Steps whose identity was applied, in order.
  const std::set<std::uint32_t>& simplified() const { return simplified_; }
  /// True if more was asked for than may be looked up. Contents that are bad then say nothing.
  bool exhausted() const { return exhausted_; }
  /// The write that made version `version` > 0: its step and slot.
  std::pair<std::uint32_t, std::uint32_t> latest(StorageId storage, std::uint32_t version) const {
    const Write& w = writes_[first_[storage] + version - 1];
    return {w.step, w.slot};
  }

 private:
  struct Write {
    std::uint32_t step = 0, slot = 0, chain = 0;
  };
  void number_writes();
  TermId element(StorageId storage, std::uint32_t version, std::uint32_t index);
  using Way = std::vector<std::uint64_t>;  // places that have the same content, as keys of memo_
  TermId found(StorageId storage, std::uint32_t version, std::uint32_t index, Way& way);
  std::uint64_t place(StorageId storage, std::uint32_t version) const {
    return first_[storage] + storage + version;
  }
  TermId noted(std::uint64_t key) const { return memo_.at(key); }
  const TraceView* moved_from(const Write& write) const;
  TermId joined(const TraceView& view, TermId part);
  TermId written(const Write& write, std::uint32_t index);
  TermId stored(const Write& write, std::uint32_t index);
  TermId applied(std::uint32_t step, std::uint32_t index);
  static bool same_text(const TraceStep& a, const TraceStep& b, bool each);
  TextId text_of(std::uint32_t number, bool each, const TraceIdentity* known);
  static std::string applied_text(const TraceStep& step, bool each, const TraceIdentity* known);
  const TraceIdentity* identity(std::uint32_t step) const;
  TermId cast(std::uint32_t step, TermId of);
  TermId at(const TraceView& view, std::uint32_t root, std::uint32_t time);
  TermId at_read(std::uint32_t step, std::size_t read, std::uint32_t index);
  /// The same for a read, whose chain is numbered once.
  std::uint32_t root(std::uint32_t step, std::size_t read, std::uint32_t index) {
    return terms_.root(chains_[first_read_[step] + read], index);
  }

  Space& space_;
  Terms& terms_;
  const Trace& trace_;
  std::vector<std::uint32_t> first_;  // per storage: where its writes begin
  std::vector<Write> writes_;
  std::vector<std::uint32_t> first_read_, chains_;  // per step; per read
  std::vector<std::uint32_t> running_;              // per storage: the number of its running index
  std::vector<TermId> whole_;                       // per storage and version: its content at every index
  std::map<TraceStorage::Start, std::unordered_map<std::string, StorageId>> at_entry_;
  std::vector<TermId> calls_;
  std::vector<bool> clean_;
  std::vector<TextId> texts_;                            // per step: what it applies, computed on first use
  std::unordered_map<const void*, std::uint32_t> like_;  // by place of key: the latest step without identity
  std::vector<TermId> puts_;  // of steps that write all of one storage; kUnset: of others
  std::set<std::uint32_t> simplified_;
  Numbers memo_;  // by storage and version, and number of an index
  Term applied_;  // scratch: its lists are reused
  int depth_ = 0;
  bool exhausted_ = false;
  std::size_t looked_up_ = 0, passed_ = 0;  // contents and writes, in all
};

/// Decides whether two contents are equal for every index in range, all contents at entry and every operator.
/// Compares terms of `before` and `after` by congruence, and by case splits on the conditions of choices.
class Equality {
 public:
  Equality(Space& space, Terms& terms) : space_(space), terms_(terms) {}
  /// `free_undefined`: undefined storages of `before` whose contents may be chosen here, since nothing else
  /// depends on them, where distinct indices of `running` reach distinct elements of it. False: not shown.
  bool shown(TermId before, TermId after, const std::set<std::string>& free_undefined, const Index& running);
  /// Comparisons so far, for all questions.
  int work() const { return taken_; }

 private:
  bool equal(TermId a, TermId b, const std::vector<PolyId>& facts);
  bool compared(TermId a, TermId b, const std::vector<PolyId>& facts);
  bool split(TermId choice, TermId other, bool choice_first, const std::vector<PolyId>& facts);
  bool chosen(const Term& before);
  bool calls_equal(TermId a, TermId b);
  bool parts_equal(const Term& a, const Term& b, std::vector<PolyId> facts);

  Space& space_;
  Terms& terms_;
  std::map<std::pair<TermId, TermId>, bool> calls_;
  std::map<std::pair<std::pair<TermId, TermId>, std::vector<PolyId>>, bool> known_;  // and the assumed facts
  bool cut_ = false;  // a comparison was given up for lack of steps
  int taken_ = 0;     // steps, for all questions so far
  std::set<std::string> free_;
  Index running_;
  std::map<TextId, Few<PolyId>> chosen_at_;  // the one index at which each chosen storage is read
  int steps_ = 0;
  int depth_ = 0;
};

}  // namespace noclobber
