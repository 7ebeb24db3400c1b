// What a log states about one compilation besides its graphs: ranges of symbols, guards, and which of the
// caller's tensors share storage.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/torch_trace/records.h"
#include "src/graph/case.h"

namespace noclobber {

class TraceFacts {
 public:
  /// Reads the facts of a record, if it has any.
  void read(const OrderedJson& meta);

  /// Reads the payload of aot_forward_graph_fw_metadata: which outputs AOTAutograd's wrapper copies into
  /// inputs, and which it replaces by views of them.
  void read_aliases(std::string_view payload);
  /// An output of a forward or inference graph that aliases an input may share storage with any numbered
  /// input; one that is copied into an input, with those that nothing is copied into.
  void give_aliases(Case& value) const;
  /// Called after the last record, before any of the functions that give facts.
  void settle();
  /// True if both give every Case the same facts. require: settle() of both.
  bool gives_as(const TraceFacts& other) const;
  /// Adds the ranges of the symbols that the Case has, and the guards over these symbols alone.
  void give_symbols(Case& value) const;
  /// Sets which inputs share storage, or `inputs_may_overlap` if that is unknown. require: the inputs of
  /// `before` and `after` correspond.
  void give_storages(Case& value, bool is_backward) const;

 private:
  using TensorKey = std::pair<std::int64_t, std::int64_t>;  // describer, number
  struct Tensor {
    std::string dtype;
    std::optional<std::vector<std::int64_t>> size, stride;
    std::int64_t offset = 0;
    TensorKey storage{-1, -1};
  };
  /// The facts that are used of a tensor that the caller passes.
  struct Passed {
    std::string dtype;
    std::optional<std::vector<std::int64_t>> size, stride;
    // If it shares storage: its offset in elements, and the storage's number and size in bytes.
    bool shares = false;
    std::int64_t offset = 0, storage = -1;
    std::optional<std::int64_t> bytes;
    friend bool operator==(const Passed&, const Passed&) = default;
  };
  struct Place {  // an input and its tensor of the caller
    std::size_t input = 0;
    const Tensor* tensor = nullptr;
  };

  Passed passed(const TensorKey& key, bool shares) const;
  void read_symbol(const OrderedJson& record, bool unbacked);
  void read_specialization(const OrderedJson& record);
  void read_guard(const OrderedJson& record);
  void read_tensor(const OrderedJson& record);
  void read_source(const OrderedJson& record);
  bool matches(const Type& type, const Tensor& tensor) const;
  std::vector<const Tensor*> sharing() const;
  bool find_places(const Graph& graph, std::vector<Place>& places) const;
  bool place(Graph& graph, const std::vector<Place>& places) const;

  std::map<std::string, SymbolRange> ranges_;
  std::map<std::string, std::int64_t> hints_;
  std::set<std::string> seen_guards_;
  std::vector<SymRelation> guards_;
  std::map<TensorKey, Tensor> tensors_;
  std::map<TensorKey, std::int64_t> storage_bytes_;
  /// What the wrapper does with an output of the forward graph: returns it, returns a view of an input
  /// instead, or copies it into an input.
  enum class Fate : std::uint8_t { returned, remade, copied };
  std::vector<Fate> fates_;          // per output
  std::set<std::int64_t> refilled_;  // flat inputs that outputs are copied into
  std::set<TensorKey> seen_sources_;
  std::vector<TensorKey> sharing_;   // sources that share their storage with another one
  std::vector<TensorKey> sources_;   // tensors that the caller passes, in order, each once
  std::vector<Passed> passed_;       // the facts of `sources_`
  bool several_describers_ = false;  // of `sources_`
};

}  // namespace noclobber
