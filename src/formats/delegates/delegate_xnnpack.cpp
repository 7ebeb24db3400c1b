#include "src/formats/delegates/delegate_xnnpack.h"

#include <algorithm>
#include <iterator>

namespace noclobber {
namespace {

struct XnnKind {
  std::string_view name;
  const char* fields;
};

/// In the order of the union XNodeUnion. Fields: i input, o output, n number, l list of numbers, r real,
/// f flags; "": not read.
constexpr const char *kXnnUnary = "iof", *kXnnBinary = "iiof", *kXnnCat = "niiiiofi",
                     *kXnnConv = "nnnnnnnnnnnnnnniiiof", *kXnnPool = "nnnnnnnnnniof";
constexpr XnnKind kXnnKinds[] = {{"Add", kXnnBinary},
                                 {"FullyConnected", "iiiof"},
                                 {"Softmax", kXnnUnary},
                                 {"Sigmoid", kXnnUnary},
                                 {"StaticTranspose", "nliof"},
                                 {"Clamp", kXnnUnary},
                                 {"Conv2d", kXnnConv},
                                 {"Div", kXnnBinary},
                                 {"StaticResizeBilinear2D", "nniof"},
                                 {"StaticConstantPad", "llriof"},
                                 {"AvgPooling2d", kXnnPool},
                                 {"Minimum", kXnnBinary},
                                 {"DepthwiseConv2d", kXnnConv},
                                 {"MaxPooling2d", kXnnPool},
                                 {"Multiply", kXnnBinary},
                                 {"Subtract", kXnnBinary},
                                 {"Floor", kXnnUnary},
                                 {"Convert", kXnnUnary},
                                 {"GlobalAvgPooling2d", kXnnUnary},
                                 {"StaticReshape", "nliof"},
                                 {"ArgMaxPooling2d", ""},
                                 {"SquareRoot", kXnnUnary},
                                 {"Ceiling", kXnnUnary},
                                 {"Hardswish", kXnnUnary},
                                 {"LeakyReLU", "riof"},
                                 {"Maximum", kXnnBinary},
                                 {"Negate", kXnnUnary},
                                 {"Square", kXnnUnary},
                                 {"ELU", "riof"},
                                 {"Abs", kXnnUnary},
                                 {"PReLU", kXnnBinary},
                                 {"Concatenate2", kXnnCat},
                                 {"Concatenate3", kXnnCat},
                                 {"Concatenate4", kXnnCat},
                                 {"StaticSlice", "nlliof"},
                                 {"ScaledDotProductAttention", "iiiiiof"},
                                 {"BatchMatrixMultiply", kXnnBinary},
                                 {"Concatenate5", kXnnCat},
                                 {"ConvTranspose2d", kXnnConv},
                                 {"ReciprocalSquareRoot", kXnnUnary},
                                 {"Log", kXnnUnary},
                                 {"Gelu", kXnnUnary},
                                 {"Tanh", kXnnUnary},
                                 {"Exp", kXnnUnary},
                                 {"Sin", kXnnUnary},
                                 {"Copy", kXnnUnary},
                                 {"Cos", kXnnUnary}};

constexpr std::uint8_t kPlainValue = 1, kQuantisedValue = 2, kOfChannels = 1, kOfTensor = 2;

Dtype xnn_dtype(std::int16_t code) {
  if (code == 1) return Dtype::f32;
  if (code == 2) return Dtype::f16;
  if (code == 14) return Dtype::bf16;
  return Dtype::other;
}

std::vector<std::int64_t> xnn_numbers(FlatBytes& flat, const FlatTable& in, unsigned field) {
  std::vector<std::int64_t> out;
  const FlatVector items = flat.vector(in, field, 4);
  for (std::size_t k = 0; k < items.count; ++k) out.push_back(flat.element<std::uint32_t>(items, k));
  return out;
}

/// Reads the quantization: one scale for all (PerTensorQuant) or one per channel (PerChannelQuant).
Dtype xnn_integers(FlatBytes& flat, const FlatTable& in, std::int16_t code, XnnQuantum& out) {
  const auto kind = flat.scalar<std::uint8_t>(in, 1);
  const FlatTable by = flat.table(in, 2);
  if (kind == kOfTensor) {
    out.scale = flat.scalar<float>(by, 0);
    out.zero = flat.scalar<std::int32_t>(by, 1);
    return code == 3 ? Dtype::i8 : code == 5 ? Dtype::i32 : Dtype::other;
  }
  if (kind != kOfChannels || flat.vector(by, 0, 4).count != 0) return Dtype::other;
  out.channel = flat.scalar<std::uint32_t>(by, 1);
  out.scales = flat.scalar<std::uint32_t>(by, 2);
  if (out.scales == 0) return Dtype::other;
  return code == 6 ? Dtype::i8 : code == 7 ? Dtype::i32 : Dtype::other;
}

XnnValue xnn_value(FlatBytes& flat, const FlatTable& in) {
  XnnValue out;
  const auto kind = flat.scalar<std::uint8_t>(in, 0);
  FlatTable table = flat.table(in, 1);
  const FlatTable quantised = table;
  if (kind == kQuantisedValue) table = flat.table(table, 0);
  const auto code = flat.scalar<std::int16_t>(table, 0);
  if (kind == kPlainValue) out.dtype = xnn_dtype(code);
  if (kind == kQuantisedValue) out.dtype = xnn_integers(flat, quantised, code, out.quantum.emplace());
  out.id = flat.scalar<std::uint32_t>(table, 6);
  out.dims = xnn_numbers(flat, table, 2);
  if (flat.scalar<std::uint32_t>(table, 1) != out.dims.size()) out.dtype = Dtype::other;
  out.data = flat.scalar<std::uint32_t>(table, 3);
  out.external = flat.scalar<std::uint32_t>(table, 4);
  out.flags = flat.scalar<std::uint32_t>(table, 5);
  return out;
}

XnnNode xnn_node(FlatBytes& flat, const FlatTable& in) {
  XnnNode out;
  const auto kind = flat.scalar<std::uint8_t>(in, 0);
  if (kind == 0 || kind > std::size(kXnnKinds)) return out;
  const XnnKind& row = kXnnKinds[kind - 1];
  const FlatTable table = flat.table(in, 1);
  const std::string_view fields = row.fields;
  for (unsigned k = 0; k < fields.size(); ++k) {
    const auto number = [&] { return flat.scalar<std::uint32_t>(table, k); };
    if (fields[k] == 'i') out.inputs.push_back(number());
    if (fields[k] == 'o') out.output = number();
    if (fields[k] == 'n') out.numbers.push_back(number());
    if (fields[k] == 'l') out.lists.push_back(xnn_numbers(flat, table, k));
    if (fields[k] == 'r') out.reals.push_back(flat.scalar<float>(table, k));
    if (fields[k] == 'f') out.flags = number();
  }
  if (const FlatTable clamp = flat.table(in, 3); clamp.there())
    out.clamp = {flat.scalar<float>(clamp, 0), flat.scalar<float>(clamp, 1)};
  if (!fields.empty()) out.kind = row.name;
  return out;
}

XnnData xnn_data(FlatBytes& flat, const FlatTable& in, std::string_view behind) {
  XnnData out;
  out.offset = flat.scalar<std::uint64_t>(in, 0);
  out.size = flat.scalar<std::uint64_t>(in, 1);
  out.key = flat.text(in, 2);
  if (out.key.empty() && out.offset <= behind.size() && out.size <= behind.size() - out.offset)
    out.bytes = behind.substr(out.offset, out.size);
  return out;
}

}  // namespace

const XnnValue* XnnProgram::find(std::uint32_t id) const {
  const auto at = std::ranges::find(values, id, &XnnValue::id);
  return at == values.end() ? nullptr : &*at;
}

XnnProgram read_xnnpack(FlatBytes& flat, std::string_view behind) {
  XnnProgram out;
  const FlatTable root = flat.root();
  const FlatVector values = flat.vector(root, 2, 4), nodes = flat.vector(root, 1, 4),
                   data = flat.vector(root, 8, 4);
  for (std::size_t k = 0; k < values.count && !flat.failed(); ++k)
    out.values.push_back(xnn_value(flat, flat.table_at(values, k)));
  for (std::size_t k = 0; k < nodes.count && !flat.failed(); ++k)
    out.nodes.push_back(xnn_node(flat, flat.table_at(nodes, k)));
  for (std::size_t k = 0; k < data.count && !flat.failed(); ++k)
    out.data.push_back(xnn_data(flat, flat.table_at(data, k), k == 0 ? std::string_view() : behind));
  return out;
}

}  // namespace noclobber
