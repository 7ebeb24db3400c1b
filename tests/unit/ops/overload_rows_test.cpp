// What a row says of an operator holds of each of its overloads.
#include <set>
#include <string>
#include <vector>

#include "src/ops/meaning.h"
#include "src/ops/raises.h"
#include "src/ops/row.h"
#include "tests/catch.h"

namespace overload_rows_test {

using namespace noclobber;
namespace {

struct Twin {
  const Schema* writes;
  const Schema* pure;
};

/// Overloads that write, with the operators that compute the same and write nothing.
std::vector<Twin> twins() {
  std::vector<Twin> out;
  for (const std::string_view op : vocabulary()) {
    const Schema* schema = find_schema(op);
    if (!schema->writes()) continue;
    const std::string functional = functional_op(op);
    if (!functional.empty() && functional != op) out.push_back({schema, find_schema(functional)});
  }
  return out;
}

std::vector<Arg> some_arguments(const Schema& schema) {
  std::vector<Arg> out;
  for (const SchemaSlot& slot : schema.arguments) {
    const bool trains = slot.name == "training" || slot.name == "use_input_stats";
    out.push_back(trains                                  ? Arg::of_bool(true)
                  : slot.type == SchemaSlot::Type::tensor ? Arg::of(ValueId(0))
                                                          : Arg{});
  }
  return out;
}

std::set<std::string> names_silently_written(const Schema& schema) {
  std::set<std::string> out;
  for (const std::size_t k : silently_written(base_name(schema.op), schema, some_arguments(schema)))
    out.insert(schema.arguments[k].name);
  return out;
}

TEST_CASE("an overload that writes has the tokens of its functional operator") {
  const auto all = twins();
  REQUIRE(all.size() > 1460);
  for (const auto& [writes, pure] : all) {
    INFO(writes->op << " and " << pure->op);
    CHECK(is_impure(base_name(writes->op), *writes) == is_impure(base_name(pure->op), *pure));
    if (is_random(base_name(pure->op), *pure)) CHECK(is_random(base_name(writes->op), *writes));
    const OpRow* own = row_of_overload(base_name(writes->op), *writes);
    const OpRow* other = find_row(base_name(pure->op));
    const auto flight = [](const OpRow* row) { return row == nullptr ? Flight::none : row->in_flight; };
    CHECK(flight(own) == flight(other));
  }
}

TEST_CASE("an overload that writes has the silent writes of its functional operator") {
  std::size_t silent = 0;
  for (const auto& [writes, pure] : twins()) {
    INFO(writes->op << " and " << pure->op);
    std::set<std::string> expected = names_silently_written(*pure);
    silent += expected.empty() ? 0 : 1;
    for (const SchemaSlot& slot : writes->arguments)
      if (slot.written) expected.erase(slot.name);
    CHECK(names_silently_written(*writes) == expected);
  }
  CHECK(silent >= 6);
}

TEST_CASE("no overload of an operator that writes in silence is a function of what it reads") {
  for (const std::string_view op : vocabulary()) {
    const Schema* schema = find_schema(op);
    const OpRow* row = row_of_overload(base_name(op), *schema);
    if (row == nullptr || !row->writes_silently) continue;
    INFO(op);
    CHECK(meaning_of(base_name(op), *schema) == Meaning::unsupported);
  }
}

TEST_CASE("running statistics are arguments of normalizations alone, or of what reads them") {
  const std::set<std::string> only_read{"aten._batch_norm_impl_index_backward",
                                        "aten._batch_norm_no_update",
                                        "aten._batch_norm_with_update_functional",
                                        "aten._native_batch_norm_legit_functional",
                                        "aten._native_batch_norm_legit_no_training",
                                        "aten.batch_norm_backward",
                                        "aten.cudnn_batch_norm_backward",
                                        "aten.miopen_batch_norm_backward",
                                        "aten.native_batch_norm_backward"};
  for (const std::string_view op : vocabulary()) {
    const Schema* schema = find_schema(op);
    for (const SchemaSlot& slot : schema->arguments) {
      if (slot.name != "running_mean" || slot.written) continue;
      INFO(op);
      const bool writes = meaning_of(base_name(op), *schema) == Meaning::normalize_running;
      CHECK(writes != only_read.contains(std::string(base_name(op))));
    }
  }
}

TEST_CASE("what a call raises over is found by the names of its arguments") {
  const Schema& index = *find_schema("aten.index_select.default");
  const std::vector<Arg> given{Arg::of(ValueId(0)), Arg::of(SymExpr(0)), Arg::of(ValueId(1))};
  CHECK(raises_over("aten.index_select", index, given) == std::vector<std::size_t>{2});
  CHECK_FALSE(raises_over("aten.add", *find_schema("aten.add.Tensor"), given));
  const Schema& rounded = *find_schema("aten.div.Tensor_mode");
  const std::vector<Arg> two{Arg::of(ValueId(0)), Arg::of(ValueId(1)), Arg{}};
  CHECK_FALSE(divides_whole("aten.div", rounded, two));
  std::vector<Arg> floored = two;
  floored[2] = Arg::of_text("floor");
  CHECK(divides_whole("aten.div", rounded, floored));
  CHECK(divides_whole("aten.remainder", *find_schema("aten.remainder.Tensor"), {two[0], two[1]}));
}

}  // namespace
}  // namespace overload_rows_test
