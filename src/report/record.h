// noclobber.result/1: what every report is rendered from. The field names are a contract (docs, cli.md).
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

/// Where a fault took place, with the text of the statement for the terminal.
/// FindingPlace::step of the contents at entry.
inline constexpr std::uint32_t kEntryStep = 0xffffffffU;

struct FindingPlace {
  std::string graph;  // "before" | "after"
  std::uint32_t step = 0;
  std::string name;       // result name, or "return"
  std::string loc;        // user source, "program.py:3 in f"
  std::string statement;  // "copy_ = copy_(arg1_1, full_default)"
  std::string note;       // "all of arg1_1 overwritten [0, 192)"
  std::string body = "";  // of a step inside: the body it belongs to
  std::vector<std::string> views =
      {};  // from the storage to the name that the step touches it by, if not itself
  std::vector<std::string> uses = {};  // of a step of the slice: the names that it is given
};

/// "model.py:4 in fn" -> "model.py" and 4; "" and 0 where there is no line.
std::pair<std::string, int> file_and_line(const std::string& loc);

/// What happens to one storage: each name that shows it, from the step that makes the name to the last that
/// uses it; the steps that read and write it. Steps of `after`; their number is the return, -1 the entry.
struct Lane {
  struct Shown {
    std::string name;
    std::int64_t begin = -1, end = 0;
    std::optional<std::pair<std::int64_t, std::int64_t>> bytes;
    std::string of = "";  // the name that it is a view of, or was written through
  };
  std::string storage;
  std::optional<std::int64_t> bytes;
  std::vector<Shown> values;
  std::vector<std::int64_t> reads, writes;
};

/// An arena of a plan in the run that shows the fault: who lies on which bytes during which steps.
struct PlanPicture {
  struct Box {
    std::string name;
    std::int64_t offset = 0, size = 0, begin = 0, end = 0;  // bytes; half-open life in steps
  };
  std::string arena;                  // "": a plan of one arena without a name
  std::optional<std::int64_t> bytes;  // its size, where that is limited
  std::vector<Box> boxes;             // those at fault first, then those around them
};

/// An input of a witness in numbers, row-major.
struct WitnessInput {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::vector<double> elements;
};

/// What a baseline says of something that is accepted for now.
struct Acceptance {
  std::string reason, owner, expires;  // expires: "2026-12-31"
};

/// What follows from a finding, in the same check.
struct Consequence {
  std::string rule, property, message;
};

struct Finding {
  std::string rule, property;
  Status status = Status::refuted;
  std::string fingerprint;
  std::string pass;          // "" if not known
  std::string storage;       // "arg1_1"
  std::string storage_type;  // "i64[4,6], 192 B"
  std::optional<std::pair<std::int64_t, std::int64_t>> bytes;
  std::optional<FindingPlace> define, clobber, read, before;  // before: the partner in `before`
  std::string code;                                           // the user's source line
  std::string message;
  std::map<std::string, std::int64_t> witness_symbols;
  std::vector<std::pair<std::string, std::string>> witness_inputs;
  std::string witness_where, expected, actual;
  std::optional<std::uint64_t> witness_seed;  // of the contents of the inputs in that run
  std::vector<std::uint32_t> witness_order;   // of the steps in that run; empty: as listed. In no record
  std::vector<std::int64_t> index;
  bool replayed = false;
  std::string help;        // for the author of the pass or plan
  std::string help_model;  // for the author of the model
  std::string aspect;      // of the ways to break the rule, which: "dtype" of NC020, "input" of NC005
  std::vector<std::string> subjects;  // what a fingerprint says of it besides steps, see step_key()
  std::uint64_t nth = 1;              // of the findings of one fingerprint in a run
  std::string follows;                // the rule of the finding that names the cause; "": this one does
  std::vector<Consequence> also_breaks;
  std::vector<std::string> reaches;                          // what else at the boundary is wrong: "output 1"
  std::vector<std::pair<std::string, FindingPlace>> inside;  // role, and a step of a body that is at fault
  std::vector<FindingPlace> slice;                           // the steps that matter, in order
  std::vector<Lane> lanes;
  PlanPicture plan;
  std::vector<std::pair<std::string, std::string>> types;  // of the names above: "slice_1", "i64[2,6]"
  std::vector<WitnessInput> witness_numbers;
  std::optional<Acceptance> accepted;
  std::string change;  // of a run that is compared: "introduced" | "preexisting"
};

/// Is it refuted, and follows from no other of its check?
bool is_cause(const Finding& finding);

struct Unknown {
  std::string reason;  // a code of cli.md
  std::vector<std::string> names;
  std::vector<std::string> keys =
      {};                        // of the names: what a fingerprint says of them; none: the names themselves
  std::string fingerprint = {};  // of a record that was read: what it says
  std::optional<Acceptance> accepted = {};
  std::string change = {};  // of a run that is compared: "newly_unknown" | "preexisting"
};

/// One step must run before another.
struct Dependence {
  FindingPlace first, second;
  std::string first_code, second_code;  // the user's lines
};

/// Barriers that could be left out at once, each ordering nothing that is not ordered already.
struct BarrierLint {
  std::uint32_t barriers = 0, regions = 0, split = 0;  // of the graph; fused regions; fewer there could be
  std::vector<FindingPlace> idle;
};

/// Steps that could have run in place on their first operand, as far as that was tried.
struct InplaceLint {
  struct Rewrite {
    FindingPlace at;
    std::string operand, op;        // what it would write, and as which operator
    std::string bytes;              // of the result, over the symbols; "" if that is not known
    std::uint64_t known = 0;        // the same, where it is a number
    Status safe = Status::unknown;  // proved: together with all others that are
    std::string because;            // the property that it would break
  };
  std::vector<Rewrite> rewrites;
  std::uint64_t left_out = 0;  // steps that were not tried
};

/// What is taken for granted of `output` ("output 0") where strides count and nobody tells them.
inline std::string strides_assumed(const std::string& output) {
  return output + " has the strides that it has in before";
}

struct CheckRecord {
  std::string input, id, what;  // what: pair | single | trace | plan | program
  std::string before_input;     // of two files that were compared: the first; `input` is the second
  Status status = Status::unknown;
  std::map<std::string, Status> properties;
  struct Counts {
    std::uint64_t steps = 0, modelled = 0, in_place = 0, storages = 0, obligations = 0, by_rule = 0,
                  by_z3 = 0, by_identity = 0;
  } counts;
  std::vector<Finding> findings;
  std::vector<Unknown> unknown;
  std::vector<std::string> unchecked;
  std::string link;         // of a record that was read: what it says
  std::string every_order;  // "" or a status name
  std::string return_last;  // the same of the orders that end with the return, where the others differ
  std::vector<Dependence> repairs;  // where an order is refuted: with these every order is right
  BarrierLint barriers;
  std::vector<FindingPlace> behind_return;  // writes that nobody sees
  std::vector<FindingPlace> dead;           // instructions of payloads whose results nobody reads
  InplaceLint inplace;                      // `advise` alone asks for it
  std::vector<std::string> assumptions;
  std::vector<std::string> checked_by;  // checkers that proved it again, from the certificate's text alone
  bool ran = false;                     // what is proved was also run, and nothing differed
  std::string contradiction;            // what a run shows against what is proved; "" for nothing
  std::string semantics;
  std::string version;
};

struct ErrorRecord {
  std::string input, where, message;
};

struct SummaryRecord {
  std::uint64_t proved = 0, refuted = 0, unknown = 0, error = 0;
  std::uint64_t pairs_proved = 0, pairs_refuted = 0, pairs_unknown = 0;
  std::uint64_t skipped = 0;  // files in directories that are nothing that is read
  // With a baseline: findings and reasons for unknown that it accepts, and checks that have no others.
  std::uint64_t accepted = 0, refuted_accepted = 0, unknown_accepted = 0;
  int exit = 0;
};

enum class FailOn : std::uint8_t { unknown, refuted, none };

/// 4 internal error or contradiction, then 1 refuted, 2 unreadable or nothing checked, 3 unknown, 0.
int exit_code(const SummaryRecord& summary, bool contradiction, FailOn fail_on);

std::string to_json(const CheckRecord& record);  // one line, no newline
std::string to_json(const ErrorRecord& record);
std::string to_json(const SummaryRecord& record);

/// Hash of rule, aspect, pass, subjects and the canonical define-clobber-read slice; no step numbers, names,
/// paths or dates.
std::string fingerprint(const Finding& finding, const Graph& before, const Graph& after);
/// The same of a reason for unknown and what it is about.
std::string fingerprint(const Unknown& unknown);
/// A step without its names: operator and types; "return" for a step past the last.
std::string step_key(const Graph& graph, std::uint32_t step);
/// An input or the step that makes the value, without names.
std::string value_key(const Graph& graph, ValueId value);

/// Counts findings of one fingerprint through a run: the k-th of them has `nth` k. Those that follow from
/// another count as that one.
void number_findings(CheckRecord& record, std::map<std::string, std::uint64_t>& seen);

/// Which link of a chain of compilations a check judges: "joint", "split", "pass", "post_grad", "code",
/// "dynamo", "plan", "program" or "trace".
std::string link_of(const CheckRecord& record);

/// One statement as a reader of FX text knows it: "copy_ = copy_(arg1_1, full_default)".
std::string statement_text(const Graph& graph, std::uint32_t step);

/// The terminal diagnosis of one finding.
std::string to_text(const CheckRecord& record, const Finding& finding, const Look& look);

}  // namespace noclobber
