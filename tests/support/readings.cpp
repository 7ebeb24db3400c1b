#include "tests/support/readings.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <tuple>

#include "checker/text/hash.h"
#include "src/inputs/thunder_files.h"
#include "src/text/file.h"
#include "tests/support/corpus.h"
#include "tests/support/readers.h"
#include "tests/support/source_dir.h"

namespace noclobber::testing {
namespace {

constexpr const char* kReadingsHead = "reader\tfile\tbytes of what is read\tits text";
constexpr const char* kFolder = "thunder-folder";  // all passes of one compilation, with its backward
const std::filesystem::path kCorpus = in_sources("/corpus");

std::string line_of(const std::string& reader, const std::string& file, const std::string& text) {
  return fmt::format("{}\t{}\t{}\t{:.12}", reader, file, text.size(), sha256(text));
}

std::string line_of(const std::string& reader, const std::string& file) {
  if (reader == kFolder)
    return line_of(reader, file, checks_text(read_thunder_directory((kCorpus / file).string())));
  const auto bytes = read_file((kCorpus / file).string());
  if (!bytes) return bytes.fault().message;
  const Reader* known = find_reader(reader);
  if (known == nullptr) return "no reader is called " + reader;
  return line_of(reader, file, known->text(*bytes));
}

}  // namespace

Readings readings() {
  // reader, folder, how its files end
  const std::tuple<const char*, const char*, const char*> kept[] = {
      {"log", "logs", ".log.gz"},         {"thunder", "thunder", ".trace.txt"}, {"mlx", "programs", ".mlx"},
      {"pte", "programs", ".pte"},        {"pt2", "programs", ".pt2"},          {"pt2", "pt2", ".pt2"},
      {"case", "programs", ".case.json"},
  };
  Readings out{kReadingsHead};
  for (const auto& [reader, folder, ending] : kept)
    for (const std::string& file : corpus_files(folder, ending)) out.push_back(line_of(reader, file));
  for (const std::string& folder : corpus_folders("thunder", ".trace.txt"))
    out.push_back(line_of(kFolder, folder));
  for (const Reader& reader : readers())
    for (const std::string& file : corpus_files("fuzz/" + std::string(reader.name), ""))
      out.push_back(line_of(std::string(reader.name), file));
  return out;
}

Readings held_readings(const std::string& reader) {
  std::ifstream page(kCorpus / "readings.tsv");
  Readings out;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with(reader + "\t")) out.push_back(line);
  return out;
}

std::string read_again(const std::string& line) {
  const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
  return line_of(line.substr(0, first), line.substr(first + 1, second - first - 1));
}

}  // namespace noclobber::testing
