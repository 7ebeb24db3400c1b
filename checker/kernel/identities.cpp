// Identities: steps that store what something simpler does, by rows of a table. x * 1 is x, 2 + 3 is 5.
#include <charconv>

#include "checker/kernel/contents.h"

namespace noclobber::checker {
struct Row {
  enum class Form : std::uint8_t { keeps, folds, number, converts };
  Text name;
  Form form;
  Text op, also;        // operators without overload
  std::int64_t value;   // the neutral number; of `folds`: the operation
  bool either, scaled;  // it may be on the left as well; it may be scaled by alpha
  Text exact, assumed;  // types for which it holds; for which it does under an assumption
  bool is_about(Text called) const { return op == called || (also == called && !also.empty()); }
};

namespace {
using enum Row::Form;
constexpr const char* kOther = "an identity of another step";

#define INTEGERS " i64 i32 i16 i8 i4 u64 u32 u16 u8 u4"
#define REALS " f64 f32 f16 bf16"
#define ROW(...) Row{__VA_ARGS__},
// table
constexpr Row kRows[] = {
#include "checker/kernel/identities.def"
};

bool among(Text type, Text all) {
  return (std::string(all) + " ").find(" " + std::string(type) + " ") != std::string::npos;
}
bool real(Text type) { return type.starts_with('f') || type == "bf16"; }

/// The type holds all integers from 0 to below 2 to the power of this; 0 if unknown.
int bits(Text type) {
  if (real(type))
    return type == "f64" ? 53 : type == "f32" ? 24 : type == "f16" ? 11 : type == "bf16" ? 8 : 0;
  if (!among(type, INTEGERS " bool")) return 0;
  return type == "bool" ? 1 : static_cast<int>(width(type)) - type.starts_with('i');
}
bool holds(Text type, std::int64_t value) {
  const int n = bits(type);
  if (n == 0 || (value < 0 && !real(type) && !type.starts_with('i'))) return false;
  const std::int64_t most = n < 63 ? std::int64_t{1} << n : 0;
  return n >= 63 || (value >= -most && (value < most || (real(type) && value == most)));
}

/// True if `between` holds all numbers of `from`, and they become the same in `to` with or without it.
bool passes(Text from, Text between, Text to) {
  const auto holds_all = [](Text wide, Text type) {
    if (real(type)) return real(wide) && width(wide) >= 32 && width(wide) > width(type);
    const int n = bits(type);
    const std::int64_t most = n > 0 && n < 63 ? std::int64_t{1} << n : 0;
    return most > 0 && holds(wide, most - 1) && (!type.starts_with('i') || holds(wide, -most));
  };
  const bool known = among(to, INTEGERS REALS " bool f8e4m3fn f8e5m2");
  return among(from, INTEGERS REALS " bool") && holds_all(between, from) &&
         (to == from ||
          (known && (real(to) || to == "bool" || !real(between) || (!real(from) && holds_all(to, from)))));
}

/// The integer that a text writes; empty for -0. A suffix f is accepted for real types alone.
std::optional<std::int64_t> whole(Text text, Text type) {
  if (text == "true" || text == "false") return text == "true" ? 1 : 0;
  if (text.ends_with('f') && real(type)) text.remove_suffix(1);
  std::int64_t out = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool all = fault == std::errc() && end == text.data() + text.size() && !text.starts_with("-0");
  return all ? std::optional(out) : std::nullopt;
}

/// The exact result; empty if it overflows or is -0.
std::optional<std::int64_t> folded(char op, std::int64_t a, std::int64_t b, bool reals) {
  std::int64_t out = 0;
  switch (op) {
    case '+': return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case '-': return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case 'n':
      return (reals && a == 0) || __builtin_sub_overflow(0, a, &out) ? std::nullopt : std::optional(out);
    case '*':
      if (__builtin_mul_overflow(a, b, &out) || (reals && out == 0 && (a < 0 || b < 0))) return std::nullopt;
      return out;
    case 'M': return std::max(a, b);
    case 'm': return std::min(a, b);
    case '=': return a == b;
    case '!': return a != b;
    case '<': return a < b;
    case 'l': return a <= b;
    case '>': return a > b;
    default: return a >= b;
  }
}

/// True if it keeps or casts reals: such an identity is exact to the bit except for which NaN it is.
bool is_of_numbers(const Simpler& one, const Trace& trace, const Step& step) {
  return (one.converts || one.keeps) && real(trace.reads(step)[one.keeps.value_or(0)].form->type);
}
/// True if what is computed from the result of step `from` may lie on a storage whose bits are seen.
bool becomes_bits(const Trace& trace, const std::vector<bool>& seen, std::uint32_t from) {
  if (std::ranges::find(seen, true) == seen.end()) return false;
  std::vector<bool> of_it(trace.storages.size());
  for (std::uint32_t k = from; k < trace.steps.size(); ++k) {
    const auto is_of_it = [&](const View& v) { return bool{of_it[v.storage]}; };
    if (k != from && std::ranges::none_of(trace.reads(trace.steps[k]), is_of_it)) continue;
    if (k != from && !trace.steps[k].form->bodies.empty()) return true;
    for (const View& v : trace.writes(trace.steps[k])) {
      if (seen[v.storage]) return true;
      of_it[v.storage] = true;
    }
  }
  return false;
}
}  // namespace

std::vector<bool> seen_as_bits(const Trace& trace) {
  std::vector<bool> out(trace.storages.size());
  std::vector<Text> types(out.size());
  const auto look = [&](const View& v) {
    if (types[v.storage].empty()) types[v.storage] = v.form->type;
    if (v.form->lanes > 0 || types[v.storage] != v.form->type) out[v.storage] = true;
  };
  for (const auto& input : trace.inputs) look(input.second);
  for (const View& view : trace.views) look(view);
  for (const Output& output : trace.outputs)
    if (output.view) look(*output.view);
  return out;
}

/// A parsed key of a step: operator, arguments, "alpha=2", "on cuda".
struct Call {
  Text op;
  std::vector<Text> arguments;
  std::int64_t alpha = 1;
  bool plain = true;  // the key has nothing else
  explicit Call(Text key) {
    std::vector<Text> parts;
    for (std::size_t at = 0; at <= key.size();) {
      const std::size_t end = std::min(key.find(';', at), key.size());
      parts.push_back(key.substr(at, end - at)), at = end + 1;
    }
    op = parts[0].substr(0, parts[0].find('.', parts[0].find('.') + 1));
    for (std::size_t k = 1; k < parts.size(); ++k) {
      const auto times = parts[k].starts_with("alpha=") ? whole(parts[k].substr(6), "i64") : std::nullopt;
      if (parts[k] == "T" || whole(parts[k], "f64"))
        arguments.push_back(parts[k]), plain = plain && arguments.size() == k;
      else if (times) alpha = *times;
      else plain = plain && parts[k].starts_with("on ") && k + 1 == parts.size();
    }
  }
  std::uint32_t read(std::size_t argument) const {
    return static_cast<std::uint32_t>(
        std::count(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(argument), Text("T")));
  }
};

const Simpler* Equality::simpler(const Run& run, std::uint32_t step) const {
  const auto at = run.simpler.find(step);
  return at == run.simpler.end() ? nullptr : &at->second;
}

/// The scalar that was stored, by a fill or a folded step; "" if it is anything else.
Text Equality::scalar(const Content& c) {
  if (!c.stored) return "";
  const StepForm& form = *c.run->trace.steps[c.stored->step].form;
  const Simpler* const same = simpler(*c.run, c.stored->step);
  if (same != nullptr && same->folds) return rests_on(same->lemma), Text(same->key);
  return form.kind == StepKind::fill ? form.key : "";
}

bool Equality::one_scalar(const Content& x, const Content& y) {
  const Text one = scalar(x);
  return !one.empty() && one == scalar(y) &&
         x.run->view(*x.stored).form->type == y.run->view(*y.stored).form->type;
}

/// The integer of an argument: written in the key, or that of a fill which the read is followed back to.
std::optional<std::int64_t> Equality::value(Run& run, std::uint32_t step, Text argument, std::uint32_t read,
                                            Text type) {
  if (argument != "T") return whole(argument, type);
  const View& view = run.trace.reads(run.trace.steps[step])[read];
  const Text own = view.form->type;
  if (view.form->lanes > 0) return std::nullopt;
  const Text key = scalar(followed(at_all(run, view, step)));
  const bool typed = key.starts_with(own) && key.substr(own.size()).starts_with(":");
  return typed ? whole(key.substr(own.size() + 1), own) : std::nullopt;
}

/// Requires that an elementwise step is an instance of a row that keeps argument `k`, and notes the read.
void Equality::keeping(Simpler& out, const Row& row, const Call& call, std::uint32_t step, Run& run,
                       std::uint32_t k) {
  const Step& s = run.trace.steps[step];
  require(call.arguments[k] == "T", kOther);
  out.keeps = call.read(k);
  const Text type = run.trace.reads(s)[*out.keeps].form->type;
  const bool times = row.scaled && k == 0 && (call.alpha > 0 || !real(type) || among(type, row.assumed));
  require((k == 0 || row.either) && (call.alpha == 1 || times) && run.trace.writes(s)[0].form->type == type &&
              value(run, step, call.arguments[1 - k], call.read(1 - k), type) == row.value,
          kOther);
}

/// The same for a row whose result is a number (`folds`), or whose argument `k` is one (`number`).
void Equality::numbered(Simpler& out, const Row& row, const Call& call, std::uint32_t step, Run& run,
                        std::uint32_t k) {
  const Step& s = run.trace.steps[step];
  const Text key = s.form->key, to = run.trace.writes(s)[0].form->type;
  const Text type = run.trace.reads(s)[0].form->type;
  for (const View& v : run.trace.reads(s)) require(v.form->type == type, kOther);
  const auto number_of = [&](std::uint32_t j) {
    const auto n = value(run, step, call.arguments[j], call.read(j), type);
    require(n && holds(type, *n), kOther);
    return *n;
  };
  const std::int64_t a = number_of(k);
  if (row.form == number) {
    require(s.form->reads == 2, kOther);
    const auto at = static_cast<std::size_t>(call.arguments[k].data() - key.data());
    out.key = std::string(key).replace(at, 1, std::to_string(a)), out.number = k;
    return;
  }
  const auto op = static_cast<char>(row.value);
  const auto result = folded(op, a, op == 'n' ? 0 : number_of(1), real(type));
  const bool compares = Text("=!<l>g").find(op) != Text::npos;
  require(k == 0 && call.alpha == 1 && to == (compares ? Text("bool") : type) && result && holds(to, *result),
          kOther);
  out.folds = true, out.key = std::string(to) + ":" + std::to_string(*result);
}

/// Shows that step a is an instance of the row by its argument b. Lemma 7a.
void Equality::identity(const Lemma& l, const std::vector<std::string>& assumed) {
  const auto row = std::ranges::find(kRows, l.row(), &Row::name);
  Run& run = l.c == 0 ? before_ : after_;
  require(row != std::end(kRows), "no such identity");
  require(l.c <= 1 && l.a < run.exit() && !run.simpler.contains(l.a), "no such step");
  const Step& step = run.trace.steps[l.a];
  Simpler out{proving_};
  out.converts = row->form == converts;
  if (out.converts) {
    require(step.form->kind == StepKind::move && l.b == 0, kOther);
  } else {
    const Call call(step.form->key);
    const std::size_t taken = row->form == folds && row->value == 'n' ? 1 : 2;
    require(step.form->elementwise && step.form->bodies.empty() && step.form->reads > 0 && call.plain &&
                l.b < taken && call.arguments.size() == taken && call.read(taken) == step.form->reads &&
                row->is_about(call.op),
            kOther);
    const Text type = run.trace.reads(step)[std::min(call.read(l.b), step.form->reads - 1)].form->type;
    const std::string assumption =
        "-0 counts as 0 in " + std::string(call.op) + " with " + std::to_string(row->value);
    require(among(type, row->exact) ||
                (among(type, row->assumed) && std::ranges::find(assumed, assumption) != assumed.end()),
            "an identity of other types");
    row->form == keeps ? keeping(out, *row, call, l.a, run, l.b) : numbered(out, *row, call, l.a, run, l.b);
  }
  if (run.bits.empty()) run.bits = seen_as_bits(run.trace);
  require(!is_of_numbers(out, run.trace, step) || !becomes_bits(run.trace, run.bits, l.a),
          "an identity of numbers whose bits are looked at");
  run.simpler.emplace(l.a, std::move(out));
}

/// The type and the content that a cast converts. By an identity, those that the cast before it converts.
std::pair<Text, Content> Equality::cast_of(const Content& c) {
  const Step& step = c.run->trace.steps[c.stored->step];
  const View& read = c.run->trace.reads(step)[0];
  std::pair out{read.form->type, operand(c, 0)};
  const Simpler* const same = simpler(*c.run, c.stored->step);
  if (same == nullptr || !same->converts) return out;
  require(++depth_ < kNested, "casts are nested too deep");
  const Content under = followed(out.second);
  const bool cast = under.stored && !under.byte && read.form->lanes == 0 &&
                    under.run->view(*under.stored).form->lanes == 0 &&
                    under.run->trace.steps[under.stored->step].form->kind == StepKind::move;
  require(cast && !c.byte && c.run->view(*c.stored).form->lanes == 0, kOther);
  auto from = cast_of(under);
  require(passes(from.first, out.first, c.run->view(*c.stored).form->type), kOther);
  --depth_;
  return rests_on(same->lemma), from;
}

/// The reads of an elementwise step and its key; by an identity one read is a number in the key instead.
std::vector<std::uint32_t> Equality::operands(const Content& c, Text& key) {
  const StepForm& form = *c.run->trace.steps[c.stored->step].form;
  const Simpler* const same = simpler(*c.run, c.stored->step);
  const bool drops = same != nullptr && same->number;
  if (drops) rests_on(same->lemma);
  key = drops ? Text(same->key) : form.key;
  std::vector<std::uint32_t> out;
  for (std::uint32_t k = 0; k < form.reads; ++k)
    if (!drops || k != *same->number) out.push_back(k);
  return out;
}

/// Pairs of operands of two steps that are one operator or cast: if all are equal, so is what was stored.
std::vector<std::pair<Content, Content>> Equality::parts(const Content& x, const Content& y) {
  const auto type = [](const Content& c, std::uint32_t read) {
    return c.run->trace.reads(c.run->trace.steps[c.stored->step])[read].form->type;
  };
  const StepForm &a = *x.run->trace.steps[x.stored->step].form, &b = *y.run->trace.steps[y.stored->step].form;
  require(a.kind == b.kind && x.run->view(*x.stored).form->type == y.run->view(*y.stored).form->type,
          kDiffer);
  if (a.kind == StepKind::move) {
    const auto [from, own] = cast_of(x);
    const auto [other_from, other] = cast_of(y);
    require(from == other_from, kDiffer);
    return {{own, other}};
  }
  Text key, other_key;
  const auto own = operands(x, key), other = operands(y, other_key);
  require(key == other_key && a.elementwise && b.elementwise && a.bodies == b.bodies &&
              own.size() == other.size(),
          kDiffer);
  std::vector<std::pair<Content, Content>> out;
  for (std::size_t k = 0; k < own.size(); ++k) {
    require(type(x, own[k]) == type(y, other[k]), kDiffer);
    out.emplace_back(operand(x, own[k]), operand(y, other[k]));
  }
  return out;
}

}  // namespace noclobber::checker
