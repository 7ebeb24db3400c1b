#include "src/formats/formats.h"
#include "tests/unit/formats/pte_program.h"

using namespace noclobber;

namespace {

/// The exported program `name` against its method, in which `change` changed something.
template <class Change>
CheckRecord against(const std::string& name, const Change& change) {
  const auto text = read_file(kPrograms + name + ".exported.pt2");
  REQUIRE(text);
  auto before = read_side(*text, true);
  REQUIRE(before);
  auto after = read_side(bytes_of(name), false);
  REQUIRE(after);
  change(after->program.front());
  const auto value = pair_of(*std::move(before), *std::move(after));
  CheckRecord record;
  if (!value) return record;  // unknown: the two do not fit together
  bool contradiction = false;
  return check_case(*value, {}, contradiction);
}

/// One more, the other sign, or the other truth value.
void change_number(PteValue& value) {
  if (value.kind == PteValue::Kind::integer) ++value.integer;
  if (value.kind == PteValue::Kind::boolean) value.integer = 1 - value.integer;
  if (value.kind == PteValue::Kind::real) value.real = value.real == 0 ? 1 : -value.real;
}

bool is_number(const PteValue& value) {
  return value.kind == PteValue::Kind::integer || value.kind == PteValue::Kind::boolean ||
         value.kind == PteValue::Kind::real;
}

/// Values whose change by one is not seen: nothing rests on it.
std::vector<std::size_t> unseen(const std::string& name) {
  const PteMethod method = method_of(bytes_of(name));
  std::vector<std::size_t> out;
  std::size_t tried = 0;
  for (std::size_t k = 0; k < method.values.size(); ++k) {
    if (!is_number(method.values[k])) continue;
    ++tried;
    const CheckRecord record = against(name, [&](PteMethod& own) { change_number(own.values[k]); });
    if (record.status == Status::proved) out.push_back(k);
  }
  CHECK(tried > 20);
  return out;
}

}  // namespace

TEST_CASE("pte: operators that the core of ATen spells otherwise are what PyTorch makes of them", "[pte]") {
  for (const char* name : {"spelled-vision", "spelled-text"}) {
    const CheckRecord record = against(name, [](PteMethod&) {});
    INFO(name);
    CHECK(record.status == Status::proved);
    CHECK(record.counts.modelled == record.counts.steps);
  }
}

TEST_CASE("pte: no number of a respelled operator can be another", "[pte]") {
  CHECK(unseen("spelled-vision") == std::vector<std::size_t>{});
  // Flags `implicit` of expand_copy, the memory format of full_like, and the end of a slice, which is that of
  // the tensor.
  CHECK(unseen("spelled-text") == std::vector<std::size_t>{41, 49, 67, 75, 83, 114});
  // And what a size is before it is computed.
  CHECK(unseen("encoder-dynamic") == std::vector<std::size_t>{14, 120, 130, 152, 158, 167});
}
