// The parsed text: declarations, statements and expressions, each with its place in the source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/expr/layout.hpp"
#include "frontend/expr/source.hpp"
#include "frontend/expr/types.hpp"

namespace smemsim::expr {

/// Index into Program::symbols.
using SymbolId = std::uint32_t;

enum class SymbolKind : std::uint8_t {
  shared,     ///< __shared__ array or variable
  global,     ///< __device__ array, or an uninitialised pointer: global memory
  variable,   ///< a lane's own variable (register)
  constant,   ///< known while parsing: const int N = 4; --define N=4
  parameter,  ///< kernel argument that is not a pointer and has no --define: value unknown
  layout,     ///< layout L = (8,64):(64,1);
  builtin,    ///< threadIdx, lane, ...
};

enum class Builtin : std::uint8_t {
  thread_idx,
  block_idx,
  block_dim,
  grid_dim,
  warp_size,
  lane,
  warp,
};

struct Symbol {
  SymbolKind kind = SymbolKind::variable;
  std::string name;
  Span span;                   ///< of the declared name
  const Type* type = nullptr;  ///< null: `auto`, takes the type of what is assigned
  std::uint64_t align = 1;     ///< shared: of the declaration, at least that of the type
  bool dynamic = false;        ///< shared: extern __shared__
  std::int64_t value = 0;      ///< constant
  Builtin builtin = Builtin::lane;
  Layout layout;
};

enum class ExprKind : std::uint8_t {
  literal,    ///< value, type
  real,       ///< floating literal: value unknown to the evaluator
  name,       ///< symbol
  index,      ///< children: base, index
  member,     ///< child: base; text = member (-> is rewritten as deref + member)
  unary,      ///< op: - + ~ ! & *
  increment,  ///< op: ++ --; child: place
  post_increment,
  binary,       ///< op; children: left, right
  conditional,  ///< children: condition, then, else
  assign,       ///< op: "" or the operator of a compound assignment; children: place, value
  cast,         ///< type; child (C casts and reinterpret_cast, static_cast, const_cast, T(x))
  call,         ///< text = function; arguments = template integers; children: arguments
  layout_call,  ///< symbol; children: coordinates
};

enum class Op : std::uint8_t {
  none,
  add,
  sub,
  mul,
  div,
  rem,
  shl,
  shr,
  lt,
  gt,
  le,
  ge,
  eq,
  ne,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
  comma,
  negate,
  plus,
  bit_not,
  logical_not,
  address_of,
  dereference,
};

struct Expr {
  ExprKind kind = ExprKind::literal;
  Span span;
  Op op = Op::none;
  SymbolId symbol = 0;
  std::uint32_t id = 0;  ///< position among all expressions of the program
  std::int64_t value = 0;
  const Type* type = nullptr;
  std::string text;
  std::vector<std::int64_t> arguments;
  std::vector<std::unique_ptr<Expr>> children;

  const Expr& child(std::size_t i) const { return *children[i]; }
};
using ExprPtr = std::unique_ptr<Expr>;

enum class StmtKind : std::uint8_t {
  empty,
  expression,   ///< exprs[0]
  declaration,  ///< symbol; exprs[0] = initialiser or null
  block,        ///< body; declarations of one statement too
  branch,       ///< exprs[0]; body[0] = then, body[1] = else if any
  loop,        ///< for, while: exprs[0] = condition or null, exprs[1] = step or null; init, body[0]
  do_loop,     ///< exprs[0]; body[0]
  leave_loop,  ///< break
  next_pass,   ///< continue
  leave,       ///< return
};

struct Stmt {
  StmtKind kind = StmtKind::empty;
  Span span;
  SymbolId symbol = 0;
  std::vector<ExprPtr> exprs;
  std::unique_ptr<Stmt> init;
  std::vector<std::unique_ptr<Stmt>> body;
};
using StmtPtr = std::unique_ptr<Stmt>;

/// A whole text. Owns its types; expressions point into them.
struct Program {
  Source source;
  TypeTable types;
  std::vector<Symbol> symbols;
  std::string kernel;  ///< name of the __global__ function, or empty
  StmtPtr body;
  std::uint32_t expressions = 0;  ///< number of Expr nodes

  /// Shared arrays in the order of their declarations.
  std::vector<SymbolId> shared_arrays() const {
    std::vector<SymbolId> out;
    for (SymbolId i = 0; i < symbols.size(); ++i) {
      if (symbols[i].kind == SymbolKind::shared) out.push_back(i);
    }
    return out;
  }
};

}  // namespace smemsim::expr
