// A printed Lightning Thunder trace.
#include "src/inputs/format.h"
#include "src/inputs/thunder_files.h"
#include "src/lower/checks.h"
#include "src/lower/thunder/thunder.h"
#include "src/text/file.h"

namespace noclobber {
namespace {

/// Before its `def`, a Thunder trace imports from thunder or names the pass that made it. The names of its
/// functions are recognized as well.
bool begins_thunder(std::string_view text) {
  return begins_with_line(text, [](std::string_view line) {
    for (const std::string_view start :
         {"# Constructed by ", "import thunder", "from thunder", "def computation(", "def backward_fn(",
          "def prologue(", "def epilogue(", "def augmented_forward_fn("})
      if (line.starts_with(start)) return true;
    return false;
  });
}

Looks looks_thunder(const Glimpse& file) {
  const bool is_printed =
      has_any(file.begin, {"# Constructed by ", "def computation(", "def backward_fn(", "def prologue(",
                           "def epilogue(", "def augmented_forward_fn("});
  return is_printed ? Looks::thunder : Looks::strange;
}

Result<Opened> open_thunder(FileText file) {
  Opened out;
  const std::string inputs = thunder_inputs_beside(file.path);
  for (TraceCheck& own : read_thunder({stem_of(file.path), std::move(file.text)}, inputs))
    out.checks.push_back(file_check(std::move(own), false));
  return out;
}

Result<Side> side_of_thunder(const std::string&, bool) {
  return Diagnostic{"", "is a Thunder trace; it is compared with another one"};
}

}  // namespace

const InputFormat kThunderFormat = {"Thunder trace", begins_thunder, looks_thunder, open_thunder,
                                    side_of_thunder};

}  // namespace noclobber
