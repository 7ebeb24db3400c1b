// One thing that the checker is asked by the fuzzer, made from a seed, and what is known of the answer.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "src/fuzz/brute.h"
#include "src/fuzz/draft.h"

namespace noclobber::fuzz {

struct Probe {
  enum class Kind : std::uint8_t {
    pair,
    symbolic,
    dataflow,
    control,
    plan,
    metadata,
    foreign,
    leaving,
    registers,
    loop,
    alone
  };
  std::uint64_t seed = 0;
  Kind kind = Kind::pair;
  Case value;
  std::string fault;       // class of the injected fault; "": sound by construction
  std::string log;         // rewrites that were made
  std::string difference;  // why it must not be proved, as a run or the construction shows; "": nothing seen
};
std::string_view name(Probe::Kind kind);
/// Every class of fault, sorted as they are reported.
std::vector<std::string> fault_classes();

/// The same probe for a seed, everywhere. Nothing: this seed makes no program that runs.
std::optional<Probe> make_probe(std::uint64_t seed);

/// What a compiler's dump says of every result: dtype, shape and strides as a run has them.
void annotate(Draft& draft);

/// Sizes that equal one of the inputs' become a symbol, in both graphs alike. false: no size can.
bool symbolise(Case& value, Random& random);
/// `after` in any order, kept right by streams and edges; `drop` takes one edge away.
bool loosen(Case& value, const Draft& after, bool drop, Random& random);
/// Both graphs as branches of one condition each.
std::optional<Case> branched(const Draft& before, const Draft& after, const Draft& other_before,
                             const Draft& other_after);
/// A plan of one arena for the graph of `program`; with a fault, nothing where it has no place.
std::optional<Case> planned(const Draft& program, const std::string& fault, Random& random);
/// Calls that nobody runs: how many are known, and number `which` of them at the end of both graphs; with
/// `other_operand` that of `after` is given something else. false: it takes nothing.
std::size_t foreign_calls();
bool append_foreign(Case& value, std::size_t which, bool other_operand);
/// Both graphs leave by a step; with `early` that of `after` stands before its last write. false: there is
/// none.
bool leave_by_step(Case& value, bool early);
/// A statement that orders: what some call makes is another name from there on.
void add_barrier(Draft& draft, Random& random);
/// A loop with a body and what became of it; `fault`: "" or, afterwards, what was damaged in it.
std::optional<Case> looped(Random& random, std::string& fault);
/// `after` alone: a name that is read when it holds something else than it did. "": none. Nothing: it does
/// not run.
std::optional<std::string> stale_name(const Case& value);
/// A program over registers, right or with that fault.
RegisterProgram random_registers(Random& random, const std::string& fault);
/// The text with a few characters changed, as likely as not in its numbers.
std::string damaged_text(std::string text, Random& random);
/// Trailing copies into inputs become final contents of `graph`.
void finals_of_copies(Graph& graph);
/// What the caller of `after` may see: strides, inputs that may be written or end as anything, finals.
void vary_boundary(Case& value, Random& random);

}  // namespace noclobber::fuzz
