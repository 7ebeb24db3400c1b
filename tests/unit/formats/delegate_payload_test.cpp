// Payloads of delegates in front of their tables, and constants as views of stored bytes.
#include "src/formats/delegates/delegate_payload.h"
#include "src/formats/mlx/payload.h"
#include "src/graph/constant_bytes.h"
#include "src/text/file.h"
#include "tests/unit/lower/pte_program.h"

namespace delegate_payload_test {

using namespace noclobber;

namespace {

std::string payload_fault(const std::string& bytes) {
  PteDelegate out;
  const auto fault = read_payload(bytes, 0, out);
  return fault ? fault->message : out.roles ? "read" : "unknown";
}

std::string mlx_bytes(const char* name) {
  const auto bytes = read_file(kPrograms + name + ".mlx");
  REQUIRE(bytes);
  return *bytes;
}

void put(std::string& to, std::size_t at, std::uint32_t number) {
  for (std::size_t k = 0; k < 4; ++k) to[at + k] = static_cast<char>(number >> 8 * k);
}

std::uint32_t number_in(const std::string& bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t k = 4; k-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[at + k]);
  return out;
}

}  // namespace

TEST_CASE("payloads: what stands before a table is looked at where there is enough of it") {
  const std::string magic("\0\0\0\0XH00", 8);
  CHECK(payload_fault(magic) == "the header of this delegate's payload is cut off");
  CHECK(payload_fault(magic.substr(0, 7)) == "unknown");
  CHECK(payload_fault(magic + std::string(21, '\0')) == "the header of this delegate's payload is cut off");
  CHECK(payload_fault(magic + std::string(22, '\0')) ==
        "the table of this delegate's payload lies outside of it");
}

TEST_CASE("payloads: a table may begin where its header ends, and end where the payload does") {
  const std::string file = bytes_of("xnnpack-twice");
  const std::size_t at = file.find(std::string("\0\0\0\0XH00", 8));
  REQUIRE(at != file.npos);
  const std::uint32_t begin = number_in(file, at + 10), size = number_in(file, at + 14);
  REQUIRE(begin >= 30);
  std::string moved = file.substr(at, 30) + file.substr(at + begin, size);
  put(moved, 10, 30);
  CHECK(payload_fault(moved) == "read");
  put(moved, 14, size + 1);
  CHECK(payload_fault(moved) == "the table of this delegate's payload lies outside of it");
  put(moved, 14, size);
  put(moved, 10, 29);
  CHECK(payload_fault(moved) == "the table of this delegate's payload lies outside of it");
}

TEST_CASE("payloads: a program of MLX is a function if nothing lasts and every instruction is known") {
  PteDelegate out;
  out.id = "MLXBackend";
  REQUIRE_FALSE(read_payload(mlx_bytes("mlx-unary-chain"), 0, out));
  CHECK(out.program->name == "MLXBackend");
  CHECK(out.roles->is_function);
  const std::string bytes = mlx_bytes("mlx-unary-chain");
  int later = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = '\xff';
    PteDelegate other;
    if (read_payload(changed, 0, other) || !other.program) continue;
    const auto& chains = other.program->chains;
    const auto unknown = [](const RegisterStep& step) { return step.op.empty(); };
    if (!std::ranges::any_of(chains, [&](const auto& c) { return std::ranges::any_of(c, unknown); }))
      continue;
    ++later;
    CHECK_FALSE(other.roles->is_function);
  }
  CHECK(later > 0);
}

TEST_CASE("payloads: the chains that a program of MLX names are there") {
  for (const char* name : {"mlx-unary-chain", "mlx-cache-update"}) {
    const std::string bytes = mlx_bytes(name);
    int refused = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at)
      for (const char to : {'\0', '\1', '\2', '\3', '\4'}) {
        std::string changed = bytes;
        changed[at] = to;
        const auto program = read_mlx(changed, 0);
        if (!program && program.fault().message == "a chain of instructions that is not there") ++refused;
        if (!program) continue;
        const auto chains = static_cast<std::int64_t>(program->chains.size());
        CHECK((program->main < chains && program->init < chains));
      }
    CHECK(refused > 0);
  }
}

TEST_CASE("constants: a view of stored bytes is written out row by row, if it lies inside") {
  const std::string storage = "abcdef";
  const auto view = [&](std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides, std::int64_t at) {
    return row_major(storage, {Dtype::i8, std::move(sizes), std::move(strides), at}).value_or("none");
  };
  CHECK(view({2, 3}, {3, 1}, 0) == "abcdef");
  CHECK(view({3, 2}, {1, 3}, 0) == "adbecf");
  CHECK(view({2, 2}, {1, 1}, 0) == "abbc");
  CHECK(view({2, 2}, {0, 1}, 1) == "bcbc");
  CHECK(view({1, 2}, {7, 1}, 4) == "ef");
  CHECK(view({2}, {1}, 5) == "none");
  CHECK(view({2}, {1}, -1) == "none");
  CHECK(view({2, 0}, {1, 1}, 0).empty());
  CHECK(view({}, {}, 5) == "f");
  CHECK(view({}, {}, 6) == "none");
  CHECK(view({2}, {-1}, 3) == "none");
  CHECK(numbers_of(std::string("\0\1\2", 3), Dtype::boolean) ==
        std::vector{Arg::of_bool(false), Arg::of_bool(true), Arg::of_bool(true)});
}

}  // namespace delegate_payload_test
