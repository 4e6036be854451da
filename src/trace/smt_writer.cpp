#include "trace/smt_writer.hpp"

#include <algorithm>
#include <span>

#include "trace/metadata_codec.hpp"
#include "trace/smt_format.hpp"

namespace smemsim::trace {

SmtWriter::SmtWriter(ByteSink& out, const SmtWriterOptions& options)
    : out_(out), options_(options), compressor_(options.level) {
  // Readers refuse chunks over their limit; the last shape may go past the target by its size.
  options_.chunk_bytes = std::clamp<std::size_t>(options.chunk_bytes, 1, smt::kMaxEventsRaw / 2);
}

Error SmtWriter::refused(const Error& error) const {
  return invalid_input(out_.name(), "cannot hold what it is given: " + error.message);
}

Status SmtWriter::write(std::string_view bytes) {
  offset_ += bytes.size();
  return out_.write(std::as_bytes(std::span(bytes)));
}

Status SmtWriter::write_chunk(std::uint32_t type, const std::string& raw) {
  if (raw.size() > smt::max_raw(type)) {
    return invalid_input(out_.name(), "a " + smt::type_name(type) + " chunk of " +
                                          std::to_string(raw.size()) + " bytes is too large");
  }
  if (offset_ == 0) SMEMSIM_TRY(write(smt::file_header()));
  chunk_offset_ = offset_;
  smt::Codec codec{};
  const std::string_view stored = compressor_.compress(raw, codec);
  smt::ChunkHeader header;
  header.type = type;
  header.codec = static_cast<std::uint8_t>(codec);
  header.raw_bytes = static_cast<std::uint32_t>(raw.size());
  header.stored_bytes = static_cast<std::uint32_t>(stored.size());
  header.stored_crc = crc32c(stored);
  SMEMSIM_TRY(write(smt::encode(header)));
  return write(stored);
}

void SmtWriter::index_chunk(std::uint32_t type) {
  put_fixed(index_, type);
  put_varint(index_, chunk_offset_ - indexed_offset_);
  indexed_offset_ = chunk_offset_;
  ++index_entries_;
}

Result<std::uint64_t> SmtWriter::shared_chunk(std::uint32_t type, std::string raw,
                                              std::map<std::string, std::uint64_t>& known) {
  const auto found = known.find(raw);
  if (found != known.end()) return found->second;
  SMEMSIM_TRY(write_chunk(type, raw));
  index_chunk(type);
  const std::uint64_t number = known.size();
  known.emplace(std::move(raw), number);
  return number;
}

Status SmtWriter::begin_launch(const Launch& launch) {
  if (launch_ != nullptr) return invalid_input(out_.name(), "a launch begins within a launch");
  if (Status status = check_launch(launch); !status) return refused(status.error());
  if (launch.sites.size() > smt::kMaxSites) {
    return invalid_input(out_.name(),
                         "a launch of more than " + std::to_string(smt::kMaxSites) + " sites");
  }
  launch_ = &launch;
  launch_written_ = false;
  launch_events_ = 0;
  programs_of_launch_.clear();
  blocks_.clear();
  encoder_.begin(launch);
  return {};
}

Status SmtWriter::program(const Program& program) {
  if (launch_ == nullptr || launch_written_) {
    return invalid_input(out_.name(), "a program must come before the events of its launch");
  }
  if (program.instructions.size() > smt::kMaxInstructions ||
      program.files.size() > smt::kMaxFiles) {
    return invalid_input(out_.name(), "the program of " + program.function + " is too large");
  }
  const Result<std::uint64_t> number =
      shared_chunk(smt::kProgram, encode_program(program), programs_);
  if (!number) return number.error();
  programs_of_launch_.push_back(*number);
  return {};
}

Status SmtWriter::write_launch() {
  const Result<std::uint64_t> sites =
      shared_chunk(smt::kSites, encode_sites(launch_->sites), site_tables_);
  if (!sites) return sites.error();
  SMEMSIM_TRY(write_chunk(smt::kLaunch, encode_launch(*launch_, {*sites, programs_of_launch_})));
  index_chunk(smt::kLaunch);
  launch_written_ = true;
  return {};
}

Status SmtWriter::events(const EventBatch& batch) {
  if (launch_ == nullptr) return invalid_input(out_.name(), "events outside a launch");
  if (batch.events.empty()) return {};
  if (!launch_written_) SMEMSIM_TRY(write_launch());
  if (!blocks_.enter(batch.block)) {
    return invalid_input(out_.name(), "block " + std::to_string(batch.block) + " comes twice");
  }
  for (std::size_t taken = 0; taken < batch.events.size();) {
    const Result<std::size_t> now = encoder_.add(batch, taken, options_.chunk_bytes);
    if (!now) return refused(now.error());
    taken = *now;
    if (taken < batch.events.size() || encoder_.full()) SMEMSIM_TRY(write_events());
  }
  return {};
}

Status SmtWriter::write_events() {
  if (encoder_.empty()) return {};
  const EventEncoder::Summary summary = encoder_.summary();
  SMEMSIM_TRY(write_chunk(smt::kEvents, encoder_.take(launches_)));
  index_chunk(smt::kEvents);
  put_varint(index_, launches_);
  put_varint(index_, summary.first_block);
  put_varint(index_, summary.last_block - summary.first_block);
  put_varint(index_, summary.events);
  launch_events_ += summary.events;
  return {};
}

Status SmtWriter::end_launch() {
  if (launch_ == nullptr) return invalid_input(out_.name(), "a launch ends that did not begin");
  if (!launch_written_) SMEMSIM_TRY(write_launch());
  SMEMSIM_TRY(write_events());
  std::string raw;
  put_varint(raw, launch_events_);
  put_varint(raw, blocks_.blocks());
  SMEMSIM_TRY(write_chunk(smt::kLaunchEnd, raw));
  launch_ = nullptr;
  ++launches_;
  return {};
}

Status SmtWriter::finish() {
  if (launch_ != nullptr) return invalid_input(out_.name(), "the last launch has not ended");
  // An index that outgrows a chunk (millions of chunks) is left out: readers do without.
  constexpr std::size_t kRoom = 16;
  if (index_.size() + kRoom > smt::kMaxOtherRaw) {
    index_.clear();
    index_entries_ = 0;
  }
  std::string raw;
  put_varint(raw, index_entries_);
  raw += index_;
  SMEMSIM_TRY(write_chunk(smt::kIndex, raw));
  SMEMSIM_TRY(write(smt::trailer(chunk_offset_)));
  return out_.flush();
}

}  // namespace smemsim::trace
