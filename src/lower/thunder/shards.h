// Parameters that a trace receives as shards. Internal to lower/thunder.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/thunder/text.h"
#include "src/lower/thunder/facts.h"

namespace noclobber {

/// Pairs of names of parameters that are one tensor.
using ThunderTied = std::vector<std::pair<std::string, std::string>>;

/// Statements that a pass for fully sharded parameters inserted before all others: each gathers a parameter,
/// or cuts off the padding rows that make its shards equal in size.
struct ThunderGathered {
  struct Parameter {
    std::string name, type;  // the type is that of a shard
    std::string gathered;    // type of the gathered tensor
    std::string whole;       // name that the last of its statements binds
  };
  std::vector<ThunderStatement> statements;
  std::vector<Parameter> parameters;
  ThunderTied tied = {};  // parameters gathered by the statement of another one
};

/// The parameters that `trace` gathers and `before` does not; empty if `before` gathers some itself.
ThunderGathered thunder_gathered(const ThunderTrace& before, const ThunderTrace& trace);

/// The pass gathers two parameters that are one tensor twice, although only one of the results is read; a
/// later pass drops the other. Returns the trace without the calls whose result is not read, and adds their
/// parameters to `tied`. Empty if there is no such call.
std::optional<ThunderTrace> gathered_once(const ThunderTrace& trace, const ThunderFacts& facts,
                                          ThunderTied& tied);

/// Thunder gives parameters the sizes of shards before it makes the calls that gather them; until then their
/// names denote the whole parameters. Returns the trace with these calls at its beginning. Empty if it lacks
/// such a parameter or its type differs. The returned `flat_args` stay shards.
std::optional<ThunderTrace> with_gathered(const ThunderTrace& trace, const ThunderGathered& gathered);

}  // namespace noclobber
