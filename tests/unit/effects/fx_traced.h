// Graphs in FX text for tests: a graph's Trace as text, and what is said of two.
#pragma once
#include <sstream>

#include "src/check/check.h"
#include "src/effects/trace_text.h"
#include "src/formats/fx_text/fx_text.h"
#include "src/ops/sizes.h"
#include "tests/catch.h"
#include "tests/support/traced.h"

namespace noclobber::testing {

/// What a graph is given, and its lines. Inputs are row-major where nothing else is said.
inline FxGraph fx_graph(const std::string& given, const std::string& lines) {
  std::string text = "def forward(self, " + given + "):\n";
  std::istringstream rows(lines);
  for (std::string row; std::getline(rows, row);) text += "    " + row + "\n";
  INFO(text);
  auto out = read_fx_text(text);
  INFO((out ? "" : out.fault().where + " " + out.fault().message));
  REQUIRE(out);
  for (const Input& input : out->graph.inputs) {
    SharedType& type = out->graph.values[input.value.index].type;
    if (type && type->stride.empty()) type.edit().strides = Type::Strides::contiguous;
  }
  return *std::move(out);
}

/// `declared`: operators as in a file of --ops.
inline Case fx_case(const std::string& given, const std::string& lines, const std::string& declared = "") {
  FxGraph read = fx_graph(given, lines);
  Case out;
  out.name = "t";
  out.symbols = std::move(read.symbols);
  out.ops = std::move(read.ops);
  out.after = std::move(read.graph);
  if (declared.empty()) return out;
  const auto more = read_ops_file(declared);
  INFO((more ? "" : more.fault().where + " " + more.fault().message));
  REQUIRE(more);
  out.ops.insert(out.ops.end(), more->begin(), more->end());
  return out;
}

inline Case fx_pair(const std::string& given, const std::string& before, const std::string& after) {
  Case out = fx_case(given, after);
  out.before = fx_graph(given, before).graph;
  return out;
}

/// Every map leads on from where the one before it led, the first one from the storage and the last one to
/// the view; a last dimension of bytes may come or go on the way.
inline void check_maps(Space& space, const Trace& trace, const TraceView& view) {
  const auto leads_on = [](Shape a, Shape b) {
    if (a.size() < b.size()) std::swap(a, b);
    if (a.size() == b.size() + 1) a.pop_back();
    return a == b;
  };
  Shape at = trace.storages[view.storage].shape;
  for (const Map& map : view.maps) {
    CHECK(leads_on(at, map.from));
    if (map.kind == Map::Kind::strided) CHECK(map.dim == 0);
    if (map.kind == Map::Kind::reshape)
      CHECK(space.same(element_count(space, map.from), element_count(space, map.to)));
    at = map.to;
  }
  CHECK(leads_on(at, view.shape));
}

/// The Trace's lines but those of tokens and of inputs' storages.
inline std::string fx_traced(const Case& value) {
  Modelled m;
  REQUIRE(model(value, m));
  for (const TraceStep& step : m.traced.after.steps) CHECK(step.access.size() == step.reads.size());
  for (const TraceStep& step : m.traced.after.steps)
    for (const auto* views : {&step.reads, &step.writes})
      for (const TraceView& view : *views) check_maps(m.space, m.traced.after, view);
  for (const TraceOutput& output : m.traced.after.outputs)
    if (output.view) check_maps(m.space, m.traced.after, *output.view);
  std::istringstream all(text_of(m.space, m.traced.after));
  std::string out;
  for (std::string line; std::getline(all, line);)
    if (line.find("storage S0 ") != 0 && line.find("storage S1 ") != 0 && line.find("  input ") == line.npos)
      out += line + "\n";
  return out;
}

struct FxRow {
  const char* what;
  const char* given;
  const char* lines;
  const char* traced;
};

template <std::size_t kRows>
void check_rows(const FxRow (&rows)[kRows], const std::string& declared = "") {
  for (const FxRow& row : rows) {
    INFO(row.what << "\n" << row.given << "\n" << row.lines);
    CHECK("\n" + fx_traced(fx_case(row.given, row.lines, declared)) == row.traced);
  }
}

inline Status fx_status(const Case& value) {
  bool contradiction = false;
  const CheckRecord record = check_case(value, {}, contradiction);
  INFO(record.contradiction);
  CHECK_FALSE(contradiction);
  return record.status;
}

}  // namespace noclobber::testing
