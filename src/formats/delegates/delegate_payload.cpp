#include "src/formats/delegates/delegate_payload.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "src/formats/mlx/payload.h"
#include "src/text/flat.h"

namespace noclobber {
namespace {

constexpr std::size_t kEntryHeader = 30, kTableAt = 10, kTableSize = 14, kDataAt = 18;

/// XNNGraph: the number of values that are arguments of a call, and of those among them, the last ones, that
/// are outputs. It keeps no state.
PteDelegate::Roles xnnpack_roles(FlatBytes& flat) {
  const FlatTable root = flat.root();
  const std::size_t outputs = flat.vector(root, 5, 4).count;
  const auto all = flat.scalar<std::uint32_t>(root, 3);
  if (all < outputs) flat.fail(root.at, "this delegate has more results than arguments");
  return {all - outputs, outputs, true};
}

/// VkGraph: the inputs. Its outputs include the state that is kept for the next call: not counted.
PteDelegate::Roles vulkan_roles(FlatBytes& flat) {
  return {flat.vector(flat.root(), 3, 4).count, std::nullopt, false};
}

/// Payloads with a header: zero (4 bytes), magic (4), its own size (2), offset and size of the table (4
/// each). The arguments of a call are its inputs, then its outputs.
struct PayloadRow {
  std::string_view magic;
  PteDelegate::Roles (*roles)(FlatBytes&);
};
constexpr PayloadRow kPayloads[] = {{"XH00", xnnpack_roles}, {"VH00", vulkan_roles}};

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

/// True if the program keeps no state between calls and draws no random numbers.
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
  if (bytes.size() < kEntryHeader) return fault(0, "the header of this delegate's payload is cut off");
  const std::size_t begin = number_at(bytes, kTableAt), size = number_at(bytes, kTableSize);
  if (begin < kEntryHeader || begin > bytes.size() || size > bytes.size() - begin)
    return fault(kTableAt, "the table of this delegate's payload lies outside of it");
  FlatBytes flat(bytes.substr(begin, size), base + begin);
  out.roles = row->roles(flat);
  if (!flat.failed() && row->roles == xnnpack_roles) {
    FlatBytes inside(bytes.substr(begin, size), base + begin);
    auto program =
        read_xnnpack(inside, bytes.substr(std::min<std::size_t>(number_at(bytes, kDataAt), bytes.size())));
    if (!inside.failed()) out.xnnpack = std::make_shared<XnnProgram>(std::move(program));
  }
  if (flat.failed()) return flat.fault();
  return std::nullopt;
}

}  // namespace noclobber
