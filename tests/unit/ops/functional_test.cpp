#include <utility>

#include "src/ops/schema.h"
#include "tests/catch.h"

namespace functional_test {

using namespace noclobber;

TEST_CASE("in-place and out operators have their pure form") {
  const std::pair<const char*, const char*> table[] = {
      {"aten.add_.Tensor", "aten.add.Tensor"},
      {"aten.add_.Scalar", "aten.add.Scalar"},
      {"aten.add.out", "aten.add.Tensor"},
      {"aten.mm.out", "aten.mm.default"},
      {"aten.cat.out", "aten.cat.default"},
      {"aten.sum.IntList_out", "aten.sum.dim_IntList"},
      {"aten.max.dim_max", "aten.max.dim"},
      {"aten.max.unary_out", "aten.max.default"},
      {"aten.sort.values_stable", "aten.sort.stable"},
      {"aten.scatter_.src", "aten.scatter.src"},
      {"aten.scatter_.value_reduce", "aten.scatter.value_reduce"},
      {"aten.copy_", "aten.copy.default"},
      {"aten.fill_.Scalar", "aten.fill.Scalar"},
      {"aten.zero_.default", "aten.zero.default"},
      {"aten.relu_.default", "aten.relu.default"},
      {"aten.index_put_.default", "aten.index_put.default"},
      {"aten._index_put_impl_.default", "aten._index_put_impl.default"},
      {"aten.squeeze_.dims", "aten.squeeze.dims"},
      {"aten.normal_.default", "aten.normal_functional.default"},
      {"aten.bernoulli_.float", "aten.bernoulli.p"},
      {"aten.bernoulli_.Tensor", "aten.bernoulli.Tensor"},
      {"aten.__ior__.Tensor", "aten.__or__.Tensor"},
      {"aten._foreach_add_.List", "aten._foreach_add.List"},
      {"aten._foreach_copy_.default", "aten._foreach_copy.default"},
      {"aten._fused_adam_.default", "aten._fused_adam.default"},
      {"aten._fused_adam.out", "aten._fused_adam.default"},
      {"aten._native_batch_norm_legit.default", "aten._native_batch_norm_legit_functional.default"},
      {"aten._native_batch_norm_legit.no_stats_out", "aten._native_batch_norm_legit.no_stats"},
      {"_c10d_functional.all_reduce_.default", "_c10d_functional.all_reduce.default"},
      {"_c10d_functional.all_gather_into_tensor_out.default",
       "_c10d_functional.all_gather_into_tensor.default"},
      {"prims._unsafe_index_put_.default", "aten._unsafe_index_put.default"},
      {"prims.copy_to.default", "aten.copy.default"},
  };
  for (const auto& [op, pure] : table) {
    INFO(op);
    REQUIRE(find_schema(op) != nullptr);
    CHECK(find_schema(op)->writes());
    CHECK(functional_op(op) == pure);
    REQUIRE(find_schema(pure) != nullptr);
    CHECK_FALSE(find_schema(pure)->writes());
  }
}

TEST_CASE("a pure operator is its own pure form; some have none") {
  CHECK(functional_op("aten.add.Tensor") == "aten.add.Tensor");
  CHECK(functional_op("aten.mm") == "aten.mm.default");
  CHECK(functional_op("prims.as_strided.default") == "prims.as_strided.default");  // its schema is corrected
  for (const char* op : {"aten.polygamma_.default", "aten.fill_diagonal_.default", "aten.set_data.default",
                         "aten.record_stream.default", "inductor._mm_plus_mm.default", "aten.clear.t"}) {
    INFO(op);
    REQUIRE(find_schema(op) != nullptr);
    CHECK(functional_op(op).empty());
  }
  CHECK(functional_op("zoo.scale_.default").empty());
  CHECK(functional_op("").empty());
}

TEST_CASE("every pure form exists, writes nothing and gives enough results") {
  std::size_t partners = 0;
  for (const std::string_view op : vocabulary()) {
    const std::string pure = functional_op(op);
    if (pure.empty()) continue;
    const Schema* from = find_schema(op);
    const Schema* to = find_schema(pure);
    INFO(op << " -> " << pure);
    REQUIRE(to != nullptr);
    CHECK_FALSE(to->writes());
    if (!from->writes()) {
      CHECK(to == from);
      continue;
    }
    ++partners;
    std::size_t written = 0;
    for (const SchemaSlot& slot : from->arguments) written += slot.written ? 1 : 0;
    CHECK(to->returns.size() >= written);
  }
  CHECK(partners > 1400);
}

}  // namespace functional_test
