// A plan as a table of buffers.
#include "src/formats/plan_table/plan_csv.h"
#include "src/inputs/format.h"

namespace noclobber {
namespace {

bool begins_table(std::string_view text) { return is_plan_csv(begin_of(text)); }

/// A table of buffers without offsets is a planning problem, not a plan.
Looks looks_table(const Glimpse& file) {
  const std::string_view begin = file.begin, header = begin.substr(0, begin.find('\n'));
  return header.find("offset") != header.npos ? Looks::ours : Looks::strange;
}

Result<Opened> open_table(FileText file) {
  auto table = read_plan_csv(std::move(file.text));
  if (!table) return table.fault();
  if (!table->has_offsets) return Diagnostic{"", "is a problem without offsets; give it as --instance"};
  if (table->rows.empty()) return Diagnostic{"", "is a plan of no buffers: there is nothing to check"};
  Opened out;
  FileCheck& check = out.checks.emplace_back();
  check.what = "plan";
  check.table = *std::move(table);
  return out;
}

Result<Side> side_of_table(const std::string&, bool) {
  return Diagnostic{"", "is a plan without a graph; `noclobber check` reads it"};
}

}  // namespace

const InputFormat kPlanTableFormat = {"plan", begins_table, looks_table, open_table, side_of_table};

}  // namespace noclobber
