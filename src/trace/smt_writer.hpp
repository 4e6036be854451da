// Writes .smt files (docs/trace-format.md). Streams: holds one chunk of events at a time.
//
// Capture libraries build this where only a C++20 compiler is at hand. It needs these files alone:
// sim/operation.cpp and, of trace/, byte_io, chunk_codec, crc32c, event_encoder, metadata_codec,
// shape_codec, shape_table, smt_writer, trace_rules (and launch_builder, which feeds it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/byte_io.hpp"
#include "trace/chunk_codec.hpp"
#include "trace/event_encoder.hpp"
#include "trace/trace_rules.hpp"
#include "trace/trace_writer.hpp"

namespace smemsim::trace {

struct SmtWriterOptions {
  /// Of zstd, 1 to 19. Level 5 writes generated traces within 1 % of the size of level 9; most of
  /// the compression is done by the encoding before it.
  int level = 5;
  std::size_t chunk_bytes = 1U << 20;  ///< size of an events chunk before compression, about
};

class SmtWriter final : public TraceWriter {
 public:
  /// `out` must outlive the writer.
  explicit SmtWriter(ByteSink& out, const SmtWriterOptions& options = {});

  Status begin_launch(const Launch& launch) override;
  Status program(const Program& program) override;
  Status events(const EventBatch& batch) override;
  Status end_launch() override;
  Status finish() override;

 private:
  /// The error of a rule that the producer broke, with the file's name.
  Error refused(const Error& error) const;
  Status write(std::string_view bytes);
  Status write_chunk(std::uint32_t type, const std::string& raw);
  /// Writes a table once; gives its number, which launches refer to.
  Result<std::uint64_t> shared_chunk(std::uint32_t type, std::string raw,
                                     std::map<std::string, std::uint64_t>& known);
  Status write_launch();
  Status write_events();
  void index_chunk(std::uint32_t type);

  ByteSink& out_;
  SmtWriterOptions options_;
  ChunkCompressor compressor_;
  EventEncoder encoder_;
  BlockSequence blocks_;
  std::uint64_t offset_ = 0;        ///< bytes written
  std::uint64_t chunk_offset_ = 0;  ///< of the last chunk
  std::string index_;
  std::uint64_t index_entries_ = 0, indexed_offset_ = 0;

  std::map<std::string, std::uint64_t> site_tables_, programs_;  ///< by content
  const Launch* launch_ = nullptr;
  bool launch_written_ = false;
  std::vector<std::uint64_t> programs_of_launch_;
  std::uint64_t launches_ = 0, launch_events_ = 0;
};

}  // namespace smemsim::trace
