#include "src/formats/mlx/payload.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "src/ops/schema_reader.h"
#include "src/text/flat.h"

namespace noclobber {
namespace {

constexpr std::size_t kMlxHeader = 24;  // zero, magic, offset and size of the data after the table
constexpr std::uint32_t kMostRegisters = 1U << 24;

struct MlxNode {
  std::string_view name, fields;
};

constexpr MlxNode kMlxNodes[] = {
#define NC_MLX_NODE(name, fields) {name, fields},
#include "src/formats/mlx/nodes.def"
#undef NC_MLX_NODE
};

class MlxReader {
 public:
  MlxReader(std::string_view table, std::size_t base) : flat_(table, base) {}

  MlxHeldNumbers numbers() { return std::move(numbers_); }

  Result<RegisterProgram> read() {
    const FlatTable root = flat_.root();
    std::uint64_t all = 0;
    for (unsigned k = 0; k < 5; ++k) all += out_.counts[k] = flat_.scalar<std::uint32_t>(root, 1 + k);
    out_.numbers = flat_.scalar<std::uint32_t>(root, 6);
    if (all > kMostRegisters || out_.numbers > kMostRegisters) flat_.fail(root.at, "too many registers");
    tensors_ = static_cast<std::uint32_t>(all);
    const FlatVector chains = flat_.vector(root, 7, 4);
    chains_ = static_cast<std::uint32_t>(chains.count);
    for (std::size_t k = 0; k < chains.count && !flat_.failed(); ++k)
      out_.chains.push_back(chain(flat_.table_at(chains, k)));
    out_.main = flat_.scalar<std::uint32_t>(root, 8);
    out_.init = flat_.scalar<std::int32_t>(root, 9, -1);
    if (out_.main >= chains_ || out_.init < -1 || out_.init >= static_cast<std::int64_t>(chains_))
      flat_.fail(root.at, "a chain of instructions that is not there");
    out_.inputs = slots(root, 10);
    out_.outputs = slots(root, 11);
    out_.states = slots(root, 12);
    const FlatVector names = flat_.vector(root, 13, 4);
    for (std::size_t k = 0; k < names.count && !flat_.failed(); ++k) {
      const FlatTable named = flat_.table_at(names, k);
      const RegisterProgram::Slot at = slot(flat_.table(named, 1));
      if (at.is_tensor) out_.names[at.at] = flat_.text(named, 0);
    }
    const FlatVector types = flat_.vector(root, 14, 4);
    for (std::size_t k = 0; k < types.count && !flat_.failed(); ++k)
      type(static_cast<std::uint32_t>(k), flat_.table_at(types, k));
    if (flat_.failed()) return flat_.fault();
    return std::move(out_);
  }

 private:
  void type(std::uint32_t at, const FlatTable& table) {
    numbers_.dtypes[at] = mlx_dtype(flat_.scalar<std::int8_t>(table, 1));
    std::vector<std::int64_t>& shape = numbers_.shapes[at];
    const FlatVector sizes = flat_.vector(table, 0, 4);
    for (std::size_t k = 0; k < sizes.count && !flat_.failed(); ++k)
      shape.push_back(flat_.scalar<std::int32_t>(flat_.table_at(sizes, k), 0, -1));
  }

  std::vector<RegisterStep> chain(const FlatTable& table) {
    std::vector<RegisterStep> out;
    const FlatVector steps = flat_.vector(table, 0, 4);
    for (std::size_t k = 0; k < steps.count && !flat_.failed(); ++k)
      out.push_back(step(flat_.table_at(steps, k)));
    return out;
  }

  RegisterStep step(const FlatTable& table) {
    RegisterStep out;
    out.at = flat_.place_in_file(table.at);
    const auto kind = flat_.scalar<std::uint8_t>(table, 0);
    const FlatTable body = flat_.table(table, 1);
    if (!flat_.failed() && (kind == 0 || !body.there()))
      flat_.fail(table.at, "an instruction without contents");
    if (kind == 0 || kind > std::size(kMlxNodes)) return out;
    const MlxNode& node = kMlxNodes[kind - 1];
    out.op = node.name;
    MlxFields& held = numbers_.steps[out.at];
    for (unsigned k = 0; k < node.fields.size() && !flat_.failed(); ++k) {
      if (node.fields[k] != 'l') field(node.fields[k], body, k, out);
      held.push_back(number_in(node.fields[k], body, k));
    }
    if (const std::size_t last = node.fields.find('l'); last != std::string_view::npos)
      field('r', body, static_cast<unsigned>(last), out);
    if (!out.chains.empty())
      out.runs = out.chains.size() > 1 ? RegisterStep::Runs::one_of : RegisterStep::Runs::repeatedly;
    return out;
  }

  void field(char code, const FlatTable& body, unsigned k, RegisterStep& out) {
    switch (code) {
      case 'r':
      case 'w':
        if (!flat_.has(body, k)) return flat_.fail(body.at, "a field of this instruction is missing");
        return add(body, k, tensors_, code == 'r' ? out.reads : out.writes);
      case 'o':
        return flat_.has(body, k) ? add(body, k, tensors_, out.reads) : void();
      case 'R':
      case 'W':
      case 'C':
      case 'P':
        return add_all(body, k, code, out);
      case 'v':
        return flat_.has(body, k) ? add(body, k, out_.numbers, out.read_numbers) : void();
      case 'V':
        if (!flat_.has(body, k)) return flat_.fail(body.at, "a field of this instruction is missing");
        return add(body, k, out_.numbers, out.write_numbers);
      case 'q':
      case 'f':
        return literal_or_number(flat_.table(body, k), out);
      case 'Q': {
        const FlatVector all = flat_.vector(body, k, 4);
        for (std::size_t j = 0; j < all.count && !flat_.failed(); ++j)
          literal_or_number(flat_.table_at(all, j), out);
        return;
      }
      case 'm': {
        const FlatTable either = flat_.table(body, k);
        if (flat_.scalar<std::uint8_t>(either, 2) != 0) return add(either, 0, out_.numbers, out.read_numbers);
        return add(either, 1, tensors_, out.reads);
      }
      case 'n': {
        const FlatTable either = flat_.table(body, k);
        const auto kind = flat_.scalar<std::uint8_t>(either, 3);
        if (kind == 1) add(either, 1, out_.numbers, out.read_numbers);
        if (kind == 2) add(either, 2, tensors_, out.reads);
        return;
      }
      case 'c':
        return add(body, k, chains_, out.chains);
      default:
        return;
    }
  }

  using Numbers = std::optional<std::vector<double>>;
  template <typename T>
  std::vector<double> one(const FlatTable& body, unsigned k, T otherwise) {
    return {static_cast<double>(flat_.scalar<T>(body, k, otherwise))};
  }

  /// The numbers that the field holds, if it is not a register.
  Numbers number_in(char code, const FlatTable& body, unsigned k) {
    switch (code) {
      case 'i':
      case 'j':
        return one<std::int32_t>(body, k, code == 'j' ? 1 : 0);
      case 'e':
      case 'a':
        return one<float>(body, k, code == 'a' ? 1.0F : 0.0F);
      case 'b':
      case 'B':
        return one<std::uint8_t>(body, k, code == 'B' ? 1 : 0);
      case 'h':
        return one<std::int8_t>(body, k, 0);
      case 't':
        return flat_.has(body, k) ? Numbers(one<std::int8_t>(body, k, 0)) : std::nullopt;
      case 'u':
        return one<std::uint64_t>(body, k, 0);
      case 'f':
        return real_literal(flat_.table(body, k));
      case 'o':
        return std::vector<double>{flat_.has(body, k) ? 1.0 : 0.0};
      case 's': {
        const std::string text = flat_.text(body, k);
        return std::vector<double>(text.begin(), text.end());
      }
      case 'I':
        return list_in(body, k);
      case 'q':
        return literal(flat_.table(body, k), 2);
      case 'n':
        return literal(flat_.table(body, k), 3);
      case 'Q':
        return literals_in(body, k);
      default:
        return std::nullopt;
    }
  }
  Numbers list_in(const FlatTable& body, unsigned k) {
    std::vector<double> out;
    const FlatVector all = flat_.vector(body, k, 4);
    for (std::size_t j = 0; j < all.count && !flat_.failed(); ++j)
      out.push_back(flat_.element<std::int32_t>(all, j));
    return out;
  }
  Numbers literals_in(const FlatTable& body, unsigned k) {
    std::vector<double> out;
    const FlatVector all = flat_.vector(body, k, 4);
    for (std::size_t j = 0; j < all.count && !flat_.failed(); ++j) {
      const Numbers own = literal(flat_.table_at(all, j), 2);
      if (!own) return std::nullopt;
      out.push_back((*own)[0]);
    }
    return out;
  }
  /// `kind`: the field that is 0 for a literal.
  Numbers literal(const FlatTable& either, unsigned kind) {
    if (!either.there() || flat_.scalar<std::uint8_t>(either, kind) != 0) return std::nullopt;
    return std::vector<double>{static_cast<double>(flat_.scalar<std::int64_t>(either, 0))};
  }

  Numbers real_literal(const FlatTable& either) {
    if (!either.there() || flat_.scalar<std::uint8_t>(either, 2) != 0) return std::nullopt;
    return std::vector<double>{flat_.scalar<double>(either, 0)};
  }

  void literal_or_number(const FlatTable& either, RegisterStep& out) {
    if (flat_.scalar<std::uint8_t>(either, 2) != 0) add(either, 1, out_.numbers, out.read_numbers);
  }

  void add(const FlatTable& in, unsigned field, std::uint32_t bound, std::vector<std::uint32_t>& to) {
    const auto number = flat_.scalar<std::uint32_t>(in, field);
    if (number < bound) return to.push_back(number);
    flat_.fail(in.at, "register " + std::to_string(number) + " of " + std::to_string(bound) + " is named");
  }

  void add_all(const FlatTable& body, unsigned field, char code, RegisterStep& out) {
    const FlatVector all = flat_.vector(body, field, 4);
    for (std::size_t k = 0; k < all.count; ++k) {
      const auto number = flat_.element<std::uint32_t>(all, k);
      if (number >= tensors_) return flat_.fail(all.at + 4 * k, "a register that is not there is named");
      if (code == 'R' || code == 'C') out.reads.push_back(number);
      if (code == 'W' || code == 'C') out.writes.push_back(number);
      if (code == 'P') out.rows.push_back(number);
    }
  }

  RegisterProgram::Slot slot(const FlatTable& table) {
    RegisterProgram::Slot out;
    out.at = flat_.scalar<std::uint32_t>(table, 0);
    out.is_tensor = flat_.scalar<std::uint8_t>(table, 1) == 0;
    if (out.at >= (out.is_tensor ? tensors_ : out_.numbers))
      flat_.fail(table.at, "a register that is not there is named");
    return out;
  }

  std::vector<RegisterProgram::Slot> slots(const FlatTable& root, unsigned field) {
    std::vector<RegisterProgram::Slot> out;
    const FlatVector all = flat_.vector(root, field, 4);
    for (std::size_t k = 0; k < all.count && !flat_.failed(); ++k)
      out.push_back(slot(flat_.table_at(all, k)));
    return out;
  }

  FlatBytes flat_;
  RegisterProgram out_;
  MlxHeldNumbers numbers_;
  std::uint32_t tensors_ = 0, chains_ = 0;
};

}  // namespace

bool is_of_mlx(Dtype dtype) {
  constexpr Dtype kAll[] = {Dtype::u8,  Dtype::i8,  Dtype::i16,     Dtype::i32, Dtype::i64,
                            Dtype::f16, Dtype::f32, Dtype::boolean, Dtype::bf16};
  return std::ranges::find(kAll, dtype) != std::end(kAll);
}

Dtype mlx_dtype(int number) {
  const Dtype out = dtype_of_code(number).value_or(Dtype::other);
  return is_of_mlx(out) ? out : Dtype::other;
}

bool is_mlx(std::string_view bytes) {
  return bytes.size() >= 8 && bytes.substr(0, 8) == std::string_view("\0\0\0\0MLX0", 8);
}

Result<RegisterProgram> read_mlx(std::string_view bytes, std::size_t base, MlxHeldNumbers* numbers) {
  const auto fault = [&](std::size_t at, const char* message) {
    return Diagnostic{"byte " + std::to_string(base + at), message};
  };
  if (!is_mlx(bytes) || bytes.size() < kMlxHeader) return fault(0, "expected the header of an MLX payload");
  std::uint64_t end = 0;
  std::memcpy(&end, bytes.data() + 8, sizeof(end));
  if (end == 0) end = bytes.size();
  if (end < kMlxHeader || end > bytes.size()) return fault(8, "the data of this payload lies outside of it");
  MlxReader reader(bytes.substr(kMlxHeader, end - kMlxHeader), base + kMlxHeader);
  Result<RegisterProgram> out = reader.read();
  if (out && numbers != nullptr) *numbers = reader.numbers();
  return out;
}

}  // namespace noclobber
