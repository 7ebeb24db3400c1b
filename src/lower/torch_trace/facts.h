// What a log says about one compilation besides its graphs: ranges of symbols, guards, and which of the
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
  /// Takes what the record says, if it says anything.
  void read(const OrderedJson& meta);

  /// The payload of aot_forward_graph_fw_metadata: which outputs AOTAutograd's wrapper copies into inputs,
  /// and which it turns into views of them.
  void read_aliases(std::string_view payload);
  /// Output k of a forward or inference graph may share storage with the input it is an alias of; one that is
  /// copied into an input, with all that nothing is copied into.
  void give_aliases(Case& value) const;
  /// After the last record, before anything is given.
  void settle();
  /// Do both give every Case the same? After settle().
  bool gives_as(const TraceFacts& other) const;
  /// Ranges of the symbols that the Case has, and the guards that speak of these only.
  void give_symbols(Case& value) const;
  /// Which inputs share storage. Inputs of `before` and `after` correspond by now. What cannot be known
  /// sets `inputs_may_overlap`.
  void give_storages(Case& value, bool is_backward) const;

 private:
  using TensorKey = std::pair<std::int64_t, std::int64_t>;  // describer, number
  struct Tensor {
    std::string dtype;
    std::optional<std::vector<std::int64_t>> size, stride;
    std::int64_t offset = 0;
    TensorKey storage{-1, -1};
  };
  /// All that is used of a tensor that the caller passes.
  struct Passed {
    std::string dtype;
    std::optional<std::vector<std::int64_t>> size, stride;
    // Where it shares storage: its offset there, the number of the storage and its bytes.
    bool shares = false;
    std::int64_t offset = 0, storage = -1;
    std::optional<std::int64_t> bytes;
    friend bool operator==(const Passed&, const Passed&) = default;
  };
  struct Place {  // of one input inside its storage
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
  /// What the wrapper does with an output of the forward: hands it on, makes a view of an input instead, or
  /// copies it into an input.
  enum class Fate : std::uint8_t { returned, remade, copied };
  std::vector<Fate> fates_;          // per output
  std::set<std::int64_t> refilled_;  // flat inputs that outputs are copied into
  std::set<TensorKey> seen_sources_;
  std::vector<TensorKey> sharing_;   // those whose storage another one of them has too
  std::vector<TensorKey> sources_;   // tensors the caller passes, in order, each once
  std::vector<Passed> passed_;       // these
  bool several_describers_ = false;  // of these
};

}  // namespace noclobber
