// Source: https://github.com/Lightning-AI/lightning-thunder, thunder/distributed/transforms/fsdp_v2.py,
// release 0.2.6. The pass changes sizes of parameters in place, so traces made before it print the new sizes
// as well.
#include "src/lower/thunder/shards.h"

#include <algorithm>

#include "src/lower/thunder/writes.h"

namespace noclobber {

namespace {

constexpr std::string_view kWhole = "__whole";

/// The parameter that a statement gathers, or nullptr.
const std::string* gathered_by(const ThunderStatement& s) {
  if (s.kind != ThunderStatement::Kind::call || s.value.kind != PythonExpr::Kind::call ||
      s.target.kind != PythonExpr::Kind::name)
    return nullptr;
  const std::vector<PythonExpr>& args = s.value.items;
  const bool is_gather = s.value.text.ends_with("prims.synchronize") && args.size() == 3 &&
                         args[0].kind == PythonExpr::Kind::name &&
                         args[2].text.find("FULLY_SHARDED") != std::string::npos;
  return is_gather ? &args[0].text : nullptr;
}

bool is_parameter(const ThunderTrace& trace, const std::string& name) {
  return std::ranges::find(trace.parameters, name) != trace.parameters.end();
}

bool binds(const ThunderTrace& trace, const std::string& name) {
  return std::ranges::any_of(trace.statements, [&](const ThunderStatement& s) {
    bool out = false;
    each_thunder_name(s.target, [&](const std::string& bound) { out = out || bound == name; });
    return out;
  });
}

bool is_list_of(const PythonExpr& list, std::size_t rank, std::int64_t wanted) {
  return list.kind == PythonExpr::Kind::sequence && list.items.size() == rank &&
         std::ranges::all_of(list.items, [&](const PythonExpr& item) {
           return item.kind == PythonExpr::Kind::integer && item.integer == wanted;
         });
}

/// True for `prims.slice_prim(GATHERED, [0, 0], [7, 8], [1, 1])` if it cuts off padding: shards have equal
/// sizes, so a gathered parameter has fewer padding rows than shards.
bool cuts_padding(const ThunderStatement& s, const ThunderGathered::Parameter& parameter) {
  const std::vector<PythonExpr>& args = s.value.items;
  const auto shard = thunder_tensor_type(parameter.type), all = thunder_tensor_type(parameter.gathered),
             left = thunder_tensor_type(s.type);
  if (!shard || !all || !left || shard->shape.empty() || all->shape.size() != shard->shape.size() ||
      left->shape.size() != shard->shape.size() || args.size() != 4 ||
      !s.value.text.ends_with("slice_prim") || !args[0].is_name(parameter.whole))
    return false;
  const std::size_t rank = shard->shape.size();
  if (!is_list_of(args[1], rank, 0) || !is_list_of(args[3], rank, 1)) return false;
  if (!std::ranges::equal(args[2].items, left->shape, [](const PythonExpr& end, const SymExpr& size) {
        return end.kind == PythonExpr::Kind::integer && SymExpr(end.integer) == size;
      }))
    return false;
  for (std::size_t k = 1; k < rank; ++k)
    if (left->shape[k] != all->shape[k]) return false;
  const std::int64_t rows = all->shape[0].constant(), each = shard->shape[0].constant(),
                     kept = left->shape[0].constant();
  return each > 0 && kept < rows && rows - kept < rows / each;
}

/// The parameter whose padding the statement cuts off, or nullptr.
ThunderGathered::Parameter* cut_by(const ThunderStatement& s, ThunderGathered& gathered) {
  if (s.kind != ThunderStatement::Kind::call || s.target.kind != PythonExpr::Kind::name ||
      s.inner.size() != 1 || !s.inner[0].target.is_name(s.target.text))
    return nullptr;
  const auto at = std::ranges::find_if(
      gathered.parameters, [&](const ThunderGathered::Parameter& p) { return cuts_padding(s.inner[0], p); });
  return at == gathered.parameters.end() ? nullptr : &*at;
}

/// Renames everything that the statement binds or reads.
void rename_all(ThunderStatement& s, const ThunderRenamed& names) {
  rename_thunder(s.target, names);
  rename_thunder(s.value, names);
  for (ThunderStatement& inner : s.inner) rename_all(inner, names);
}

/// Renames what a statement of an earlier trace reads, where names of parameters denote the whole tensors.
void rename_read(ThunderStatement& s, const ThunderRenamed& names) {
  if (s.kind == ThunderStatement::Kind::leave && s.value.kind == PythonExpr::Kind::dict) {
    for (auto& [key, value] : s.value.entries)
      if (key != "flat_args") rename_thunder(value, names);
    return;
  }
  if (s.kind != ThunderStatement::Kind::unpack && s.kind != ThunderStatement::Kind::drop)
    rename_thunder(s, names);
}

/// True if a statement other than a `del` reads the name.
bool is_name_read(const ThunderTrace& trace, const std::string& name) {
  const auto reads = [&](const ThunderStatement& s, const auto& self) -> bool {
    bool out = false;
    each_thunder_name(s.value, [&](const std::string& read) { out = out || read == name; });
    return out || std::ranges::any_of(s.inner, [&](const ThunderStatement& i) { return self(i, self); });
  };
  return std::ranges::any_of(trace.statements, [&](const ThunderStatement& s) {
    return s.kind != ThunderStatement::Kind::drop && reads(s, reads);
  });
}

bool are_one_tensor(const ThunderFacts& facts, const std::string& a, const std::string& b) {
  const auto one = std::ranges::find(facts.inputs, a, &ThunderInput::name),
             other = std::ranges::find(facts.inputs, b, &ThunderInput::name);
  return a != b && one != facts.inputs.end() && other != facts.inputs.end() && !one->storage.empty() &&
         one->storage == other->storage && one->type == other->type;
}

/// True if `other` is the same call of a parameter that is one tensor with that of `s`.
bool gathers_the_same(const ThunderStatement& s, const ThunderStatement& other, const ThunderFacts& facts) {
  const std::string *name = gathered_by(s), *with = gathered_by(other);
  return name != nullptr && with != nullptr && are_one_tensor(facts, *name, *with) && s.type == other.type &&
         s.value.text == other.value.text && s.value.items[1].text == other.value.items[1].text &&
         s.value.items[2].text == other.value.items[2].text;
}

}  // namespace

std::optional<ThunderTrace> gathered_once(const ThunderTrace& trace, const ThunderFacts& facts,
                                          ThunderTied& tied) {
  ThunderTrace out = trace;
  for (std::size_t at = 0; at < out.statements.size();) {
    const ThunderStatement s = out.statements[at];
    const auto kept = gathered_by(s) == nullptr || is_name_read(trace, s.target.text)
                          ? out.statements.end()
                          : std::ranges::find_if(out.statements, [&](const ThunderStatement& other) {
                              return gathers_the_same(s, other, facts);
                            });
    if (kept == out.statements.end()) {
      ++at;
      continue;
    }
    tied.emplace_back(*gathered_by(s), *gathered_by(*kept));
    const auto is_it = [&](const PythonExpr& expr) { return expr.is_name(s.target.text); };
    for (ThunderStatement& other : out.statements)
      if (other.kind == ThunderStatement::Kind::drop) std::erase_if(other.value.items, is_it);
    std::erase_if(out.statements, [&](const ThunderStatement& other) {
      return is_it(other.target) || (other.kind == ThunderStatement::Kind::drop && is_it(other.value));
    });
  }
  if (tied.empty()) return std::nullopt;
  return out;
}

ThunderGathered thunder_gathered(const ThunderTrace& before, const ThunderTrace& trace) {
  ThunderGathered out;
  if (std::ranges::any_of(before.statements,
                          [](const ThunderStatement& s) { return gathered_by(s) != nullptr; }))
    return out;
  for (const ThunderStatement& s : trace.statements) {
    if (s.kind == ThunderStatement::Kind::unpack) continue;
    if (const std::string* name = gathered_by(s); name != nullptr && is_parameter(trace, *name)) {
      const auto type = trace.types.find(*name);
      if (type == trace.types.end()) return {};
      out.parameters.push_back({*name, type->second, s.type, s.target.text});
    } else if (auto* cut = cut_by(s, out); cut != nullptr && !binds(before, s.target.text)) {
      cut->whole = s.target.text;
    } else {
      break;
    }
    out.statements.push_back(s);
  }
  return out;
}

std::optional<ThunderTrace> with_gathered(const ThunderTrace& trace, const ThunderGathered& gathered) {
  ThunderRenamed fresh, read;
  for (const ThunderStatement& s : gathered.statements)
    fresh.emplace(s.target.text, s.target.text + std::string(kWhole));
  for (const auto& [name, type, all, whole] : gathered.parameters) {
    const auto here = trace.types.find(name);
    if (!is_parameter(trace, name) || here == trace.types.end() || here->second != type) return std::nullopt;
    read.emplace(name, whole + std::string(kWhole));
  }
  for (const auto& [name, with] : gathered.tied) {
    const auto whole = read.find(with);
    const auto type = trace.types.find(name), same = trace.types.find(with);
    if (whole == read.end() || type == trace.types.end() || type->second != same->second) return std::nullopt;
    read.emplace(name, whole->second);
  }
  if (read.empty() || trace.statements.empty()) return std::nullopt;
  ThunderTrace out = trace;
  for (ThunderStatement& s : out.statements) rename_read(s, read);
  const auto first = std::ranges::find_if(
      out.statements, [](const ThunderStatement& s) { return s.kind != ThunderStatement::Kind::unpack; });
  std::vector<ThunderStatement> made = gathered.statements;
  for (ThunderStatement& s : made) {
    rename_all(s, fresh);
    s.at = trace.statements.front().at;
    s.line = trace.line;
    s.loc.clear();
    s.code.clear();
  }
  out.statements.insert(first, made.begin(), made.end());
  return out;
}

}  // namespace noclobber
