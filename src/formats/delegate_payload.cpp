#include "src/formats/delegate_payload.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "src/formats/mlx.h"
#include "src/formats/pte_flat.h"

namespace noclobber {
namespace {

/// Payloads behind a header: zero (4 bytes), magic (4), its own size (2), offset and size of the table (4
/// each). The arguments of a call are its inputs, then its outputs.
struct PayloadRow {
  std::string_view magic;
  int arguments,
      inputs;        // fields of the table: how many of them there are, or -1, or which are inputs, or -1
  unsigned outputs;  // which are outputs
  bool is_function;
};
constexpr PayloadRow kPayloads[] = {{"XH00", 3, -1, 5, true}, {"VH00", -1, 3, 4, false}};
constexpr std::size_t kHeader = 30, kTableAt = 10, kTableSize = 14;

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t out = 0;
  std::memcpy(&out, bytes.data() + at, sizeof(out));
  return out;
}

const PayloadRow* row_of(std::string_view bytes) {
  if (bytes.size() < 8 || bytes.substr(0, 4) != std::string_view("\0\0\0\0", 4)) return nullptr;
  const auto* const found = std::ranges::find(kPayloads, bytes.substr(4, 4), &PayloadRow::magic);
  return found == std::end(kPayloads) ? nullptr : found;
}

PteDelegate::Roles roles_of(FlatBytes& flat, const PayloadRow& row) {
  const FlatTable root = flat.root();
  const std::size_t outputs = flat.vector(root, row.outputs, 4).count;
  if (row.arguments < 0)
    return {flat.vector(root, static_cast<unsigned>(row.inputs), 4).count, outputs, row.is_function};
  const auto all = flat.scalar<std::uint32_t>(root, static_cast<unsigned>(row.arguments));
  if (all < outputs) flat.fail(root.at, "this delegate has more results than arguments");
  return {all - outputs, outputs, row.is_function};
}

/// Does such a program keep or draw anything between calls?
bool is_function(const RegisterProgram& program) {
  const auto lasts = [](const RegisterStep& step) {
    return step.op.empty() || step.op == "UpdateAndAttendNode" || step.op == "RandomBitsNode";
  };
  return program.states.empty() && std::ranges::none_of(program.chains, [&](const auto& chain) {
           return std::ranges::any_of(chain, lasts);
         });
}

}  // namespace

std::optional<Diagnostic> read_payload(std::string_view bytes, std::size_t base, PteDelegate& out) {
  if (is_mlx(bytes)) {
    auto program = read_mlx(bytes, base);
    if (!program) return program.fault();
    out.roles = {program->inputs.size(), program->outputs.size(), is_function(*program)};
    out.program = *std::move(program);
    out.program->name = out.id;
    return std::nullopt;
  }
  const PayloadRow* row = row_of(bytes);
  if (row == nullptr) return std::nullopt;
  const auto fault = [&](std::size_t at, const char* message) {
    return Diagnostic{"byte " + std::to_string(base + at), message};
  };
  if (bytes.size() < kHeader) return fault(0, "the header of this delegate's payload is cut off");
  const std::size_t begin = number_at(bytes, kTableAt), size = number_at(bytes, kTableSize);
  if (begin < kHeader || begin > bytes.size() || size > bytes.size() - begin)
    return fault(kTableAt, "the table of this delegate's payload lies outside of it");
  FlatBytes flat(bytes.substr(begin, size), base + begin);
  out.roles = roles_of(flat, *row);
  if (flat.failed()) return flat.fault();
  return std::nullopt;
}

}  // namespace noclobber
