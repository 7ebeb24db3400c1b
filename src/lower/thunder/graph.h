// From a printed trace to a Graph: names to values, statements to steps, what they are made of included.
//
// A statement of level 1 is what the compiler moves: its steps stay together (Step::unit), and all of them
// come after everything its arguments come from. Names below level 1 live inside their statement.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/thunder/text.h"
#include "src/lower/thunder/facts.h"

namespace noclobber {

/// A Graph with what its text alone knows.
struct ThunderGraph {
  Graph graph;
  std::vector<OpDecl> ops;
  std::vector<std::string> assumed;  // operators without a body that are taken to be pure
  bool believed = false;             // some call that runs was read as what the lines below it say
  std::vector<ValueId> undefined;    // memory that names stand for which nothing defines
  bool untold = false;  // of a parameter nobody says where it lies, though of others somebody does
};

/// Which part of a trace the Graph is.
enum class ThunderPart : std::uint8_t {
  whole,    // outputs: what the trace returns; of a joint one gradients first, then the forward's results
  forward,  // of a joint trace, what does not depend on gradients; outputs: the forward's results
  saving    // of a forward trace: outputs are what it returns, then what it saves
};

/// `text`: what the trace was parsed from, for places. error: `where` is "line N, column M".
Result<ThunderGraph> thunder_graph(const ThunderTrace& trace, std::string_view text,
                                   const ThunderFacts& facts, ThunderPart part);
/// A forward trace that returns what it saves, then the backward trace that reads it: as if joint.
/// Places are those of `text`, the forward's, or of `backward_text`.
Result<ThunderGraph> thunder_joined(const ThunderTrace& forward, std::string_view text,
                                    const ThunderTrace& backward, std::string_view backward_text,
                                    const ThunderFacts& facts);

/// A joint trace that keeps what its backward statements read, each value as the forward statements last read
/// it under that name: what the gradients mean.
ThunderTrace with_kept_values(const ThunderTrace& joint);
/// Where a forward tensor is written by a name that it does not come from, and read afterwards: gradients,
/// which are made along names, miss that write. The trace with a statement that nobody knows for each such
/// tensor.
std::optional<ThunderTrace> with_missed_gradients(const ThunderTrace& joint);

/// Types of names, of lines below statements as well.
std::map<std::string, std::string> thunder_types(const ThunderTrace& trace);
/// Tensors that a trace reads where nothing of their name is bound, or no more, with the type that the trace
/// gives such a name elsewhere.
std::map<std::string, std::string> thunder_undefined(const ThunderTrace& trace);
/// The trace with a statement before the first such use: contents that nobody wrote, or for a name in `given`
/// an input of the name. `types`: of names to which the trace gives none.
ThunderTrace with_undefined(const ThunderTrace& trace, const std::map<std::string, std::string>& types,
                            const std::set<std::string>& given);
/// What such a statement calls.
inline constexpr std::string_view kThunderUndefinedName = "noclobber.undefined_name",
                                  kThunderGivenName = "noclobber.given_name",
                                  kThunderUnbound = " is not bound";  // behind a name of unknown type

/// Does the trace ask for gradients (`get_grad`)?
bool asks_thunder_gradients(const ThunderTrace& trace);
/// Does a statement of it write with `copy_`, as all writes of Thunder's own do?
bool copies_in_thunder(const ThunderTrace& trace);
/// Does it ask for gradients, or return the forward's results apart where none is needed?
bool is_thunder_joint(const ThunderTrace& trace);
/// Does it return tensors saved for a backward trace?
bool is_thunder_forward(const ThunderTrace& trace);

}  // namespace noclobber
