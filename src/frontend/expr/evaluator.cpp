// Warps, statements and lane masks.
#include "frontend/expr/evaluator.hpp"

#include <algorithm>

#include "frontend/expr/evaluator_impl.hpp"
#include "frontend/expr/parser.hpp"

namespace smemsim::expr {

Evaluator::Evaluator(const Program& program, const Machine& machine, const RunOptions& options)
    : program_(program),
      machine_(machine),
      options_(options),
      lanes_(std::min<unsigned>(machine.shared.lanes, kMaxLanes)),
      builder_(std::make_unique<trace::LaunchBuilder>(Launch{})) {}

void Evaluator::fail(Span span, std::string message, const std::string& hint) {
  if (!failed()) status_ = program_.source.error(span, std::move(message), hint);
  mask_ = 0;
}

void Evaluator::fail_unknown(Span span, const std::string& what) {
  fail(span,
       what +
           " is not known: it depends on memory contents, on a floating value or on a "
           "kernel argument",
       "give arguments with --define NAME=VALUE, or write the index as a function of threadIdx");
}

bool Evaluator::step(Span span) {
  if (failed()) return false;
  if (++steps_ > options_.step_limit) {
    fail(loops_.empty() ? span : loops_.back().span,
         "stopped after " + std::to_string(options_.step_limit) + " steps",
         "the loop may not end; otherwise raise --max-steps or run fewer blocks");
    return false;
  }
  return true;
}

LaneMask Evaluator::left() const {
  LaneMask gone = returned_;
  if (!loops_.empty()) gone |= loops_.back().broken | loops_.back().continued;
  return gone;
}

LaneMask Evaluator::truth(const Value& value, Span span) {
  if (failed()) return 0;
  if ((mask_ & ~value.known) != 0) {
    fail_unknown(span, "this condition");
    return 0;
  }
  LaneMask out = 0;
  for_each_lane(mask_, [&](unsigned lane) {
    if (value.lanes[lane] != 0) out |= lane_bit(lane);
  });
  return out;
}

LaneMask Evaluator::truth(const Expr& expr) {
  return truth(evaluate(expr), expr.span);
}

void Evaluator::declare(const Stmt& stmt) {
  const Symbol& symbol = program_.symbols[stmt.symbol];
  if (symbol.kind == SymbolKind::shared || symbol.kind == SymbolKind::global) return;
  Value& variable = variables_[stmt.symbol];
  const Expr* initial = stmt.exprs[0].get();
  if (initial != nullptr && (symbol.type == nullptr || !symbol.type->is(TypeKind::array))) {
    Value value = evaluate(*initial);
    if (failed()) return;
    if (symbol.type != nullptr) value = convert(value, symbol.type);
    variable = value;
    return;
  }
  if (initial != nullptr) evaluate_for_effect(*initial);
  variable = unknown(symbol.type);
  if (symbol.type->is(TypeKind::pointer)) {
    // A pointer that nothing was assigned to is a global one: a kernel argument.
    const std::uint64_t base = kGlobalBase + kGlobalStride * stmt.symbol;
    variable = constant(static_cast<std::int64_t>(base), symbol.type);
    variable.origin = {Space::global, static_cast<std::int64_t>(stmt.symbol)};
  }
}

void Evaluator::execute_branch(const Stmt& stmt) {
  const LaneMask all = mask_;
  const Value condition = evaluate(*stmt.exprs[0]);
  if (failed()) return;
  // `if (x > best) best = x;` changes no address: both ways are the same to the banks.
  if ((all & ~condition.known) != 0 && pass_over(stmt)) return;
  const LaneMask taken = truth(condition, stmt.exprs[0]->span);
  mask_ = taken;
  if (mask_ != 0) execute(*stmt.body[0]);
  mask_ = all & ~taken & ~left();
  if (stmt.body.size() > 1 && mask_ != 0 && !failed()) execute(*stmt.body[1]);
  mask_ = all & ~left();
}

void Evaluator::execute_loop(const Stmt& stmt) {
  const LaneMask all = mask_;
  if (stmt.init) execute(*stmt.init);
  loops_.push_back({stmt.span, 0, 0});
  while (mask_ != 0 && step(stmt.span)) {
    if (stmt.exprs[0]) mask_ = truth(*stmt.exprs[0]);
    const LaneMask inside = mask_;
    if (inside == 0) break;
    execute(*stmt.body[0]);
    loops_.back().continued = 0;
    mask_ = inside & ~left();
    if (stmt.exprs[1] && mask_ != 0 && !failed()) evaluate_for_effect(*stmt.exprs[1]);
  }
  loops_.pop_back();
  mask_ = all & ~left();
}

void Evaluator::execute_do(const Stmt& stmt) {
  const LaneMask all = mask_;
  loops_.push_back({stmt.span, 0, 0});
  while (mask_ != 0 && step(stmt.span)) {
    const LaneMask inside = mask_;
    execute(*stmt.body[0]);
    loops_.back().continued = 0;
    mask_ = inside & ~left();
    if (mask_ != 0 && !failed()) mask_ = truth(*stmt.exprs[0]);
  }
  loops_.pop_back();
  mask_ = all & ~left();
}

void Evaluator::execute(const Stmt& stmt) {
  if (mask_ == 0 || !step(stmt.span)) return;
  switch (stmt.kind) {
    case StmtKind::empty:
      break;
    case StmtKind::expression:
      evaluate_for_effect(*stmt.exprs[0]);
      break;
    case StmtKind::declaration:
      declare(stmt);
      break;
    case StmtKind::block:
      for (const StmtPtr& inner : stmt.body) {
        if (mask_ == 0 || failed()) break;
        execute(*inner);
      }
      break;
    case StmtKind::branch:
      execute_branch(stmt);
      break;
    case StmtKind::loop:
      execute_loop(stmt);
      break;
    case StmtKind::do_loop:
      execute_do(stmt);
      break;
    case StmtKind::leave_loop:
    case StmtKind::next_pass:
      if (loops_.empty()) {
        fail(stmt.span, "there is no loop to leave here");
        break;
      }
      (stmt.kind == StmtKind::leave_loop ? loops_.back().broken : loops_.back().continued) |= mask_;
      mask_ = 0;
      break;
    case StmtKind::leave: {
      trace::FlatEvent event;
      event.op = Operation::exit;
      event.active = mask_;
      builder_->add(block_, warp_, event);
      returned_ |= mask_;
      mask_ = 0;
      break;
    }
  }
}

void Evaluator::run_warp(std::uint64_t block, std::uint32_t warp) {
  block_ = block;
  warp_ = warp;
  const Dim3 shape = options_.block;
  const std::uint64_t threads = shape.count();
  mask_ = 0;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    const std::uint64_t thread = std::uint64_t{warp} * lanes_ + lane;
    if (thread < threads) mask_ |= lane_bit(lane);
    thread_[0][lane] = static_cast<std::int64_t>(thread % shape.x);
    thread_[1][lane] = static_cast<std::int64_t>(thread / shape.x % shape.y);
    thread_[2][lane] = static_cast<std::int64_t>(thread / shape.x / shape.y);
  }
  block_index_ = {static_cast<std::uint32_t>(block % options_.grid.x),
                  static_cast<std::uint32_t>(block / options_.grid.x % options_.grid.y),
                  static_cast<std::uint32_t>(block / options_.grid.x / options_.grid.y)};
  returned_ = 0;
  loops_.clear();
  variables_.assign(program_.symbols.size(), {});
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    variables_[i] = unknown(program_.symbols[i].type);
  }
  execute(*program_.body);
}

Status Evaluator::prepare() {
  const OccupancyLimits& limits = machine_.occupancy;
  const std::uint64_t threads = options_.block.count();
  if (threads == 0 || threads > limits.max_threads_per_block) {
    return usage_error("--block",
                       "a block has 1 to " + std::to_string(limits.max_threads_per_block) +
                           " threads on " + machine_.name + ", not " + std::to_string(threads));
  }
  if (options_.grid.count() == 0) return usage_error("--grid", "a grid has at least one block");
  auto placed = place_shared(program_, options_.transforms, limits.shared_reserved, types_);
  if (!placed.ok()) return placed.error();
  placement_ = std::move(*placed);
  if (placement_.static_bytes > limits.shared_per_block) {
    const auto arrays = program_.shared_arrays();
    return program_.source.error(program_.symbols[arrays.back()].span,
                                 "the shared arrays need " +
                                     std::to_string(placement_.static_bytes) +
                                     " bytes; a block of " + machine_.name + " may have " +
                                     std::to_string(limits.shared_per_block));
  }
  Launch& launch = builder_->launch();
  launch.kernel = launch.function = program_.kernel.empty() ? "expression" : program_.kernel;
  launch.device.arch = machine_.name;
  launch.device.warp_lanes = lanes_;
  launch.device.shared_reserved = limits.shared_reserved;
  launch.device.shared_per_sm = limits.shared_per_sm;
  launch.device.shared_per_block_max = limits.shared_per_block;
  launch.grid = options_.grid;
  launch.block = options_.block;
  launch.first_shared = limits.shared_reserved;
  launch.static_shared = static_cast<std::uint32_t>(placement_.static_bytes);
  launch.command = "smemsim explain";
  launch.recorded_blocks = std::min(options_.blocks, options_.grid.count());
  return {};
}

void Evaluator::finish() {
  Launch& launch = builder_->launch();
  const std::uint64_t static_end = std::uint64_t{launch.first_shared} + launch.static_shared;
  if (shared_end_ > static_end) {
    launch.dynamic_shared = static_cast<std::uint32_t>((shared_end_ - static_end + 15) / 16 * 16);
    launch.note = "dynamic shared memory: as many bytes as the text touches";
  }
}

Result<std::unique_ptr<trace::LaunchBuilder>> Evaluator::run() {
  SMEMSIM_TRY(prepare());
  const auto warps = static_cast<std::uint32_t>((options_.block.count() + lanes_ - 1) / lanes_);
  for (std::uint64_t block = 0; block < builder_->launch().recorded_blocks; ++block) {
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      run_warp(block, warp);
      if (failed()) return status_.error();
    }
  }
  finish();
  return std::move(builder_);
}

Result<std::unique_ptr<trace::LaunchBuilder>> run(const Program& program, const Machine& machine,
                                                  const RunOptions& options) {
  return Evaluator(program, machine, options).run();
}

Result<std::unique_ptr<trace::LaunchBuilder>> run_text(
    Source source, const std::map<std::string, std::int64_t>& defines, const Machine& machine,
    const RunOptions& options) {
  auto program = parse_program(std::move(source), defines);
  if (!program.ok()) return program.error();
  return run(*program, machine, options);
}

}  // namespace smemsim::expr
