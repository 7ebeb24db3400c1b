// Operators without a kernel: each result element is a hash of everything the call reads.
#include "src/interp/run_hash.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "src/interp/run_machine.h"
#include "src/interp/run_special.h"
#include "src/interp/run_step.h"
#include "src/ops/row.h"

namespace noclobber {
namespace {

/// One argument that is read: element by element along the result, or as a whole.
struct HashOperand {
  Datum datum;
  bool elementwise = false;
  bool own = false;  // a written argument: its contents from before the call count
};

struct HashPlan {
  std::string name;
  std::vector<HashOperand> operands;
  std::uint64_t salt = 0;
  bool before_write = false;
  bool draws = false;      // elements are numbered as they lie in memory
  bool pointwise = false;  // a function of the elements alone, not of their index
  /// The interval of drawn numbers, without its upper end.
  std::optional<std::pair<double, double>> within;
};

bool meets(const Array& a, const Array& b) {
  return a.memory.bytes == b.memory.bytes && a.memory.bytes != nullptr;
}

bool any_meets(const Datum& datum, const Array& target) {
  if (datum.kind == Datum::Kind::tensor) return meets(datum.tensor, target);
  return std::any_of(datum.list.begin(), datum.list.end(),
                     [&](const Datum& d) { return any_meets(d, target); });
}

/// A digest of everything that is not read element by element.
std::uint64_t whole_digest(const HashPlan& plan, Call& call) {
  Digest digest;
  digest.add(plan.name);
  digest.add(plan.salt);
  for (const HashOperand& operand : plan.operands) {
    if (!operand.elementwise) {
      add_datum(digest, call, operand.datum);
      continue;
    }
    digest.add(static_cast<std::uint64_t>(operand.datum.tensor.at.dtype));
  }
  return digest.value();
}

/// The position of row-major element k in memory order (dimensions by descending stride).
std::int64_t place_in_memory(const Geometry& g, std::int64_t k) {
  std::vector<std::pair<std::int64_t, std::size_t>> dims;
  std::vector<std::int64_t> index(g.shape.size());
  for (std::size_t d = g.shape.size(); d-- > 0;) {
    index[d] = k % g.shape[d];
    k /= g.shape[d];
    if (g.shape[d] > 1) dims.emplace_back(-g.stride[d], d);
  }
  std::sort(dims.begin(), dims.end());
  std::int64_t place = 0;
  for (const auto& [stride, d] : dims) place = place * g.shape[d] + index[d];
  return place;
}

std::uint64_t element_digest(const HashPlan& plan, Call& call, std::uint64_t whole, std::size_t result,
                             const Geometry& out, std::int64_t k) {
  Digest digest;
  digest.add(whole);
  digest.add(result);
  if (!plan.pointwise) digest.add(static_cast<std::uint64_t>(plan.draws ? place_in_memory(out, k) : k));
  for (const HashOperand& operand : plan.operands)
    if (operand.elementwise)
      add_element(digest, call, operand.datum.tensor, Elements(operand.datum.tensor.at, out.shape).at(k));
  return digest.value();
}

bool broadcasts_to(const Datum& datum, const Extents& shape) {
  if (datum.kind != Datum::Kind::tensor) return false;
  const auto both = broadcast_shapes(datum.tensor.at.shape, shape);
  return both && *both == shape;
}

/// A number of the interval; an integer if the type is one.
Number drawn_number(Dtype type, std::uint64_t bits, const std::pair<double, double>& within) {
  const auto [low, high] = within;
  const double part = static_cast<double>((bits >> 40U) % 128) / 128;
  const bool whole = std::floor(high) != high;  // a fractional end: only integers are drawn
  if (is_floating(type) && !whole) return Number::of_real(low + (high - low) * part);
  if (is_floating(type)) return Number::of_real(std::floor(low + (high - low) * part));
  return Number::of(static_cast<std::int64_t>(std::floor(low + (high - low) * part)));
}

/// Fills result number `result`. Reads live memory while it writes, unless `before_write` is set.
void write_hashes(HashPlan plan, Call& call, const Array& out, std::size_t result, bool partial = false) {
  bool live = false, all_defined = true;
  for (HashOperand& operand : plan.operands) {
    operand.elementwise = operand.elementwise && broadcasts_to(operand.datum, out.at.shape);
    live = live || (!operand.elementwise && any_meets(operand.datum, out));
  }
  const std::int64_t count = out.at.numel();
  if (!call.spend({count})) return;
  call.begin();
  std::uint64_t whole = whole_digest(plan, call);
  all_defined = call.all_defined();
  std::vector<std::pair<Number, bool>> first;
  const Elements to(out.at);
  auto value_of = [&](std::int64_t k) {
    call.begin();
    if (live && !plan.before_write) {
      whole = whole_digest(plan, call);
      all_defined = call.all_defined();
    }
    const std::uint64_t bits = element_digest(plan, call, whole, result, out.at, k);
    const bool narrow = plan.within && result == 0 && !is_complex(out.at.dtype);
    const Number number =
        narrow ? drawn_number(out.at.dtype, bits, *plan.within) : plausible(out.at.dtype, bits);
    return std::pair(number, call.all_defined() && all_defined);
  };
  for (std::int64_t k = 0; plan.before_write && k < count && call.ok(); ++k) first.push_back(value_of(k));
  for (std::int64_t i = 0; i < count && call.ok(); ++i) {
    const std::int64_t k = call.backwards ? count - 1 - i : i;
    if (partial && k % 2 != 0) continue;
    const auto [number, defined] = plan.before_write ? first[static_cast<std::size_t>(k)] : value_of(k);
    call.begin(defined);
    call.store(out, to.at(k), number);
  }
}

std::string access_of(const OpDecl& decl, const std::string& name) {
  const auto own = decl.access.find(name);
  if (own != decl.access.end()) return own->second;
  const auto all = decl.access.find("*");
  return all != decl.access.end() ? all->second : "any";
}

/// The declaration with access contracts: its own, or that of the operator's in-place variant.
const OpDecl* access_declaration(const OpSet& ops, const Invocation& call, const OpDecl& decl,
                                 const Schema*& schema) {
  schema = call.schema;
  if (!decl.access.empty()) return &decl;
  for (const DeclaredOp& other : ops.declared())
    if (other.decl.functional == call.op && !other.decl.access.empty()) {
      schema = &other.schema;
      return &other.decl;
    }
  return &decl;
}

/// The result tensors: fresh, by their types in the dump. Empty for results that are written arguments.
std::vector<Datum> hash_outputs(Machine& m, Frame& frame, const Step& step, const Invocation& invocation,
                                Call& call) {
  const Schema& schema = *invocation.schema;
  std::vector<Datum> outputs;
  const bool list = schema.returns.size() == 1 && schema.returns[0].type == SchemaSlot::Type::tensor_list;
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const SchemaSlot* slot = list                        ? &schema.returns[0]
                             : i < schema.returns.size() ? &schema.returns[i]
                                                         : nullptr;
    const ValueId id = step.results[i];
    if (!id.valid() || (slot && slot->written)) {
      outputs.emplace_back();
      continue;
    }
    const std::optional<Type>& type = frame.graph->value(id).type;
    const auto tensor = type ? m.concrete(*type) : std::nullopt;
    if (!tensor) {
      if (!m.stopped) m.unsupported(step.op + " (nothing says what it returns)");
      return outputs;
    }
    if (slot && !slot->alias.empty()) {  // a view without a rule
      const Datum* base = nullptr;
      for (std::size_t j = 0; j < schema.arguments.size() && j < invocation.live.size(); ++j)
        if (schema.arguments[j].alias == slot->alias && invocation.live[j].kind == Datum::Kind::tensor)
          base = &invocation.live[j];
      const bool same =
          base && base->tensor.at.dtype == tensor->dtype && base->tensor.at.shape == tensor->shape;
      if (!same) m.unsupported(step.op + " (a view without a rule)");
      outputs.push_back(same ? *base : Datum{});
      continue;
    }
    outputs.push_back(Datum::of(call.scratch(tensor->dtype, tensor->shape, tensor->stride)));
  }
  return outputs;
}

/// A copy of `datum` whose tensors have bytes of their own.
Datum held(const Datum& datum, std::deque<Buffer>& copies) {
  Datum out = datum;
  for (Datum& item : out.list) item = held(item, copies);
  if (datum.kind != Datum::Kind::tensor || datum.tensor.memory.size == 0) return out;
  const Memory& m = datum.tensor.memory;
  Buffer& copy = copies.emplace_back();
  copy.bytes.assign(m.bytes, m.bytes + m.size);
  copy.defined.assign(m.defined, m.defined + m.size);
  copy.writer.assign(m.writer, m.writer + m.size);
  out.tensor.memory = {copy.bytes.data(), copy.defined.data(), copy.writer.data(), m.size, 0xffffffffU, -1};
  return out;
}

/// Writes every result of a hashed call: written arguments first, as a real kernel has no other place for
/// them.
void run_plan(HashPlan plan, Call& call, const std::vector<HashTarget>& targets,
              const std::vector<Datum>& outputs, const Schema& schema) {
  std::deque<Buffer> copies;
  for (HashOperand& operand : plan.operands)
    if (operand.own) operand.datum = held(operand.datum, copies);
  for (const HashTarget& target : targets)
    write_hashes(plan, call, target.tensor, target.result, target.partial);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool view = i < schema.returns.size() && !schema.returns[i].alias.empty();
    if (outputs[i].kind == Datum::Kind::tensor && !view) write_hashes(plan, call, outputs[i].tensor, i);
  }
}

/// Sizes as a digest takes them. Of drawn numbers only the count matters, not the shape.
Datum sizes_counted(const Extents& sizes, bool drawn) {
  std::vector<Datum> out;
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    out.push_back(Datum::of(size));
    count = size == 0 || count > kWorkBound / size ? 0 : count * size;
  }
  return Datum::of_list(drawn ? std::vector<Datum>{Datum::of(count)} : std::move(out));
}

/// The name that is hashed: `same_as` of the operator's row, if it has one.
std::string function_name(const std::string& name) {
  const OpRow* row = find_row(base_name(name));
  if (row == nullptr || row->same_as.empty()) return name;
  return std::string(row->same_as) + name.substr(base_name(name).size());
}

}  // namespace

void run_hash(Machine& m, Frame& frame, const Step& step, const Invocation& invocation, std::uint64_t salt) {
  const Schema& schema = *invocation.schema;
  const auto writes = [&](std::size_t k, const SchemaSlot& slot) {
    return slot.written || std::ranges::find(invocation.silent, k) != invocation.silent.end();
  };
  const std::vector<HashTarget> targets = targets_of(step, invocation);
  HashPlan plan;
  const std::string functional = m.ops.functional(step.op), own = functional.empty() ? *step.op : functional;
  plan.name = function_name(own);
  plan.salt = salt;
  plan.draws = invocation.draws;
  if (plan.draws) plan.within = drawn_within(own, invocation);
  const Schema* meant = m.ops.find(own);  // tags of in-place forms may be missing
  plan.pointwise = !plan.draws && is_elementwise(base_name(own), meant != nullptr ? *meant : schema);
  for (std::size_t i = 0; i < invocation.args.size(); ++i) {
    const SchemaSlot& slot = schema.arguments[std::min(i, schema.arguments.size() - 1)];
    if (slot.written && slot.keyword_only) continue;
    plan.operands.push_back(
        {counted(invocation, i),
         plan.pointwise && !invocation.unread[i] && invocation.args[i].kind == Datum::Kind::tensor,
         writes(i, slot) && !invocation.unread[i]});
  }
  Call call = m.new_call(frame);
  const std::vector<Datum> outputs = hash_outputs(m, frame, step, invocation, call);
  if (m.going()) run_plan(plan, call, targets, outputs, schema);
  m.adopt(call);
  if (call.fault) return m.take_fault(frame, *call.fault);
  m.run.hashed.insert(own);
  if (m.going()) bind_results(m, frame, step, invocation, outputs);
}

void run_declared(Machine& m, Frame& frame, const Step& step, const Invocation& invocation,
                  const OpDecl& decl) {
  const Schema& schema = *invocation.schema;
  HashPlan plan;
  const std::string functional = m.ops.functional(step.op);
  plan.name = functional.empty() ? *step.op : functional;
  const Schema* access_schema = nullptr;
  std::vector<HashTarget> targets = targets_of(step, invocation);
  const OpDecl* access = access_declaration(m.ops, invocation, decl, access_schema);
  plan.before_write = decl.before_write;
  for (std::size_t i = 0; i < invocation.args.size(); ++i) {
    const SchemaSlot& slot = schema.arguments[std::min(i, schema.arguments.size() - 1)];
    const bool reads = !slot.written || reads_old(decl, slot);
    if (slot.written && !reads && writes_some(decl, slot)) {
      std::vector<Array> own;
      flatten_tensors(invocation.live[i], own);
      for (HashTarget& target : targets)
        target.partial = target.partial || std::ranges::any_of(own, [&](const Array& one) {
                           return meets(one, target.tensor) && one.at == target.tensor.at;
                         });
    }
    if (!reads) continue;
    const bool known = i < access_schema->arguments.size();
    const bool elementwise = known && access_of(*access, access_schema->arguments[i].name) == "elementwise";
    plan.operands.push_back(
        {invocation.args[i], elementwise && invocation.args[i].kind == Datum::Kind::tensor, slot.written});
  }
  if (!decl.pure) note_effect(m, invocation, 0);
  Call call = m.new_call(frame);
  const std::vector<Datum> outputs = hash_outputs(m, frame, step, invocation, call);
  if (m.going()) run_plan(plan, call, targets, outputs, schema);
  m.adopt(call);
  if (call.fault) return m.take_fault(frame, *call.fault);
  m.run.hashed.insert(plan.name);
  if (m.going()) bind_results(m, frame, step, invocation, outputs);
}

void Digest::add(std::uint64_t bits) {
  std::uint64_t x = state_ ^ (bits + 0x9e3779b97f4a7c15U + (state_ << 6) + (state_ >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  state_ = x ^ (x >> 31);
}

void Digest::add(std::string_view text) {
  add(static_cast<std::uint64_t>(text.size()));
  for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
}

/// Adds all NaN alike: the payload of a sum of two depends on their order, which is unspecified.
static void add_real(Digest& digest, double value) {
  digest.add(
      std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value));
}

void add_element(Digest& digest, Call& call, const Array& array, std::int64_t at) {
  const Number n = call.load(array, at);
  digest.add(static_cast<std::uint64_t>(n.integer));
  add_real(digest, n.re);
  if (n.kind == Number::Kind::complex) add_real(digest, n.im);
}

void add_datum(Digest& digest, Call& call, const Datum& datum) {
  digest.add(static_cast<std::uint64_t>(datum.kind));
  switch (datum.kind) {
    case Datum::Kind::none:
      return;
    case Datum::Kind::integer:
      return digest.add(static_cast<std::uint64_t>(datum.integer));
    case Datum::Kind::real:
      return digest.add(std::bit_cast<std::uint64_t>(datum.real));
    case Datum::Kind::boolean:
      return digest.add(datum.boolean ? 1U : 0U);
    case Datum::Kind::text:
      return digest.add(datum.text);
    case Datum::Kind::dtype:
      return digest.add(static_cast<std::uint64_t>(datum.dtype));
    case Datum::Kind::list:
      digest.add(static_cast<std::uint64_t>(datum.list.size()));
      for (const Datum& item : datum.list) add_datum(digest, call, item);
      return;
    case Datum::Kind::tensor:
      break;
  }
  const Array& array = datum.tensor;
  digest.add(static_cast<std::uint64_t>(array.at.dtype));
  for (const std::int64_t size : array.at.shape) digest.add(static_cast<std::uint64_t>(size));
  const std::int64_t count = array.at.numel();
  if (!call.spend({count})) return;
  const Elements at(array.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) add_element(digest, call, array, at.at(k));
}

Number plausible(Dtype type, std::uint64_t bits) {
  const auto high = static_cast<std::int64_t>(bits >> 40);
  if (is_complex(type))
    return Number::of_complex(
        {static_cast<double>(high % 129) / 8 - 8, static_cast<double>(bits % 129) / 8 - 8});
  if (is_floating(type)) return Number::of_real(static_cast<double>(high % 129) / 8 - 8);
  return Number::of(type == Dtype::boolean ? high % 2 : high % 4);
}

/// See run_machine.h. A Scalar counts as a real number, whether it is written as 1 or 1.0.
Datum counted(const Invocation& invocation, std::size_t at) {
  const Datum& arg = invocation.args[at];
  const SchemaSlot& slot =
      invocation.schema->arguments[std::min(at, invocation.schema->arguments.size() - 1)];
  if (slot.type_text.starts_with("Scalar") && arg.kind == Datum::Kind::integer)
    return Datum::of_real(static_cast<double>(arg.integer));
  if (invocation.draws && slot.name == "size" && arg.kind == Datum::Kind::list)
    return sizes_counted(extents_of(arg), true);
  if (!invocation.unread[at] || arg.kind != Datum::Kind::tensor) return arg;
  Datum out = sizes_counted(arg.tensor.at.shape, invocation.draws);
  out.list.insert(out.list.begin(), Datum::of(static_cast<std::int64_t>(arg.tensor.at.dtype)));
  return out;
}

}  // namespace noclobber
