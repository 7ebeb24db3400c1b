#include "src/effects/trace_text.h"

#include "src/ops/sizes.h"

namespace noclobber {
namespace {

std::string list(const Space& space, const std::vector<PolyId>& values) {
  std::string out = "[";
  for (std::size_t k = 0; k < values.size(); ++k) out += (k > 0 ? ", " : "") + size_text(space, values[k]);
  return out + "]";
}

std::string map_text(const Space& space, const Map& map) {
  const std::string dim = std::to_string(map.dim);
  switch (map.kind) {
    case Map::Kind::slice:
      return "slice(" + dim + ", " + size_text(space, map.start) + ", step " + size_text(space, map.step) +
             ")" + list(space, map.to);
    case Map::Kind::permute: {
      std::string order;
      for (std::uint32_t k : map.order) order += (order.empty() ? "" : ", ") + std::to_string(k);
      return "permute(" + order + ")";
    }
    case Map::Kind::reshape:
      return "reshape" + list(space, map.to);
    case Map::Kind::expand:
      return "expand" + list(space, map.to);
    case Map::Kind::diagonal:
      return "diagonal(" + dim + "+" + size_text(space, map.start) + ", " + std::to_string(map.other) + "+" +
             size_text(space, map.step) + ")";
    case Map::Kind::unfold:
      return "unfold(" + dim + ", step " + size_text(space, map.step) + ")" + list(space, map.to);
    case Map::Kind::strided:
      return "strided(" + size_text(space, map.start) + ", " + list(space, map.strides) + ")" +
             list(space, map.to);
  }
  return "";
}

std::string view_text(const Space& space, const TraceView& view) {
  std::string out = "S" + std::to_string(view.storage) + (view.type->empty() ? "" : ":" + *view.type) +
                    (view.maps.empty() ? list(space, view.shape) : "");
  for (const Map& map : view.maps) out += "." + map_text(space, map);
  return out;
}

std::string views_text(const Space& space, const char* verb, const TraceViews& views) {
  std::string out;
  for (const TraceView& view : views)
    out += (out.empty() ? std::string("  ") + verb + " " : ", ") + view_text(space, view);
  return out;
}

std::string storage_text(const Space& space, const TraceStorage& storage) {
  std::string out = list(space, storage.shape);
  if (storage.lanes > 0) out += " x " + std::to_string(storage.lanes) + " B";
  switch (storage.start) {
    case TraceStorage::Start::given:
      return out + "  input " + storage.key.text() + (storage.writable ? "  writable" : "") +
             (storage.compared ? "  compared at exit" : "");
    case TraceStorage::Start::undefined:
      return out + "  " + storage.key.text();
    case TraceStorage::Start::token:
      return "token " + storage.key.text();
  }
  return out;
}

std::string step_text(const Space& space, const TraceStep& step) {
  const std::string reads = views_text(space, "read", step.reads),
                    writes = views_text(space, "write", step.writes);
  switch (step.kind) {
    case TraceStep::Kind::move:
      return "move" + writes + reads;
    case TraceStep::Kind::fill:
      return "fill " + *step.key + writes;
    case TraceStep::Kind::opaque:
      return "opaque \"" + *step.key + "\"" + writes + reads;
  }
  return "";
}

}  // namespace

std::string text_of(const Space& space, const Trace& trace) {
  std::string out;
  for (std::size_t k = 0; k < trace.storages.size(); ++k)
    out += "storage S" + std::to_string(k) + " " + storage_text(space, trace.storages[k]) + "\n";
  for (std::size_t k = 0; k < trace.steps.size(); ++k)
    out += "step " + std::to_string(k) + " " + step_text(space, trace.steps[k]) + "  # graph step " +
           std::to_string(trace.steps[k].origin) + "\n";
  for (std::size_t k = 0; k < trace.outputs.size(); ++k) {
    const TraceOutput& output = trace.outputs[k];
    out += "output " + std::to_string(k) + " " +
           (output.view ? "read " + view_text(space, *output.view) +
                              (output.scalar.empty() ? "" : "  " + output.scalar)
                        : "scalar " + output.scalar) +
           "\n";
  }
  for (const TraceClaim& claim : trace.claims)
    out += "claim " + claim.what + " said " + size_text(space, claim.said) + " computed " +
           size_text(space, claim.computed) + "  # graph step " + std::to_string(claim.origin) + "\n";
  for (const auto& [reason, name] : trace.unknown) out += "unknown " + reason + " " + name + "\n";
  return out;
}

}  // namespace noclobber
