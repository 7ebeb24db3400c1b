// Maps the caller's tensors to the inputs of a graph. The log does not state which tensor became which
// input: the compiler reorders them, drops some, and replaces overlapping ones that are written by one base.
#include <algorithm>
#include <limits>

#include "src/lower/torch_trace/facts.h"

namespace noclobber {
namespace {

constexpr std::size_t kMostMatched =
    20000;  // comparisons of tensors; more are not made, which bounds the time

/// The inputs that callers pass: all but the constants of the graph.
std::vector<std::size_t> passed_inputs(const Graph& graph) {
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    if (graph.inputs[i].kind != Input::Kind::constant) at.push_back(i);
  return at;
}

const SharedType& input_type(const Graph& graph, std::size_t input) {
  return graph.value(graph.inputs[input].value).type;
}

bool is_static(const Type& type) {
  const auto constant = [](const SymExpr& value) { return value.is_constant(); };
  return std::all_of(type.shape.begin(), type.shape.end(), constant) &&
         std::all_of(type.stride.begin(), type.stride.end(), constant);
}

}  // namespace

bool TraceFacts::matches(const Type& type, const Tensor& tensor) const {
  if (!tensor.size || parse_torch_dtype(tensor.dtype) != type.dtype) return false;
  const auto equal = [&](const std::vector<SymExpr>& have, const std::vector<std::int64_t>& want) {
    return std::equal(have.begin(), have.end(), want.begin(), want.end(),
                      [&](const SymExpr& a, std::int64_t b) { return a.evaluate(hints_) == b; });
  };
  if (!equal(type.shape, *tensor.size)) return false;
  return type.strides != Type::Strides::given || (tensor.stride && equal(type.stride, *tensor.stride));
}

TraceFacts::Passed TraceFacts::passed(const TensorKey& key, bool shares) const {
  const Tensor& tensor = tensors_.at(key);
  Passed out{tensor.dtype, tensor.size, tensor.stride, shares, 0, -1, std::nullopt};
  if (!shares) return out;
  out.offset = tensor.offset;
  out.storage = tensor.storage.second;
  if (const auto bytes = storage_bytes_.find(tensor.storage); bytes != storage_bytes_.end())
    out.bytes = bytes->second;
  return out;
}

void TraceFacts::settle() {
  for (const TensorKey& key : sources_)
    several_describers_ = several_describers_ || key.first != sources_.front().first;
  std::map<TensorKey, int> counts;
  for (const TensorKey& key : sources_) ++counts[tensors_.at(key).storage];
  for (const TensorKey& key : sources_) {
    const Tensor& tensor = tensors_.at(key);
    const bool shares = tensor.storage.second >= 0 && counts[tensor.storage] > 1;
    if (shares) sharing_.push_back(key);
    passed_.push_back(passed(key, shares));
  }
}

bool TraceFacts::gives_as(const TraceFacts& other) const {
  return ranges_ == other.ranges_ && hints_ == other.hints_ && guards_ == other.guards_ &&
         fates_ == other.fates_ && refilled_ == other.refilled_ && passed_ == other.passed_ &&
         several_describers_ == other.several_describers_;
}

/// Finds the input of each sharing tensor. False if one may be several inputs, or there are too many.
bool TraceFacts::find_places(const Graph& graph, std::vector<Place>& places) const {
  if (sharing_.size() > kMostMatched / sources_.size()) return false;
  const std::vector<std::size_t> inputs = passed_inputs(graph);
  const auto fits = [&](std::size_t input, const Tensor& tensor) {
    const std::optional<Type>& type = input_type(graph, input);
    return type && matches(*type, tensor);
  };
  bool in_order = inputs.size() == sources_.size();
  for (std::size_t i = 0; in_order && i < inputs.size(); ++i)
    in_order = fits(inputs[i], tensors_.at(sources_[i]));
  for (const TensorKey& shared : sharing_) {
    const Tensor* const tensor = &tensors_.at(shared);
    Place place{.input = 0, .tensor = tensor};
    int candidates = 0, rivals = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (in_order ? &tensors_.at(sources_[i]) != tensor : !fits(inputs[i], *tensor)) continue;
      place.input = inputs[i];
      ++candidates;
    }
    for (const TensorKey& key : sources_)
      rivals += !in_order && candidates == 1 && fits(place.input, tensors_.at(key));
    if (candidates != 1 || rivals > 1) return false;
    places.push_back(place);
  }
  return true;
}

bool TraceFacts::place(Graph& graph, const std::vector<Place>& places) const {
  for (const Place& place : places) {
    Input& input = graph.inputs[place.input];
    SharedType& type = graph.values[input.value.index].type;
    const auto bytes = storage_bytes_.find(place.tensor->storage);
    if (!type || !is_static(*type) || bit_width(type->dtype) < 8 || bytes == storage_bytes_.end())
      return false;
    input.storage = "S" + std::to_string(place.tensor->storage.second);
    input.storage_numel = SymExpr(bytes->second / (bit_width(type->dtype) / 8));
    type.edit().offset = SymExpr(place.tensor->offset);
  }
  return true;
}

void TraceFacts::give_storages(Case& value, bool is_backward) const {
  if (passed_inputs(value.after).size() < 2) return;
  // No record describes the inputs of a backward graph, which the forward graph saved. Nor does a record
  // identify the storages of one describer with those of another.
  if (sources_.empty() || is_backward || several_describers_) {
    value.inputs_may_overlap = true;
    return;
  }
  if (sharing_.empty()) return;
  std::vector<Place> places;
  bool is_placed = find_places(value.after, places);
  Graph after = value.after;
  std::optional<Graph> before = value.before;
  is_placed = is_placed && place(after, places) && (!before || place(*before, places));
  if (!is_placed) {
    value.inputs_may_overlap = true;
    return;
  }
  value.after = std::move(after);
  value.before = std::move(before);
}

}  // namespace noclobber
