// Fingerprints: identities of findings that survive unrelated changes of the graph.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/base/fnv.h"
#include "src/report/record.h"

namespace noclobber {

namespace {

/// A hash of parts, each of which is followed by a separator that no part contains.
class Digest {
 public:
  void add(std::string_view part) { sum_.add_part(part); }
  std::string text() const { return fmt::format("{:016x}", sum_.state()); }

 private:
  Fnv sum_;
};

/// "aten.add_.Tensor", "aten.add.out", "aten.add.Tensor" -> "aten.add". A fault that moves between these
/// variants of an operator is the same fault.
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
  digest.add(place->graph);
  digest.add(step_key(place->graph == "before" ? before : after, place->step));
}

const char* kind_name(Input::Kind kind) {
  switch (kind) {
    case Input::Kind::user:
      return "user";
    case Input::Kind::buffer:
      return "buffer";
    case Input::Kind::parameter:
      return "parameter";
    case Input::Kind::constant:
      return "constant";
  }
  return "";
}

}  // namespace

std::string step_key(const Graph& graph, std::uint32_t step) {
  if (step >= graph.steps.size()) return "return";
  const Step& at = graph.steps[step];
  std::string out = plain_op(at.op) + "(";
  for (const Arg& arg : at.args)
    if (arg.kind == Arg::Kind::ref) out += plain_type(graph, arg.ref) + ",";
  out += ")";
  for (const ValueId result : at.results) out += plain_type(graph, result) + ",";
  return out;
}

std::string value_key(const Graph& graph, ValueId value) {
  if (!value.valid() || value.index >= graph.values.size()) return "?";
  const Value& of = graph.values[value.index];
  if (of.from == Value::From::step) return fmt::format("{}#{}", step_key(graph, of.at), of.result);
  const char* kind = of.at < graph.inputs.size() ? kind_name(graph.inputs[of.at].kind) : "";
  return fmt::format("input {} {}", kind, plain_type(graph, value));
}

std::string fingerprint(const Finding& finding, const Graph& before, const Graph& after) {
  Digest digest;
  digest.add("noclobber/v2");
  digest.add(finding.rule);
  digest.add(finding.aspect);
  digest.add(finding.pass);
  add_place(digest, "define", finding.define, before, after);
  add_place(digest, "clobber", finding.clobber, before, after);
  add_place(digest, "read", finding.read, before, after);
  for (const std::string& subject : finding.subjects) digest.add(subject);
  return digest.text();
}

bool is_cause(const Finding& finding) { return finding.status == Status::refuted && finding.follows.empty(); }

std::string fingerprint(const Unknown& unknown) {
  if (!unknown.fingerprint.empty()) return unknown.fingerprint;
  Digest digest;
  digest.add("noclobber/v2");
  digest.add(unknown.reason);
  std::vector<std::string> about = unknown.keys.empty() ? unknown.names : unknown.keys;
  std::ranges::sort(about);
  for (const std::string& key : about) digest.add(key);
  return digest.text();
}

void number_findings(CheckRecord& record, std::map<std::string, std::uint64_t>& seen) {
  std::uint64_t of_cause = 1;
  for (Finding& finding : record.findings) {
    if (finding.follows.empty()) of_cause = ++seen[finding.fingerprint];
    finding.nth = of_cause;
  }
}

std::string link_of(const CheckRecord& record) {
  if (!record.link.empty()) return record.link;
  const std::size_t slash = record.id.rfind('/');
  std::string last = slash == std::string::npos ? std::string() : record.id.substr(slash + 1);
  const std::size_t number = last.find_last_not_of("0123456789");  // "post_grad_1": the second of its kind
  if (number != std::string::npos && number + 1 < last.size() && last[number] == '_') last.resize(number);
  if (last == "joint" || last == "split" || last == "post_grad") return last;
  if (record.what == "plan" || record.what == "program") return record.what;
  return record.what == "pair" ? "pass" : "trace";
}

}  // namespace noclobber
