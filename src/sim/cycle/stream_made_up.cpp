// Instruction streams of traces without a program.
#include <algorithm>

#include "sim/cycle/stream.hpp"

namespace smemsim {
namespace {

/// Instructions that a made-up stream takes for an event without a program.
Decoded made_up_instruction(const EventShape& shape) {
  using Kind = InstructionKind;
  Decoded out;
  const unsigned words = std::max(1U, shape.width / 4U);
  const auto memory = [&](Kind kind, unsigned operands, unsigned results) {
    out.kind = kind;
    out.pipe = Pipe::memory;
    out.operands = static_cast<std::uint8_t>(operands);
    out.results = static_cast<std::uint8_t>(results);
    if (results != 0) out.write_barrier = 0;
  };
  switch (shape.op) {
    case Operation::load:
      memory(Kind::shared, 1, words);
      break;
    case Operation::ldmatrix:
      memory(Kind::shared, 1, shape.matrices);
      break;
    case Operation::store:
      memory(Kind::shared, 1 + words, 0);
      break;
    case Operation::stmatrix:
      memory(Kind::shared, 1U + shape.matrices, 0);
      break;
    case Operation::atomic:
      memory(Kind::shared, 1 + words, words);
      break;
    case Operation::cas:
    case Operation::cas_spin:
      memory(Kind::shared, 1 + 2 * words, words);
      break;
    case Operation::reduce:
    case Operation::increment:
      memory(Kind::shared, 1 + words, 0);
      break;
    case Operation::cp_async_ca:
    case Operation::cp_async_cg:
      memory(Kind::copy, 3, 0);
      break;
    case Operation::cp_async_commit:
      out.kind = Kind::copy_mark;
      out.write_barrier = 5;
      break;
    case Operation::cp_async_wait:
      out.kind = Kind::depend;
      out.depend_on = 5;
      out.depend_count = static_cast<std::uint8_t>(std::min<std::uint64_t>(shape.a, 63));
      break;
    case Operation::global_load:
      memory(Kind::global, 2, words);
      break;
    case Operation::global_store:
      memory(Kind::global, 2 + words, 0);
      break;
    case Operation::global_atomic:
      memory(Kind::global, 2 + words, 1);
      break;
    case Operation::shuffle:
      memory(Kind::shuffle, 2, 1);
      break;
    case Operation::barrier_sync:
    case Operation::barrier_arrive:
      out.kind = Kind::barrier;
      break;
    case Operation::exit:
      out.kind = Kind::exit;
      break;
    default:
      out.kind = Kind::sync;
      break;
  }
  // Without registers to look at: loads overlap with each other, everything else waits for them.
  const bool loads = out.kind == Kind::shared && out.results != 0 && out.operands == 1;
  const bool fetches = out.kind == Kind::global && out.results != 0;
  if (!loads && !fetches && out.kind != Kind::depend) out.wait_mask = 1;
  return out;
}

}  // namespace

std::uint32_t StreamBuilder::made_up(const EventShape& shape) {
  const bool slots = shape.op == Operation::instructions;
  const std::uint64_t detail = slots                                  ? shape.a
                               : shape.op == Operation::cp_async_wait ? shape.a
                                                                      : shape.matrices;
  const auto [entry, added] = made_up_.try_emplace({shape.op, shape.width, detail});
  if (!added) return entry->second;
  std::vector<std::uint32_t> steps;
  const auto index = static_cast<std::uint32_t>(instructions_.size());
  if (slots) {
    Decoded plain;
    plain.pipe = Pipe::fma;
    Decoded first = plain;
    first.wait_mask = 1;  // the first may use what was loaded
    instructions_.push_back(first);
    instructions_.push_back(plain);
    constexpr std::uint64_t kMost = 1U << 20;
    steps.assign(std::min(shape.a, kMost), index + 1);
    if (!steps.empty()) steps.front() = index;
  } else {
    if (shape.op == Operation::cp_async_wait && shape.a == 0) {
      // It waits for copies without a commit, too.
      EventShape commit;
      commit.op = Operation::cp_async_commit;
      instructions_.push_back(made_up_instruction(commit));
      steps.push_back(index);
    }
    steps.push_back(static_cast<std::uint32_t>(instructions_.size()));
    instructions_.push_back(made_up_instruction(shape));
  }
  entry->second = keep(std::move(steps));
  return entry->second;
}

}  // namespace smemsim
