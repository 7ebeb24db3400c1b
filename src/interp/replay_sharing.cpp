#include "src/interp/replay_sharing.h"

#include <algorithm>
#include <array>

namespace noclobber {

namespace {

constexpr std::int64_t kMostPlaces = std::int64_t{1} << 21;  // bound on the places that are sorted
constexpr std::int64_t kMostElements = std::int64_t{1} << 24;

class NewSharing {
 public:
  NewSharing(const Shown& is, const Shown& was) : is_(is), was_(was) {}
  std::set<SharedPlace> found() && {
    std::map<std::uint32_t, std::vector<int>> groups;
    for (std::size_t k = 0; k < is_.outputs.size(); ++k)
      if (is_.outputs[k]) groups[is_.outputs[k]->storage].push_back(static_cast<int>(k));
    for (const auto& [storage, outputs] : groups) {
      if (all_stay(storage, outputs)) continue;
      if (is_.owners.contains(storage))
        for (const int k : outputs) with_inputs(k);
      with_outputs(outputs);
    }
    return std::move(out_);
  }

 private:
  /// A byte of a storage.
  struct Spot {
    std::uint32_t storage = 0;
    std::int64_t byte = 0;
    auto operator<=>(const Spot&) const = default;
  };
  struct Place {
    std::int64_t now = 0;
    Spot then;
    int output = 0;
    auto operator<=>(const Place&) const = default;
  };

  const Tensor& now(int output) const { return *is_.outputs[static_cast<std::size_t>(output)]; }
  const Tensor* then(int output) const {
    const auto at = static_cast<std::size_t>(output);
    return at < was_.outputs.size() && was_.outputs[at] ? &*was_.outputs[at] : nullptr;
  }
  std::string owner(const Shown& of, std::uint32_t storage) const {
    const auto at = of.owners.find(storage);
    return at == of.owners.end() ? "" : at->second;
  }
  /// True if its elements can be compared one by one: of the same shape and width as before, and not too
  /// many.
  bool comparable(int output) const {
    const Tensor* old = then(output);
    return old != nullptr && old->shape == now(output).shape &&
           element_width(old->dtype) == element_width(now(output).dtype) &&
           element_count(*old) <= kMostElements;
  }
  bool all_stay(std::uint32_t storage, const std::vector<int>& outputs) const {
    const std::string name = owner(is_, storage);
    return std::ranges::all_of(outputs, [&](int k) {
      const Tensor* old = then(k);
      if (old == nullptr) return false;
      Tensor moved = *old;
      moved.storage = storage;
      if (!same_map(moved, now(k))) return false;
      return owner(was_, old->storage) == name &&
             (!name.empty() || old->storage == then(outputs.front())->storage);
    });
  }

  /// Notes the inputs that share elements of the output which did not lie there at the same index before.
  void with_inputs(int output) {
    const Tensor& shown = now(output);
    const Tensor* old = then(output);
    std::size_t size = 0;
    for (const auto& [name, view] : is_.inputs)
      if (view.storage == shown.storage)
        size = std::max(size, static_cast<std::size_t>(byte_extent(view).last));
    size = std::max(size, static_cast<std::size_t>(byte_extent(shown).last));
    const bool one = old != nullptr && owner(was_, old->storage) == owner(is_, shown.storage);
    std::vector<std::uint8_t> moved;
    if (one && comparable(output)) {
      moved.assign(size, 0);
      const std::vector<std::int64_t> at = element_bytes(shown), was = element_bytes(*old);
      for (std::size_t e = 0; e < at.size(); ++e)
        for (std::size_t b = 0; at[e] != was[e] && b < element_width(shown.dtype); ++b)
          moved[static_cast<std::size_t>(at[e]) + b] = 1;
    } else if (!one) {
      moved = shown_bytes(shown, size);
    }
    if (std::ranges::find(moved, 1) == moved.end()) return;
    bool seen = false;
    for (const auto& [name, view] : is_.inputs) {
      if (view.storage != shown.storage) continue;
      const std::vector<std::uint8_t> own = shown_bytes(view, size);
      bool meets = false, shares = false;
      for (std::size_t b = 0; b < size; ++b) meets |= (own[b] & moved[b]) != 0;
      if (meets) out_.insert({output, -1, name});
      shares = share_bytes(shown, view);
      seen = seen || shares;
    }
    // Elements of an input's storage that no input view covers also belong to the caller.
    if (!seen) out_.insert({output, -1, owner(is_, shown.storage)});
  }

  /// Notes outputs that share a place and did not before. A place has the smallest width of an element, so
  /// that none is cut.
  void with_outputs(const std::vector<int>& outputs) {
    std::int64_t unit = 16, places = 0;
    bool every = true;
    for (const int k : outputs) {
      every = every && comparable(k);
      for (const Tensor* t : {&now(k), then(k)})
        if (t != nullptr) unit = std::min(unit, static_cast<std::int64_t>(element_width(t->dtype)));
    }
    for (const int k : outputs)
      if (every)
        places += element_count(now(k)) * (static_cast<std::int64_t>(element_width(now(k).dtype)) / unit);
    if (!every || places > kMostPlaces) return as_wholes(outputs);
    std::vector<Place> all;
    all.reserve(static_cast<std::size_t>(places));
    for (const int k : outputs) {
      const std::vector<std::int64_t> at = element_bytes(now(k)), was = element_bytes(*then(k));
      const auto width = static_cast<std::int64_t>(element_width(now(k).dtype));
      for (std::size_t e = 0; e < at.size(); ++e)
        for (std::int64_t b = 0; b < width; b += unit)
          all.push_back({at[e] + b, {then(k)->storage, was[e] + b}, k});
    }
    std::ranges::sort(all);
    for (auto first = all.begin(); first != all.end();) {
      const auto last = std::find_if(first, all.end(), [&](const Place& p) { return p.now != first->now; });
      for (auto p = first; p != last; ++p) {
        const Place& other = p->then != first->then ? *first : *(last - 1);
        if (p->then != other.then) note(p->output, other.output);
      }
      first = last;
    }
  }
  void note(int a, int b) { out_.insert({std::max(a, b), std::min(a, b), ""}); }

  void as_wholes(const std::vector<int>& outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const Tensor *a = then(outputs[i]), *b = then(outputs[j]);
        const bool before = a != nullptr && b != nullptr && share_bytes(*a, *b);
        if (!before && share_bytes(now(outputs[i]), now(outputs[j]))) note(outputs[i], outputs[j]);
      }
  }

  const Shown &is_, &was_;
  std::set<SharedPlace> out_;
};

}  // namespace

Shown shown_by(const Graph& graph, const Run& run) {
  Shown out;
  for (const Run::Output& output : run.outputs) out.outputs.push_back(output.tensor);
  for (const Input& input : graph.inputs) {
    const bool known = input.value.index < run.values.size() && run.values[input.value.index];
    if (known) out.inputs.emplace_back(graph.value(input.value).name, *run.values[input.value.index]);
  }
  for (const auto& [name, storage] : run.input_storage) out.owners.emplace(storage, name);
  return out;
}

std::set<SharedPlace> new_sharing(const Shown& is, const Shown& was) { return NewSharing(is, was).found(); }

}  // namespace noclobber
