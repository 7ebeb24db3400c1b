#include "src/formats/pte/values.h"

#include <algorithm>

namespace noclobber {
namespace {

Dtype scalar_type(std::int8_t number) {
  static constexpr Dtype kTypes[] = {
      Dtype::u8,       Dtype::i8,    Dtype::i16,   Dtype::i32,   Dtype::i64,   Dtype::f16,
      Dtype::f32,      Dtype::f64,   Dtype::other, Dtype::c64,   Dtype::c128,  Dtype::boolean,
      Dtype::i8,       Dtype::u8,    Dtype::i32,   Dtype::bf16,  Dtype::other, Dtype::other,
      Dtype::other,    Dtype::other, Dtype::other, Dtype::other, Dtype::other, Dtype::f8e5m2,
      Dtype::f8e4m3fn, Dtype::other, Dtype::other, Dtype::u16,   Dtype::u32,   Dtype::u64};
  return number >= 0 && static_cast<std::size_t>(number) < std::size(kTypes) ? kTypes[number] : Dtype::other;
}

class ValueReader {
 public:
  explicit ValueReader(FlatBytes& flat) : flat_(flat) {}

  PteValue value(const FlatTable& table) {
    PteValue out;
    out.at = table.at;
    const auto kind = flat_.scalar<std::uint8_t>(table, 0);
    const FlatTable body = flat_.table(table, 1);
    if (!flat_.failed() && kind > 1 && !body.there()) flat_.fail(table.at, "a value without contents");
    switch (kind) {
      case 0:
      case 1:
        break;
      case 2:
        out.kind = PteValue::Kind::integer;
        out.integer = flat_.scalar<std::int64_t>(body, 0);
        break;
      case 3:
        out.kind = PteValue::Kind::boolean;
        out.integer = flat_.scalar<std::uint8_t>(body, 0) != 0 ? 1 : 0;
        break;
      case 4:
        out.kind = PteValue::Kind::real;
        out.real = flat_.scalar<double>(body, 0);
        break;
      case 5:
        out.kind = PteValue::Kind::tensor;
        out.tensor = tensor(body);
        break;
      case 6:
        out.kind = PteValue::Kind::text;
        out.text = flat_.text(body, 0);
        break;
      default:
        list(kind, body, out);
    }
    return out;
  }

 private:
  void list(std::uint8_t kind, const FlatTable& body, PteValue& out) {
    const std::size_t widths[] = {8, 8, 1, 4, 4};
    if (kind < 7 || kind > 11) return flat_.fail(out.at, "value of unknown kind " + std::to_string(kind));
    const FlatVector items = flat_.vector(body, 0, widths[kind - 7]);
    out.kind = kind == 7   ? PteValue::Kind::integers
               : kind == 8 ? PteValue::Kind::reals
               : kind == 9 ? PteValue::Kind::booleans
                           : PteValue::Kind::tensors;
    for (std::size_t k = 0; k < items.count; ++k) {
      if (kind == 7) out.items.push_back(flat_.element<std::int64_t>(items, k));
      if (kind == 8) out.reals.push_back(flat_.element<double>(items, k));
      if (kind == 9) out.items.push_back(flat_.element<std::uint8_t>(items, k) != 0 ? 1 : 0);
      if (kind > 9) out.items.push_back(flat_.element<std::int32_t>(items, k));
    }
  }

  PteTensor tensor(const FlatTable& body) {
    PteTensor out;
    out.dtype = scalar_type(flat_.scalar<std::int8_t>(body, 0));
    if (flat_.scalar<std::int32_t>(body, 1) != 0) flat_.fail(body.at, "a tensor with a storage offset");
    const FlatVector sizes = flat_.vector(body, 2, 4), order = flat_.vector(body, 3, 1);
    for (std::size_t k = 0; k < sizes.count; ++k) out.sizes.push_back(flat_.element<std::int32_t>(sizes, k));
    for (std::size_t k = 0; k < order.count; ++k)
      out.dim_order.push_back(flat_.element<std::uint8_t>(order, k));
    shape_is_sound(body, out);
    out.data = flat_.scalar<std::uint32_t>(body, 5);
    if (const FlatTable place = flat_.table(body, 6); place.there()) {
      const std::uint64_t low = flat_.scalar<std::uint32_t>(place, 1),
                          high = flat_.scalar<std::uint32_t>(place, 2);
      if (high > 0x3fffffffU) flat_.fail(place.at, "an offset of more than 62 bits");
      out.place = PteTensor::Place{flat_.scalar<std::uint32_t>(place, 0),
                                   static_cast<std::int64_t>(high << 32 | low)};
    }
    out.dynamic = flat_.scalar<std::int8_t>(body, 8) != 0;
    const FlatTable extra = flat_.table(body, 9);
    out.fqn = flat_.text(extra, 1);
    out.external = flat_.scalar<std::int8_t>(extra, 2) == 1;
    return out;
  }

  void shape_is_sound(const FlatTable& body, const PteTensor& tensor) {
    if (flat_.failed()) return;
    std::vector<std::uint8_t> order = tensor.dim_order;
    std::ranges::sort(order);
    bool sound = order.size() == tensor.sizes.size();
    for (std::size_t k = 0; k < order.size(); ++k) sound = sound && order[k] == k;
    if (!sound) return flat_.fail(body.at, "the dimension order is no permutation");
    if (std::ranges::any_of(tensor.sizes, [](std::int64_t size) { return size < 0; }))
      return flat_.fail(body.at, "a tensor of negative size");
    if (tensor.dtype != Dtype::other && !pte_bytes(tensor))
      flat_.fail(body.at, "a tensor of 2^60 bytes or more");
  }

  FlatBytes& flat_;
};

}  // namespace

PteValue read_pte_value(FlatBytes& flat, const FlatTable& table) { return ValueReader(flat).value(table); }

void check_pte_items(FlatBytes& flat, const std::vector<PteValue>& values) {
  for (const PteValue& value : values) {
    const bool tensors = value.kind == PteValue::Kind::tensors;
    if (!tensors && value.kind != PteValue::Kind::integers) continue;
    const auto wanted = tensors ? PteValue::Kind::tensor : PteValue::Kind::integer;
    for (const std::int64_t item : value.items) {
      if (tensors && item == -1) continue;
      const std::uint32_t k = pte_index(flat, item, values.size(), value.at);
      if (!flat.failed() && values[k].kind != wanted && values[k].kind != PteValue::Kind::none)
        flat.fail(value.at, "a list names value " + std::to_string(item) + ", which is of another kind");
    }
    if (flat.failed()) return;
  }
}

std::uint32_t pte_index(FlatBytes& flat, std::int64_t number, std::size_t bound, std::size_t at) {
  if (number >= 0 && static_cast<std::size_t>(number) < bound) return static_cast<std::uint32_t>(number);
  flat.fail(at, "number " + std::to_string(number) + " of " + std::to_string(bound) + " is named");
  return 0;
}

}  // namespace noclobber
