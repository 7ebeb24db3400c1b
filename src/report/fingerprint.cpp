// What stays the same about a finding when unrelated lines of the graph come and go.
#include <fmt/format.h>

#include <string_view>

#include "src/report/record.h"

namespace noclobber {

namespace {

/// FNV-1a, 64 bits. Every part ends with a separator that no part contains.
class Digest {
 public:
  void add(std::string_view part) {
    for (const char c : part) mix(static_cast<unsigned char>(c));
    mix(0xff);
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  void mix(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

/// "aten.add_.Tensor", "aten.add.out", "aten.add.Tensor" -> "aten.add": a fault that moves between the
/// spellings of one operator is still the same fault.
std::string plain_op(std::string_view op) {
  const std::size_t first = op.find('.');
  const std::size_t last = op.rfind('.');
  if (first != std::string_view::npos && last != first) op = op.substr(0, last);
  if (op.ends_with('_') && !op.ends_with("__")) op.remove_suffix(1);
  return std::string(op);
}

std::string plain_type(const Graph& graph, ValueId id) {
  if (!id.valid() || id.index >= graph.values.size()) return "?";
  const auto& type = graph.values[id.index].type;
  return type ? fmt::format("{}:{}", name(type->dtype), type->shape.size()) : "?";
}

void add_place(Digest& digest, std::string_view role, const std::optional<FindingPlace>& place,
               const Graph& before, const Graph& after) {
  digest.add(role);
  if (!place) return digest.add("none");
  const Graph& graph = place->graph == "before" ? before : after;
  digest.add(place->graph);
  if (place->step >= graph.steps.size()) return digest.add("return");
  const Step& step = graph.steps[place->step];
  digest.add(plain_op(step.op));
  for (const ValueId result : step.results) digest.add(plain_type(graph, result));
  for (const Arg& arg : step.args) {
    if (arg.kind == Arg::Kind::ref) digest.add(plain_type(graph, arg.ref));
  }
}

}  // namespace

std::string fingerprint(const Finding& finding, const Graph& before, const Graph& after) {
  Digest digest;
  digest.add("noclobber/v1");
  digest.add(finding.rule);
  digest.add(finding.pass);
  add_place(digest, "define", finding.define, before, after);
  add_place(digest, "clobber", finding.clobber, before, after);
  add_place(digest, "read", finding.read, before, after);
  return digest.text();
}

}  // namespace noclobber
