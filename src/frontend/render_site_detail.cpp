// --site: one access as the banks see it.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/paint.hpp"
#include "frontend/render_report.hpp"
#include "frontend/text.hpp"
#include "sim/access_pattern.hpp"

namespace smemsim::cli {
namespace {

constexpr unsigned kBanksPerLine = 32;
constexpr std::size_t kLabel = 7;
constexpr std::size_t kMostWavefronts = 64;  ///< shown of one pass

/// One character for each lane, so that 32 banks fit 80 columns.
char lane_character(unsigned lane) {
  constexpr std::string_view kCharacters =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@$";
  return kCharacters[lane];
}

/// "0-7", "0-3, 8", "4".
std::string mask_text(LaneMask mask) {
  std::string out;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    if (!has_lane(mask, lane)) continue;
    unsigned last = lane;
    while (last + 1 < kMaxLanes && has_lane(mask, last + 1)) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", lane);
    if (last > lane) out += fmt::format("-{}", last);
    lane = last;
  }
  return out;
}

std::string bank_heading(unsigned first, unsigned last) {
  std::string line = fmt::format("  {:<{}}", "bank", kLabel);
  for (unsigned bank = first; bank < last; ++bank) {
    line += bank % 4 == 0 ? fmt::format("{:<2}", bank) : bank % 4 == 1 && bank > 100 ? "" : "  ";
  }
  while (line.back() == ' ') line.pop_back();
  return line + '\n';
}

/// The words that each wavefront of a pass brings, bank by bank.
std::string pass_picture(const PassDetail& pass, unsigned wavefronts_per_word,
                         unsigned& next_wavefront, const Painter& paint) {
  const auto banks = static_cast<unsigned>(pass.banks.size());
  std::string out;
  for (unsigned first = 0; first < banks; first += kBanksPerLine) {
    const unsigned last = std::min(first + kBanksPerLine, banks);
    out += paint(Style::faint, bank_heading(first, last));
    for (unsigned at = 0; at < pass.ways; ++at) {
      if (at == kMostWavefronts) {
        out += fmt::format("  ... {} more\n", pass.ways - at);
        break;
      }
      std::string line = fmt::format(
          "  {:<{}}", fmt::format("wf {}", next_wavefront + at * wavefronts_per_word), kLabel);
      for (unsigned bank = first; bank < last; ++bank) {
        if (at >= pass.banks[bank].size()) {
          line += ". ";
          continue;
        }
        const LaneMask lanes = pass.banks[bank][at].lanes;
        line += lane_character(static_cast<unsigned>(std::countr_zero(lanes)));
        line += lane_count(lanes) > 1 ? '+' : ' ';
      }
      while (line.back() == ' ') line.pop_back();
      out += (at == 0 ? line : paint(Style::bad, line)) + '\n';
    }
  }
  next_wavefront += pass.ways * wavefronts_per_word;
  return out;
}

std::string shared_words(const PassDetail& pass, const SharedMemory& machine) {
  constexpr std::size_t kShown = 8;
  std::string out;
  std::size_t groups = 0;
  LaneMask before = 0;
  for (std::size_t bank = 0; bank < pass.banks.size(); ++bank) {
    for (const WordUse& use : pass.banks[bank]) {
      // Wide accesses repeat their lanes in neighbouring banks: once is enough.
      if (lane_count(use.lanes) < 2 || use.lanes == before) continue;
      before = use.lanes;
      if (++groups > kShown) continue;
      out += fmt::format("    word 0x{:04x} (bank {}): lanes {}\n", use.word * machine.bank_bytes,
                         bank, mask_text(use.lanes));
    }
  }
  if (groups > kShown) out += fmt::format("    ... {} more\n", groups - kShown);
  return out;
}

std::string addresses(const WorstAccess& worst) {
  constexpr unsigned kPerLine = 8;
  std::string out;
  const auto lanes = static_cast<unsigned>(worst.shape.offsets.size());
  for (unsigned first = 0; first < lanes; first += kPerLine) {
    out += fmt::format("  {:>5} ", first);
    for (unsigned lane = first; lane < std::min(first + kPerLine, lanes); ++lane) {
      out += has_lane(worst.shape.active, lane)
                 ? fmt::format(" 0x{:04x}", lane_address(worst.shape, worst.event, lane))
                 : "      -";
    }
    out += '\n';
  }
  return out;
}

std::string distribution(const SiteConflicts& row, std::size_t width) {
  std::uint64_t most = 0;
  for (const auto& [wavefronts, count] : row.histogram) most = std::max(most, count);
  const std::size_t bar = std::clamp<std::size_t>(width, 60, 100) - 40;
  std::string out = "  wavefronts    executions\n";
  for (const auto& [wavefronts, count] : row.histogram) {
    const auto length = static_cast<std::size_t>(
        (static_cast<double>(count) / static_cast<double>(most)) * static_cast<double>(bar));
    out += fmt::format("  {:>10}  {:>12}  {:>7}  {}\n", wavefronts, with_commas(count),
                       percent(count, row.costed()),
                       std::string(std::max<std::size_t>(1, length), '#'));
  }
  return out;
}

std::string lines(std::string_view text, std::size_t width) {
  std::string out;
  for (const std::string& line : wrap(text, width == 0 ? std::string::npos : width - 2)) {
    out += "  " + line + '\n';
  }
  return out;
}

/// The picture of all passes, with what each passes' lanes share.
std::string picture(const SiteConflicts& row, const KernelConflicts& kernel, const Painter& paint,
                    std::size_t width) {
  const WorstAccess& worst = row.worst;
  const AccessRule* rule = kernel.shared.rule(row.op, row.width, row.matrices);
  const AccessDetail detail = access_detail(worst.shape, worst.event, kernel.shared);
  std::string out;
  if (rule->through_tags) {
    out += lines(
        "The picture shows the shared-memory side alone; the copy's wavefronts also depend "
        "on the global lines it reads.",
        width);
  } else {
    out += lines(
        "A wavefront (wf) serves one word in each bank: the character is the lane that it "
        "goes to (0-9, then a = lane 10, b = lane 11, ...); + more lanes get the same word. Words "
        "of one bank are shown in lane order.",
        width);
    if (rule->count == BankCount::one) {
      out +=
          lines(fmt::format("One lane of each bank updates its word, in {} wavefronts for all of "
                            "them; the others fail and try again in the next round of the loop.",
                            rule->wavefronts_per_word),
                width);
    }
    if (rule->count == BankCount::lanes) {
      out += lines(rule->wavefronts_per_word == 1
                       ? "Atomics are served one lane after the other in each bank."
                       : fmt::format("Atomics are served one lane after the other in each bank, {} "
                                     "wavefronts each.",
                                     rule->wavefronts_per_word),
                   width);
    }
  }
  unsigned wavefront = 1;
  for (std::size_t pass = 0; pass < detail.passes.size(); ++pass) {
    const PassDetail& one = detail.passes[pass];
    out += fmt::format("\n  pass {} of {}: lanes {}, {}\n", pass + 1, detail.passes.size(),
                       mask_text(one.lanes),
                       one.ways == 1 ? "no conflict" : fmt::format("{}-way", one.ways));
    out += pass_picture(one, rule->wavefronts_per_word, wavefront, paint);
    const std::string shared = shared_words(one, kernel.shared);
    if (!shared.empty() && rule->count == BankCount::words) {
      out += "  multicast (one read or write serves several lanes):\n" + shared;
    }
  }
  return out;
}

}  // namespace

std::string site_detail_text(const SiteConflicts& row, const KernelConflicts& kernel,
                             const Environment& environment) {
  const Painter paint(environment.color);
  const std::size_t width = environment.columns == 0 ? 0 : std::max(environment.columns, 40U);
  const ConflictTotals& totals = row.totals;
  std::string title = fmt::format("site {}: {}", row.number, site_place(row));
  if (const std::string text = printable(row.site.instruction); text != site_place(row)) {
    title += "  " + text;
  }
  while (title.back() == ' ') title.pop_back();
  std::string out = paint(Style::strong, width == 0 ? title : elide(title, width)) + '\n';
  const std::string where = fmt::format(
      "{}, {} in {}", access_text(row.op, row.width, row.matrices),
      row.site.file.empty() ? "" : fmt::format("pc 0x{:04x}", row.site.pc), kernel_name(kernel));
  out += lines(where, width);
  if (row.costed() == 0) {
    return out + lines(fmt::format("{}; {}", count_of(totals.executed, "execution"),
                                   site_reason(row, kernel)),
                       width);
  }
  out += lines(
      fmt::format("{}: {}, ideal {}, excess {} ({} of the kernel's wavefronts)",
                  count_of(totals.executed, "execution"), count_of(totals.wavefronts, "wavefront"),
                  with_commas(totals.ideal), with_commas(totals.excess()),
                  percent(totals.wavefronts, kernel.totals.wavefronts)),
      width);
  out += lines(fmt::format("ways: mean {}, worst {}; multicast in {}, pair-merged {}",
                           mean(row.ways_sum, row.costed()), row.worst_ways,
                           percent(totals.multicast, totals.executed),
                           percent(totals.merged, totals.executed)),
               width);
  out += lines("why: " + site_reason(row, kernel), width);

  out += '\n' + paint(Style::strong, "Wavefronts of one execution") + '\n' +
         distribution(row, width == 0 ? 80 : width);

  const WorstAccess& worst = row.worst;
  out += '\n' + paint(Style::strong, "Worst access") + '\n';
  out += lines(
      fmt::format("launch {}, block {}, warp {}, {}: {}, ideal {}, {}-way", worst.launch_index,
                  worst.block, worst.warp, count_of(lane_count(worst.shape.active), "active lane"),
                  count_of(worst.cost.wavefronts, "wavefront"), worst.cost.ideal, worst.cost.ways),
      width);
  out += picture(row, kernel, paint, width);
  out += '\n' + paint(Style::strong, "Lane addresses") +
         " (byte offsets in the block's shared memory)\n" + addresses(worst);
  return out;
}

}  // namespace smemsim::cli
