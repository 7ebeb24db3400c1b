#include "src/formats/case/case_json_ops.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "src/ops/schema.h"

namespace noclobber {
namespace {

class OpDeclReader {
 public:
  OpDeclReader(const OrderedJson& json, const JsonAt& at, JsonFaults& faults)
      : json_(json), at_(at), faults_(faults) {}

  ReadOpDecl read() {
    if (!faults_.object(json_, at_)) return {};
    schema();
    if (!faults_.failed()) scalars();
    if (!faults_.failed()) access();
    if (!faults_.failed()) writes();
    if (!faults_.failed()) reads_old();
    if (!faults_.failed()) kinds_of_results();
    if (!faults_.failed()) may_alias();
    return std::move(result_);
  }

 private:
  OpDecl& decl() { return result_.decl; }

  void schema() {
    const OrderedJson* text = faults_.required(json_, at_, "schema");
    if (text == nullptr) return;
    const JsonAt here(at_, "schema");
    decl().schema = faults_.text(*text, here);
    if (faults_.failed()) return;
    auto parsed = parse_schema(decl().schema);
    if (!parsed) {
      faults_.fail(here, "not an operator schema, " + parsed.fault().where + ": " + parsed.fault().message);
      return;
    }
    schema_ = *std::move(parsed);
    result_.op = schema_.op;
    const bool list = std::any_of(schema_.returns.begin(), schema_.returns.end(), [](const SchemaSlot& slot) {
      return slot.type == SchemaSlot::Type::tensor_list || slot.type_text.find('[') != std::string::npos;
    });
    result_.results = list ? -1 : static_cast<int>(schema_.returns.size());
  }

  void scalars() {
    static constexpr std::array<std::string_view, 2> kWhen = {"any_time", "before_write"};
    if (const OrderedJson* item = find_member(json_, "functional")) {
      decl().functional = faults_.text(*item, JsonAt(at_, "functional"));
    }
    if (const OrderedJson* item = find_member(json_, "when")) {
      decl().before_write = faults_.one_of(*item, JsonAt(at_, "when"), kWhen) == 1;
    }
    if (const OrderedJson* item = find_member(json_, "pure")) {
      decl().pure = faults_.boolean(*item, JsonAt(at_, "pure"));
    }
  }

  void argument_name(const std::string& name, const JsonAt& at) {
    const bool known = std::any_of(schema_.arguments.begin(), schema_.arguments.end(),
                                   [&](const SchemaSlot& slot) { return slot.name == name; });
    if (!known) faults_.fail(at, in_quotes(name) + " is not an argument");
  }

  // Reads one of `choices` per argument.
  void per_argument(const OrderedJson& json, const JsonAt& at, const std::array<std::string_view, 2>& choices,
                    std::map<std::string, std::string>& to) {
    if (!faults_.object(json, at)) return;
    for (const auto& [name, item] : json.get_ref<const OrderedJson::object_t&>()) {
      const JsonAt here(at, name);
      argument_name(name, here);
      to[name] = choices[faults_.one_of(item, here, choices)];
      if (faults_.failed()) return;
    }
  }

  void access() {
    static constexpr std::array<std::string_view, 2> kAccess = {"elementwise", "any"};
    const OrderedJson* item = find_member(json_, "access");
    if (item == nullptr) return;
    const JsonAt here(at_, "access");
    if (item->is_object()) {
      per_argument(*item, here, kAccess, decl().access);
    } else {
      decl().access["*"] = kAccess[faults_.one_of(*item, here, kAccess)];
    }
  }

  void writes() {
    if (const OrderedJson* item = find_member(json_, "writes")) {
      per_argument(*item, JsonAt(at_, "writes"), {"all", "some"}, decl().writes);
    }
  }

  void reads_old() {
    const OrderedJson* item = find_member(json_, "reads_old");
    const JsonAt here(at_, "reads_old");
    if (item == nullptr || !faults_.array(*item, here)) return;
    decl().reads_old.emplace();
    for (std::size_t k = 0; k < item->size() && !faults_.failed(); ++k) {
      const JsonAt at_name(here, k);
      decl().reads_old->push_back(faults_.text((*item)[k], at_name));
      argument_name(decl().reads_old->back(), at_name);
    }
  }

  void kinds_of_results() {
    static constexpr std::array<std::string_view, 2> kKinds = {"fresh", "view"};
    const OrderedJson* item = find_member(json_, "result");
    if (item == nullptr) return;
    const JsonAt here(at_, "result");
    if (!item->is_array()) {
      decl().result.emplace_back(kKinds[faults_.one_of(*item, here, kKinds)]);
      return;
    }
    if (result_.results >= 0 && item->size() != static_cast<std::size_t>(result_.results)) {
      faults_.fail(here, std::to_string(item->size()) + " entries, the schema has " +
                             std::to_string(result_.results) + " results");
    }
    for (std::size_t k = 0; k < item->size() && !faults_.failed(); ++k) {
      decl().result.emplace_back(kKinds[faults_.one_of((*item)[k], JsonAt(here, k), kKinds)]);
    }
  }

  void may_alias() {
    const OrderedJson* item = find_member(json_, "may_alias");
    const JsonAt here(at_, "may_alias");
    if (item == nullptr || !faults_.array(*item, here)) return;
    for (std::size_t k = 0; k < item->size() && !faults_.failed(); ++k) {
      const JsonAt at_pair(here, k);
      const OrderedJson& pair = (*item)[k];
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer() || !pair[1].is_string()) {
        faults_.fail(at_pair, "expected [result number, argument name]");
        return;
      }
      const auto number = pair[0].get<std::int64_t>();
      const std::int64_t end = result_.results >= 0 ? result_.results : std::numeric_limits<int>::max();
      if (number < 0 || number >= end) faults_.fail(at_pair, "no result " + std::to_string(number));
      argument_name(pair[1].get<std::string>(), at_pair);
      decl().may_alias.emplace_back(static_cast<int>(number), pair[1].get<std::string>());
    }
  }

  const OrderedJson& json_;
  const JsonAt& at_;
  JsonFaults& faults_;
  ReadOpDecl result_;
  Schema schema_;
};

}  // namespace

ReadOpDecl read_op_decl(const OrderedJson& json, const JsonAt& at, JsonFaults& faults) {
  return OpDeclReader(json, at, faults).read();
}

}  // namespace noclobber
