// Readers: text to Case. One file per format; all end in the same Case.
//
// Nothing here guesses: a text that is not understood is a Diagnostic with its place.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/graph/placement.h"

namespace noclobber {

/// noclobber.case/1 (case_json.cpp). error: `where` is the JSON pointer of the first fault.
Result<Case> read_case_json(std::string_view text);
/// The same form again: read_case_json(write_case_json(c)) == c up to member order.
std::string write_case_json(const Case& value);

/// One graph in FX text as `print_readable` writes it (fx_text.cpp). error: `where` is "line N, column M",
/// counted from 1 within `text`. Relations learnt from the text (`_assert_scalar`) are not used.
struct FxGraph {
  Graph graph;
  std::map<std::string, SymbolRange> symbols;  // every symbol the text mentions; ranges as far as known
  bool has_strides = false;                    // annotations carried strides
  std::vector<OpDecl> ops;                     // operators whose effects only this text knows
};
Result<FxGraph> read_fx_text(std::string_view text);
/// Prints a graph so that read_fx_text gives the same graph back.
std::string write_fx_text(const Graph& graph);

/// One thing a log lets us check: a Case with an id as tlparse names it.
struct TraceCheck {
  enum class What : std::uint8_t { pair, single };
  What what = What::pair;
  std::string id;  // "-_0_0_0/post_grad", "-_0_0_0/joint", "rank_3/-_0_0_0/post_grad"
  Result<Case> value = Diagnostic{};
  std::function<Result<Case>()> unread;  // makes `value`; keeps the text alive; empty once that is done
  std::vector<std::string> unchecked;    // "output_code", "backward", "pre_grad", ...
  std::size_t line = 0;                  // of the record that holds `after`, 1-based
  std::string file;                      // that holds `after`, if it is not the log itself
  /// Checks of a log that are read from the same texts and facts have the same number: their Cases are equal
  /// but for the name, and so are their answers but for the place. 0: no other check has this one's.
  std::uint64_t alike = 0;

  /// Reads `value` if that is still to be done. Different checks can be read at the same time.
  void read();
};
struct TraceLog {
  std::vector<TraceCheck> checks;      // in order of the log
  std::vector<std::string> unchecked;  // of the whole log, names as in cli.md, sorted
  std::vector<Diagnostic> notes;       // records that could not be read; a cut tail
  bool truncated = false;
  bool any_graph = false;
  std::size_t records = 0;
};
/// A TORCH_TRACE log (torch_trace.cpp); never fails, what it cannot read is in `notes`. Its graphs are left
/// unread, as a log holds many and each is wanted for a moment.
TraceLog read_torch_trace(std::string text);

/// A plan as a table `id,lower,upper,size,offset` (plan_csv.cpp); without `offset` it is a problem, whose
/// buffers must all be placed. error: `where` is "line N, byte M".
Result<PlanTable> read_plan_csv(std::string text);
bool is_plan_csv(std::string_view text);

/// A printed Lightning Thunder trace (thunder.cpp) with the name of its file.
struct ThunderFile {
  std::string name;  // "05_grad-transform-pass"
  std::string text;
};
/// The checks of one text: its trace alone, or each pair of consecutive ones. `inputs`: the text of
/// `inputs.json` (noclobber.inputs/1) beside it, or "". error of a check: "line N, column M".
std::vector<TraceCheck> read_thunder(const ThunderFile& file, const std::string& inputs);
/// BEFORE against AFTER, one trace each.
Result<Case> read_thunder_pair(const ThunderFile& before, const ThunderFile& after,
                               const std::string& inputs);
/// Numbered traces in order: each consecutive pair, a joint trace by itself, and forward with backward.
std::vector<TraceCheck> read_thunder_sequence(const std::vector<ThunderFile>& forward,
                                              const std::vector<ThunderFile>& backward,
                                              const std::string& inputs);

/// A folder that tlparse wrote, or one compilation's folder in it (trace_folder.cpp): the records of
/// raw.jsonl with the files they name, or without it whatever graphs the compilations' folders hold. Its
/// graphs are left unread.
TraceLog read_tlparse_folder(const std::string& path);
/// A folder of TORCH_COMPILE_DEBUG: fx_graph_readable.py and fx_graph_transformed.py are a pair, and
/// fx_graph_runnable.py tells which inputs share storage (debug_folder.cpp).
TraceLog read_debug_folder(const std::string& path);
/// "-_0_0_0", "0_0_0", "unknown_17": how tlparse calls the folder of a compilation.
bool is_compilation_folder(std::string_view name);

/// The exported programs of a torch.export archive as graphs to check (pt2.cpp), in order of the archive;
/// a Case has the name of its model. error: `where` is the member and the JSON pointer in it.
/// `with_contents`: digests of the weights as well, which takes reading all of them.
Result<std::vector<Case>> read_pt2(std::string_view bytes, bool with_contents = false);

/// A file's bytes, unpacked if they are gzip (by content); "-" is standard input. error: `where` is the
/// path. Bound: `max_bytes` after unpacking. (file.cpp)
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = std::size_t{4} << 30);

/// "logs/simple.case.json.gz" -> "simple": the id of a check that has no other name. "-" -> "stdin".
std::string stem_of(const std::string& path);

}  // namespace noclobber
