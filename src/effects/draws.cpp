#include "src/effects/draws.h"

#include <algorithm>
#include <set>

#include "src/effects/call_text.h"
#include "src/effects/identities.h"
#include "src/effects/opaque.h"
#include "src/effects/tracer.h"

namespace noclobber::effects {

namespace {

/// The dimensions by falling stride, or the strides themselves if they cannot be ordered. Two tensors of one
/// shape and order are iterated alike. A tensor without strides counts as contiguous.
std::string order_text(const Tracer& t, const Binding& to) {
  const std::vector<PolyId> strides = to.strides ? **to.strides : contiguous_strides(t.space, to.view.shape);
  std::vector<std::size_t> dims;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    if (t.space.value(to.view.shape[k]) == 1) continue;
    const auto smaller = [&](std::size_t other) {
      return t.space.nonnegative(t.space.sub(t.space.sub(strides[k], strides[other]), t.space.constant(1)));
    };
    dims.insert(std::find_if(dims.begin(), dims.end(), smaller), k);
  }
  std::string order, given = "strides ";
  bool known = true;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    order += std::to_string(dims[k]) + ",";
    known = known && (k == 0 || t.space.nonnegative(t.space.sub(strides[dims[k - 1]], strides[dims[k]])));
  }
  for (const PolyId stride : strides) given += size_text(t.space, stride) + ",";
  return known ? order : given;
}

}  // namespace

/// The generators that a call may draw from: each device has one of its own.
std::vector<StorageId> generators_of(Tracer& t, const Call& call) {
  if (t.devices.generators.empty()) return {kGenerator};
  if (!t.devices.placed) t.devices.placed.emplace(*t.request.graph);
  std::string device;
  for (const ValueId result : call.step->results)
    if (device.empty() && result.valid()) device = t.devices.placed->of(Arg::of(result));
  if (device.empty() && !call.arguments.empty()) device = t.devices.placed->of(call.arguments[0]);
  std::vector<StorageId> out;
  for (const auto& [name, generator] : t.devices.generators)
    if (same_device(name, device) != false) out.push_back(generator);
  return out;
}

/// Shapes and types of operands whose contents are not read.
std::string shapes_text(const Tracer& t, const Parts& parts) {
  std::string out;
  for (const Operand& o : parts.operands)
    if (!o.read && o.counts) out += ";like " + type_text(t, o.bound);
  return out;
}

/// Names the operands of no dimension if that affects type promotion: beside operands of another type that
/// have dimensions, they do not take part in it. Only for elementwise operators: others compare shapes.
std::string numbers_text(const Call& call, const Parts& parts) {
  if (!elementwise(call)) return "";
  std::string out;
  std::set<Dtype> types;
  bool dimensions = false;
  for (std::size_t k = 0; k < parts.operands.size(); ++k) {
    const Binding& bound = parts.operands[k].bound;
    if (!parts.operands[k].counts) continue;
    types.insert(bound.dtype);
    dimensions = dimensions || !bound.view.shape.empty();
    if (bound.view.shape.empty()) out += "," + std::to_string(k);
  }
  return types.size() > 1 && dimensions && !out.empty() ? ";of no dimension" + out : "";
}

void look_at_devices(Tracer& t) {
  t.devices.several = name_several_devices({t.request.graph});
  t.devices.kinds = device_kinds(t.request.value->after);
  if (t.request.value->before) t.devices.kinds.merge(device_kinds(*t.request.value->before));
}

/// The kind of device that the call runs on, if the graphs name several: kernels of two kinds are two
/// functions. Tensors without dimensions are asked last: they may be on another device than the others.
std::string device_text(Tracer& t, const Call& call, const Parts& parts) {
  if (t.devices.kinds.size() < 2) return "";
  if (!t.devices.placed) t.devices.placed.emplace(*t.request.graph);
  std::string out;
  for (const ValueId result : call.step->results)
    if (out.empty() && result.valid()) out = t.devices.placed->of(Arg::of(result));
  for (const bool numbers : {false, true})
    for (const Operand& o : parts.operands) {
      const Arg& arg = call.arguments[o.argument];
      if (out.empty() && o.bound.view.shape.empty() == numbers)
        out = t.devices.placed->of(arg.kind == Arg::Kind::list ? arg.list[o.item] : arg);
    }
  return ";on " + (out.empty() ? "?" : device_kind(out));
}

/// The symbol that stands for the number of item(): with another symbol in its place it is another program.
std::string told_text(const Call& call) {
  const std::string& symbol = call.step->extras->tells;
  return symbol.empty() ? "" : ";tells " + symbol;
}

/// Random numbers are drawn for one element after the other, in memory order: that is part of the key.
std::string drawn_text(const Tracer& t, const Call& call, const Parts& parts) {
  if (call.declared != nullptr || !draws(call.op, *call.schema, call.arguments)) return "";
  const OpRow* row = call.row;
  if (row == nullptr) row = find_row(call.op);
  std::string out;
  for (const Binding& to : parts.writes) {
    out += ";order " + order_text(t, to);
    if (row == nullptr || row->drawn != Drawn::in_bulk) continue;
    const auto plain = is_contiguous(t.space, Viewed{to.view.shape, to.strides});
    out += !to.strides || plain == true ? " contiguous" : " apart";
  }
  if (row != nullptr && row->drawn == Drawn::as_read && !parts.operands.empty())
    out += ";for " + order_text(t, parts.operands[0].bound);
  return out;
}

void add_tokens(Tracer& t) {
  std::vector<std::string> keys{"generator", "effects"};
  for (const auto& [symbol, step] : t.request.sizes) keys.push_back("size " + symbol);
  std::set<std::string> devices = named_devices(t.request.value->after);
  if (t.request.value->before) devices.merge(named_devices(*t.request.value->before));
  if (devices.size() < 2) devices.clear();  // one generator
  for (const std::string& device : devices) {
    t.devices.generators[device] = static_cast<StorageId>(keys.size());
    keys.push_back("generator of " + device);
  }
  for (std::string& key : keys) {
    TraceStorage storage;
    storage.start = TraceStorage::Start::token;
    storage.key = std::move(key);
    t.trace.storages.push_back(std::move(storage));
    t.storages.layouts.emplace_back();
  }
}

}  // namespace noclobber::effects
