// Reads .smt files (docs/trace-format.md). Memory does not grow with the number of events.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/trace_sink.hpp"
#include "trace/byte_io.hpp"
#include "trace/chunk_reader.hpp"
#include "trace/event_decoder.hpp"
#include "trace/launch_filter.hpp"
#include "trace/metadata_codec.hpp"

namespace smemsim::trace {

class SmtReader final : public TraceSource {
 public:
  SmtReader(std::unique_ptr<ByteSource> bytes, LaunchFilter filter);

  Status read(TraceSink& sink) override;
  std::vector<std::string> warnings() const override { return warnings_; }

 private:
  /// A site table or program that launches refer to. Kept as it is in the file, since decoded ones
  /// may be many times larger; for files that can seek only its place is kept.
  struct Table {
    smt::ChunkHeader header;
    std::uint64_t offset = 0;
    std::string stored;
  };
  enum class Step { more, finished, cut_off };

  Result<Step> read_chunk(TraceSink& sink);
  Status begin_launch(TraceSink& sink);
  Status deliver_tables(const LaunchReferences& references, TraceSink& sink);
  Status read_events(TraceSink& sink);
  Status end_launch(TraceSink& sink);
  Status check_index();
  Status load_table(const std::vector<Table>& tables, std::uint64_t number, const char* what);
  /// The error of a decoder, with the place of the current chunk.
  Error placed(const Error& error, std::uint64_t chunk_offset) const;

  ChunkReader chunks_;
  LaunchFilter filter_;
  FilterLog log_;
  EventDecoder events_;
  std::vector<Table> site_tables_, programs_;
  Launch launch_;
  bool in_launch_ = false, wanted_ = false;
  std::uint64_t launches_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace smemsim::trace
