// The def-use graph of the slice: a column of steps, and beside it a line from each def to its uses. Lines
// that cover a common row are in different tracks.
#include <fmt/format.h>

#include <algorithm>

#include "src/report/names.h"
#include "src/report/page_parts.h"

namespace noclobber {

namespace {

constexpr int kRow = 24, kTrack = 13;
constexpr std::size_t kMostTracks = 14, kMostRows = 60, kStatement = 150;

/// A row: a step of the slice, or a value from outside that it uses.
struct SliceNode {
  std::string name, statement, type;
  const FindingPlace* step = nullptr;  // nullptr: an input, or a value defined outside the slice
  std::string mark;                    // its role as define, clobber or read; "" if none
  int number = 0;
};

struct SliceEdge {
  std::size_t from = 0;
  std::vector<std::size_t> uses;  // rows
  int track = 0;
  bool at_fault = false;  // the value is on the storage at fault
};

bool in_storage(const Finding& finding, const std::string& name) {
  if (finding.lanes.empty()) return false;
  const Lane* lane = &finding.lanes.front();
  for (const Lane& one : finding.lanes)
    if (one.storage == finding.storage) lane = &one;
  return std::ranges::any_of(lane->values, [&](const Lane::Shown& shown) { return shown.name == name; });
}

std::vector<SliceNode> nodes_of(const Finding& finding) {
  std::vector<SliceNode> steps, out;
  const std::vector<Mark> marks = marks_of(finding);
  for (const FindingPlace& place : finding.slice) {
    if (place.graph == "before") continue;
    SliceNode node{place.name, place.statement, type_in(finding, place.name), &place, "", 0};
    for (const Mark& mark : marks)
      if (mark.place->step == place.step && node.number == 0) {
        node.mark = role_class(mark.role);
        node.number = mark.number;
      }
    steps.push_back(std::move(node));
  }
  const auto made = [&](const std::string& name) {
    return std::ranges::any_of(steps, [&](const SliceNode& node) { return node.name == name; }) ||
           std::ranges::any_of(out, [&](const SliceNode& node) { return node.name == name; });
  };
  for (const SliceNode& node : steps)
    for (const std::string& used : node.step->uses)
      if (!made(used) && out.size() + steps.size() < kMostRows)
        out.push_back({used, used, type_in(finding, used), nullptr, "", 0});
  out.insert(out.end(), steps.begin(), steps.end());
  return out;
}

std::vector<SliceEdge> edges_of(const Finding& finding, const std::vector<SliceNode>& nodes) {
  std::vector<SliceEdge> out;
  std::vector<std::size_t> free_at;  // by track: the first row at which it is free
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    SliceEdge edge{k, {}, 0, in_storage(finding, nodes[k].name)};
    for (std::size_t user = k + 1; user < nodes.size(); ++user)
      if (nodes[user].step != nullptr &&
          std::ranges::find(nodes[user].step->uses, nodes[k].name) != nodes[user].step->uses.end())
        edge.uses.push_back(user);
    if (edge.uses.empty()) continue;
    const auto open = std::ranges::find_if(free_at, [&](std::size_t row) { return row <= k; });
    edge.track = static_cast<int>(open - free_at.begin());
    if (open == free_at.end()) free_at.push_back(0);
    free_at[static_cast<std::size_t>(edge.track)] = edge.uses.back() + 1;
    if (static_cast<std::size_t>(edge.track) < kMostTracks) out.push_back(std::move(edge));
  }
  return out;
}

int center(std::size_t row) { return static_cast<int>(row) * kRow + kRow / 2; }

std::string edge_text(const SliceEdge& edge, int right) {
  const int x = right - 10 - edge.track * kTrack, top = center(edge.from);
  std::string path =
      fmt::format("M{} {}H{}q-4 0 -4 4V{}", right - 4, top, x + 4, center(edge.uses.back()) - 4);
  for (const std::size_t user : edge.uses)
    path += fmt::format("M{} {}q0 4 4 4H{}", x, center(user) - 4, right - 4);
  std::string out = fmt::format("<path class=\"edge{}\" d=\"{}\"/>", edge.at_fault ? " own" : "", path);
  for (const std::size_t user : edge.uses)
    out += fmt::format("<circle class=\"end{}\" cx=\"{}\" cy=\"{}\" r=\"2.5\"/>", edge.at_fault ? " own" : "",
                       right - 4, center(user));
  return out;
}

std::string row_text(const SliceNode& node, const std::string& anchor) {
  const std::string what = escaped(shortened(printable(node.statement), kStatement));
  const std::string step = node.step == nullptr          ? "in"
                           : node.step->name == "return" ? "ret"
                                                         : fmt::format("{}", node.step->step);
  std::string out = fmt::format("<li class=\"{}\"{}", node.mark,
                                node.step == nullptr ? "" : fmt::format(" id=\"{}-s{}\"", anchor, step));
  if (node.number > 0) out += fmt::format(" data-at=\"{}\"", node.number);
  out += fmt::format("><span class=\"no\">{}</span><code>{}</code>", step, what);
  if (!node.type.empty()) out += fmt::format(" <span class=\"type\">{}</span>", escaped(node.type));
  if (node.number > 0) out += fmt::format(" <span class=\"badge {}\">{}</span>", node.mark, node.number);
  return out + "</li>\n";
}

}  // namespace

std::string slice_picture(const Finding& finding, const std::string& anchor) {
  const std::vector<SliceNode> nodes = nodes_of(finding);
  if (nodes.size() < 2) return "";
  const std::vector<SliceEdge> edges = edges_of(finding, nodes);
  int tracks = 0;
  for (const SliceEdge& edge : edges) tracks = std::max(tracks, edge.track + 1);
  const int width = tracks * kTrack + 12, height = static_cast<int>(nodes.size()) * kRow;
  std::string drawn, rows;
  for (const SliceEdge& edge : edges)
    if (!edge.at_fault) drawn += edge_text(edge, width);
  for (const SliceEdge& edge : edges)
    if (edge.at_fault) drawn += edge_text(edge, width);
  for (const SliceNode& node : nodes) rows += row_text(node, anchor);
  return fmt::format(
      "<div class=\"slice scroll\"><svg role=\"img\" aria-label=\"Who uses what, of the steps that "
      "matter\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\"><title>Definitions and uses</title>"
      "<desc>A line leads from each step to the steps that use what it makes; those of the storage at "
      "fault stand out.</desc>{2}</svg>\n<ol>{3}</ol></div>\n",
      width, height, drawn, rows);
}

}  // namespace noclobber
