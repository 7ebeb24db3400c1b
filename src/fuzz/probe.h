// One question of the fuzzer to the checker, made from a seed, and what is known of its answer.
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
  std::string fault;       // class of the planted fault; "": sound by construction
  std::string log;         // the rewrites that were applied
  std::string difference;  // why it must not be proved, by a run or by construction; "": no reason is known
};
std::string_view name(Probe::Kind kind);
/// All classes of faults, sorted as they are reported.
std::vector<std::string> fault_classes();

/// The probe of a seed, the same on every machine. Empty if the seed makes no program that runs.
std::optional<Probe> make_probe(std::uint64_t seed);

/// Adds what a compiler's dump states of every result: dtype, shape and strides, taken from a run.
void annotate(Draft& draft);

/// Replaces sizes that equal one of the inputs' by a symbol, in both graphs alike. False if no size can be
/// replaced.
bool symbolise(Case& value, Random& random);
/// Lets `after` run in any order that streams and edges allow, which keep it correct; `drop` removes one
/// edge.
bool loosen(Case& value, const Draft& after, bool drop, Random& random);
/// Puts both graphs into branches of one condition each.
std::optional<Case> branched(const Draft& before, const Draft& after, const Draft& other_before,
                             const Draft& other_after);
/// A plan of one arena for the graph of `program`. Empty if it cannot be planned, or has no place for the
/// fault.
std::optional<Case> planned(const Draft& program, const std::string& fault, Random& random);
/// Calls that the interpreter cannot run. foreign_calls(): their number. append_foreign(): appends call
/// `which` to both graphs; with `other_operand` the call in `after` gets another operand. False if it takes
/// no operand.
std::size_t foreign_calls();
bool append_foreign(Case& value, std::size_t which, bool other_operand);
/// Ends both graphs by a return step; with `early` that of `after` stands before its last write. False if
/// there is no such write.
bool leave_by_step(Case& value, bool early);
/// Adds an ordering statement: the result of a random call has another name from there on.
void add_barrier(Draft& draft, Random& random);
/// A loop whose body was rewritten; if `fault` is not "", the body is damaged and `fault` is set to the name
/// of the fault.
std::optional<Case> looped(Random& random, std::string& fault);
/// For `after` alone: a message about a name that is read after its value was overwritten; "" if there is
/// none. Empty if it does not run.
std::optional<std::string> stale_name(const Case& value);
/// A register program, sound or with that fault.
RegisterProgram random_registers(Random& random, const std::string& fault);
/// The text with a few edits, half of them in its numbers.
std::string damaged_text(std::string text, Random& random);
/// Turns trailing copies into inputs into final contents of `graph`.
void finals_of_copies(Graph& graph);
/// Varies what the caller of `after` may observe: strides, inputs that may be written or end as anything,
/// finals.
void vary_boundary(Case& value, Random& random);

}  // namespace noclobber::fuzz
