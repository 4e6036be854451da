#include "trace/smt_reader.hpp"

#include <utility>

#include "trace/trace_rules.hpp"

namespace smemsim::trace {

SmtReader::SmtReader(std::unique_ptr<ByteSource> bytes, LaunchFilter filter)
    : chunks_(std::move(bytes)), filter_(std::move(filter)) {}

Error SmtReader::placed(const Error& error, std::uint64_t chunk_offset) const {
  return chunks_.error_at(chunk_offset, error.message, error.hint);
}

Status SmtReader::read(TraceSink& sink) {
  site_tables_.clear();
  programs_.clear();
  warnings_.clear();
  log_ = {};
  in_launch_ = false;
  launches_ = 0;
  SMEMSIM_TRY(chunks_.open());

  Step step = Step::more;
  while (step == Step::more) {
    const Result<Step> now = read_chunk(sink);
    if (!now) return now.error();
    step = *now;
  }
  if (step == Step::cut_off) {
    warnings_.push_back(chunks_.name() + ": the file ends early, at byte " +
                        std::to_string(chunks_.position()) + "; what stands before byte " +
                        std::to_string(chunks_.offset()) +
                        " was read (its writer did not finish, or it was cut)");
    if (in_launch_ && wanted_) SMEMSIM_TRY(sink.end_launch());
  }
  const std::string unmatched = log_.warning(filter_);
  if (!unmatched.empty()) warnings_.push_back(chunks_.name() + ": " + unmatched);
  return {};
}

Result<SmtReader::Step> SmtReader::read_chunk(TraceSink& sink) {
  const Result<ChunkReader::Found> found = chunks_.next();
  if (!found) return found.error();
  if (*found == ChunkReader::Found::end) return Step::cut_off;

  const std::uint32_t type = chunks_.header().type;
  const std::uint64_t offset = chunks_.offset();
  const bool known = type == smt::kSites || type == smt::kProgram || type == smt::kLaunch ||
                     type == smt::kEvents || type == smt::kLaunchEnd || type == smt::kIndex;
  if (!known && !smt::may_skip(type)) {
    return chunks_.error_at(offset, "a chunk of the unknown type " + smt::type_name(type),
                            "the file may need a newer smemsim");
  }
  const bool within = type == smt::kEvents || type == smt::kLaunchEnd;
  const bool outside = type == smt::kLaunch || type == smt::kIndex;
  if ((within && !in_launch_) || (outside && in_launch_)) {
    return chunks_.error_at(offset, "a " + smt::type_name(type) + " chunk " +
                                        (within ? "outside" : "inside") + " a launch");
  }

  const bool unwanted = within && !wanted_;
  const Result<bool> whole = !known || unwanted ? chunks_.skip() : chunks_.load();
  if (!whole) return whole.error();
  if (!*whole) return Step::cut_off;
  if (type == smt::kSites || type == smt::kProgram) {
    Table table{chunks_.header(), offset, {}};
    if (!chunks_.can_seek()) table.stored = chunks_.stored();
    (type == smt::kSites ? site_tables_ : programs_).push_back(std::move(table));
  } else if (type == smt::kLaunch) {
    SMEMSIM_TRY(begin_launch(sink));
  } else if (type == smt::kEvents && wanted_) {
    SMEMSIM_TRY(read_events(sink));
  } else if (type == smt::kLaunchEnd) {
    SMEMSIM_TRY(end_launch(sink));
  } else if (type == smt::kIndex) {
    SMEMSIM_TRY(check_index());
    const Result<bool> trailer = chunks_.read_trailer(offset);
    if (!trailer) return trailer.error();
    return *trailer ? Step::finished : Step::cut_off;
  }
  return Step::more;
}

Status SmtReader::load_table(const std::vector<Table>& tables, std::uint64_t number,
                             const char* what) {
  if (number >= tables.size()) {
    return chunks_.error_at(chunks_.offset(), "a launch refers to " + std::string(what) + " " +
                                                  std::to_string(number) + " of " +
                                                  std::to_string(tables.size()));
  }
  const Table& table = tables[static_cast<std::size_t>(number)];
  return chunks_.load_again(table.header, table.offset, table.stored);
}

Status SmtReader::begin_launch(TraceSink& sink) {
  LaunchReferences references;
  Result<Launch> launch = decode_launch(chunks_.raw(), references);
  if (!launch) return placed(launch.error(), chunks_.offset());
  launch_ = *std::move(launch);
  if (Status status = check_launch(launch_); !status) {
    return placed(status.error(), chunks_.offset());
  }
  in_launch_ = true;
  wanted_ = log_.matches(filter_, launch_.kernel);
  return wanted_ ? deliver_tables(references, sink) : Status{};
}

Status SmtReader::deliver_tables(const LaunchReferences& references, TraceSink& sink) {
  SMEMSIM_TRY(load_table(site_tables_, references.site_table, "site table"));
  Result<std::vector<Site>> sites = decode_sites(chunks_.raw());
  if (!sites) return placed(sites.error(), site_tables_[references.site_table].offset);
  launch_.sites = *std::move(sites);
  events_.begin(launch_, launches_);
  SMEMSIM_TRY(sink.begin_launch(launch_));
  for (const std::uint64_t number : references.programs) {
    SMEMSIM_TRY(load_table(programs_, number, "program"));
    const Result<Program> program = decode_program(chunks_.raw());
    if (!program) return placed(program.error(), programs_[number].offset);
    SMEMSIM_TRY(sink.program(*program));
  }
  return {};
}

Status SmtReader::read_events(TraceSink& sink) {
  bool sink_failed = false;
  Status status = events_.decode(chunks_.raw(), sink, sink_failed);
  if (!status && !sink_failed) return placed(status.error(), chunks_.offset());
  return status;
}

Status SmtReader::end_launch(TraceSink& sink) {
  in_launch_ = false;
  ++launches_;
  if (!wanted_) return {};
  ByteCursor in(chunks_.raw());
  const std::uint64_t events = in.varint();
  const std::uint64_t blocks = in.varint();
  if (in.failed() || events != events_.events() || blocks != events_.blocks()) {
    return chunks_.error_at(chunks_.offset(),
                            "the launch has " + std::to_string(events_.events()) + " events in " +
                                std::to_string(events_.blocks()) + " blocks; its end says " +
                                std::to_string(events) + " in " + std::to_string(blocks));
  }
  return sink.end_launch();
}

Status SmtReader::check_index() {
  // Reading from start to end needs no index; a damaged one still shows a damaged file.
  ByteCursor in(chunks_.raw());
  std::uint64_t offset = 0;
  for (std::uint64_t left = in.varint(); left != 0; --left) {
    const auto type = in.fixed<std::uint32_t>();
    offset += in.varint();
    if (type == smt::kEvents) {
      for (int field = 0; field < 4; ++field) in.varint();
    }
    if (in.failed() || offset >= chunks_.offset()) {
      return chunks_.error_at(chunks_.offset(), "the index is damaged");
    }
  }
  if (in.failed() || in.remaining() != 0) {
    return chunks_.error_at(chunks_.offset(), "the index is damaged");
  }
  return {};
}

}  // namespace smemsim::trace
