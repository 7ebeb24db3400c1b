// Payloads of XNNPACK with one thing changed, and what is said of them.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "src/lower/pte/case.h"
#include "src/lower/xnnpack/payload.h"
#include "src/text/file.h"
#include "tests/support/sample.h"
#include "tests/unit/lower/pte_program.h"

namespace noclobber {

using XnnChange = std::function<void(XnnNode&)>;

/// The exported program against its .pte, of which something was changed.
inline CheckRecord xnn_against(
    const std::string& name, const std::function<void(PteMethod&)>& change,
    const std::function<void(Graph&)>& change_exported = [](Graph&) {}) {
  const auto text = read_file(kPrograms + name + ".exported.pt2");
  REQUIRE(text);
  auto before = read_side(*text, true);
  auto after = read_side(bytes_of(name), false);
  REQUIRE((before && after));
  change(after->program.front());
  change_exported(before->graph);
  const auto value = pair_of(*std::move(before), *std::move(after));
  CheckRecord record;
  if (!value) return record;
  bool contradiction = false;
  CheckRecord out = check_case(*value, {}, contradiction);
  CHECK_FALSE(contradiction);
  return out;
}

inline bool xnn_assumes(const CheckRecord& record, const std::string& what) {
  return std::ranges::any_of(record.assumptions,
                             [&](const std::string& one) { return one.starts_with(what); });
}

/// Every way to change one number of a node by one.
inline std::vector<XnnChange> changes_of(const XnnNode& node) {
  std::vector<XnnChange> out;
  for (std::size_t k = 0; k < node.inputs.size(); ++k)
    if (node.inputs[k] != kNoXnnId) out.emplace_back([k](XnnNode& own) { ++own.inputs[k]; });
  for (std::size_t k = 0; k < node.numbers.size(); ++k)
    out.emplace_back([k](XnnNode& own) { ++own.numbers[k]; });
  for (std::size_t j = 0; j < node.lists.size(); ++j)
    for (std::size_t k = 0; k < node.lists[j].size(); ++k)
      out.emplace_back([j, k](XnnNode& own) { ++own.lists[j][k]; });
  for (std::size_t k = 0; k < node.reals.size(); ++k)
    out.emplace_back([k](XnnNode& own) { own.reals[k] += 0.25F; });
  if (node.clamp) {
    out.emplace_back([](XnnNode& own) { own.clamp->first += 0.25F; });
    out.emplace_back([](XnnNode& own) { own.clamp->second += 0.25F; });
    out.emplace_back([](XnnNode& own) { own.clamp.reset(); });
  }
  out.emplace_back([](XnnNode& own) { ++own.output; });
  for (const std::uint32_t flag : {1U, 4U, 8U, 64U, 128U})
    out.emplace_back([flag](XnnNode& own) { own.flags ^= flag; });
  return out;
}

inline void xnn_all_seen_but(const std::string& name, const std::vector<std::string>& needless,
                             std::size_t least = 50) {
  const PteMethod method = method_of(bytes_of(name));
  std::size_t tried = 0;
  for (std::size_t d = 0; d < method.delegates.size(); ++d) {
    const XnnProgram& program = *method.delegates[d].xnnpack;
    for (std::size_t n = 0; n < program.nodes.size(); ++n) {
      const auto all = changes_of(program.nodes[n]);
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (!testing::is_sampled(tried++)) continue;
        const std::string what = fmt::format("{}.{} {} {}", d, n, program.nodes[n].kind, k);
        const CheckRecord record =
            xnn_against(name, [&](PteMethod& own) { all[k](own.delegates[d].xnnpack->nodes[n]); });
        const bool is_needless = std::ranges::find(needless, what) != needless.end();
        INFO(name << ": " << what);
        CHECK((record.status == Status::proved) == is_needless);
      }
    }
  }
  CHECK(tried > least);
}

/// What a payload says of its values besides: sizes, flags, types.
inline void xnn_values_seen(const std::string& name) {
  const PteMethod method = method_of(bytes_of(name));
  for (std::size_t d = 0; d < method.delegates.size(); ++d)
    for (std::size_t v = 0; v < method.delegates[d].xnnpack->values.size(); ++v) {
      const auto with = [&](const std::function<void(XnnValue&)>& change) {
        return xnn_against(name, [&](PteMethod& own) { change(own.delegates[d].xnnpack->values[v]); }).status;
      };
      INFO(name << ": " << d << ", value " << v);
      if (!testing::is_sampled(v)) continue;
      CHECK(with([](XnnValue& own) { ++own.dims.back(); }) != Status::proved);
      CHECK(with([](XnnValue& own) { own.flags ^= 64; }) != Status::proved);
      CHECK(with([](XnnValue& own) { own.dtype = Dtype::f16; }) != Status::proved);
      CHECK(with([](XnnValue& own) { ++own.id; }) != Status::proved);
      CHECK(with([](XnnValue& own) { ++own.data; }) != Status::proved);
    }
}

}  // namespace noclobber
