#include <string>

#include "src/inputs/format.h"
#include "tests/catch.h"

namespace sniff_test {

using namespace noclobber;

TEST_CASE("sniff: formats by their first bytes") {
  CHECK(format_of("{\"format\": 1}") == &kCaseFormat);
  CHECK(format_of("\xef\xbb\xbf \r\n\t{") == &kCaseFormat);
  CHECK(format_of("[1]") == nullptr);
  CHECK(format_of("class <lambda>(torch.nn.Module):\n") == &kFxTextFormat);
  CHECK(format_of("    def forward(self):\n") == &kFxTextFormat);
  CHECK(format_of("# a comment\n\n  # another\nclass f(torch.nn.Module):\n") == &kFxTextFormat);
  CHECK(format_of("some text\nclass f(torch.nn.Module):\n") == nullptr);
  CHECK(format_of("def backward(self):\n") == nullptr);
  CHECK(format_of("V0521 11:50:42.931000 1 a.py:1] {}\n") == &kTorchTraceFormat);
  CHECK(format_of("garbage\nI0521 11:50:42.931000 1 a.py:1] {}\n") == &kTorchTraceFormat);
  CHECK(format_of("V052 11:50:42\n") == nullptr);
  CHECK(format_of(std::string(70000, 'x') + "\nV0521 11:50:42.931000 1 a.py:1] {}\n") == nullptr);
  CHECK(format_of("ExportedProgram:\n    class GraphModule(torch.nn.Module):\n") == &kFxTextFormat);
  CHECK(format_of("PK\x03\x04rest") == &kPt2Format);
  CHECK(format_of("PK\x05\x06rest") == nullptr);
  CHECK(format_of("") == nullptr);
  CHECK(format_of(std::string(100, '\0')) == nullptr);
}

}  // namespace sniff_test
