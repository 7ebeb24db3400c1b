#include "src/formats/case/case_json_facts.h"

#include <limits>

namespace noclobber {
namespace {

using NumberList = std::vector<std::uint32_t>;

OrderedJson slots_json(const std::vector<RegisterProgram::Slot>& slots) {
  OrderedJson out = OrderedJson::array();
  for (const RegisterProgram::Slot& slot : slots)
    out.push_back(OrderedJson::array({slot.at, slot.is_tensor}));
  return out;
}

OrderedJson step_json(const RegisterStep& step) {
  OrderedJson out = {{"op", step.op}, {"runs", static_cast<int>(step.runs)}, {"at", step.at}};
  const std::pair<const char*, const NumberList*> lists[] = {{"reads", &step.reads},
                                                             {"writes", &step.writes},
                                                             {"read_numbers", &step.read_numbers},
                                                             {"write_numbers", &step.write_numbers},
                                                             {"chains", &step.chains},
                                                             {"rows", &step.rows}};
  for (const auto& [key, list] : lists)
    if (!list->empty()) out[key] = *list;
  if (!step.refused.empty()) out["refused"] = step.refused;
  return out;
}

OrderedJson program_json(const RegisterProgram& program) {
  OrderedJson out = {{"name", program.name},
                     {"counts", program.counts},
                     {"numbers", program.numbers},
                     {"main", program.main},
                     {"init", program.init},
                     {"inputs", slots_json(program.inputs)},
                     {"outputs", slots_json(program.outputs)},
                     {"states", slots_json(program.states)},
                     {"names", OrderedJson::object()},
                     {"chains", OrderedJson::array()}};
  for (const auto& [number, name] : program.names) out["names"][std::to_string(number)] = name;
  for (const std::vector<RegisterStep>& chain : program.chains) {
    OrderedJson steps = OrderedJson::array();
    for (const RegisterStep& step : chain) steps.push_back(step_json(step));
    out["chains"].push_back(std::move(steps));
  }
  return out;
}

/// Typed access to the members of one object.
class Members {
 public:
  Members(const OrderedJson& json, const JsonAt& at, JsonFaults& faults)
      : json_(json), at_(at), faults_(faults) {}

  void flag(std::string_view key, bool& to) {
    if (const OrderedJson* item = find_member(json_, key)) to = faults_.boolean(*item, JsonAt(at_, key));
  }
  void text(std::string_view key, std::string& to) {
    if (const OrderedJson* item = find_member(json_, key)) to = faults_.text(*item, JsonAt(at_, key));
  }
  template <class T>
  void number(std::string_view key, T& to, std::int64_t least, std::int64_t most) {
    const OrderedJson* item = find_member(json_, key);
    if (item != nullptr) to = static_cast<T>(within(*item, JsonAt(at_, key), least, most));
  }
  void texts(std::string_view key, std::vector<std::string>& to) {
    each(key, [&](const OrderedJson& item, const JsonAt& at) { to.push_back(faults_.text(item, at)); });
  }
  void numbers(std::string_view key, NumberList& to) {
    each(key, [&](const OrderedJson& item, const JsonAt& at) {
      to.push_back(static_cast<std::uint32_t>(within(item, at, 0, kMost)));
    });
  }
  template <class F>
  void each(std::string_view key, F take) {
    const OrderedJson* list = find_member(json_, key);
    const JsonAt at(at_, key);
    if (list == nullptr || faults_.failed() || !faults_.array(*list, at)) return;
    for (std::size_t k = 0; k < list->size() && !faults_.failed(); ++k) take((*list)[k], JsonAt(at, k));
  }
  /// A list of pairs [number, T]; `take` reads the second part.
  template <class F>
  void pairs(std::string_view key, F take) {
    each(key, [&](const OrderedJson& item, const JsonAt& at) {
      if (!faults_.array(item, at)) return;
      if (item.size() != 2) return faults_.fail(at, "expected two items");
      const auto first = static_cast<std::uint32_t>(within(item[0], JsonAt(at, 0), 0, kMost));
      take(first, item[1], JsonAt(at, 1));
    });
  }

  static constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();

 private:
  std::int64_t within(const OrderedJson& json, const JsonAt& at, std::int64_t least, std::int64_t most) {
    const std::int64_t value = faults_.integer(json, at);
    if (!faults_.failed() && (value < least || value > most)) faults_.fail(at, "out of range");
    return faults_.failed() ? least : value;
  }

  const OrderedJson& json_;
  const JsonAt& at_;
  JsonFaults& faults_;
};

RegisterStep read_register_step(const OrderedJson& json, const JsonAt& at, JsonFaults& faults) {
  RegisterStep out;
  if (!faults.object(json, at)) return out;
  Members members(json, at, faults);
  members.text("op", out.op);
  members.number("runs", out.runs, 0, static_cast<int>(RegisterStep::Runs::repeatedly));
  members.number("at", out.at, 0, std::numeric_limits<std::int64_t>::max());
  members.numbers("reads", out.reads);
  members.numbers("writes", out.writes);
  members.numbers("read_numbers", out.read_numbers);
  members.numbers("write_numbers", out.write_numbers);
  members.numbers("chains", out.chains);
  members.numbers("rows", out.rows);
  members.text("refused", out.refused);
  return out;
}

void read_names(const OrderedJson& json, const JsonAt& at, RegisterProgram& to, JsonFaults& faults) {
  const OrderedJson* names = find_member(json, "names");
  const JsonAt here(at, "names");
  if (names == nullptr || faults.failed() || !faults.object(*names, here)) return;
  for (const auto& [key, item] : names->get_ref<const OrderedJson::object_t&>()) {
    const bool digits = !key.empty() && key.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || key.size() > 9) return faults.fail(here, in_quotes(key) + " is not a number");
    to.names[static_cast<std::uint32_t>(std::stoul(key))] = faults.text(item, JsonAt(here, key));
  }
}

RegisterProgram read_register_program(const OrderedJson& json, const JsonAt& at, JsonFaults& faults) {
  RegisterProgram out;
  if (!faults.object(json, at)) return out;
  Members members(json, at, faults);
  members.text("name", out.name);
  NumberList counts;
  members.numbers("counts", counts);
  if (counts.size() != out.counts.size()) faults.fail(JsonAt(at, "counts"), "expected five numbers");
  if (faults.failed()) return out;
  std::copy(counts.begin(), counts.end(), out.counts.begin());
  members.number("numbers", out.numbers, 0, Members::kMost);
  members.number("main", out.main, 0, Members::kMost);
  members.number("init", out.init, -1, Members::kMost);
  const std::pair<const char*, std::vector<RegisterProgram::Slot>*> slots[] = {
      {"inputs", &out.inputs}, {"outputs", &out.outputs}, {"states", &out.states}};
  for (const auto& [key, list] : slots)
    members.pairs(key, [&, to = list](std::uint32_t number, const OrderedJson& item, const JsonAt& where) {
      to->push_back({number, faults.boolean(item, where)});
    });
  members.each("chains", [&](const OrderedJson& chain, const JsonAt& where) {
    out.chains.emplace_back();
    if (!faults.array(chain, where)) return;
    for (std::size_t k = 0; k < chain.size() && !faults.failed(); ++k)
      out.chains.back().push_back(read_register_step(chain[k], JsonAt(where, k), faults));
  });
  read_names(json, at, out, faults);
  const auto exists = [&](std::uint64_t chain) { return chain < out.chains.size(); };
  if (!faults.failed() &&
      !(exists(out.main) && (out.init < 0 || exists(static_cast<std::uint64_t>(out.init)))))
    faults.fail(JsonAt(at, "main"), "no such chain");
  return out;
}

}  // namespace

OrderedJson written_facts(const Case& value) {
  OrderedJson out;
  const std::pair<const char*, bool> flags[] = {{"portable_kernels", value.portable_kernels},
                                                {"return_is_last", value.return_is_last},
                                                {"every_order", value.every_order}};
  for (const auto& [key, set] : flags)
    if (set) out[key] = true;
  if (!value.pass.empty()) out["pass"] = value.pass;
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {
      {"assumed", &value.assumed}, {"assumed_pure", &value.assumed_pure}, {"one_sided", &value.one_sided}};
  for (const auto& [key, list] : lists)
    if (!list->empty()) out[key] = *list;
  for (const auto& [output, input] : value.may_share)
    out["may_share"].push_back(OrderedJson::array({output, input}));
  for (const RegisterProgram& program : value.registers) out["registers"].push_back(program_json(program));
  return out;
}

void write_step_facts(const Step& value, OrderedJson& to) {
  if (value.barrier) to["barrier"] = true;
  if (value.fused) to["fused"] = true;
  if (value.unit != 0) to["unit"] = static_cast<std::uint32_t>(value.unit);
  if (!value.extras->tells.empty()) to["tells"] = value.extras->tells;
  if (value.line != 0) to["line"] = value.line;
}

void read_facts(const OrderedJson& json, const JsonAt& at, Case& to, JsonFaults& faults) {
  Members members(json, at, faults);
  members.flag("portable_kernels", to.portable_kernels);
  members.flag("return_is_last", to.return_is_last);
  members.flag("every_order", to.every_order);
  members.text("pass", to.pass);
  members.texts("assumed", to.assumed);
  members.texts("assumed_pure", to.assumed_pure);
  members.texts("one_sided", to.one_sided);
  members.pairs("may_share", [&](std::uint32_t output, const OrderedJson& item, const JsonAt& where) {
    to.may_share.emplace_back(output, faults.text(item, where));
  });
  members.each("registers", [&](const OrderedJson& item, const JsonAt& where) {
    to.registers.push_back(read_register_program(item, where, faults));
  });
}

void read_step_facts(const OrderedJson& json, const JsonAt& at, Step& to, JsonFaults& faults) {
  Members members(json, at, faults);
  bool barrier = false, fused = false;
  std::uint32_t unit = 0;
  std::string tells;
  members.flag("barrier", barrier);
  members.flag("fused", fused);
  members.number("unit", unit, 0, (std::int64_t{1} << 30) - 1);
  members.text("tells", tells);
  members.number("line", to.line, 0, std::numeric_limits<int>::max());
  to.barrier = barrier, to.fused = fused, to.unit = unit & ((1U << 30) - 1);
  if (!tells.empty()) to.extras.edit().tells = std::move(tells);
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t k = 0; k < text.size(); k += 2) {
    const int high = digit(text[k]), low = digit(text[k + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(16 * high + low);
  }
  return out;
}

}  // namespace noclobber
