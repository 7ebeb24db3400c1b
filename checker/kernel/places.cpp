// Placements: where in an arena storages lie, and during which steps.
#include <array>

#include "checker/kernel/touches.h"

namespace noclobber::checker {
namespace {

struct Width {
  Text type;
  std::int64_t bits;
};
constexpr std::array kWidths = {Width{"f64", 64},     Width{"f32", 32},   Width{"f16", 16}, Width{"bf16", 16},
                                Width{"f8e4m3fn", 8}, Width{"i64", 64},   Width{"i32", 32}, Width{"i16", 16},
                                Width{"i8", 8},       Width{"f8e5m2", 8}, Width{"u64", 64}, Width{"u32", 32},
                                Width{"u16", 16},     Width{"u8", 8},     Width{"bool", 8}, Width{"c64", 64},
                                Width{"c128", 128},   Width{"i4", 4},     Width{"u4", 4}};

bool fits(Space& space, PolyId first, PolyId size, PolyId end) {
  return space.nonnegative(space.sub(end, space.add(first, size)));
}

class Arenas {
 public:
  Arenas(Space& space, const Trace& trace) : space_(space), trace_(trace), touches_(touches_of(trace)) {
    seen_.resize(trace.storages.size());
    for (const auto& [name, view] : trace.inputs) seen_[view.storage].push_back(view.form);
    for (const Output& o : trace.outputs)
      if (o.view) seen_[o.view->storage].push_back(o.view->form), leaves_.insert(o.view->storage);
    for (StorageId s = 0; s < touches_.size(); ++s)
      for (const Touch& t : touches_[s]) seen_[s].push_back(t.view.form);
  }

  std::vector<bool> run() {
    const std::vector<Placement>& all = trace_.placements;
    std::vector<std::uint32_t> starts;
    std::vector<bool> out(all.size());
    for (std::uint32_t k = 0; k < all.size(); ++k) {
      const Placement& p = all[k];
      out[k] = p.arena < trace_.arenas.size() && space_.nonnegative(p.offset) && space_.nonnegative(p.size) &&
               fits(space_, p.offset, p.size, trace_.arenas[p.arena]) &&
               (!p.storage || (lives(p) && roomy(p)));
      if (out[k] && p.size != 0 && p.first < p.last) starts.push_back(k);
    }
    std::ranges::stable_sort(starts, {}, [&](std::uint32_t k) { return all[k].first; });
    alive_.resize(trace_.arenas.size());
    gone_.resize(trace_.arenas.size());
    for (std::uint32_t k : starts) out[k] = enters(k);
    return out;
  }

 private:
  /// True if it lives through every use of its storage, those by the caller included.
  bool lives(const Placement& p) const {
    for (const Touch& t : touches_[*p.storage])
      if (t.origin < p.first || t.origin >= p.last) return false;
    const StorageForm& s = *trace_.storages[*p.storage].form;
    const bool given = s.start == Start::given;
    const bool leaves = leaves_.contains(*p.storage) || (given && s.compared);
    return !(given && p.first > 0) && !(leaves && p.last <= trace_.origins());
  }

  /// Bits of one part of an element (of the whole element if there are no lanes), on which all views of the
  /// storage agree; 0 if they do not.
  std::int64_t unit(StorageId storage) const {
    std::optional<std::int64_t> out;
    space_.work(seen_[storage].size());
    for (const ViewForm* view : seen_[storage]) {
      const std::int64_t parts = std::max<std::int64_t>(view->lanes, 1), own = width(view->type);
      if (own % parts != 0 || (out && *out != own / parts)) return 0;
      out = own / parts;
    }
    return out.value_or(1);
  }

  /// True if there is room for all elements of its storage.
  bool roomy(const Placement& p) const {
    const StorageForm& s = *trace_.storages[*p.storage].form;
    const std::int64_t bits = unit(*p.storage);
    PolyId all = space_.mul(space_.constant(bits), space_.constant(std::max<std::int64_t>(s.lanes, 1)));
    for (PolyId extent : s.shape) all = space_.mul(all, extent);
    return bits > 0 && space_.nonnegative(space_.sub(space_.scale(p.size, 8), all));
  }

  /// The offset in the arena, in bits, of the running element of a view of its storage. Elements are packed,
  /// with dimensions in the order of the placement. kBad if that is no permutation.
  PolyId address(const Placement& p, const ViewForm& view) const {
    const StorageForm& s = *trace_.storages[*p.storage].form;
    const Index at = root_index(space_, view, running(space_, view));
    std::set<std::uint32_t> known;
    PolyId out = 0;
    for (std::uint32_t d : p.order) {
      if (d >= s.shape.size() || !known.insert(d).second) return Space::kBad;
      out = space_.add(space_.mul(out, s.shape[d]), at[d]);
    }
    if (known.size() != s.shape.size()) return Space::kBad;
    if (s.lanes > 0) out = space_.add(space_.scale(out, s.lanes), at.back());
    return space_.add(space_.scale(p.offset, 8), space_.scale(out, unit(*p.storage)));
  }

  /// True if a step that reads one and writes the other reads nothing that it has overwritten.
  bool harmless(const Placement& dying, const Touch& read, const Placement& born, const Touch& write) const {
    const Access access = trace_.steps[read.step].form->access[read.slot][write.slot];
    if (access != Access::elementwise) return access == Access::before_write;
    const ViewForm &r = *read.view.form, &w = *write.view.form;
    return r.shape == w.shape && r.lanes == w.lanes && unit(*dying.storage) == unit(*born.storage) &&
           space_.same(address(dying, r), address(born, w));
  }

  /// True if in the last graph step of `dying`, the first of `born`, all uses of `dying` come first.
  bool takes_over(const Placement& dying, const Placement& born) const {
    if (!dying.storage || !born.storage || *dying.storage == *born.storage) return false;
    const auto then = [&](StorageId s) {
      return std::ranges::equal_range(touches_[s], born.first, {}, &Touch::origin);
    };
    for (const Touch& a : then(*dying.storage))
      for (const Touch& b : then(*born.storage)) {
        space_.work(4);
        const bool one = a.step == b.step && !a.writes && b.writes && harmless(dying, a, born, b);
        if (a.step >= b.step && !one) return false;
      }
    return true;
  }

  /// The live placements of an arena are a list from low to high bytes. Removes those whose bytes the new one
  /// takes over, then inserts it above the neighbour that it names.
  bool enters(std::uint32_t k) {
    const std::vector<Placement>& all = trace_.placements;
    const Placement& p = all[k];
    std::vector<std::uint32_t>&here = alive_[p.arena], &gone = gone_[p.arena];
    space_.work(4 + (here.size() + gone.size()) / 4);
    std::erase_if(here, [&](std::uint32_t j) { return all[j].last <= p.first; });
    std::erase_if(gone, [&](std::uint32_t j) { return all[j].last <= p.first; });
    for (std::uint32_t j : gone)
      if (!bytes_apart(space_, all[j], p) && !takes_over(all[j], p)) return false;
    std::erase_if(here, [&](std::uint32_t j) {
      const bool goes = all[j].last == p.first + 1 && all[j].first < p.first &&
                        !bytes_apart(space_, all[j], p) && takes_over(all[j], p);
      if (goes) gone.push_back(j);
      return goes;
    });
    auto at = p.below ? std::ranges::find(here, *p.below) : here.begin();
    if (p.below && at == here.end()) return false;
    if (p.below && !fits(space_, all[*at].offset, all[*at].size, p.offset)) return false;
    if (p.below) ++at;
    if (at != here.end() && !fits(space_, p.offset, p.size, all[*at].offset)) return false;
    here.insert(at, k);
    return true;
  }

  Space& space_;
  const Trace& trace_;
  const Touches touches_;
  std::vector<std::vector<const ViewForm*>> seen_;  // per storage: all views of it
  std::set<StorageId> leaves_;
  std::vector<std::vector<std::uint32_t>> alive_, gone_;  // per arena; gone_: bytes taken over in this step
};

}  // namespace

std::int64_t width(Text type) {
  const auto at = std::ranges::find(kWidths, type, &Width::type);
  return at == kWidths.end() ? 0 : at->bits;
}

bool bytes_apart(Space& space, const Placement& p, const Placement& q) {
  return fits(space, p.offset, p.size, q.offset) || fits(space, q.offset, q.size, p.offset);
}

/// Lemma 11.
std::vector<bool> placed(Space& space, const Trace& trace) { return Arenas(space, trace).run(); }

}  // namespace noclobber::checker
