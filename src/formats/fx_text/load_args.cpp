#include "src/formats/fx_text/load_args.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/formats/fx_text/fx_text_value.h"

namespace noclobber {
namespace {

constexpr std::size_t kMostLoaded = 100000;

std::vector<SymExpr> contiguous_strides(const std::vector<SymExpr>& shape) {
  std::vector<SymExpr> stride(shape.size());
  SymExpr step = 1;
  for (std::size_t k = shape.size(); k > 0; --k) {
    stride[k - 1] = step;
    const SymExpr& size = shape[k - 1];
    if (size != SymExpr(0)) step = step * size;
  }
  return stride;
}

std::optional<std::vector<SymExpr>> loaded_sizes(const Arg& arg) {
  std::vector<SymExpr> sizes;
  const std::span<const Arg> list = items_of(arg);
  for (const Arg& item : list) {
    if (item.kind != Arg::Kind::sym) return std::nullopt;
    sizes.push_back(item.sym);
  }
  return sizes;
}

class LoadArgs {
 public:
  explicit LoadArgs(std::string_view text) : cursor_(text), names_(unused_), values_(cursor_, names_) {}

  std::optional<std::vector<LoadedTensor>> read() {
    while (!cursor_.at_end() && !is_done_) line();
    if (cursor_.failed() || !values_.unread.empty() || tensors_.empty()) return std::nullopt;
    return std::move(tensors_);
  }

 private:
  using Keywords = std::vector<std::pair<std::string, Arg>>;

  void line();
  void storage(std::string_view name);
  void tensor();
  std::vector<Arg> call(Keywords& keywords);
  void define_symbols(std::string_view text);

  FxCursor cursor_;
  Graph unused_;
  FxNames names_;
  FxValues values_;
  std::map<std::string, SymExpr, std::less<>> storages_;
  std::vector<LoadedTensor> tensors_;
  bool is_done_ = false;
};

/// The text does not define symbols: each stands for itself.
void LoadArgs::define_symbols(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (is_fx_letter(text[end]) || is_fx_digit(text[end]))) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool is_symbol = word.size() > 1 && (word[0] == 's' || word[0] == 'u') && is_fx_digit(word[1]);
    if (is_symbol && !names_.knows(word)) names_.bind(word, Arg::of(SymExpr::symbol(std::string(word))));
    at = std::max(end, at + 1);
  }
}

void LoadArgs::line() {
  const std::string_view rest = cursor_.rest();
  define_symbols(rest.substr(0, rest.find('\n')));
  cursor_.skip_blanks();
  if (cursor_.take("reader.tensor")) {
    tensor();
  } else if (cursor_.take("load_args._version")) {
    is_done_ = true;
  } else if (const std::string_view name = cursor_.identifier(); !name.empty()) {
    cursor_.skip_blanks();
    if (cursor_.take("= reader.storage")) storage(name);
  }
  cursor_.next_line();
}

std::vector<Arg> LoadArgs::call(Keywords& keywords) {
  std::vector<Arg> args;
  values_.arguments(args, keywords);
  return args;
}

void LoadArgs::storage(std::string_view name) {
  Keywords keywords;
  const std::vector<Arg> args = call(keywords);
  if (cursor_.failed()) return;
  if (args.size() != 2 || args[1].kind != Arg::Kind::sym) return cursor_.fail("a storage has no size");
  storages_[std::string(name)] = args[1].sym;
  names_.bind(name, Arg::of_graph(std::string(name)));
}

void LoadArgs::tensor() {
  Keywords keywords;
  const std::vector<Arg> args = call(keywords);
  if (cursor_.failed()) return;
  if (args.size() < 2 || args.size() > 3 || args[0].kind != Arg::Kind::graph ||
      tensors_.size() == kMostLoaded)
    return cursor_.fail("a tensor is described in another form");
  LoadedTensor added;
  added.storage = args[0].text;
  added.bytes = storages_.at(added.storage);
  added.type.dtype = Dtype::f32;
  added.type.strides = Type::Strides::given;
  auto shape = loaded_sizes(args[1]);
  if (!shape) return cursor_.fail("a size is no integer");
  added.type.shape = *std::move(shape);
  added.type.stride = contiguous_strides(added.type.shape);
  std::optional<Arg> stride = args.size() == 3 ? std::optional(args[2]) : std::nullopt;
  for (auto& [key, value] : keywords) {
    if (key == "dtype" && value.kind == Arg::Kind::dtype) added.type.dtype = value.dtype;
    if (key == "storage_offset" && value.kind == Arg::Kind::sym) added.type.offset = value.sym;
    if (key == "stride") stride = value;
  }
  if (stride && stride->kind != Arg::Kind::none) {
    auto given = loaded_sizes(*stride);
    if (!given || given->size() != added.type.shape.size()) return cursor_.fail("a stride is no integer");
    added.type.stride = *std::move(given);
  }
  tensors_.push_back(std::move(added));
}

bool fits(const Type& type, const LoadedTensor& tensor) {
  return type.dtype == tensor.type.dtype && type.shape == tensor.type.shape &&
         (type.strides != Type::Strides::given || type.stride == tensor.type.stride);
}

bool place_graph(Graph& graph, const std::vector<LoadedTensor>& tensors) {
  std::map<std::string, int> users;
  for (const LoadedTensor& tensor : tensors) ++users[tensor.storage];
  std::size_t next = 0;
  for (Input& input : graph.inputs) {
    if (input.kind == Input::Kind::constant) continue;
    SharedType& type = graph.values[input.value.index].type;
    if (next == tensors.size() || !type || !fits(*type, tensors[next])) return false;
    const LoadedTensor& tensor = tensors[next++];
    type.edit().strides = Type::Strides::given;
    type.edit().stride = tensor.type.stride;
    type.edit().offset = tensor.type.offset;
    const int bytes = bit_width(type->dtype) / 8;
    const bool is_shared = users[tensor.storage] > 1;
    if (is_shared && (bytes == 0 || !tensor.bytes.is_constant())) return false;
    if (bytes == 0 || !tensor.bytes.is_constant()) continue;
    if (is_shared || type->offset != SymExpr(0)) input.storage = tensor.storage;
    if (!input.storage.empty()) input.storage_numel = SymExpr(tensor.bytes.constant() / bytes);
  }
  return next == tensors.size();
}

}  // namespace

std::optional<std::vector<LoadedTensor>> read_load_args(std::string_view text) {
  const std::size_t begin = text.rfind("def load_args(reader):");
  if (begin == text.npos) return std::nullopt;
  return LoadArgs(text.substr(begin)).read();
}

bool place_inputs(Case& value, const std::vector<LoadedTensor>& tensors) {
  Graph after = value.after;
  std::optional<Graph> before = value.before;
  if (!place_graph(after, tensors) || (before && !place_graph(*before, tensors))) return false;
  value.after = std::move(after);
  value.before = std::move(before);
  return true;
}

}  // namespace noclobber
