// The individual checks of a plan. Internal to plan/.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/plan/contract.h"

namespace noclobber {

/// The numbers of the plan, as polynomials.
struct PlanNumbers {
  std::vector<PolyId> offsets, sizes;                  // per buffer
  std::vector<PolyId> arenas;                          // sizes of arenas
  std::vector<std::pair<std::size_t, PolyId>> needed;  // buffer of a value -> bytes that its type takes
};
PlanNumbers plan_numbers(const PlanScene& scene, const PlacedStorages& placed, Sizes& sizes);

/// A plan at one assignment of the symbols.
struct PlanSample {
  const PlanScene& scene;
  const PlacedStorages& placed;
  const PlanNumbers& numbers;
  const SymbolValues& symbols;
};

/// No name is placed twice, and all required names are placed.
void names_placed(const Case& value, PlanAnswer& answer);
/// Live ranges that the plan states contain all touches; no live range ends before it begins.
void lives_kept(const PlanScene& scene, const PlacedStorages& placed, PlanAnswer& answer);
/// Every buffer lies in its arena, aligned. This and the next three return false if a quantity is not a
/// number.
bool inside_arenas(const PlanSample& sample, PlanAnswer& answer);
/// All entries of one storage place it at the same offset.
bool aliases_agree(const PlanSample& sample, PlanAnswer& answer);
/// The buffer that one without a value is declared to be a view of; nullptr: none, or it is a value.
const PlanBuffer* claimed_base(const Plan& plan, const PlanBuffer& view);
/// Buffers without a value that are declared to be views lie within their base.
bool views_inside(const PlanSample& sample, PlanAnswer& answer);
/// Every entry has room for the type of its value.
bool large_enough(const PlanSample& sample, PlanAnswer& answer);

/// The placement of a storage with all its entries; empty if it is not a number or overflows.
std::optional<Placement> placement_of(const PlanScene& scene, const PlacedStorage& placed,
                                      const SymbolValues& symbols);

/// True if both buffers have no value and one is declared to be a view of the other and lies within it.
/// Whether it is one cannot be checked.
bool said_to_be_views(const PlanScene& scene, const PlacedStorage& x, const PlacedStorage& y,
                      const Placement& a, const Placement& b);
/// Reports calls that an in-place kernel of ExecuTorch's portable library refuses although the operator
/// accepts them.
void kernels_accept(const Case& value, PlanAnswer& answer);

/// The fault of two storages that overlap in bytes; empty if no value is lost.
std::optional<PlanFault> overlap_fault(const PlanScene& scene, const PlacedStorage& x, const PlacedStorage& y,
                                       const Placement& a, const Placement& b, const SymbolValues& symbols);

/// Proves for all values of the symbols what holds for the samples; what cannot be proved is open.
void prove_for_all_symbols(const PlanScene& scene, const PlacedStorages& placed, const PlanNumbers& numbers,
                           const std::vector<SymbolValues>& samples, PlanAnswer& answer);

/// The certificate's placements of a plan that holds, on storages of the Trace. Empty if there are branches,
/// a time does not fit 32 bits, or find_neighbours() fails.
std::vector<TracePlacement> stated_places(const PlanScene& scene, const PlacedStorages& placed,
                                          const PlanNumbers& numbers,
                                          const std::vector<SymbolValues>& samples);
/// For a graph with branches: one Trace for each combination of arms, of the touches of the placed storages.
/// Empty if there are too many combinations.
std::vector<Trace> plan_ways(const PlanScene& scene, const PlacedStorages& placed, const PlanNumbers& numbers,
                             const std::vector<SymbolValues>& samples);
/// A placement without its live range and its neighbour.
TracePlacement stated_place(const PlanScene& scene, const PlacedStorage& one, const PlanNumbers& numbers);
/// Fills in evidence: the next placement below each one when its live range begins. False if no sample makes
/// all places numbers.
bool find_neighbours(const PlanScene& scene, const PlacedStorages& placed,
                     const std::vector<SymbolValues>& samples, std::vector<TracePlacement>& stated);

}  // namespace noclobber
