#include "frontend/advise_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "frontend/expr/parser.hpp"
#include "frontend/expr/placement.hpp"

namespace smemsim::cli {
namespace {

struct Edit {
  expr::Span span;
  std::string text;
};

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

std::string grouped(const std::string& text) {
  return is_word(text) ? text : '(' + text + ')';
}

std::optional<std::string> apply(std::string text, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(),
            [](const Edit& a, const Edit& b) { return a.span.begin > b.span.begin; });
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const Edit& edit = edits[i];
    if (edit.span.end > text.size() || edit.span.begin > edit.span.end) return std::nullopt;
    if (i > 0 && edit.span.end > edits[i - 1].span.begin) return std::nullopt;  // nested
    text.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.text);
  }
  return text;
}

/// The spans between the brackets that follow `at`, one for each of `rank` dimensions.
std::optional<std::vector<expr::Span>> brackets(const std::string& text, std::size_t at,
                                                std::size_t rank) {
  std::vector<expr::Span> out;
  while (out.size() < rank) {
    at = text.find_first_not_of(" \t\n", at);
    if (at == std::string::npos || text[at] != '[') return std::nullopt;
    const std::size_t begin = at + 1;
    unsigned depth = 1;
    for (++at; at < text.size() && depth > 0; ++at) {
      if (text[at] == '[') ++depth;
      if (text[at] == ']') --depth;
    }
    if (depth != 0) return std::nullopt;
    out.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at - 1)});
  }
  return out;
}

std::string more(const std::string& extent, std::uint64_t by) {
  const bool digits = extent.find_first_not_of("0123456789") == std::string::npos;
  if (digits && !extent.empty() && extent.size() < 10) {
    return std::to_string(std::stoull(extent) + by);
  }
  return fmt::format("{} + {}", grouped(extent), by);
}

/// Finds every use of an array and writes the edits that apply a XOR to its subscripts.
class SubscriptEdits {
 public:
  SubscriptEdits(const expr::Program& program, expr::SymbolId symbol, const LayoutRegion& region,
                 const ArrayText& array, const LayoutChange& change, const RowPitch& pitch)
      : program_(program),
        symbol_(symbol),
        region_(region),
        array_(array),
        change_(change),
        pitch_(pitch) {}

  std::optional<std::vector<Edit>> run() {
    visit(*program_.body);
    if (!possible_) return std::nullopt;
    return std::move(edits_);
  }

 private:
  std::string source(expr::Span span) const {
    return program_.source.text().substr(span.begin, span.end - span.begin);
  }

  void visit(const expr::Stmt& stmt) {
    if (stmt.init) visit(*stmt.init);
    for (const auto& one : stmt.exprs) {
      if (one) visit(*one);
    }
    for (const auto& one : stmt.body) {
      if (one) visit(*one);
    }
  }

  void visit(const expr::Expr& e) {
    if (e.kind == expr::ExprKind::name && e.symbol == symbol_) {
      possible_ = false;  // not under all its subscripts
      return;
    }
    std::vector<const expr::Expr*> indices;  // innermost first
    const expr::Expr* at = &e;
    while (at->kind == expr::ExprKind::index) {
      indices.push_back(&at->child(1));
      at = &at->child(0);
    }
    const bool ours = at->kind == expr::ExprKind::name && at->symbol == symbol_;
    if (!ours || indices.size() != array_.extents.size()) {
      for (const auto& child : e.children) visit(*child);
      return;
    }
    for (const expr::Expr* index : indices) visit(*index);
    const expr::Span last = indices.front()->span;
    const bool seen = std::any_of(edits_.begin(), edits_.end(), [&](const Edit& edit) {
      return edit.span.begin == last.begin && edit.span.end == last.end;
    });
    if (!seen) edits_.push_back({last, subscript(indices)});
  }

  std::string subscript(const std::vector<const expr::Expr*>& indices) const {
    const std::string last = grouped(source(indices.front()->span));
    if (change_.kind == LayoutChangeKind::swizzle) {
      const XorBits& bits = change_.swizzle;
      const auto log2 = static_cast<unsigned>(std::countr_zero(region_.element));
      return fmt::format("{0} ^ (({0} >> {1}) & {2})", last, bits.shift,
                         ((std::uint64_t{1} << bits.bits) - 1) << (bits.base - log2));
    }
    if (pitch_.dimension == RowPitch::kInferred) {  // the row is part of the only subscript
      const std::string row = fmt::format("({} / {})", last, change_.pitch / region_.element);
      return last + " ^ " + xor_operand(region_, array_, change_, pitch_, {row});
    }
    std::vector<std::string> outer;
    for (std::size_t i = indices.size(); i-- > 1;) {
      outer.push_back(grouped(source(indices[i]->span)));
    }
    return last + " ^ " + xor_operand(region_, array_, change_, pitch_, outer);
  }

  const expr::Program& program_;
  expr::SymbolId symbol_;
  const LayoutRegion& region_;
  const ArrayText& array_;
  const LayoutChange& change_;
  const RowPitch& pitch_;
  std::vector<Edit> edits_;
  bool possible_ = true;
};

ArrayText text_of(const expr::Symbol& symbol) {
  ArrayText out;
  const expr::Type* element = expr::innermost(symbol.type);
  out.name = symbol.name;
  out.type = element->name;
  out.prefix = symbol.dynamic ? "extern __shared__ " : "__shared__ ";
  if (symbol.align > element->align) out.prefix += fmt::format("__align__({}) ", symbol.align);
  out.extents = expr::extents(*symbol.type);
  out.declared = true;
  return out;
}

std::optional<expr::SymbolId> find_array(const expr::Program& program, const std::string& name) {
  for (const expr::SymbolId id : program.shared_arrays()) {
    if (program.symbols[id].name == name) return id;
  }
  return std::nullopt;
}

/// The same change for the evaluator; nothing where only a person can apply it.
std::optional<expr::LayoutTransform> transform_of(const ArrayText& array,
                                                  const LayoutChange& change,
                                                  const RowPitch& pitch) {
  expr::LayoutTransform out;
  if (change.kind != LayoutChangeKind::padding) {
    out.remap = change;
    return out;
  }
  if (pitch.dimension >= array.extents.size()) return std::nullopt;
  out.padding.assign(array.extents.size(), 0);
  out.padding[pitch.dimension] = static_cast<std::uint32_t>(change.pad / pitch.unit);
  return out;
}

}  // namespace

const ArrayText* ProgramArrays::text(const std::string& name) const {
  for (const ArrayText& one : texts) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

Result<ProgramArrays> arrays_of(const expr::Program& program, const Machine& machine) {
  expr::TypeTable types;
  auto placement = expr::place_shared(program, {}, machine.occupancy.shared_reserved, types);
  if (!placement.ok()) return placement.error();
  ProgramArrays out;
  for (const expr::SymbolId id : program.shared_arrays()) {
    const expr::Symbol& symbol = program.symbols[id];
    if (!symbol.type->is(expr::TypeKind::array)) continue;  // a single variable has no layout
    const expr::PlacedArray& placed = placement->arrays.at(id);
    const expr::Type* element = expr::innermost(symbol.type);
    DeclaredArray array;
    array.name = symbol.name;
    array.base = placed.base;
    array.bytes = placed.bytes;
    array.element = element->size;
    if (element->is(expr::TypeKind::structure)) array.part = element->align;
    array.extents = expr::extents(*symbol.type);
    out.arrays.push_back(std::move(array));
    out.texts.push_back(text_of(symbol));
  }
  return out;
}

std::optional<std::string> rewritten_text(const expr::Program& program, const LayoutRegion& region,
                                          const LayoutChange& change, const RowPitch& pitch) {
  const auto symbol = find_array(program, region.name);
  if (!symbol) return std::nullopt;
  const ArrayText array = text_of(program.symbols[*symbol]);
  if (change.kind != LayoutChangeKind::padding) {
    if (change.kind == LayoutChangeKind::swizzle && array.extents.size() != 1) return std::nullopt;
    auto edits = SubscriptEdits(program, *symbol, region, array, change, pitch).run();
    if (!edits) return std::nullopt;
    return apply(program.source.text(), std::move(*edits));
  }
  if (pitch.dimension >= array.extents.size()) return std::nullopt;
  const std::string& text = program.source.text();
  const auto spans = brackets(text, program.symbols[*symbol].span.end, array.extents.size());
  if (!spans) return std::nullopt;
  const expr::Span span = (*spans)[pitch.dimension];
  const std::string extent = text.substr(span.begin, span.end - span.begin);
  return apply(text, {{span, more(extent, change.pad / pitch.unit)}});
}

Result<std::uint64_t> wavefronts_of(trace::LaunchBuilder& events, const Machine& machine) {
  AccessCollector collector([&](const Launch&) -> Result<const Machine*> { return &machine; });
  SMEMSIM_TRY(events.deliver(collector));
  std::uint64_t out = 0;
  for (const KernelAccesses& kernel : collector.take()) {
    for (const AccessClass& one : kernel.classes) {
      out += one.count *
             access_cost(kernel.shapes[one.event.shape], one.event, machine.shared).wavefronts;
    }
  }
  return out;
}

LayoutCheck check_proposal(const expr::Program& program,
                           const std::map<std::string, std::int64_t>& defines,
                           const Machine& machine, const expr::RunOptions& options,
                           const LayoutRegion& region, const LayoutProposal& proposal,
                           std::uint64_t before, std::uint64_t saved) {
  if (auto text = rewritten_text(program, region, proposal.change, proposal.pitch)) {
    auto events = expr::run_text(expr::Source(std::move(*text), {}), defines, machine, options);
    if (events.ok()) {
      const auto now = wavefronts_of(**events, machine);
      if (now.ok() && *now + saved == before) return LayoutCheck::text;
    }
  }
  const auto symbol = find_array(program, region.name);
  if (!symbol) return LayoutCheck::impossible;
  const auto transform =
      transform_of(text_of(program.symbols[*symbol]), proposal.change, proposal.pitch);
  if (!transform) return LayoutCheck::impossible;
  expr::RunOptions changed = options;
  changed.transforms[region.name] = *transform;
  auto events = expr::run(program, machine, changed);
  if (!events.ok()) return LayoutCheck::differs;
  const auto now = wavefronts_of(**events, machine);
  return now.ok() && *now + saved == before ? LayoutCheck::layout : LayoutCheck::differs;
}

}  // namespace smemsim::cli
