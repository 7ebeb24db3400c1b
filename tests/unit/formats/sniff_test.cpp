#include <string>

#include "src/formats/formats.h"
#include "tests/catch.h"

using namespace noclobber;

TEST_CASE("sniff: formats by their first bytes") {
  CHECK(sniff("{\"format\": 1}") == InputKind::case_json);
  CHECK(sniff("\xef\xbb\xbf \r\n\t{") == InputKind::case_json);
  CHECK(sniff("[1]") == InputKind::unknown);
  CHECK(sniff("class <lambda>(torch.nn.Module):\n") == InputKind::fx_text);
  CHECK(sniff("    def forward(self):\n") == InputKind::fx_text);
  CHECK(sniff("# a comment\n\n  # another\nclass f(torch.nn.Module):\n") == InputKind::fx_text);
  CHECK(sniff("some text\nclass f(torch.nn.Module):\n") == InputKind::unknown);
  CHECK(sniff("def backward(self):\n") == InputKind::unknown);
  CHECK(sniff("V0521 11:50:42.931000 1 a.py:1] {}\n") == InputKind::torch_trace);
  CHECK(sniff("garbage\nI0521 11:50:42.931000 1 a.py:1] {}\n") == InputKind::torch_trace);
  CHECK(sniff("V052 11:50:42\n") == InputKind::unknown);
  CHECK(sniff(std::string(70000, 'x') + "\nV0521 11:50:42.931000 1 a.py:1] {}\n") == InputKind::unknown);
  CHECK(sniff("ExportedProgram:\n    class GraphModule(torch.nn.Module):\n") == InputKind::fx_text);
  CHECK(sniff("PK\x03\x04rest") == InputKind::pt2);
  CHECK(sniff("PK\x05\x06rest") == InputKind::unknown);
  CHECK(sniff("") == InputKind::unknown);
  CHECK(sniff(std::string(100, '\0')) == InputKind::unknown);
}
