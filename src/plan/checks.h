// The single questions about a plan. Internal to plan/.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/plan/contract.h"

namespace noclobber {

/// What the plan says, as polynomials.
struct PlanNumbers {
  std::vector<PolyId> offsets, sizes;                  // per buffer
  std::vector<PolyId> arenas;                          // sizes of arenas
  std::vector<std::pair<std::size_t, PolyId>> needed;  // buffer of a value -> bytes its type takes
};
PlanNumbers plan_numbers(const PlanScene& scene, const PlacedStorages& placed, Sizes& sizes);

/// A plan at one value of the symbols.
struct PlanSample {
  const PlanScene& scene;
  const PlacedStorages& placed;
  const PlanNumbers& numbers;
  const SymbolValues& symbols;
};

/// No name twice, and all that are required.
void names_placed(const Case& value, PlanAnswer& answer);
/// Lives that the plan states contain all touches; no life ends before it begins.
void lives_kept(const PlanScene& scene, const PlacedStorages& placed, PlanAnswer& answer);
/// Every buffer lies in its arena, aligned. These three: false where something is not a number.
bool inside_arenas(const PlanSample& sample, PlanAnswer& answer);
/// All entries of one storage put it at one place.
bool aliases_agree(const PlanSample& sample, PlanAnswer& answer);
/// Buffers without values that say they are views lie within what they are views of.
bool views_inside(const PlanSample& sample, PlanAnswer& answer);
/// Every entry has room for the type of its value.
bool large_enough(const PlanSample& sample, PlanAnswer& answer);

/// The place of a storage with all its entries; nothing where it is not a number or overflows.
std::optional<Placement> placement_of(const PlanScene& scene, const PlacedStorage& placed,
                                      const SymbolValues& symbols);

/// Two buffers without values, one of which says that it is a view of the other and lies within it. Nobody
/// can see whether that is so.
bool said_to_be_views(const PlanScene& scene, const PlacedStorage& x, const PlacedStorage& y,
                      const Placement& a, const Placement& b);
/// In-place kernels of ExecuTorch's portable library that refuse what the operator accepts.
void kernels_accept(const Case& value, PlanAnswer& answer);

/// The fault of two that meet; nothing where no value is lost.
std::optional<PlanFault> overlap_fault(const PlanScene& scene, const PlacedStorage& x, const PlacedStorage& y,
                                       const Placement& a, const Placement& b, const SymbolValues& symbols);

/// What holds for the samples, for all values of the symbols; what is not shown is open.
void prove_for_all_symbols(const PlanScene& scene, const PlacedStorages& placed, const PlanNumbers& numbers,
                           const std::vector<SymbolValues>& samples, PlanAnswer& answer);

/// What the certificate says of a plan that holds, of storages of the Trace; empty where there are branches.
std::vector<TracePlacement> stated_places(const PlanScene& scene, const PlacedStorages& placed,
                                          const PlanNumbers& numbers,
                                          const std::vector<SymbolValues>& samples);
/// Of a graph with branches: for each way they may go, what touches the places. Empty: there are too many.
std::vector<Trace> plan_ways(const PlanScene& scene, const PlacedStorages& placed, const PlanNumbers& numbers,
                             const std::vector<SymbolValues>& samples);
/// A placement but for its life and its neighbour.
TracePlacement stated_place(const PlanScene& scene, const PlacedStorage& one, const PlanNumbers& numbers);
/// Evidence: the neighbour below of each place when it begins to live. false: places are no numbers.
bool find_neighbours(const PlanScene& scene, const PlacedStorages& placed,
                     const std::vector<SymbolValues>& samples, std::vector<TracePlacement>& stated);

}  // namespace noclobber
