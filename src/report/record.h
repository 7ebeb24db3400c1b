// noclobber.result/1: what every report is rendered from. The field names are a contract (docs, cli.md).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

enum class Status : std::uint8_t { unknown, proved, refuted, error };

/// Where a fault took place, with the text of the statement for the terminal.
struct FindingPlace {
  std::string graph;  // "before" | "after"
  std::uint32_t step = 0;
  std::string name;       // result name, or "return"
  std::string loc;        // user source, "program.py:3 in f"
  std::string statement;  // "copy_ = copy_(arg1_1, full_default)"
  std::string note;       // "all of arg1_1 overwritten [0, 192)"
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
  std::vector<std::int64_t> index;
  bool replayed = false;
  std::string help;
};

struct Unknown {
  std::string reason;  // a code of cli.md
  std::vector<std::string> names;
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
  Status status = Status::unknown;
  std::map<std::string, Status> properties;
  struct Counts {
    std::uint64_t steps = 0, modelled = 0, in_place = 0, storages = 0, obligations = 0, by_rule = 0,
                  by_z3 = 0;
  } counts;
  std::vector<Finding> findings;
  std::vector<Unknown> unknown;
  std::vector<std::string> unchecked;
  std::string every_order;          // "" or a status name
  std::vector<Dependence> repairs;  // where an order is refuted: with these every order is right
  BarrierLint barriers;
  InplaceLint inplace;  // `advise` alone asks for it
  std::vector<std::string> assumptions;
  std::vector<std::string> checked_by;  // checkers that proved it again, from the certificate's text alone
  std::string semantics;
  std::string version;
};

struct ErrorRecord {
  std::string input, where, message;
};

struct SummaryRecord {
  std::uint64_t proved = 0, refuted = 0, unknown = 0, error = 0;
  std::uint64_t pairs_proved = 0, pairs_refuted = 0, pairs_unknown = 0;
  int exit = 0;
};

enum class FailOn : std::uint8_t { unknown, refuted, none };

/// 4 internal error or contradiction, then 1 refuted, 2 unreadable or nothing checked, 3 unknown, 0.
int exit_code(const SummaryRecord& summary, bool contradiction, FailOn fail_on);

std::string to_json(const CheckRecord& record);  // one line, no newline
std::string to_json(const ErrorRecord& record);
std::string to_json(const SummaryRecord& record);

/// Hash of rule, pass and the canonical define-clobber-read slice; no step numbers, names, paths or dates.
std::string fingerprint(const Finding& finding, const Graph& before, const Graph& after);

/// One statement as a reader of FX text knows it: "copy_ = copy_(arg1_1, full_default)".
std::string statement_text(const Graph& graph, std::uint32_t step);

/// The terminal diagnosis of one finding (form of design/example.md, section 6); `colour` adds ANSI codes.
std::string to_text(const CheckRecord& record, const Finding& finding, bool colour);

}  // namespace noclobber
