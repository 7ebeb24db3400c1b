// Which operators tell -0 from 0, by the kernels of the interpreter.
#include "src/ops/identities.h"
#include "tests/catch.h"
#include "tests/support/kernel_runs.h"

namespace zeros_test {

using namespace noclobber;
using namespace kernel_runs;

namespace {

/// Does what the kernel gives of -0 differ from what it gives of 0, and not by the sign of a zero?
bool shows_sign(const std::string& op, std::size_t operands, std::size_t place,
                std::optional<double> number) {
  Kernel kernel;
  const Column others = values_of(Dtype::f32);
  std::vector<Column> all[2];
  for (const int sign : {0, 1})
    for (std::size_t k = 0; k < operands; ++k)
      all[sign].push_back(k == place
                              ? Column(others.size(), stored(Dtype::f32, Number::of_real(sign ? -0.0 : 0.0)))
                              : others);
  std::pair<std::optional<Dtype>, Column> said[2];
  for (const int sign : {0, 1}) {
    std::vector<Datum> args;
    for (const Column& column : all[sign]) args.push_back(kernel.tensor(Dtype::f32, column));
    if (number) args.push_back(Datum::of_real(*number));
    said[sign] = kernel.run(op, args);
  }
  if (!said[0].first || said[0].first != said[1].first || is_complex(*said[0].first)) return false;
  const Dtype type = *said[0].first;
  for (std::size_t k = 0; k < said[0].second.size(); ++k) {
    const Bits a = said[0].second[k], b = said[1].second[k];
    const bool zeros = loaded(type, a).as_real() == 0 && loaded(type, b).as_real() == 0;
    if (!zeros && !alike(type, a, b)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("operators whose kernels show the sign of a zero are told", "[identities]") {
  int shown = 0, kernels = 0;
  for (const std::string_view op : kernel_names()) {
    ++kernels;
    for (const std::size_t operands : {1U, 2U, 3U})
      for (const auto number : {std::optional<double>(), std::optional(-1.0), std::optional(-2.5),
                                std::optional(0.5), std::optional(2.0), std::optional(3.0)})
        for (std::size_t place = 0; place < operands; ++place) {
          if (!shows_sign(std::string(op), operands, place, number)) continue;
          ++shown;
          // Of the one that holds a zero, as of a Trace's key.
          std::vector<std::string_view> given(operands, "");
          given[place] = "T";
          if (number) given.push_back(*number < 0 ? "-1" : "2");
          if (operands > 1 && place == 0) given[1] = "T";  // an exponent
          INFO(op << " " << operands << " tensors, number " << number.value_or(0) << ", argument " << place);
          CHECK(tells_zeros_apart(op, given, place));
        }
  }
  CHECK(kernels > 500);
  CHECK(shown > 30);
}

TEST_CASE("only where a zero is looked at its sign counts", "[identities]") {
  const auto tells = [](std::string_view op, std::vector<std::string_view> given, std::size_t k) {
    return tells_zeros_apart(op, given, k);
  };
  CHECK(tells("aten.div.Tensor", {"T", "T"}, 1));
  CHECK(!tells("aten.div.Tensor", {"T", "T"}, 0));
  CHECK(tells("aten.pow", {"T", "-1"}, 0));
  CHECK(tells("aten.pow", {"T", "T"}, 0));
  CHECK(!tells("aten.pow", {"T", "2"}, 0));
  CHECK(tells("prims.rsqrt.default", {"T"}, 0));
  CHECK(!tells("aten.sqrt.default", {"T"}, 0));
  CHECK(!tells("aten.copysign.Tensor", {"T", "T"}, 0));
  CHECK(tells("aten.copysign.Tensor", {"T", "T"}, 1));
}

}  // namespace zeros_test
