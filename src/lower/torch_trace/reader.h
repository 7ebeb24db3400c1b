// Groups the graphs in the records of a log into checks.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/lower/checks.h"
#include "src/lower/torch_trace/graphs.h"

namespace noclobber {

/// One compilation, with its graphs in log order.
struct TraceCompile {
  std::string directory;  // "-_0_0_0"; "" if the records carry no numbers
  std::string attempts;   // the same without the attempt, and a count of starts under these numbers
  std::int64_t attempt = 0;
  std::vector<TraceGraph> graphs;
  std::set<std::string> unchecked;
  TraceFacts facts;
};

/// The texts and facts that checks are read from.
struct TraceTexts {
  std::shared_ptr<const void> payloads;  // owns the text that the graphs refer to
  std::vector<TraceCompile> compiles;
  TraceGraphs graphs;
};

class TraceReader {
 public:
  explicit TraceReader(std::shared_ptr<const void> payloads) { texts_->payloads = std::move(payloads); }
  /// Takes the next record of the log. Its payload must live as long as `payloads`.
  void take(const TraceRecord& record);
  /// True if the payload of the record is used.
  static bool wants_payload(const OrderedJson& meta);
  /// The log so far; the reader of the records adds its notes.
  TraceLog& log() { return log_; }
  /// Makes the checks after the last record.
  /// `inside_a_line`: the log ends without a line break.
  TraceLog finish(bool inside_a_line = false);

 private:
  TraceCompile& compile_of(const OrderedJson& meta);
  void checks_of(TraceCompile& compile);
  bool pairs_of(const TraceCompile& compile, TraceGraph::Kind before_kind, TraceGraph::Kind after_kind,
                bool trains, bool names_left);
  void splits_of(TraceCompile& compile, bool names_left);
  void add_single(const TraceCompile& compile, const TraceGraph& graph, bool trains);
  void add_split(const TraceCompile& compile, const TraceGraph& joint, const TraceGraph& forward,
                 const TraceGraph& backward);
  void add_pair(const TraceCompile& compile, const TraceGraph& before, const TraceGraph& after, bool trains);
  void add_singles(const TraceCompile& compile, bool trains, bool has_joint);
  void number_ids();
  void number_alike(TraceCheck& check, const TraceCompile& compile, std::vector<const TraceGraph*> graphs,
                    bool trains);
  void forget_unlike();
  void note_cut_graph(bool inside_a_line);
  void add(TraceCheck check, const TraceCompile& compile, const TraceGraph& after);

  /// What a check is read from: everything that its Case depends on, except for the name.
  struct Source {
    std::vector<const TraceGraph*> graphs;
    bool trains = false;
    const TraceFacts* facts = nullptr;
    std::uint64_t number = 0;
    bool is_as(const Source& other) const;
  };

  TraceLog log_;
  std::shared_ptr<TraceTexts> texts_ = std::make_shared<TraceTexts>();
  std::map<std::string, std::size_t> by_directory_;
  std::map<std::string, int> starts_;                  // per directory without the attempt
  std::map<std::string, std::int64_t> last_attempts_;  // that logged a graph
  std::set<std::string> unchecked_;
  std::unordered_multimap<std::uint64_t, Source> sources_;  // by a hash of the texts
  std::size_t last_line_ = 0;                               // of the last record
};

}  // namespace noclobber
