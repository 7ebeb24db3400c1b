#include "src/graph/case.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "src/base/check.h"

namespace noclobber {

Arg Arg::of(ValueId value) {
  Arg result;
  result.kind = Kind::ref;
  result.ref = value;
  return result;
}

Arg Arg::of(SymExpr value) {
  Arg result;
  result.kind = Kind::sym;
  result.sym = std::move(value);
  return result;
}

Arg Arg::of_real(double value) {
  Arg result;
  result.kind = Kind::real;
  result.real = value;
  return result;
}

Arg Arg::of_bool(bool value) {
  Arg result;
  result.kind = Kind::boolean;
  result.boolean = value;
  return result;
}

Arg Arg::of_text(std::string value) {
  Arg result;
  result.kind = Kind::text;
  result.text = std::move(value);
  return result;
}

Arg Arg::of_dtype(Dtype value) {
  Arg result;
  result.kind = Kind::dtype;
  result.dtype = value;
  return result;
}

Arg Arg::of_device(std::string value) {
  Arg result;
  result.kind = Kind::device;
  result.text = std::move(value);
  return result;
}

Arg Arg::of_graph(std::string name) {
  Arg result;
  result.kind = Kind::graph;
  result.text = std::move(name);
  return result;
}

Arg Arg::of(std::vector<Arg> list) {
  Arg result;
  result.kind = Kind::list;
  result.list = std::move(list);
  return result;
}

// Zero and minus zero differ: 1/x tells them apart.
static bool same_real(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool operator==(const Arg& a, const Arg& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Arg::Kind::none:
      return true;
    case Arg::Kind::ref:
      return a.ref == b.ref;
    case Arg::Kind::sym:
      return a.sym == b.sym;
    case Arg::Kind::real:
      return same_real(a.real, b.real);
    case Arg::Kind::boolean:
      return a.boolean == b.boolean;
    case Arg::Kind::text:
    case Arg::Kind::device:
    case Arg::Kind::graph:
      return a.text == b.text;
    case Arg::Kind::dtype:
      return a.dtype == b.dtype;
    case Arg::Kind::list:
      return a.list == b.list;
  }
  NC_CHECK(false, "not an Arg::Kind");
}

const Value& Graph::value(ValueId id) const {
  NC_CHECK(id.valid() && id.index < values.size(), "value id out of range");
  return values[id.index];
}

ValueId Graph::find(std::string_view wanted) const {
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (values[at].name == wanted) return ValueId(at);
  }
  return {};
}

void share_types(Graph& graph) {
  constexpr std::size_t kRecent = 16;
  std::vector<SharedType> recent;
  for (Value& value : graph.values) {
    if (!value.type) continue;
    const auto at = std::ranges::find(recent, value.type);
    if (at != recent.end()) {
      value.type = *at;
      continue;
    }
    if (recent.size() == kRecent) recent.erase(recent.begin());
    recent.push_back(value.type);
  }
  for (auto& [name, body] : graph.bodies) share_types(body);
}

bool is_addressable(const Type& type) {
  const std::int64_t width = (bit_width(type.dtype) + 7) / 8;
  std::int64_t elements = width, last = 0;
  for (std::size_t k = 0; k < type.shape.size(); ++k) {
    if (!type.shape[k].is_constant()) continue;
    if (type.shape[k].constant() == 0) return true;
    if (__builtin_mul_overflow(elements, type.shape[k].constant(), &elements)) return false;
    if (type.strides != Type::Strides::given || !type.stride[k].is_constant()) continue;
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(type.shape[k].constant() - 1, type.stride[k].constant(), &reach) ||
        __builtin_mul_overflow(reach, width, &reach) || __builtin_add_overflow(last, reach, &last))
      return false;
  }
  return true;
}

}  // namespace noclobber
