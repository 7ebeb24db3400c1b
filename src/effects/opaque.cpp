// Operators that are functions of what they read: reads and writes from the schema.
#include <algorithm>
#include <cstdio>

#include "src/effects/builder.h"

namespace noclobber {

std::string Builder::attribute(const Arg& arg) const {
  switch (arg.kind) {
    case Arg::Kind::none:
      return "-";
    case Arg::Kind::ref:
      return "T";
    case Arg::Kind::sym:
      return space_.text(sizes_.of(arg.sym));
    case Arg::Kind::real: {
      char text[64];
      std::snprintf(text, sizeof text, "%.17g", arg.real);
      return std::string(text) + "f";
    }
    case Arg::Kind::boolean:
      return arg.boolean ? "true" : "false";
    case Arg::Kind::text:
    case Arg::Kind::device:
    case Arg::Kind::graph:
      return "'" + arg.text + "'";
    case Arg::Kind::dtype:
      return std::string(name(arg.dtype));
    case Arg::Kind::list: {
      std::string out = "[";
      for (const Arg& item : arg.list) out += attribute(item) + ",";
      return out + "]";
    }
  }
  return "?";
}

/// The operator's functional name and everything it is given but tensors.
std::string Builder::attributes(const Call& call) const {
  std::string out = ops_.functional(call.step->op);
  if (out.empty()) out = call.step->op;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const SchemaSlot& slot = call.schema->arguments[k];
    if (slot.written && slot.keyword_only) continue;
    const std::string text = attribute(call.arguments[k]);
    if (slot.fallback && slot.keyword_only && *slot.fallback == call.arguments[k]) continue;
    out += ";" + text;
  }
  return out;
}

bool Builder::elementwise(const Call& call) const {
  if (ops_.declaration(call.step->op) != nullptr) return false;
  if (is_elementwise(call.op, *call.schema)) return true;
  const std::string functional = ops_.functional(call.step->op);
  const Schema* pure = functional.empty() ? nullptr : ops_.find(functional);
  return pure != nullptr && is_elementwise(base_name(functional), *pure);
}

/// Tensor arguments in schema order, lists flattened. Nothing where one is not known.
std::optional<std::vector<Builder::Operand>> Builder::operands(const Call& call) {
  std::vector<Operand> out;
  const OpDecl* declared = ops_.declaration(call.step->op);
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const SchemaSlot& slot = call.schema->arguments[k];
    const Arg& arg = call.arguments[k];
    const std::vector<Arg> items = arg.kind == Arg::Kind::list ? arg.list : std::vector<Arg>{arg};
    bool read = !(slot.written && slot.keyword_only);
    if (slot.written && declared != nullptr && declared->reads_old)
      read = std::find(declared->reads_old->begin(), declared->reads_old->end(), slot.name) != declared->reads_old->end();
    if (slot.written && declared != nullptr && declared->writes.contains(slot.name)) read = read || declared->writes.at(slot.name) == "some";
    for (std::size_t item = 0; item < items.size(); ++item) {
      if (items[item].kind != Arg::Kind::ref) continue;
      const auto bound = bound_of(items[item]);
      if (!bound) {
        unknown("no-metadata", call.step->op);
        return std::nullopt;
      }
      out.push_back({*bound, k, item, slot.written, read});
    }
  }
  return out;
}

/// What is promised between one read and one write of the step.
Access Builder::access(const Call& call, const Operand& read, const Binding& read_view, const Binding& write, std::size_t write_item, bool listed) const {
  if (const OpDecl* declared = ops_.declaration(call.step->op)) {
    const std::string& name = call.schema->arguments[read.argument].name;
    const auto own = declared->access.find(name);
    const auto all = declared->access.find("*");
    const bool element = own != declared->access.end() ? own->second == "elementwise" : all != declared->access.end() && all->second == "elementwise";
    if (element) return read_view.view.shape == write.view.shape ? Access::elementwise : Access::any_time;
    return declared->before_write ? Access::before_write : Access::any_time;
  }
  const bool foreach = call.op.find("._foreach_") != std::string::npos;
  if (!elementwise(call) && !foreach) return Access::any_time;
  if (listed && read.item != write_item) return Access::any_time;
  return read_view.view.shape == write.view.shape ? Access::elementwise : Access::any_time;
}

/// Random operators read and advance the generator; impure ones append to the sequence of effects.
void Builder::thread_tokens(const Call& call, TraceStep& step) {
  const OpDecl* declared = ops_.declaration(call.step->op);
  const auto thread = [&](StorageId token) {
    const TraceView view{token, {}, {}, "token", 0};
    step.reads.push_back(view);
    step.writes.push_back(view);
    for (auto& row : step.access) row.push_back(Access::before_write);
    step.access.emplace_back(step.writes.size(), Access::before_write);
  };
  if (call.schema->has(Tag::nondeterministic_seeded)) thread(generator_);
  if (is_impure(call.op, *call.schema) || (declared != nullptr && !declared->pure)) thread(effects_);
}

namespace {
constexpr std::size_t kNone = ~std::size_t{0};

/// Where a result lives: the written argument it stands for, or fresh.
std::optional<std::size_t> aliased(const Schema& schema, const SchemaSlot& result) {
  if (result.alias.empty()) return std::nullopt;
  for (std::size_t k = 0; k < schema.arguments.size(); ++k)
    if (schema.arguments[k].alias == result.alias) return k;
  return std::nullopt;
}
}  // namespace

void Builder::opaque(const Call& call) {
  const auto all = operands(call);
  if (!all) return;
  const OpDecl* declared = ops_.declaration(call.step->op);
  if (declared != nullptr && !declared->may_alias.empty()) return unknown("unsupported-op", call.step->op + " (may alias)");
  std::vector<TensorMeta> metas;
  for (const Operand& o : *all)
    if (o.read) metas.push_back({o.bound.view.shape, o.bound.dtype});
  const std::string functional = ops_.functional(call.step->op);
  const auto rule = infer_meta(sizes_, base_name(functional.empty() ? call.step->op : functional), *call.schema, call.arguments, metas);

  TraceStep step;
  step.key = attributes(call);
  step.origin = call.number;
  std::vector<Binding> writes;                 // parallel to step.writes
  std::vector<std::size_t> write_items;      // place in the argument's list
  std::vector<std::size_t> write_operands;   // which operand is written; kNone: a fresh result
  std::vector<std::pair<std::size_t, Binding>> results;
  std::set<std::size_t> done;                // operands already written
  std::size_t result = 0;
  for (const SchemaSlot& slot : call.schema->returns) {
    if (slot.type == SchemaSlot::Type::other) {
      ++result;
      continue;
    }
    const auto source = aliased(*call.schema, slot);
    if (source && !call.schema->arguments[*source].written) {
      // A declared view of an argument: which elements it shows is not known.
      return unknown("unsupported-op", call.step->op + " (view)");
    }
    if (source) {
      for (std::size_t k = 0; k < all->size(); ++k) {
        if ((*all)[k].argument != *source) continue;
        done.insert(k);
        writes.push_back((*all)[k].bound);
        write_items.push_back((*all)[k].item);
        write_operands.push_back(k);
        results.emplace_back(result++, (*all)[k].bound);
      }
      continue;
    }
    const std::size_t count = slot.type == SchemaSlot::Type::tensor_list ? call.step->results.size() - std::min(result, call.step->results.size()) : 1;
    for (std::size_t k = 0; k < count; ++k, ++result) {
      const bool named = result < call.step->results.size() && call.step->results[result].valid();
      std::optional<InferredMeta> own = slot.type == SchemaSlot::Type::tensor_list && k < metas.size() ? std::optional(InferredMeta{metas[k].shape, std::nullopt}) : result == 0 ? rule : std::nullopt;
      auto bound = named ? fresh_for(call, result, own) : fresh({}, Dtype::other, std::vector<PolyId>{});
      if (!bound) return unknown("no-metadata", call.step->op);
      writes.push_back(*bound);
      write_items.push_back(k);
      write_operands.push_back(kNone);
      results.emplace_back(result, *bound);
    }
  }
  for (std::size_t k = 0; k < all->size(); ++k) {
    if (!(*all)[k].written || done.contains(k)) continue;
    writes.push_back((*all)[k].bound);
    write_items.push_back((*all)[k].item);
    write_operands.push_back(k);
  }
  const bool in_place = std::any_of(all->begin(), all->end(), [](const Operand& o) { return o.written; });
  if (in_place) ++in_place_;
  const bool spread = elementwise(call) && !writes.empty();
  std::vector<std::uint32_t> means;
  for (std::size_t number = 0; number < all->size(); ++number) {
    const Operand& o = (*all)[number];
    if (!o.read) continue;
    Binding read = o.bound;
    if (spread) {
      const auto wide_view = broadcast_to(read, writes[0].view.shape);
      if (!wide_view) return unknown("no-metadata", call.step->op + " (shapes)");
      read = *wide_view;
    }
    step.reads.push_back(read.view);
    means.push_back(o.bound.since);
    step.access.emplace_back();
    const bool listed = call.schema->arguments[o.argument].type == SchemaSlot::Type::tensor_list;
    // That an operator reads its own written argument is part of what it computes.
    for (std::size_t w = 0; w < writes.size(); ++w)
      step.access.back().push_back(write_operands[w] == number && !spread ? Access::before_write : access(call, o, read, writes[w], write_items[w], listed));
  }
  for (const Binding& w : writes) step.writes.push_back(w.view);
  step.elementwise = spread && writes.size() == 1;
  thread_tokens(call, step);
  step.elementwise = step.elementwise && step.writes.size() == 1;
  while (means.size() < step.reads.size()) means.push_back(now());
  push(std::move(step), means);
  for (auto& [number, bound] : results) bind(call, number, std::move(bound));
}

}  // namespace noclobber
