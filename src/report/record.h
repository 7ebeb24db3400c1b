// The records noclobber.result/1, from which every report is rendered. The JSON member names are a contract
// (docs/records.md).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/case.h"
#include "src/report/style.h"

namespace noclobber {

enum class Status : std::uint8_t { unknown, proved, refuted, error };

/// FindingPlace::step of the contents at entry.
inline constexpr std::uint32_t kEntryStep = 0xffffffffU;

/// The place of a fault, with the text of its statement.
struct FindingPlace {
  std::string graph;  // "before" | "after"
  std::uint32_t step = 0;
  std::string name;       // result name, or "return"
  std::string loc;        // user source, "program.py:3 in f"
  std::string statement;  // "copy_ = copy_(arg1_1, full_default)"
  std::string note;       // "all of arg1_1 overwritten [0, 192)"
  std::string body = "";  // of a step in a body: the name of the body
  std::vector<std::string> views =
      {};  // the chain of views from the storage to the operand; empty if there is no view
  std::vector<std::string> uses = {};  // of a step of the slice: the names of its operands
};

/// "model.py:4 in fn" -> "model.py" and 4; "" and 0 if there is no line.
std::pair<std::string, int> file_and_line(const std::string& loc);

/// The history of one storage: the live range of each name that views it, from its def to its last use, and
/// the steps that read and write it. Steps are those of `after`: -1 is the entry, the step count the return.
struct Lane {
  struct Shown {
    std::string name;
    std::int64_t begin = -1, end = 0;
    std::optional<std::pair<std::int64_t, std::int64_t>> bytes;  // half-open range in the storage
    std::string of = "";  // the operand on this storage that it is made from; "" if none
  };
  std::string storage;
  std::optional<std::int64_t> bytes;
  std::vector<Shown> values;
  std::vector<std::int64_t> reads, writes;
};

/// An arena of a plan in the run that shows the fault: the bytes and the steps that each buffer occupies.
struct PlanPicture {
  struct Box {
    std::string name;
    std::int64_t offset = 0, size = 0, begin = 0, end = 0;  // bytes; half-open live range in steps
  };
  std::string arena;                  // "": the plan has one arena without a name
  std::optional<std::int64_t> bytes;  // the size of the arena; empty: not limited
  std::vector<Box> boxes;             // those at fault first, then their neighbours
};

/// The contents of an input in a witness, row-major.
struct WitnessInput {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::vector<double> elements;
};

/// The reason, owner and last day of an entry of a baseline.
struct Acceptance {
  std::string reason, owner, expires;  // expires: "2026-12-31"
};

/// A consequence of a finding in the same check.
struct Consequence {
  std::string rule, property, message;
};

struct Finding {
  std::string rule, property;
  Status status = Status::refuted;
  std::string fingerprint;
  std::string pass;          // "" if unknown
  std::string storage;       // "arg1_1"
  std::string storage_type;  // "i64[4,6], 192 B"
  std::optional<std::pair<std::int64_t, std::int64_t>> bytes;
  std::optional<FindingPlace> define, clobber, read, before;  // before: the counterpart in `before`
  std::string code;                                           // the user's source line
  std::string message;
  std::map<std::string, std::int64_t> witness_symbols;
  std::vector<std::pair<std::string, std::string>> witness_inputs;
  std::string witness_where, expected, actual;
  std::optional<std::uint64_t> witness_seed;  // seed of the contents of the inputs in the run
  std::vector<std::uint32_t> witness_order;   // order of steps in the run; empty: as listed. Not in JSON
  std::vector<std::int64_t> index;
  bool replayed = false;
  std::string help;        // for the author of the pass or plan
  std::string help_model;  // for the author of the model
  std::string aspect;      // the way in which the rule is broken: "dtype" of NC020, "input" of NC005
  std::vector<std::string> subjects;  // further parts of the fingerprint, see step_key()
  std::uint64_t nth = 1;              // its number among findings of the same fingerprint in a run
  std::string follows;                // the rule of the finding that is its cause; "": it is a cause
  std::vector<Consequence> also_breaks;
  std::vector<std::string> reaches;                          // what else is wrong at the exit: "output 1"
  std::vector<std::pair<std::string, FindingPlace>> inside;  // role, and a step at fault in a body
  std::vector<FindingPlace> slice;                           // the relevant steps, in order
  std::vector<Lane> lanes;
  PlanPicture plan;
  std::vector<std::pair<std::string, std::string>> types;  // of the names above: "slice_1", "i64[2,6]"
  std::vector<WitnessInput> witness_numbers;
  std::optional<Acceptance> accepted;
  std::string change;  // if the run was compared: "introduced" | "preexisting"
};

/// True if it is refuted and not the consequence of another finding.
bool is_cause(const Finding& finding);

struct Unknown {
  std::string reason;  // a code of reasons.def
  std::vector<std::string> names;
  std::vector<std::string> keys =
      {};                        // what the fingerprint hashes in place of names; empty: it hashes the names
  std::string fingerprint = {};  // as a record gives it; "": not read from one
  std::optional<Acceptance> accepted = {};
  std::string change = {};  // if the run was compared: "newly_unknown" | "preexisting"
};

/// An ordering edge: `first` must run before `second`.
struct Dependence {
  FindingPlace first, second;
  std::string first_code, second_code;  // the user's lines
};

/// Barriers that could all be left out: what they order is ordered by other dependences. `barriers` and fused
/// `regions` are those of the graph; without the idle barriers it has `split` regions fewer.
struct BarrierLint {
  std::uint32_t barriers = 0, regions = 0, split = 0;
  std::vector<FindingPlace> idle;
};

/// The steps that were tried in place on their first operand, with the verdict on each.
struct InplaceLint {
  struct Rewrite {
    FindingPlace at;
    std::string operand, op;        // the operand that would be written; the in-place operator
    std::string bytes;              // size of the result, over the symbols; "" if unknown
    std::uint64_t known = 0;        // `bytes` if it is a number, else 0
    Status safe = Status::unknown;  // proved: safe together with all others that are proved
    std::string because;            // the property that the rewrite would break
  };
  std::vector<Rewrite> rewrites;
  std::uint64_t left_out = 0;  // steps that were not tried
};

/// The text of an assumption about `output` ("output 0"): its strides are compared, but not given.
inline std::string strides_assumed(const std::string& output) {
  return output + " has the strides that it has in before";
}

struct CheckRecord {
  std::string input, id, what;  // what: pair | single | trace | plan | program
  std::string before_input;     // `compare`: the first file; `input` is the second
  Status status = Status::unknown;
  std::map<std::string, Status> properties;
  struct Counts {
    std::uint64_t steps = 0, modelled = 0, in_place = 0, storages = 0, obligations = 0, by_rule = 0,
                  by_z3 = 0, by_identity = 0;
  } counts;
  std::vector<Finding> findings;
  std::vector<Unknown> unknown;
  std::vector<std::string> unchecked;
  std::string link;         // as a record gives it; "": see link_of()
  std::string every_order;  // verdict on every order that dataflow allows: "" or a status name
  std::string return_last;  // the same for orders that end with the return, if `every_order` is refuted
  std::vector<Dependence> repairs;  // if an order is refuted: edges that make every order right
  BarrierLint barriers;
  std::vector<FindingPlace> behind_return;  // writes after the return, without an observable effect
  std::vector<FindingPlace> dead;           // instructions of payloads whose results are not read
  InplaceLint inplace;                      // filled in by `advise` only
  std::vector<std::string> assumptions;
  std::vector<std::string> checked_by;  // checkers that accepted the text of the certificate
  bool ran = false;                     // a run of the proved graphs showed no difference
  std::string contradiction;            // how a run differs from what is proved; "" if it does not
  std::string semantics;
  std::string version;
};

struct ErrorRecord {
  std::string input, where, message;
};

struct SummaryRecord {
  std::uint64_t proved = 0, refuted = 0, unknown = 0, error = 0;
  std::uint64_t pairs_proved = 0, pairs_refuted = 0, pairs_unknown = 0;
  std::uint64_t skipped = 0;  // files in directories that have no known format
  // Findings and reasons for unknown that the baseline accepts; checks that have no others.
  std::uint64_t accepted = 0, refuted_accepted = 0, unknown_accepted = 0;
  int exit = 0;
};

enum class FailOn : std::uint8_t { unknown, refuted, none };

/// The first that applies: 4 contradiction, 1 refuted, 2 an error or nothing checked, 3 unknown, 0. Checks
/// whose findings and reasons are all accepted do not count.
int exit_code(const SummaryRecord& summary, bool contradiction, FailOn fail_on);

std::string to_json(const CheckRecord& record);  // one line, no newline
std::string to_json(const ErrorRecord& record);
std::string to_json(const SummaryRecord& record);

/// A hash of rule, aspect, pass, subjects and the step_key() of define, clobber and read. It does not depend
/// on step numbers, names, paths or dates.
std::string fingerprint(const Finding& finding, const Graph& before, const Graph& after);
/// A hash of the reason and its keys; `unknown.fingerprint` if it is set.
std::string fingerprint(const Unknown& unknown);
/// A step without names: the operator without overload and in-place suffix, dtype and rank of operands and
/// results. "return" for a step past the last.
std::string step_key(const Graph& graph, std::uint32_t step);
/// The def of a value without names: kind and type of an input, or the key of a step and the result index.
std::string value_key(const Graph& graph, ValueId value);

/// Numbers the findings of a run: the k-th cause with one fingerprint has `nth` k. A consequence has the
/// number of the cause that is listed before it. `seen`: the counts so far.
void number_findings(CheckRecord& record, std::map<std::string, std::uint64_t>& seen);

/// The link of a chain of compilations that a check judges: "joint", "split", "pass", "post_grad", "plan",
/// "program" or "trace". A record that was read may name others, such as "code" or "dynamo".
std::string link_of(const CheckRecord& record);

/// One statement in the notation of FX text: "copy_ = copy_(arg1_1, full_default)".
std::string statement_text(const Graph& graph, std::uint32_t step);

/// The terminal diagnosis of one finding.
std::string to_text(const CheckRecord& record, const Finding& finding, const Look& look);

}  // namespace noclobber
