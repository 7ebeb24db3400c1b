#include "src/fuzz/campaign.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/base/fnv.h"
#include "src/formats/case/case_json.h"
#include "src/fuzz/logged.h"
#include "src/fuzz/reduce.h"
#include "src/lower/checks.h"
#include "src/lower/torch_trace/torch_trace.h"
#include "src/ops/row.h"
#include "src/report/evidence_kinds.h"
#include "src/report/names.h"

namespace noclobber::fuzz {
namespace {

constexpr std::int64_t kMostDamaged = 2048;  // elements of a damaged case that is run

bool due(std::uint64_t seed, std::uint64_t every) { return every != 0 && seed % every == 0; }

std::string first_finding(const CheckRecord& record) {
  return record.findings.empty() ? "" : record.findings[0].rule + " " + record.findings[0].message;
}

/// One look at a case: the contradictions found, as (kind, text).
struct Look {
  const Checker& checker;
  std::vector<std::pair<std::string, std::string>> found;
  std::set<std::string> evidence = {};
  std::vector<std::string> lints = {}, also = {}, made = {};
  std::map<std::string, Case> others =
      {};  // by kind: the case of a contradiction that is about another case than the probe's
  void say(std::string kind, std::string text) { found.emplace_back(std::move(kind), std::move(text)); }
};

bool is_decided(Status status) { return status == Status::proved || status == Status::refuted; }

/// True if the verdict states the difference as an assumption: strides of results that nothing describes.
bool is_assumed(const CheckRecord& record, const std::string& difference) {
  constexpr std::string_view kStrides = ": strides";
  if (!difference.ends_with(kStrides)) return false;
  const std::string output = difference.substr(0, difference.size() - kStrides.size());
  return std::ranges::find(record.assumptions, strides_assumed(output)) != record.assumptions.end();
}

/// True if a run contradicts the verdict.
bool is_disproved(const CheckRecord& record, const std::string& difference) {
  return record.status == Status::proved && !difference.empty() && !is_assumed(record, difference);
}

void compare_engines(Look& look, const Case& value, Way way, Status status, const std::string& difference) {
  bool alarm = false;
  const CheckRecord other = look.checker.check(value, way, alarm);
  const std::string name = way == Way::starved ? "starved" : "engines";
  look.made.push_back(name);
  if (is_decided(status) && is_decided(other.status)) look.made.push_back(name + "-decided");
  for (const Unknown& u : other.unknown)
    if (way == Way::starved && u.reason == "resource-limit") look.also.push_back(u.reason);
  // An index out of range in an unused value: a proof ignores it, a run ends there.
  const bool ends = other.status == Status::refuted && first_finding(other).starts_with("NC023") &&
                    first_finding(other).find("out of bounds") != std::string::npos;
  const bool split = (status == Status::proved && other.status == Status::refuted && !ends) ||
                     (status == Status::refuted && other.status == Status::proved);
  if (split)
    look.say("engines", fmt::format("rules {}, z3 {}", status_name(status), status_name(other.status)));
  if (is_disproved(other, difference)) look.say("z3-proved-but-differs", difference);
}

void compare_text(Look& look, const Case& value, Status status) {
  look.made.emplace_back("texts");
  const auto again = read_case_json(write_case_json(value));
  if (!again) return look.say("text", again.fault().where + ": " + again.fault().message);
  bool alarm = false;
  const CheckRecord other = look.checker.check(*again, Way::by_rules, alarm);
  if (other.status != status)
    look.say("text",
             fmt::format("{} as made, {} as read back", status_name(status), status_name(other.status)));
}

/// Checks a case that came by another way (`kind`): whatever is proved must agree with a run.
void confirm(Look& look, const Case& value, const std::string& kind) {
  bool alarm = false;
  const CheckRecord record = look.checker.check(value, Way::by_rules, alarm);
  const auto say = [&](const std::string& what, std::string text) {
    look.say(kind + what, std::move(text));
    look.others.emplace(kind + what, value);
  };
  if (alarm) say("-alarm", "a run contradicts the proof: " + record.contradiction);
  if (record.status == Status::error) look.also.emplace_back("unreadable");
  const auto is_constant = [](const Input& input) { return input.contents.has_value(); };
  const bool same = std::none_of(value.after.inputs.begin(), value.after.inputs.end(), is_constant);
  const bool runs = value.before && !value.plan && same && size_of(value).elements <= kMostDamaged;
  if (record.status != Status::proved || !runs) return;
  const BruteForce truth = brute_force(value);
  // An error in an unused value does not concern memory.
  if (truth.usable && !truth.difference.starts_with("raises") && is_disproved(record, truth.difference))
    say("-proved-but-differs", truth.difference);
}

/// A damaged text must be rejected, or whatever is proved of it must agree with a run.
void damage_text(Look& look, const Case& value, std::uint64_t seed) {
  Random random(seed);
  const auto again = read_case_json(damaged_text(write_case_json(value), random));
  look.made.emplace_back("damaged");
  if (!again) return look.also.emplace_back("unreadable"), void();
  look.made.emplace_back("damaged-read");
  confirm(look, *again, "damaged");
}

/// Both graphs as a log, one log in four cut.
void compare_log(Look& look, const Case& value, std::uint64_t seed) {
  const std::string whole = log_of(value);
  if (whole.empty()) return;
  Random random(seed);
  const std::string cut = random.below(4) == 0 ? cut_log(whole, random) : "";
  look.made.emplace_back("logs");
  TraceLog log = read_torch_trace(cut.empty() ? whole : cut);
  if (log.truncated) look.also.emplace_back("truncated-input");
  if (log.truncated == cut.empty())
    look.say("log", cut.empty() ? "a whole log is cut" : "a cut log is whole");
  for (TraceCheck& check : log.checks) {
    check.read();
    if (check.value) confirm(look, *check.value, "log");
    if (!check.value && cut.empty())
      look.say("log", check.value.fault().where + ": " + check.value.fault().message);
  }
}

void compare_advice(Look& look, const Case& value, Status status) {
  bool alarm = false;
  const CheckRecord other = look.checker.check(value, Way::advising, alarm);
  look.made.emplace_back("advice");
  if (other.status != status)
    look.say("advice", fmt::format("{}, {} with advice", status_name(status), status_name(other.status)));
  const auto safe = [](const InplaceLint::Rewrite& r) { return r.safe == Status::proved; };
  if (std::any_of(other.inplace.rewrites.begin(), other.inplace.rewrites.end(), safe))
    look.lints.emplace_back("NC041");
}

void compare_certificate(Look& look, const Case& value, Status status) {
  if (status != Status::proved && (status != Status::refuted || value.plan)) return;
  Certified said = look.checker.certificate(value, status);
  look.made.emplace_back("certificates");
  if (!said.disagreement.empty()) look.say("certificate", said.disagreement);
  look.evidence = std::move(said.evidence);
}

/// A hash of kind and operators: contradictions of one cause look alike once they are reduced.
std::string fingerprint_of(const std::string& kind, const Case& value) {
  Fnv sum;
  sum.add_part(kind);
  if (value.before)
    for (const Step& step : value.before->steps) sum.add_part(step.op);
  sum.add_part("after");
  for (const Step& step : value.after.steps) sum.add_part(step.op);
  return fmt::format("{:016x}", sum.state());
}

/// True if a smaller case has the same contradiction. Only runs of both graphs can decide that.
bool still(const Case& value, const std::string& kind, const Checker& checker) {
  Look look{checker, {}};
  bool alarm = false;
  const CheckRecord record = checker.check(value, Way::by_rules, alarm);
  if (record.status == Status::error) return false;
  if (kind == "alarm") return alarm;
  if (kind == "refuted-but-sound") return false;  // a smaller pair need not be sound
  if (kind == "certificate") compare_certificate(look, value, record.status);
  if (kind == "text") compare_text(look, value, record.status);
  if (kind == "engines") compare_engines(look, value, Way::by_solver, record.status, "");
  if (kind == "proved-but-differs" && record.status != Status::proved) return false;
  if (kind == "proved-but-differs" || kind == "z3-proved-but-differs") {
    if (value.plan || !value.before) return false;  // no pair to run
    const BruteForce truth = brute_force(value);
    if (!truth.usable || truth.difference.empty()) return false;
    if (kind == "proved-but-differs") return is_disproved(record, truth.difference);
    compare_engines(look, value, Way::by_solver, record.status, truth.difference);
  }
  for (const auto& [found, text] : look.found)
    if (found == kind) return true;
  return false;
}

void record_contradictions(Examined& out, Look& look, const Depth& depth) {
  for (auto& [kind, text] : look.found) {
    Contradiction one{out.probe.seed, kind, out.probe.fault, std::move(text), "", out.probe.value, {}};
    const auto other = look.others.find(kind);
    const bool is_other = other != look.others.end();
    if (is_other) one.value = other->second;
    const std::string shown = is_other ? kind.substr(kind.find('-') + 1) : kind;
    const auto same = [&](const Case& value) { return still(value, shown, look.checker); };
    one.reduced = reduce_case(one.value, same, depth.reduction);
    one.fingerprint = fingerprint_of(kind, one.reduced);
    out.contradictions.push_back(std::move(one));
  }
}

/// True if `before` is not even proved equal to itself: the checker does not know enough of its operators.
bool is_beyond(const Case& value, const Checker& checker) {
  if (!value.before) return false;
  Case twice = value;
  twice.after = *value.before;
  twice.dataflow = false;
  bool alarm = false;
  return checker.check(twice, Way::by_rules, alarm).status != Status::proved;
}

void count_operators(std::map<std::string, std::uint64_t>& out, const Graph& graph) {
  for (const Step& step : graph.steps) {
    const std::string functional = functional_op(step.op);
    const std::string base(base_name(functional.empty() ? *step.op : functional));
    const OpRow *row = find_row(base), *own = find_row(base_name(step.op));
    if (row != nullptr) ++out[std::string(row->op)];
    if (own != nullptr && own != row) ++out[std::string(own->op)];
  }
}

std::string percent(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? "-" : fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(of));
}

std::string listed(const char* what, const std::map<std::string, std::uint64_t>& counts) {
  std::string out = fmt::format("{}:", what);
  for (const auto& [name, n] : counts) out += fmt::format(" {} {},", name, n);
  if (counts.empty()) return out + " none\n";
  out.back() = '\n';
  return out;
}

/// Does the cross-checks of a seed.
void cross_check(Look& look, const Examined& one, std::uint64_t seed, const Depth& depth) {
  const Case& value = one.probe.value;
  if (!value.registers.empty()) return;  // neither texts nor certificates contain them
  const bool pair = !value.plan.has_value();
  if (due(seed, depth.engine) && pair)
    compare_engines(look, value, Way::by_solver, one.status, one.probe.difference);
  if (due(seed + 1, depth.certificate)) compare_certificate(look, value, one.status);
  if (due(seed + 2, depth.text) && !value.return_is_last) compare_text(look, value, one.status);
  if (due(seed + 3, depth.damage)) damage_text(look, value, seed);
  if (due(seed + 5, depth.starved) && pair)
    compare_engines(look, value, Way::starved, one.status, one.probe.difference);
  if (due(seed + 6, depth.log)) compare_log(look, value, seed);
  if (due(seed + 7, depth.advice) && pair) compare_advice(look, value, one.status);
}

bool is_flight_alone(const CheckRecord& record) {
  return !record.findings.empty() &&
         std::ranges::all_of(record.findings, [](const Finding& f) { return f.rule == "NC010"; });
}

/// Rewrites are sound in the listed order. They ignore that a collective without a wait still uses its
/// operands, so that writing these is a hazard. In other orders `before` must have the hazard, too.
bool is_about_flight(const Case& value, const CheckRecord& record, const Checker& checker) {
  if (!is_flight_alone(record) || !value.dataflow || !value.before) return is_flight_alone(record);
  Case alone = value;
  alone.after = *std::exchange(alone.before, std::nullopt);
  bool alarm = false;
  return is_flight_alone(checker.check(alone, Way::by_rules, alarm));
}

}  // namespace

Examined examine(std::uint64_t seed, const Checker& checker, const Depth& depth) {
  Examined out;
  auto probe = make_probe(seed);
  if (!probe) return out;
  out.usable = true;
  out.probe = *std::move(probe);
  const Case& value = out.probe.value;
  const std::string& difference = out.probe.difference;
  bool alarm = false;
  out.record = checker.check(value, Way::by_rules, alarm);
  out.status = out.record.status;
  Look look{checker, {}};
  if (alarm) look.say("alarm", "a run contradicts the proof: " + out.record.contradiction);
  if (out.status == Status::error) look.say("text", "the checker cannot read what was generated");
  out.conditional = out.status == Status::proved && is_assumed(out.record, difference);
  if (is_disproved(out.record, difference)) look.say("proved-but-differs", difference);
  const bool sound = out.probe.fault.empty() && out.probe.kind != Probe::Kind::symbolic;
  if (out.status == Status::refuted && sound && difference.empty() &&
      !is_about_flight(value, out.record, checker))
    look.say("refuted-but-sound", first_finding(out.record));
  if (out.status == Status::unknown) out.beyond = !value.registers.empty() || is_beyond(value, checker);
  if (!out.record.barriers.idle.empty()) look.lints.emplace_back("NC040");
  cross_check(look, out, seed, depth);
  record_contradictions(out, look, depth);
  out.evidence = std::move(look.evidence), out.lints = std::move(look.lints), out.also = std::move(look.also);
  out.made = std::move(look.made);
  return out;
}

void Score::add(const Examined& one) {
  ++seeds;
  if (!one.usable) return;
  ++checks;
  ++kinds[std::string(name(one.probe.kind))];
  const bool visible = !one.probe.difference.empty();
  // A sound rewrite that is wrong for other sizes or for a stricter caller is a fault, too.
  const char* const turned = one.probe.kind == Probe::Kind::symbolic ? "symbol-sizes" : "stricter-caller";
  const std::string fault = one.probe.fault.empty() && visible ? turned : one.probe.fault;
  Tally& tally = classes[fault];
  ++tally.made;
  tally.visible += visible ? 1 : 0;
  if (fault.empty() || visible) {
    tally.proved += one.status == Status::proved && !one.conditional ? 1 : 0;
    tally.refuted += one.status == Status::refuted ? 1 : 0;
    tally.unknown += one.status == Status::unknown || one.conditional ? 1 : 0;
    tally.beyond += one.beyond ? 1 : 0;
  } else {
    ++tally.harmless;
    tally.harmless_refuted += one.status == Status::refuted ? 1 : 0;
  }
  if (one.probe.value.before) count_operators(operators, *one.probe.value.before);
  count_operators(operators, one.probe.value.after);
  for (const auto& [body_name, body] : one.probe.value.bodies) count_operators(operators, body);
  for (const Finding& finding : one.record.findings) ++rules[finding.rule];
  for (const std::string& lint : one.lints) ++rules[lint];
  for (const std::string& kind : one.evidence) ++evidence[kind];
  for (const std::string& reason : one.also) ++reasons[reason];
  for (const std::string& what : one.made) ++made[what];
  evidence["rules"] += one.record.counts.by_rule > 0 ? 1 : 0;
  evidence["solver"] += one.record.counts.by_z3 > 0 ? 1 : 0;
  evidence["replay"] += one.status == Status::refuted ? 1 : 0;
  const char* const why = one.beyond ? " (not supported)" : !one.probe.fault.empty() ? " (fault)" : "";
  for (const Unknown& u : one.record.unknown) {
    ++reasons[u.reason];
    for (const std::string& who : u.names) ++unknown_names[u.reason + " " + who + why];
  }
}

std::string Score::text() const {
  std::string out = fmt::format("{} seeds, {} checks\n", seeds, checks);
  for (const auto& [fault, t] : classes) {
    if (fault.empty()) {
      const std::uint64_t open = t.unknown - t.beyond;
      out += fmt::format(
          "sound: {} made, {} of programs that are not supported; of the others {} proved, {} unknown ({}), "
          "{} "
          "refuted\n",
          t.made, t.beyond, t.proved, open, percent(open, t.made - t.beyond), t.refuted);
    } else {
      out += fmt::format(
          "{}: {} made, {} visible, caught {}: {} refuted ({}), {} unknown, {} proved; harmless {}\n", fault,
          t.made, t.visible, percent(t.refuted + t.unknown, t.visible), t.refuted,
          percent(t.refuted, t.visible), t.unknown, t.proved, t.harmless);
    }
  }
  out += listed("cross-checks", made) + listed("kinds", kinds) + listed("rules", rules) +
         listed("evidence", evidence) + listed("unknown", reasons);
  out += fmt::format("operator rows reached: {} of {}\n", operators.size(), op_rows().size());
  return out;
}

std::string Score::json() const {
  nlohmann::ordered_json out{
      {"schema", "noclobber.fuzz/1"}, {"kind", "score"}, {"seeds", seeds}, {"checks", checks}};
  for (const auto& [fault, t] : classes)
    out["classes"][fault.empty() ? "sound" : fault] = {
        {"made", t.made},         {"visible", t.visible},
        {"proved", t.proved},     {"refuted", t.refuted},
        {"unknown", t.unknown},   {"beyond", t.beyond},
        {"harmless", t.harmless}, {"harmless_refuted", t.harmless_refuted}};
  out["cross_checks"] = made, out["kinds"] = kinds, out["rules"] = rules, out["evidence"] = evidence,
  out["unknown"] = reasons;
  out["unknown_names"] = unknown_names;
  out["rows_reached"] = operators.size(), out["rows"] = op_rows().size();
  std::vector<std::string> missed;
  for (const OpRow& row : op_rows())
    if (!operators.contains(std::string(row.op))) missed.emplace_back(row.op);
  out["rows_missed"] = missed;
  std::set<std::string> unseen = all_evidence_kinds();
  for (const auto& [kind, n] : evidence) unseen.erase(kind);
  out["evidence_missed"] = unseen;
  return out.dump();
}

}  // namespace noclobber::fuzz
