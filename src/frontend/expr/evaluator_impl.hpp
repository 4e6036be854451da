// The evaluator behind run(); its methods are spread over evaluator*.cpp.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "frontend/expr/arithmetic.hpp"
#include "frontend/expr/evaluator.hpp"
#include "frontend/expr/functions.hpp"
#include "frontend/expr/value.hpp"

namespace smemsim::expr {

/// After the first error (`failed()`) nothing is executed any more; values are placeholders.
class Evaluator {
 public:
  Evaluator(const Program& program, const Machine& machine, const RunOptions& options);
  Result<std::unique_ptr<trace::LaunchBuilder>> run();

 private:
  struct Loop {
    Span span;
    LaneMask broken = 0, continued = 0;
  };

  // Control (evaluator.cpp).
  Status prepare();
  void run_warp(std::uint64_t block, std::uint32_t warp);
  void finish();
  void execute(const Stmt& stmt);
  void execute_branch(const Stmt& stmt);
  void execute_loop(const Stmt& stmt);
  void execute_do(const Stmt& stmt);
  void declare(const Stmt& stmt);
  LaneMask truth(const Expr& expr);
  LaneMask truth(const Value& value, Span span);
  LaneMask left() const;
  bool step(Span span);

  // Errors.
  bool failed() const { return !status_.ok(); }
  void fail(Span span, std::string message, const std::string& hint = {});
  void fail_unknown(Span span, const std::string& what);

  // Conditions that are not known (evaluator_unknown.cpp).
  /// Whether evaluating the expression touches memory or changes a variable.
  bool may_access(const Expr& expr) const;
  /// Makes what the code may assign unknown; false when it does more than that.
  bool forget(const Expr& expr);
  bool forget(const Stmt& stmt);
  bool pass_over(const Stmt& branch);

  // Expressions (evaluator_expressions.cpp).
  Value evaluate(const Expr& expr);
  /// As a statement: the value is not used, so atomics need not return it.
  void evaluate_for_effect(const Expr& expr);
  Value name(const Expr& expr);
  Value unary(const Expr& expr);
  Value increment(const Expr& expr);
  Value binary(const Expr& expr);
  Value logical(const Expr& expr);
  Value conditional(const Expr& expr);
  Value assign(const Expr& expr);
  Value layout_call(const Expr& expr);
  // Operators (evaluator_operators.cpp).
  Value combine(Op op, const Value& a, const Value& b, Span span);
  Value pointer_arithmetic(Op op, const Value& a, const Value& b, Span span);

  Value convert(Value value, const Type* type) const;
  Value constant(std::int64_t value, const Type* type) const;
  Value unknown(const Type* type) const;

  // Places (evaluator_places.cpp).
  bool is_place(const Expr& expr) const;
  Place place(const Expr& expr);
  Place index_place(const Expr& expr);
  Place member_place(const Expr& expr);
  Place pointed_to(const Value& pointer, Span span);
  Value decay(const Place& place);
  Value load(const Place& place, const Expr& site);
  void store(const Place& place, const Value& value, const Expr& site);
  Value builtin_member(const Expr& expr, Builtin builtin) const;

  // Events (evaluator_events.cpp).
  struct Access {
    Operation op = Operation::load;
    std::uint8_t width = 0, matrices = 0, flags = 0;
    const Value* address = nullptr;
    const Value* source = nullptr;
    std::uint64_t offset = 0;           ///< added to every address
    LaneMask addressed = ~LaneMask{0};  ///< lanes whose address matters
  };
  void access(const Expr& site, const Access& access);
  void access_value(const Expr& site, Operation shared, Operation global, const Type& type,
                    const Value& address, std::uint8_t flags);
  bool physical_addresses(const Expr& site, const Access& access, std::vector<std::uint64_t>& out);
  bool in_bounds(const Expr& site, const Value& address, std::uint64_t logical, unsigned lane,
                 std::uint64_t width);
  void event(const Expr& site, Operation op, std::uint64_t a, std::uint64_t b);
  std::uint32_t site_index(const Expr& expr, Operation op, std::uint64_t part);
  AccessPieces pieces(const Type& type, const Value& address) const;

  // Functions (evaluator_calls.cpp).
  Value call(const Expr& expr, bool result_used);
  Value arithmetic_call(const FunctionRow& row, const Expr& expr,
                        const std::vector<Value>& arguments);
  Value layout_function(const FunctionRow& row, const Expr& expr,
                        const std::vector<Value>& arguments);
  Value atomic(const FunctionRow& row, const Expr& expr, const std::vector<Value>& arguments,
               bool result_used);
  void compare_and_swap_loop(const Expr& expr, std::uint8_t width, const Value& address);
  void matrix(const FunctionRow& row, const Expr& expr, const std::vector<Value>& arguments);
  void copy(const FunctionRow& row, const Expr& expr, const std::vector<Value>& arguments);
  void synchronise(const FunctionRow& row, const Expr& expr, const std::vector<Value>& arguments);
  /// The number of an argument that must be known and the same in all active lanes.
  std::int64_t uniform(const Value& value, Span span, const std::string& what);
  const Value* address_argument(const Expr& expr, const std::vector<Value>& arguments, Space space);

  const Program& program_;
  const Machine& machine_;
  const RunOptions& options_;
  const unsigned lanes_;
  TypeTable types_;  ///< padded and derived types; the program's own are const
  Placement placement_;
  std::unique_ptr<trace::LaunchBuilder> builder_;
  Status status_;

  // The warp that runs.
  std::uint64_t block_ = 0;
  std::uint32_t warp_ = 0;
  LaneMask mask_ = 0;  ///< lanes that execute now
  LaneMask returned_ = 0;
  std::vector<Loop> loops_;
  std::vector<Value> variables_;
  std::array<Lanes, 3> thread_{};
  std::array<std::uint32_t, 3> block_index_{};

  std::uint64_t steps_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t shared_end_ = 0;  ///< highest touched byte of dynamic arrays, + 1
  std::map<std::tuple<std::uint32_t, Operation, std::uint64_t>, std::uint32_t> sites_;
  std::vector<std::uint64_t> addresses_, sources_;
};

}  // namespace smemsim::expr
