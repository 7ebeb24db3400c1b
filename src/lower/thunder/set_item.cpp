// Writes by index: `a[key] = value`, as Thunder's traces print it.
#include <algorithm>
#include <set>

#include "src/lower/thunder/rows.h"

namespace noclobber {

namespace {

using Call = ThunderBuilder::Call;
using Emit = ThunderBuilder::Emit;
using Keys = std::vector<PythonExpr>;  // one per dimension, and an ellipsis

constexpr std::size_t kMostRows = 64;

bool is_slice(const PythonExpr& key) {
  return key.kind == PythonExpr::Kind::call && key.text == "slice" && key.items.size() == 3;
}

/// The views of basic indices, one after the other, each still without its base. Empty if a key is no basic
/// index.
std::optional<std::vector<Emit>> index_views(const Keys& keys, std::size_t rank) {
  const auto dots = std::ranges::count(keys, PythonExpr::Kind::ellipsis, &PythonExpr::kind);
  if (dots > 1 || keys.size() - static_cast<std::size_t>(dots) > rank) return std::nullopt;
  std::vector<Emit> out;
  auto dim = static_cast<std::int64_t>(0);
  for (const PythonExpr& k : keys) {
    if (k.kind == PythonExpr::Kind::integer) {
      out.push_back({"aten.select.int",
                     {Arg(), Arg::of(SymExpr(dim)), Arg::of(SymExpr(k.integer))},
                     {},
                     ThunderLayout::open});
    } else if (k.kind == PythonExpr::Kind::ellipsis) {
      dim += static_cast<std::int64_t>(rank - keys.size() + 1);
    } else if (is_slice(k)) {
      Emit part{"aten.slice.Tensor", {Arg(), Arg::of(SymExpr(dim++))}, {}, ThunderLayout::open};
      for (const PythonExpr& bound : k.items) {
        const bool open = bound.kind == PythonExpr::Kind::none;
        if (!open && bound.kind != PythonExpr::Kind::integer) return std::nullopt;
        part.args.push_back(open ? Arg() : Arg::of(SymExpr(bound.integer)));
      }
      if (part.args[4].kind == Arg::Kind::none) part.args[4] = Arg::of(SymExpr(1));
      out.push_back(std::move(part));
    } else {
      return std::nullopt;
    }
  }
  return out;
}

/// `copy_with_setitem(a, mask, 1.0)`: elements selected by a mask of the shape of a become one number.
bool fill_by_mask(ThunderBuilder& builder, const Call& call, const std::vector<SymExpr>& shape,
                  const Arg& value) {
  const auto* chosen = thunder_shape(builder, &call.args[1]);
  if (chosen == nullptr || *chosen != shape || value.kind != Arg::Kind::real) return false;
  const ValueId from = call.args[0].id, mask = call.args[1].id;
  if (!is_floating(builder.type_of(from)->dtype) || builder.type_of(mask)->dtype != Dtype::boolean)
    return false;
  builder.emit(call, {"aten.masked_fill.Scalar",
                      {Arg::of(from), Arg::of(mask), value},
                      {},
                      thunder_pointwise_layout(builder, call),
                      thunder_type_like(builder, from)});
  return true;
}

/// The region that basic indices select, and the row of the value that is stored there. Without a row, the
/// whole value is.
struct Region {
  std::vector<Emit> views;
  std::optional<std::int64_t> row;
};

/// The common length of the lists among the keys, where a list of one number fits any length. 0 if a list
/// holds something else, or the lengths differ.
std::size_t listed(const Keys& keys) {
  std::size_t out = 1;
  for (const PythonExpr& k : keys) {
    if (k.kind != PythonExpr::Kind::sequence) continue;
    const std::size_t count = k.items.size();
    const auto is_number = [](const PythonExpr& item) { return item.kind == PythonExpr::Kind::integer; };
    if (count == 0 || count > kMostRows || !std::ranges::all_of(k.items, is_number)) return 0;
    if (count != 1 && out != 1 && out != count) return 0;
    out = std::max(out, count);
  }
  return out;
}

/// True if the numbers of a list are distinct elements of a dimension.
bool differ(const PythonExpr& list, const SymExpr& extent) {
  if (!extent.is_constant()) return false;
  std::set<std::int64_t> seen;
  return std::ranges::all_of(list.items, [&](const PythonExpr& item) {
    return seen.insert(item.integer < 0 ? item.integer + extent.constant() : item.integer).second;
  });
}

/// The regions of a key. A list such as `[0, 2]` gives one region per number; several lists are zipped. Empty
/// if the key is not that simple.
std::optional<std::vector<Region>> regions_of(const PythonExpr& key, const std::vector<SymExpr>& shape,
                                              const std::vector<SymExpr>* value) {
  const bool tuple = key.kind == PythonExpr::Kind::sequence && !key.list;
  const Keys keys = tuple ? key.items : Keys{key};
  const bool lists = std::ranges::count(keys, PythonExpr::Kind::sequence, &PythonExpr::kind) > 0;
  const std::size_t count = listed(keys);
  bool rows = false;
  if (lists && value != nullptr && !value->empty()) {  // a single list, which selects rows
    if (count == 0 || keys.size() != 1 || shape.empty() || !differ(keys[0], shape[0])) return std::nullopt;
    rows = value->size() == shape.size();
    const auto extent = rows ? (*value)[0] : SymExpr(1);
    if (value->size() > shape.size() ||
        (extent != SymExpr(1) && extent != SymExpr(static_cast<std::int64_t>(count))))
      return std::nullopt;
  }
  std::vector<Region> out;
  for (std::size_t k = 0; k < count; ++k) {
    Keys basic;
    for (const PythonExpr& one : keys)
      basic.push_back(one.kind != PythonExpr::Kind::sequence ? one
                      : one.items.size() == 1                ? one.items[0]
                                                             : one.items[k]);
    auto views = index_views(basic, shape.size());
    if (!views) return std::nullopt;
    out.push_back({*std::move(views), std::nullopt});
    if (rows) out[k].row = (*value)[0] == SymExpr(1) ? 0 : static_cast<std::int64_t>(k);
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

/// Applies the views to a value, one after the other, and returns the last.
ValueId narrowed(ThunderBuilder& builder, const Call& call, ValueId at, const std::vector<Emit>& views) {
  for (Emit view : views) {
    view.args[0] = Arg::of(at);
    at = builder.emit_part(call, std::move(view));
  }
  return at;
}

/// Writes the value into a region of the target.
void write(ThunderBuilder& builder, const Call& call, ValueId target, const Region& region, Arg value) {
  const ValueId at = narrowed(builder, call, target, region.views);
  if (region.row)
    value = Arg::of(builder.emit_part(call, {"aten.select.int",
                                             {value, Arg::of(SymExpr(0)), Arg::of(SymExpr(*region.row))},
                                             {},
                                             ThunderLayout::open}));
  const std::string_view store = value.kind == Arg::Kind::ref ? "aten.copy_.default" : "aten.fill_.Scalar";
  builder.emit_part(call, {std::string(store), {Arg::of(at), std::move(value)}, {}, ThunderLayout::open});
}

bool has_tensor(const ThunderThing& thing) {
  return thing.is_tensor() || std::ranges::any_of(thing.items, has_tensor);
}

/// The selection of a key of numbers, slices and index tensors: first the views of the numbers and slices,
/// then the index tensors on the result.
struct Places {
  std::vector<Emit> views;
  std::vector<Arg> indices;  // None: the whole dimension
};

std::optional<Places> places_of(const ThunderBuilder& builder, const Call& call, std::size_t rank) {
  const PythonExpr& key = call.statement->value.items[1];
  const auto is_place = [&](const ThunderThing& thing, bool or_mask) {
    const auto& type = thing.is_tensor() ? builder.type_of(thing.id) : SharedType();
    return type && (type->dtype == Dtype::i64 || (or_mask && type->dtype == Dtype::boolean));
  };
  const auto& value = call.args[2].is_tensor() ? builder.type_of(call.args[2].id) : SharedType();
  if (call.args[2].is_tensor() && (!value || value->dtype != builder.type_of(call.args[0].id)->dtype))
    return std::nullopt;  // the value would be converted first
  if (is_place(call.args[1], true)) return Places{{}, {Arg::of(call.args[1].id)}};
  const std::vector<ThunderThing>& things = call.args[1].items;
  if (key.kind != PythonExpr::Kind::sequence || key.list || things.size() != key.items.size() ||
      !has_tensor(call.args[1]))
    return std::nullopt;
  const auto dots = std::ranges::count(key.items, PythonExpr::Kind::ellipsis, &PythonExpr::kind);
  if (dots > 1 || things.size() > rank + static_cast<std::size_t>(dots)) return std::nullopt;
  PythonExpr all;
  all.kind = PythonExpr::Kind::call;
  all.text = "slice";
  all.items.resize(3);
  Keys basic;  // one per dimension; a full slice in place of a tensor
  std::vector<Arg> indices;
  bool numbers = false, sliced = false;
  for (std::size_t k = 0; k < things.size(); ++k) {
    const PythonExpr& one = key.items[k];
    const bool is_dots = one.kind == PythonExpr::Kind::ellipsis, place = is_place(things[k], false),
               number = one.kind == PythonExpr::Kind::integer;
    if (!is_dots && !place && !number && !is_slice(one)) return std::nullopt;
    const std::size_t count = is_dots ? rank + 1 - things.size() : 1;
    basic.insert(basic.end(), count, number || is_slice(one) ? one : all);
    if (!number) indices.insert(indices.end(), count, place ? Arg::of(things[k].id) : Arg());
    numbers = numbers || number;
    sliced = sliced || is_dots || is_slice(one);
  }
  // PyTorch moves the dimensions of separated index tensors to the front, in the value as well.
  if (numbers && sliced && call.args[2].is_tensor()) return std::nullopt;
  auto views = index_views(basic, rank);
  return views ? std::optional(Places{*std::move(views), std::move(indices)}) : std::nullopt;
}

/// `a[i] = value`, with an index tensor i among numbers and slices: index_put on the view that the numbers
/// and slices select.
void put(ThunderBuilder& builder, const Call& call, ValueId target, const Places& places, Arg value) {
  const ValueId at = narrowed(builder, call, target, places.views);
  if (value.kind != Arg::Kind::ref)
    value = Arg::of(thunder_scalar(builder, call, value, builder.type_of(call.args[0].id)->dtype));
  builder.emit_part(call, {"aten.index_put_.default",
                           {Arg::of(at), Arg::of(places.indices), std::move(value)},
                           {},
                           ThunderLayout::open});
}

/// Any other key with tensors: a function of all arguments.
bool as_function(ThunderBuilder& builder, const Call& call) {
  if (!has_tensor(call.args[1])) return false;
  Call function = call;
  if (call.statement->value.items[1].list) function.name += "_list";
  return emit_thunder_function(builder, function, {});
}

}  // namespace

/// `copy_with_setitem(a, key, value)`: a clone of a with parts overwritten; `setitem` writes into a itself.
bool thunder_set_item(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  const bool in_place = row.name == "setitem";
  const auto* shape = call.args.size() == 3 ? thunder_shape(builder, &call.args[0]) : nullptr;
  const auto value = call.args.size() == 3 ? thunder_argument(call.args[2]) : std::nullopt;
  if (shape == nullptr || !value || call.statement->value.items.size() != 3) return false;
  if (!in_place && fill_by_mask(builder, call, *shape, *value)) return true;
  const std::size_t rank = shape->size();
  const auto* given = value->kind == Arg::Kind::ref ? thunder_shape(builder, &call.args[2]) : nullptr;
  const auto places = places_of(builder, call, rank);
  const bool untyped = value->kind == Arg::Kind::ref && given == nullptr;
  const auto regions = untyped || has_tensor(call.args[1])
                           ? std::nullopt
                           : regions_of(call.statement->value.items[1], *shape, given);
  const bool meets = in_place && regions && regions->size() > 1 && value->kind == Arg::Kind::ref;
  if (value->kind == Arg::Kind::list || meets || (!regions && !places))
    return !in_place && as_function(builder, call);
  const ValueId from = call.args[0].id;
  const ThunderLayout layout = in_place ? builder.layout(from) : thunder_pointwise_layout(builder, call);
  const ValueId target =
      in_place
          ? from
          : builder.emit_part(
                call, {"aten.clone.default", {Arg::of(from)}, {}, layout, thunder_type_like(builder, from)});
  if (places)
    put(builder, call, target, *places, *value);
  else
    for (const Region& region : *regions) write(builder, call, target, region, *value);
  if (call.statement->target.kind == PythonExpr::Kind::none) return true;
  builder.emit(call, {"aten.alias.default", {Arg::of(target)}, {}, layout, thunder_type_like(builder, from)});
  return true;
}

}  // namespace noclobber
