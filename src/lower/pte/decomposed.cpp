// Operators of exported programs that ExecuTorch's dialect lacks, as their equivalents there.
#include "src/lower/pte/case.h"

namespace noclobber {
namespace {

using PteSizes = std::vector<SymExpr>;

class Decomposition {
 public:
  Decomposition(Graph& graph, Step& step) : graph_(graph), step_(step) {}

  void run() {
    if (step_.op == "aten.softmax.int") return softmax("aten._softmax.default");
    if (step_.op == "aten.log_softmax.int") return softmax("aten._log_softmax.default");
    if (step_.op == "aten.linear.default") return linear();
    if (step_.op == "aten.matmul.default") return matmul();
  }

 private:
  const Type* type_of(std::size_t k) const {
    if (k >= step_.args.size() || step_.args[k].kind != Arg::Kind::ref) return nullptr;
    const auto& type = graph_.value(step_.args[k].ref).type;
    return type ? &*type : nullptr;
  }

  /// Only without a dtype argument. The third argument, `half_to_float`, is false: half stays half.
  void softmax(const char* op) {
    if (!step_.kwargs.empty()) return;
    if (step_.args.size() == 3 && step_.args[2].kind == Arg::Kind::none) step_.args.pop_back();
    if (step_.args.size() != 2) return;
    step_.op = op;
    step_.args.push_back(Arg::of_bool(false));
  }

  void linear() {
    const Type *x = type_of(0), *w = type_of(1);
    const bool plain = step_.kwargs.empty() && x && w && x->shape.size() > 1 && w->shape.size() == 2;
    if (!plain) return;
    const Type left = *x;
    const Arg turned = emit("aten.permute_copy.default", {step_.args[1], numbers({1, 0})}, w->dtype,
                            {w->shape[1], w->shape[0]});
    const bool biased = step_.args.size() > 2 && step_.args[2].kind == Arg::Kind::ref;
    if (left.shape.size() == 3 && !lies_in_rows(left)) return products(left, turned, biased);
    std::vector<Arg> first;
    if (biased) first.push_back(step_.args[2]);
    product(biased ? "aten.addmm.default" : "aten.mm.default", std::move(first), left, turned, w->shape[0]);
  }

  /// The product of matrices that are not stored one after another: a batch, with the right side repeated.
  void products(const Type& left, const Arg& right, bool biased) {
    const SymExpr count = left.shape[0], rows = left.shape[1], inner = left.shape[2];
    const SymExpr columns = graph_.value(right.ref).type->shape[1];
    const auto spread = [&](const Arg& of, const PteSizes& shape) {
      const Arg each = emit("aten.expand_copy.default", {of, sizes(shape)}, left.dtype, shape);
      return emit("aten.view_copy.default", {each, sizes(shape)}, left.dtype, shape);
    };
    const PteSizes whole{count, rows, columns};
    const Arg x = spread(step_.args[0], {count, rows, inner}), y = spread(right, {count, inner, columns});
    const Arg made = emit("aten.bmm.default", {x, y}, left.dtype, whole);
    const std::vector<Arg> shown{made, sizes(whole)};
    step_.op = biased ? "aten.add.Tensor" : "aten.view_copy.default";
    step_.args =
        biased ? std::vector<Arg>{emit("aten.view_copy.default", shown, left.dtype, whole), step_.args[2]}
               : shown;
  }

  /// True unless given strides say otherwise.
  static bool lies_in_rows(const Type& type) {
    if (type.strides != Type::Strides::given || type.stride.size() != type.shape.size()) return true;
    SymExpr next = 1;
    for (std::size_t k = type.shape.size(); k-- > 0; next = next * type.shape[k])
      if (type.stride[k] != next && type.shape[k] != SymExpr(1)) return false;
    return true;
  }

  void matmul() {
    const Type *x = type_of(0), *y = type_of(1);
    if (!step_.kwargs.empty() || !x || !y || x->shape.size() < 2) return;
    if (y->shape.size() == 2) return product("aten.mm.default", {}, Type(*x), step_.args[1], y->shape[1]);
    if (x->shape.size() == 3 && y->shape.size() == 3 && x->shape[0] == y->shape[0])
      step_.op = "aten.bmm.default";
  }

  /// Flattens all leading dimensions to rows, multiplies, and restores the dimensions.
  void product(const char* op, std::vector<Arg> args, const Type& left, const Arg& right, SymExpr columns) {
    const std::size_t rank = left.shape.size();
    Arg rows = step_.args[0];
    SymExpr count = 1;
    for (std::size_t k = 0; k + 1 < rank; ++k) count = count * left.shape[k];
    if (rank > 2)
      rows = emit("aten.view_copy.default", {rows, sizes({count, left.shape.back()})}, left.dtype,
                  {count, left.shape.back()});
    args.push_back(rows);
    args.push_back(right);
    if (rank == 2) {
      step_.op = op;
      step_.args = std::move(args);
      return;
    }
    const Arg flat = emit(op, std::move(args), left.dtype, {count, columns});
    PteSizes whole(left.shape.begin(), left.shape.end() - 1);
    whole.push_back(std::move(columns));
    step_.op = "aten.view_copy.default";
    step_.args = {flat, sizes(whole)};
  }

  static Arg sizes(const PteSizes& all) {
    std::vector<Arg> out;
    for (const SymExpr& size : all) out.push_back(Arg::of(size));
    return Arg::of(std::move(out));
  }
  static Arg numbers(std::initializer_list<int> all) {
    std::vector<Arg> out;
    for (const int number : all) out.push_back(Arg::of(SymExpr(number)));
    return Arg::of(std::move(out));
  }

  /// Appends a step before this one, and returns its result.
  Arg emit(const char* op, std::vector<Arg> args, Dtype dtype, PteSizes shape) {
    Type type;
    type.dtype = dtype;
    type.shape = std::move(shape);
    std::string name = free_name(graph_, "lowered");
    graph_.values.push_back({std::move(name), Value::From::step,
                             static_cast<std::uint32_t>(graph_.steps.size()), 0, std::move(type)});
    const ValueId id(graph_.values.size() - 1);
    Step& made = graph_.steps.emplace_back();
    made.op = op;
    made.args = std::move(args);
    made.results = {id};
    return Arg::of(id);
  }

  Graph& graph_;
  Step& step_;
};

}  // namespace

void decompose(Graph& graph, Step& next) { Decomposition(graph, next).run(); }

}  // namespace noclobber
