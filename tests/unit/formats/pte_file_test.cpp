// Program files made from nothing: what each member says, and where it says too much.
#include "src/formats/pte/program.h"
#include "src/graph/constant_bytes.h"
#include "tests/catch.h"
#include "tests/unit/formats/flat_text.h"

namespace pte_file_test {

using namespace noclobber;

namespace {

PteMethod read(const FlatProgram& program) {
  const auto out = read_pte(program.file());
  INFO((out ? "" : out.fault().where + ": " + out.fault().message));
  REQUIRE(out);
  return out->front();
}

/// Why it is not read; nothing where it is.
std::string fault(const FlatProgram& program) {
  const auto out = read_pte(program.file());
  return out ? "" : out.fault().message;
}

FlatField data(std::uint32_t number) { return FlatField::of(5, number); }

FlatField place(std::uint32_t high, std::uint32_t low = 16) {
  return FlatField::of(
      6, flat_table({FlatField::of(0, std::uint32_t{1}), FlatField::of(1, low), FlatField::of(2, high)}));
}

FlatPart constant_buffer(const std::string& bytes) {
  return flat_table({FlatField::of(0, flat_text(bytes))});
}

/// A program with one segment of these bytes and constants at these offsets of it.
FlatProgram segmented(const std::string& bytes, std::vector<std::uint64_t> offsets) {
  FlatProgram out;
  out.header = true;
  out.segments = bytes;
  const FlatPart segment =
      flat_table({FlatField::of(0, std::uint64_t{0}), FlatField::of(1, std::uint64_t{bytes.size()})});
  // Behind the offsets lies what would be a good one too.
  out.more = {FlatField::of(4, flat_parts({segment})),
              FlatField::of(5, flat_table({FlatField::of(0, std::uint32_t{0}),
                                           FlatField::of(1, flat_list(std::move(offsets))),
                                           FlatField::of(2, flat_list(std::vector<std::uint32_t>{0, 0}))}))};
  return out;
}

}  // namespace

TEST_CASE("pte: values of each kind", "[pte]") {
  FlatProgram program;
  program.values = {flat_value(1, {}),
                    flat_value(2, {FlatField::of(0, std::int64_t{-7})}),
                    flat_value(3, {FlatField::of(0, std::uint8_t{2})}),
                    flat_value(4, {FlatField::of(0, 0.5)}),
                    flat_value(6, {FlatField::of(0, flat_text("mean"))}),
                    flat_value(7, {FlatField::of(0, flat_list(std::vector<std::int64_t>{1, 1}))}),
                    flat_value(8, {FlatField::of(0, flat_list(std::vector<double>{0.5, -1.5}))}),
                    flat_value(9, {FlatField::of(0, flat_list(std::vector<std::uint8_t>{1, 0, 2}))})};
  program.tensor({2, 3}, {});
  for (const std::uint8_t kind : {10, 11})
    program.values.push_back(
        flat_value(kind, {FlatField::of(0, flat_list(std::vector<std::int32_t>{8, -1}))}));
  const std::vector<PteValue> values = read(program).values;
  using Kind = PteValue::Kind;
  const Kind kinds[] = {Kind::none,   Kind::integer,  Kind::boolean, Kind::real,
                        Kind::text,   Kind::integers, Kind::reals,   Kind::booleans,
                        Kind::tensor, Kind::tensors,  Kind::tensors};
  REQUIRE(values.size() == std::size(kinds));
  using Items = std::vector<std::int64_t>;
  const Items items[] = {{}, {}, {}, {}, {}, {1, 1}, {}, {1, 0, 1}, {}, {8, -1}, {8, -1}};
  for (std::size_t k = 0; k < values.size(); ++k) {
    INFO(k);
    CHECK(values[k].kind == kinds[k]);
    CHECK(values[k].items == items[k]);
    CHECK(values[k].reals == (k == 6 ? std::vector<double>{0.5, -1.5} : std::vector<double>()));
  }
  CHECK((values[1].integer == -7 && values[2].integer == 1 && values[3].real == 0.5 &&
         values[4].text == "mean"));
  CHECK(values[8].tensor.sizes == Items{2, 3});
}

TEST_CASE("pte: dtypes by their numbers, and other numbers", "[pte]") {
  const auto dtype = [](std::int8_t number) {
    FlatProgram program;
    program.tensor({2}, {}, number);
    return read(program).values[0].tensor.dtype;
  };
  const std::pair<int, Dtype> known[] = {
      {0, Dtype::u8},    {4, Dtype::i64},  {6, Dtype::f32},    {8, Dtype::other},   {11, Dtype::boolean},
      {15, Dtype::bf16}, {29, Dtype::u64}, {30, Dtype::other}, {127, Dtype::other}, {-1, Dtype::other}};
  for (const auto& [number, expected] : known) CHECK(dtype(static_cast<std::int8_t>(number)) == expected);
}

TEST_CASE("pte: places of up to 62 bits, tensors of less than 2^60 bytes", "[pte]") {
  const auto placed = [](std::uint32_t high) {
    FlatProgram program;
    program.tensor({2}, {place(high)});
    return program;
  };
  const auto at = read(placed(0x3fffffffU)).values[0].tensor.place;
  REQUIRE(at);
  CHECK((at->arena == 1 && at->offset == (std::int64_t{0x3fffffff} << 32) + 16));
  CHECK(fault(placed(0x40000000U)) == "an offset of more than 62 bits");
  const auto sized = [](std::int32_t last) {
    FlatProgram program;
    program.tensor({1 << 30, 1 << 29, last}, {});
    return fault(program);
  };
  CHECK(sized(1).empty());
  CHECK(sized(2) == "a tensor of 2^60 bytes or more");
  FlatProgram external;
  external.tensor({2}, {data(1), FlatField::of(9, flat_table({FlatField::of(1, flat_text("w")),
                                                              FlatField::of(2, std::int8_t{1})}))});
  external.tensor({2}, {data(1), FlatField::of(9, flat_table({FlatField::of(1, flat_text("v")),
                                                              FlatField::of(2, std::int8_t{0})}))});
  const PteMethod method = read(external);
  CHECK((method.values[0].tensor.external && method.values[0].tensor.fqn == "w"));
  CHECK((!method.values[1].tensor.external && method.values[1].tensor.fqn == "v"));
}

TEST_CASE("pte: every list names values of its kind, not only the first", "[pte]") {
  const auto named = [](std::uint8_t kind, std::int32_t item) {
    FlatProgram program;
    program.values = {flat_value(2, {}),
                      flat_value(7, {FlatField::of(0, flat_list(std::vector<std::int64_t>{0}))}),
                      flat_value(1, {})};
    if (kind == 7)
      program.values.push_back(flat_value(7, {FlatField::of(0, flat_list(std::vector<std::int64_t>{item}))}));
    else
      program.values.push_back(
          flat_value(kind, {FlatField::of(0, flat_list(std::vector<std::int32_t>{item}))}));
    return fault(program);
  };
  CHECK(named(7, 0).empty());
  CHECK(named(7, 2).empty());
  CHECK(named(7, 1) == "a list names value 1, which is of another kind");
  CHECK(named(7, 4) == "number 4 of 4 is named");
  CHECK(named(10, 0) == "a list names value 0, which is of another kind");
  CHECK(named(10, -1).empty());
}

TEST_CASE("pte: instructions, and jumps up to behind the last one", "[pte]") {
  const auto jumping = [](std::int32_t target) {
    FlatProgram program;
    program.values = {flat_value(3, {})};
    program.operators = {
        flat_table({FlatField::of(0, flat_text("aten::neg")), FlatField::of(1, flat_text("out"))}),
        flat_table({FlatField::of(0, flat_text("own::thing"))})};
    program.instruction(4, {FlatField::of(0, std::int32_t{0}), FlatField::of(1, target)});
    program.instruction(5, {FlatField::of(0, std::int32_t{0})});
    return program;
  };
  const PteMethod method = read(jumping(2));
  CHECK(method.operators == std::vector<std::string>{"aten.neg.out", "own.thing.default"});
  REQUIRE(method.instructions.size() == 2);
  CHECK((method.instructions[0].kind == PteInstruction::Kind::jump_false &&
         method.instructions[0].target == 2));
  CHECK(fault(jumping(3)) == "number 3 of 3 is named");
}

TEST_CASE("pte: constants lie in tables of their own, or at offsets of a segment", "[pte]") {
  FlatProgram tables;
  tables.tensor({3}, {data(1)});
  tables.tensor({3}, {data(2)});
  tables.tensor({0}, {data(1)});
  tables.more = {FlatField::of(2, flat_parts({constant_buffer(""), constant_buffer("abcd")})),
                 FlatField::of(5, flat_table({FlatField::of(1, flat_list(std::vector<std::uint64_t>{0}))}))};
  const std::vector<PteValue> values = read(tables).values;
  CHECK(values[0].tensor.contents == "abc");
  CHECK(values[0].tensor.digest == digest_of("abc"));
  CHECK(values[1].tensor.digest.empty());  // there is no such table
  CHECK(values[2].tensor.digest.empty());  // of no bytes

  FlatProgram segment = segmented("abcdef", {0, 2, 6});
  segment.tensor({3}, {data(1)});
  segment.tensor({3}, {data(3)});  // there is no such offset
  const PteMethod method = read(segment);
  CHECK(method.values[0].tensor.contents == "cde");
  CHECK(method.values[1].tensor.digest.empty());
  segment.tensor({1}, {data(2)});
  CHECK(fault(segment) == "the data of a constant lies outside its segment");
}

TEST_CASE("pte: contents of small constants are kept, and only so much is hashed", "[pte]") {
  FlatProgram kept;
  const auto most = static_cast<std::int32_t>(kKeptConstant);
  kept.tensor({most}, {data(1)});
  kept.tensor({most + 1}, {data(1)});
  kept.more = {FlatField::of(
      2, flat_parts({constant_buffer(""), constant_buffer(std::string(kKeptConstant + 1, 'x'))}))};
  const std::vector<PteValue> values = read(kept).values;
  CHECK(values[0].tensor.contents.size() == kKeptConstant);
  CHECK((values[1].tensor.contents.empty() && !values[1].tensor.digest.empty()));

  std::vector<std::uint64_t> offsets = {0};
  for (std::uint64_t k = 0; k < 64; ++k) offsets.push_back(k);
  FlatProgram overlapping = segmented(std::string(4160, 'x'), offsets);
  for (std::uint32_t k = 1; k <= 64; ++k) overlapping.tensor({4096}, {data(k)});
  const std::vector<PteValue> many = read(overlapping).values;
  CHECK_FALSE(many.front().tensor.digest.empty());
  CHECK(many.back().tensor.digest.empty());
}

TEST_CASE("pte: what a delegate was compiled for belongs to what it is", "[pte]") {
  const auto digest = [](const std::vector<std::pair<std::string, std::string>>& specs) {
    FlatProgram program;
    std::vector<FlatPart> parts;
    for (const auto& [key, value] : specs)
      parts.push_back(flat_table({FlatField::of(0, flat_text(key)), FlatField::of(1, flat_text(value))}));
    program.delegates = {flat_table({FlatField::of(0, flat_text("Unheard")),
                                     FlatField::of(1, flat_table({FlatField::of(1, std::uint32_t{0})})),
                                     FlatField::of(2, flat_parts(parts))})};
    program.more = {FlatField::of(3, flat_parts({constant_buffer("payload")}))};
    const PteMethod method = read(program);
    CHECK(method.delegates.at(0).id == "Unheard");
    return method.delegates[0].digest;
  };
  using namespace std::string_literals;
  CHECK(digest({}) == digest_of("payload"));
  CHECK(digest({{"key", "value"}}) == digest_of("payloadkey\0value\0"s));
  CHECK(digest({{"a", "b"}, {"c", ""}}) == digest_of("payloada\0b\0c\0\0"s));
}

TEST_CASE("pte: files by their first bytes, and sizes that they say of themselves", "[pte]") {
  CHECK(is_pte("\x10\1\1\1ET12"));
  CHECK_FALSE(is_pte("\x10\1\1\1ET1"));
  FlatProgram program = segmented("abc", {});
  std::string file = program.file();
  REQUIRE(read_pte(file));
  for (const std::uint64_t size : {std::uint64_t{32}, std::uint64_t{file.size() + 1}}) {
    file.replace(16, 8, flat_bytes(size));
    const auto out = read_pte(file);
    REQUIRE_FALSE(out);
    CHECK(out.fault().where == "byte 16");
    CHECK(out.fault().message == "the program should have " + std::to_string(size) + " bytes, the file has " +
                                     std::to_string(file.size()));
  }
}

}  // namespace pte_file_test
