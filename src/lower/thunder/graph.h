// Lowers a printed trace to a Graph: names to values, statements and the lines below them to steps.
//
// A statement of level 1 is the unit that the compiler moves: its steps stay together (Step::unit), and all
// of them come after the definitions of its arguments. Names below level 1 are local to their statement.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/thunder/text.h"
#include "src/lower/thunder/facts.h"

namespace noclobber {

/// A Graph, with facts that only its text states.
struct ThunderGraph {
  Graph graph;
  std::vector<OpDecl> ops;
  std::vector<std::string> assumed;  // operators without a body that are assumed to be pure
  bool believed = false;             // some call that runs was lowered by the lines below it
  std::vector<ValueId> undefined;    // contents of names without a definition
  bool untold = false;               // inputs.json is given, but lacks a tensor parameter
};

/// The part of a trace that the Graph represents.
enum class ThunderPart : std::uint8_t {
  whole,    // outputs: what the trace returns; of a joint one gradients first, then the forward's results
  forward,  // of a joint trace, what does not depend on gradients; outputs: the forward's results
  saving    // of a forward trace: outputs are what it returns, then what it saves
};

/// `text` is the text of the trace, for places. error: `where` is "line N, column M".
Result<ThunderGraph> thunder_graph(const ThunderTrace& trace, std::string_view text,
                                   const ThunderFacts& facts, ThunderPart part);
/// Joins a forward trace that returns what it saves with the backward trace that reads it, as one joint
/// Graph. Places are those of `text`, the forward's, or of `backward_text`.
Result<ThunderGraph> thunder_joined(const ThunderTrace& forward, std::string_view text,
                                    const ThunderTrace& backward, std::string_view backward_text,
                                    const ThunderFacts& facts);

/// The joint trace with copies of what its backward statements read: each value as the forward statements
/// last read it under that name. This is the meaning of the gradients.
ThunderTrace with_kept_values(const ThunderTrace& joint);
/// Finds forward tensors that are written through a name that they do not derive from, and read afterwards:
/// gradients, which follow names, miss that write. Returns the trace with a statement of an unknown operator
/// for each such tensor. Empty if there is none.
std::optional<ThunderTrace> with_missed_gradients(const ThunderTrace& joint);

/// Types by name, including names of the lines below statements.
std::map<std::string, std::string> thunder_types(const ThunderTrace& trace);
/// Tensors that a trace reads while their name is not bound, or no longer bound, with the type that the trace
/// gives such a name elsewhere.
std::map<std::string, std::string> thunder_undefined(const ThunderTrace& trace);
/// The trace with a statement before the first such use: undefined contents, or for a name in `given` an
/// input of that name. `types`: further types by name, which take precedence over the trace's own.
ThunderTrace with_undefined(const ThunderTrace& trace, const std::map<std::string, std::string>& types,
                            const std::set<std::string>& given);
/// The callees of such statements.
inline constexpr std::string_view kThunderUndefinedName = "noclobber.undefined_name",
                                  kThunderGivenName = "noclobber.given_name",
                                  kThunderUnbound = " is not bound";  // appended to a name of unknown type

/// True if the trace asks for gradients (`get_grad`).
bool asks_thunder_gradients(const ThunderTrace& trace);
/// True if one of its statements writes with `copy_`, as all of Thunder's own writes do.
bool copies_in_thunder(const ThunderTrace& trace);
/// True if it asks for gradients, or returns the forward's results separately because it needs none.
bool is_thunder_joint(const ThunderTrace& trace);
/// True if it returns tensors saved for a backward trace.
bool is_thunder_forward(const ThunderTrace& trace);

}  // namespace noclobber
