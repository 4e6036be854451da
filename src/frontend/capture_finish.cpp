#include "frontend/capture_finish.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "frontend/capture_elf.hpp"
#include "frontend/capture_process.hpp"
#include "frontend/capture_sass.hpp"
#include "trace/open.hpp"
#include "trace/shape_table.hpp"

namespace smemsim::capture {
namespace {

namespace fs = std::filesystem;

/// More text than any one function disassembles to.
constexpr std::uint64_t kMostDisassembly = std::uint64_t{4} << 30;

Result<std::string> read_file(const std::string& path) {
  auto source = trace::open_source(path);
  if (!source) return source.error();
  return trace::read_all(*source.value(), kMostDisassembly);
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Machine code of the kept images, disassembled function by function when first asked for.
class Code {
 public:
  explicit Code(const FinishOptions& options) : options_(options) {}

  /// Null when the function's code cannot be had.
  const Program* program(const std::string& image, const std::string& function) {
    if (options_.nvdisasm.empty() || image.empty() || image == "-" || function.empty()) {
      return nullptr;
    }
    const auto [entry, added] = programs_.try_emplace({image, function});
    if (added) entry->second = disassemble(image, function);
    return entry->second.instructions.empty() ? nullptr : &entry->second;
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  const std::vector<CubinFunction>& functions(const std::string& image) {
    const auto [entry, added] = images_.try_emplace(image);
    if (added) {
      const auto bytes = read_file(options_.directory + "/" + image);
      auto found = bytes ? cubin_functions(bytes.value())
                         : Result<std::vector<CubinFunction>>(bytes.error());
      if (found)
        entry->second = std::move(found.value());
      else
        problems_.push_back("machine code " + image + ": " + found.error().text());
    }
    return entry->second;
  }

  Program disassemble(const std::string& image, const std::string& function) {
    const auto& all = functions(image);
    const auto found = std::find_if(all.begin(), all.end(), [&](const CubinFunction& candidate) {
      return candidate.name == function;
    });
    if (found == all.end()) return {};
    const std::string output = options_.directory + "/disassembly.txt";
    std::vector<std::string> command{options_.nvdisasm,
                                     "-hex",
                                     "-gi",
                                     "-c",
                                     "-fun",
                                     std::to_string(found->symbol),
                                     options_.directory + "/" + image};
    Status status = run_to_file(command, output);
    if (!status.ok()) {
      command.insert(command.begin() + 1, "-ndf");  // its data-flow analysis can fail
      status = run_to_file(command, output);
    }
    auto text = status.ok() ? read_file(output) : Result<std::string>(status.error());
    if (!text) {
      problems_.push_back("machine code of " + function + ": " + text.error().text());
      return {};
    }
    for (Program& program : parse_disassembly(text.value())) {
      if (program.function != function) continue;
      for (std::string& file : program.files) {
        file = portable_path(file, options_.working_directory);
      }
      return std::move(program);
    }
    problems_.push_back("machine code of " + function + ": nvdisasm printed none");
    return {};
  }

  const FinishOptions& options_;
  std::map<std::string, std::vector<CubinFunction>> images_;
  std::map<std::pair<std::string, std::string>, Program> programs_;
  std::vector<std::string> problems_;
};

/// Passes launches on with machine code and refined operations.
class Completer final : public TraceSink {
 public:
  Completer(Code& code, TraceSink& next, FinishReport& report, std::set<std::string>& kernels)
      : code_(code), next_(next), report_(report), kernels_(kernels) {}

  void begin_file(std::vector<std::string> images) {
    images_ = std::move(images);
    launch_number_ = 0;
  }

  Status begin_launch(const Launch& launch) override {
    launch_ = launch;
    shapes_id_ = 0;
    const std::string image = launch_number_ < images_.size() ? images_[launch_number_] : "";
    ++launch_number_;
    std::map<std::string, const Program*> programs;
    if (const Program* kernel = code_.program(image, launch_.function)) {
      programs[launch_.function] = kernel;
    }
    for (Site& site : launch_.sites) {
      const Program* program = code_.program(image, site.function);
      if (program == nullptr) continue;
      programs[site.function] = program;
      complete(site, *program);
    }
    find_bulk_waits(programs);
    for (const auto& [name, program] : programs) {
      const std::string missing = unrecorded_instructions(*program);
      if (missing.empty()) continue;
      launch_.note += (launch_.note.empty() ? "" : "; ") + missing + " are not recorded";
    }
    ++report_.launches;
    report_.dropped_events += launch_.dropped_events;
    kernels_.insert(launch_.kernel);
    SMEMSIM_TRY(next_.begin_launch(launch_));
    for (const auto& [name, program] : programs) SMEMSIM_TRY(next_.program(*program));
    return {};
  }

  Status program(const Program& program) override { return next_.program(program); }

  Status events(const EventBatch& batch) override {
    if (batch.shapes_id != shapes_id_ || batch.shapes.size() != received_) {
      shapes_id_ = batch.shapes_id;
      received_ = batch.shapes.size();
      shapes_.assign(batch.shapes.begin(), batch.shapes.end());
      markers_.clear();
      for (std::uint32_t i = 0; i < received_; ++i) {
        EventShape& shape = shapes_[i];
        if (shape.site >= launch_.sites.size()) continue;
        const std::string& instruction = launch_.sites[shape.site].instruction;
        if (is_marker(shape.op, instruction)) markers_.insert(i);
        refine(shape, instruction);
        if (shape.op == Operation::cp_async_wait) refine_bulk_wait(shape);
      }
      add_commit_shapes();
      refined_id_ = trace::next_shapes_id();
    }
    EventBatch refined = batch;
    refined.shapes = shapes_;
    refined.shapes_id = refined_id_;
    if (!commit_shapes_.empty() || !markers_.empty()) {
      rewritten_.clear();
      for (const Event& event : batch.events) {
        if (markers_.count(event.shape) != 0) continue;
        const auto commit = commit_shapes_.find(event.shape);
        if (commit != commit_shapes_.end()) rewritten_.push_back({commit->second, 0, 0});
        rewritten_.push_back(event);
      }
      if (rewritten_.empty()) return {};
      refined.events = rewritten_;
    }
    report_.events += refined.events.size();
    return next_.events(refined);
  }

  Status end_launch() override { return next_.end_launch(); }

 private:
  static void complete(Site& site, const Program& program) {
    const auto& all = program.instructions;
    const auto found = std::lower_bound(all.begin(), all.end(), site.pc,
                                        [](const ProgramInstruction& instruction,
                                           std::uint32_t pc) { return instruction.pc < pc; });
    if (found == all.end() || found->pc != site.pc) return;
    site.instruction = found->text;
    if (found->line != 0 && found->file < program.files.size()) {
      site.file = program.files[found->file];
      site.line = found->line;
    }
  }

  /// The commits of bulk copies have no callback: each is put in front of its wait.
  struct BulkSite {
    std::uint32_t commit_site = 0;
    bool reads_only = false;
  };
  void find_bulk_waits(const std::map<std::string, const Program*>& programs) {
    bulk_sites_.clear();
    const std::size_t count = launch_.sites.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto program = programs.find(launch_.sites[i].function);
      if (program == programs.end()) continue;
      const auto& all = program->second->instructions;
      const auto at = std::find_if(all.begin(), all.end(), [&](const ProgramInstruction& each) {
        return each.pc == launch_.sites[i].pc;
      });
      if (at == all.end()) continue;
      const auto wait = bulk_wait(*program->second, static_cast<std::size_t>(at - all.begin()));
      if (!wait) continue;
      Site commit;
      commit.function = launch_.sites[i].function;
      commit.pc = all[wait->commit].pc;
      complete(commit, *program->second);
      bulk_sites_[static_cast<std::uint32_t>(i)] = {
          static_cast<std::uint32_t>(launch_.sites.size()), wait->reads_only};
      launch_.sites.push_back(std::move(commit));
    }
  }

  void refine_bulk_wait(EventShape& shape) const {
    const auto site = bulk_sites_.find(shape.site);
    if (site == bulk_sites_.end()) return;
    shape.op = Operation::bulk_wait;
    shape.b = site->second.reads_only ? 1 : 0;
  }

  void add_commit_shapes() {
    commit_shapes_.clear();
    for (std::uint32_t i = 0; i < received_; ++i) {
      if (shapes_[i].op != Operation::bulk_wait) continue;
      EventShape commit;
      commit.op = Operation::bulk_commit;
      commit.site = bulk_sites_.at(shapes_[i].site).commit_site;
      commit.active = shapes_[i].active;
      commit_shapes_[i] = static_cast<std::uint32_t>(shapes_.size());
      shapes_.push_back(std::move(commit));
    }
  }

  Code& code_;
  TraceSink& next_;
  FinishReport& report_;
  std::set<std::string>& kernels_;
  std::vector<std::string> images_;
  std::size_t launch_number_ = 0;
  Launch launch_;
  std::vector<EventShape> shapes_;  ///< those of the batch, then the commits
  std::size_t received_ = 0;
  std::map<std::uint32_t, BulkSite> bulk_sites_;
  std::map<std::uint32_t, std::uint32_t> commit_shapes_;  ///< by the shape of the wait
  std::set<std::uint32_t> markers_;                       ///< shapes that stand for nothing
  std::vector<Event> rewritten_;
  std::uint64_t shapes_id_ = 0, refined_id_ = 0;
};

}  // namespace

Result<FinishReport> finish_capture(const FinishOptions& options) {
  FinishReport report;
  std::vector<std::string> traces;
  std::error_code error;
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(options.directory, error)) {
    paths.push_back(entry.path());
  }
  if (error) return io_error(options.directory, error.message());
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    if (path.extension() == ".started") ++report.processes;
    if (path.extension() == ".smt") traces.push_back(path.string());
    if (path.extension() != ".problems") continue;
    for (std::string& line : read_lines(path.string())) report.problems.push_back(std::move(line));
  }
  if (traces.empty()) return report;

  auto file = trace::open_sink(options.output);
  if (!file) return file.error();
  const auto writer = trace::make_writer(trace::TraceFormat::smt, *file.value());
  Code code(options);
  std::set<std::string> kernels;
  Completer completer(code, *writer, report, kernels);
  for (const std::string& path : traces) {
    completer.begin_file(read_lines(fs::path(path).replace_extension(".launches").string()));
    auto source = trace::open_trace(path);
    if (!source) {
      // A process that was killed before its first launch ended leaves less than a header.
      report.problems.push_back(source.error().text());
      continue;
    }
    SMEMSIM_TRY(source.value()->read(completer));
    if (!source.value()->warnings().empty()) {
      report.problems.push_back(
          "a process of the program ended before its trace was complete; the launches until then "
          "are kept");
    }
  }
  SMEMSIM_TRY(writer->finish());
  report.kernels = kernels.size();
  report.problems.insert(report.problems.end(), code.problems().begin(), code.problems().end());
  return report;
}

}  // namespace smemsim::capture
