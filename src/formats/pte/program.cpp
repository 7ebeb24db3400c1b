#include "src/formats/pte/program.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "src/formats/pte/values.h"
#include "src/graph/constant_bytes.h"
#include "src/text/flat.h"

namespace noclobber {
namespace {

constexpr std::size_t kHeaderSize = 64;
constexpr std::string_view kExtendedHeader = "eh00";
constexpr std::size_t kMostHashed = 16;  // most bytes of constants hashed per byte of the file

class PteReader {
 public:
  PteReader(std::string_view program, std::string_view file) : flat_(program), file_(file) {}

  Result<std::vector<PteMethod>> read() {
    std::vector<PteMethod> out;
    const FlatTable program = flat_.root();
    check_segments(program);
    const FlatVector plans = flat_.vector(program, 1, 4);
    for (std::size_t k = 0; k < plans.count && !flat_.failed(); ++k) {
      out.push_back(method(flat_.table_at(plans, k)));
      read_payloads(program, flat_.table_at(plans, k), out.back());
    }
    for (PteMethod& method : out) read_constants(program, method);
    if (!flat_.failed() && out.empty()) flat_.fail(program.at, "the program has no methods");
    if (flat_.failed()) return flat_.fault();
    return out;
  }

 private:
  PteMethod method(const FlatTable& plan) {
    PteMethod out;
    out.name = flat_.text(plan, 0);
    const FlatVector values = flat_.vector(plan, 2, 4);
    for (std::size_t k = 0; k < values.count && !flat_.failed(); ++k)
      out.values.push_back(read_pte_value(flat_, flat_.table_at(values, k)));
    check_pte_items(flat_, out.values);
    out.inputs = indices(plan, 3, out.values.size());
    out.outputs = indices(plan, 4, out.values.size());
    const FlatVector operators = flat_.vector(plan, 6, 4);
    for (std::size_t k = 0; k < operators.count && !flat_.failed(); ++k)
      out.operators.push_back(operator_name(flat_.table_at(operators, k)));
    const FlatVector delegates = flat_.vector(plan, 7, 4);
    for (std::size_t k = 0; k < delegates.count && !flat_.failed(); ++k)
      out.delegates.emplace_back().id = flat_.text(flat_.table_at(delegates, k), 0);
    const FlatVector arenas = flat_.vector(plan, 8, 8);
    for (std::size_t k = 0; k < arenas.count; ++k)
      out.arenas.push_back(flat_.element<std::int64_t>(arenas, k));
    for (const std::int64_t size : out.arenas)
      if (size < 0) flat_.fail(arenas.at, "an arena of negative size");
    chain(plan, out);
    return out;
  }

  /// Checks that an extended header locates the segments, after the program and within the file.
  void check_segments(const FlatTable& program) {
    const FlatVector segments = flat_.vector(program, 4, 4);
    bool any = false;
    for (std::size_t k = 0; k < segments.count && !flat_.failed(); ++k)
      any = any || flat_.scalar<std::uint64_t>(flat_.table_at(segments, k), 1) > 0;
    if (!any) return;
    if (file_.size() < kHeaderSize || file_.substr(8, 4) != kExtendedHeader)
      return flat_.fail(8, "the program has segments of data, and no extended header says where");
    std::uint64_t size = 0, base = 0;
    std::memcpy(&size, file_.data() + 16, sizeof(size));
    std::memcpy(&base, file_.data() + 24, sizeof(base));
    if (base < size) return flat_.fail(24, "segments would begin inside of the program");
    for (std::size_t k = 0; k < segments.count && !flat_.failed(); ++k) {
      const FlatTable table = flat_.table_at(segments, k);
      if (table.there() && !segment(program, k)) flat_.fail(table.at, "a segment is not inside of the file");
    }
  }

  /// The bytes of a segment; empty if it does not lie within the file.
  std::optional<std::string_view> segment(const FlatTable& program, std::size_t number) {
    const FlatTable table = flat_.table_at(flat_.vector(program, 4, 4), number);
    if (!table.there() || file_.size() < kHeaderSize) return std::nullopt;
    std::uint64_t base = 0, at = flat_.scalar<std::uint64_t>(table, 0);
    const auto size = flat_.scalar<std::uint64_t>(table, 1);
    std::memcpy(&base, file_.data() + 24, sizeof(base));
    if (__builtin_add_overflow(at, base, &at) || at > file_.size() || size > file_.size() - at)
      return std::nullopt;
    return file_.substr(at, size);
  }

  /// Reads the payloads of delegates, which lie in the table itself or in a segment of the file.
  void read_payloads(const FlatTable& program, const FlatTable& plan, PteMethod& out) {
    const FlatVector delegates = flat_.vector(plan, 7, 4), data = flat_.vector(program, 3, 4);
    for (std::size_t k = 0; k < delegates.count && !flat_.failed(); ++k) {
      const FlatTable processed = flat_.table(flat_.table_at(delegates, k), 1);
      const auto number = flat_.scalar<std::uint32_t>(processed, 1);
      const bool inside = flat_.scalar<std::int8_t>(processed, 0) == 0;
      const auto bytes =
          inside ? std::optional(flat_.bytes(flat_.table_at(data, number), 0)) : segment(program, number);
      if (!bytes) continue;
      const auto at = static_cast<std::size_t>(bytes->data() - file_.data());
      if (auto fault = read_payload(*bytes, at, out.delegates[k])) return flat_.fail(*std::move(fault));
      out.delegates[k].digest = payload_digest(*bytes, flat_.vector(flat_.table_at(delegates, k), 2, 4));
      if (out.delegates[k].xnnpack)
        for (XnnData& one : out.delegates[k].xnnpack->data) read_named(program, one);
    }
  }

  /// Reads a constant of a payload that lies in the program under a name.
  void read_named(const FlatTable& program, XnnData& out) {
    const FlatVector all = flat_.vector(program, 7, 4);
    for (std::size_t k = named_.size(); k < all.count && !flat_.failed(); ++k)
      named_.emplace_back(flat_.text(flat_.table_at(all, k), 0),
                          flat_.scalar<std::uint32_t>(flat_.table_at(all, k), 1));
    const auto at = std::ranges::find(named_, out.key, &std::pair<std::string, std::uint32_t>::first);
    if (out.key.empty() || at == named_.end()) return;
    const auto bytes = segment(program, at->second);
    if (bytes && out.size <= bytes->size()) out.bytes = bytes->substr(0, out.size);
  }

  /// Digest of the payload alone if it has no compile specs, else followed by the key and value of each.
  std::string payload_digest(std::string_view payload, const FlatVector& specs) {
    if (specs.count == 0) return digest_of(payload);
    std::string all(payload);
    for (std::size_t k = 0; k < specs.count && !flat_.failed(); ++k) {
      const FlatTable spec = flat_.table_at(specs, k);
      all.append(flat_.text(spec, 0)).push_back('\0');
      all.append(flat_.bytes(spec, 1)).push_back('\0');
    }
    return digest_of(all);
  }

  /// The bytes from data `number` on: `list` has offsets into a segment; constants may lie in the tables.
  std::optional<std::string_view> data_of(const FlatTable& program, const FlatTable& list,
                                          std::uint32_t number, bool is_constant) {
    const FlatVector offsets = flat_.vector(list, 1, 8);
    if (offsets.count <= 1 && is_constant) {
      const FlatVector tables = flat_.vector(program, 2, 4);
      if (number >= tables.count) return std::nullopt;
      return flat_.bytes(flat_.table_at(tables, number), 0);
    }
    if (number >= offsets.count) return std::nullopt;
    const auto within = segment(program, flat_.scalar<std::uint32_t>(list, 0));
    const auto at = flat_.element<std::uint64_t>(offsets, number);
    if (!within || at > within->size()) return std::nullopt;
    return within->substr(at);
  }

  /// Reads the data of constants, and the initial contents of state.
  void read_constants(const FlatTable& program, PteMethod& method) {
    const FlatTable constants = flat_.table(program, 5);
    const FlatTable first_states = flat_.table_at(flat_.vector(program, 6, 4), 0);
    for (PteValue& value : method.values) {
      PteTensor& tensor = value.tensor;
      if (tensor.data == 0 || tensor.external || flat_.failed()) continue;
      const bool is_constant = !tensor.place;
      const auto data = data_of(program, is_constant ? constants : first_states, tensor.data, is_constant);
      const auto bytes = pte_bytes(tensor);
      if (!data || !bytes) continue;  // in another file, which was not given
      if (static_cast<std::uint64_t>(*bytes) > data->size())
        return flat_.fail(value.at, "the data of a constant lies outside its segment");
      if (*bytes > 0) hold(data->substr(0, static_cast<std::size_t>(*bytes)), tensor);
    }
  }

  /// Methods have tensors of their own for the same data, which is hashed once. Beyond kMostHashed times the
  /// size of the file, nothing more is hashed.
  void hold(std::string_view data, PteTensor& tensor) {
    const auto [known, fresh] =
        held_.try_emplace({data.data(), tensor.dtype, tensor.sizes, tensor.dim_order});
    if (fresh) {
      hashed_ += data.size();
      if (hashed_ / kMostHashed > file_.size()) return;
      const auto held = row_major(data, layout_of(tensor));
      if (!held) return;
      known->second.digest = digest_of(*held);
      if (held->size() <= kKeptConstant) known->second.contents = *held;
    }
    tensor.digest = known->second.digest;
    tensor.contents = known->second.contents;
  }

  static ConstantLayout layout_of(const PteTensor& tensor) {
    ConstantLayout out{tensor.dtype, tensor.sizes, std::vector<std::int64_t>(tensor.sizes.size(), 1), 0};
    std::int64_t stride = 1;
    for (std::size_t k = tensor.dim_order.size(); k-- > 0;) {
      out.strides[tensor.dim_order[k]] = stride;
      stride *= tensor.sizes[tensor.dim_order[k]];
    }
    return out;
  }

  void chain(const FlatTable& plan, PteMethod& out) {
    const FlatVector chains = flat_.vector(plan, 5, 4);
    if (!flat_.failed() && chains.count != 1)
      flat_.fail(plan.at, "a method of " + std::to_string(chains.count) + " chains, expected one");
    const FlatVector steps = flat_.vector(flat_.table_at(chains, 0), 2, 4);
    for (std::size_t k = 0; k < steps.count && !flat_.failed(); ++k)
      out.instructions.push_back(instruction(flat_.table_at(steps, k), out, steps.count));
  }

  std::string operator_name(const FlatTable& table) {
    std::string name = flat_.text(table, 0), overload = flat_.text(table, 1);
    if (const std::size_t colons = name.find("::"); colons != std::string::npos) name.replace(colons, 2, ".");
    return name + "." + (overload.empty() ? "default" : overload);
  }

  std::vector<std::uint32_t> indices(const FlatTable& in, unsigned field, std::size_t bound) {
    std::vector<std::uint32_t> out;
    const FlatVector items = flat_.vector(in, field, 4);
    for (std::size_t k = 0; k < items.count; ++k)
      out.push_back(pte_index(flat_, flat_.element<std::int32_t>(items, k), bound, in.at));
    return out;
  }

  PteInstruction instruction(const FlatTable& table, const PteMethod& method, std::size_t count) {
    PteInstruction out;
    out.at = table.at;
    const auto kind = flat_.scalar<std::uint8_t>(table, 0);
    const FlatTable body = flat_.table(table, 1);
    if (!flat_.failed() && !body.there()) flat_.fail(table.at, "an instruction without contents");
    const std::size_t values = method.values.size();
    const auto number = [&](unsigned field) { return flat_.scalar<std::int32_t>(body, field); };
    switch (kind) {
      case 1:
      case 2:
        out.kind = kind == 1 ? PteInstruction::Kind::kernel : PteInstruction::Kind::delegate;
        out.target = pte_index(flat_, number(0),
                               kind == 1 ? method.operators.size() : method.delegates.size(), body.at);
        out.args = indices(body, 1, values);
        break;
      case 3:
        out.kind = PteInstruction::Kind::move;
        out.args = {pte_index(flat_, number(0), values, body.at),
                    pte_index(flat_, number(1), values, body.at)};
        break;
      case 4:
        out.kind = PteInstruction::Kind::jump_false;
        out.args = {pte_index(flat_, number(0), values, body.at)};
        out.target = pte_index(flat_, number(1), count + 1, body.at);
        break;
      case 5:
        out.args = {pte_index(flat_, number(0), values, body.at)};
        break;
      default:
        flat_.fail(table.at, "instruction of unknown kind " + std::to_string(kind));
    }
    return out;
  }

  FlatBytes flat_;
  std::string_view file_;
  std::vector<std::pair<std::string, std::uint32_t>> named_;  // named data and its segment
  struct Held {
    std::string digest, contents;
  };
  using Layout = std::tuple<const char*, Dtype, std::vector<std::int64_t>, std::vector<std::uint8_t>>;
  std::map<Layout, Held> held_;
  std::size_t hashed_ = 0;
};

/// The bytes of the program itself: segments of data follow it.
Result<std::string_view> program_bytes(std::string_view bytes) {
  if (bytes.size() < 24 || bytes.substr(8, 4) != kExtendedHeader) return bytes;
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + 16, sizeof(size));
  if (size <= kHeaderSize / 2 || size > bytes.size())
    return Diagnostic{"byte 16", "the program should have " + std::to_string(size) + " bytes, the file has " +
                                     std::to_string(bytes.size())};
  return bytes.substr(0, size);
}

}  // namespace

std::optional<std::int64_t> pte_bytes(const PteTensor& tensor) {
  std::int64_t bits = bit_width(tensor.dtype);
  if (bits == 0) return std::nullopt;
  if (std::ranges::find(tensor.sizes, 0) != tensor.sizes.end()) return 0;
  for (const std::int64_t size : tensor.sizes)
    if (__builtin_mul_overflow(bits, size, &bits)) return std::nullopt;
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

bool is_pte(std::string_view bytes) { return bytes.size() >= 8 && bytes.substr(4, 4) == "ET12"; }

Result<std::vector<PteMethod>> read_pte(std::string_view bytes) {
  const auto program = program_bytes(bytes);
  if (!program) return program.fault();
  return PteReader(*program, bytes).read();
}

}  // namespace noclobber
