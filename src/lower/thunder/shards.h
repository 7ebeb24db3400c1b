// Parameters of which a trace is given a shard. Internal to thunder_*.cpp.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/thunder/text.h"
#include "src/lower/thunder/facts.h"

namespace noclobber {

/// Names of parameters that are one tensor with another one, and that one.
using ThunderTied = std::vector<std::pair<std::string, std::string>>;

/// Statements that a pass for fully sharded parameters put before all others: each gathers a parameter, or
/// cuts off the rows behind it that make its shards one size.
struct ThunderGathered {
  struct Parameter {
    std::string name, type;  // of a shard
    std::string gathered;    // type of what is gathered
    std::string whole;       // what the last of its statements binds
  };
  std::vector<ThunderStatement> statements;
  std::vector<Parameter> parameters;
  ThunderTied tied = {};  // parameters that another statement gathers along
};

/// What `trace` gathers of its parameters and `before` does not; empty where `before` gathers some itself.
ThunderGathered thunder_gathered(const ThunderTrace& before, const ThunderTrace& trace);

/// The pass gathers two parameters that are one tensor twice, and everybody reads one of the two results; a
/// later pass drops the other. The trace without the calls whose result nobody reads, their parameters in
/// `tied`; nothing where there is no such call.
std::optional<ThunderTrace> gathered_once(const ThunderTrace& trace, const ThunderFacts& facts,
                                          ThunderTied& tied);

/// Thunder gives parameters the sizes of shards before it makes the calls that gather them; until then their
/// names stand for the whole of them. The trace with these calls at its beginning, or nothing where it has no
/// such parameter of such a type. What it returns besides results (`flat_args`) stays a shard.
std::optional<ThunderTrace> with_gathered(const ThunderTrace& trace, const ThunderGathered& gathered);

}  // namespace noclobber
