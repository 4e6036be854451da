// What happens when a condition is not known: code that accesses nothing is passed over.
#include "frontend/expr/evaluator_impl.hpp"

namespace smemsim::expr {

bool Evaluator::may_access(const Expr& expr) const {
  switch (expr.kind) {
    case ExprKind::name: {
      const SymbolKind kind = program_.symbols[expr.symbol].kind;
      return kind == SymbolKind::shared || kind == SymbolKind::global;
    }
    case ExprKind::call: {
      const FunctionRow* row = find_function(expr.text);
      if (row != nullptr && row->function >= Function::load_global &&
          row->function <= Function::shuffle) {
        return true;
      }
      break;
    }
    case ExprKind::index:
      return true;
    case ExprKind::unary:
      if (expr.op == Op::dereference) return true;
      break;
    case ExprKind::assign:
    case ExprKind::increment:
    case ExprKind::post_increment:
      return true;  // has an effect that only some lanes see
    default:
      break;
  }
  for (const ExprPtr& child : expr.children) {
    if (may_access(*child)) return true;
  }
  return false;
}

bool Evaluator::forget(const Expr& expr) {
  const bool changes = expr.kind == ExprKind::assign || expr.kind == ExprKind::increment ||
                       expr.kind == ExprKind::post_increment;
  if (!changes) return !may_access(expr);
  const Expr& target = expr.child(0);
  if (target.kind != ExprKind::name ||
      program_.symbols[target.symbol].kind != SymbolKind::variable) {
    return false;
  }
  if (expr.children.size() > 1 && !forget(expr.child(1))) return false;
  variables_[target.symbol].known &= ~mask_;
  return true;
}

bool Evaluator::forget(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::empty:
      return true;
    case StmtKind::expression:
      return forget(*stmt.exprs[0]);
    case StmtKind::block:
      for (const StmtPtr& inner : stmt.body) {
        if (!forget(*inner)) return false;
      }
      return true;
    case StmtKind::declaration:
      return stmt.exprs[0] == nullptr || !may_access(*stmt.exprs[0]);
    default:
      return false;
  }
}

bool Evaluator::pass_over(const Stmt& branch) {
  for (const StmtPtr& side : branch.body) {
    if (!forget(*side)) return false;
  }
  return true;
}

}  // namespace smemsim::expr
