#include "output.hpp"

#include <span>

#include "log.hpp"

namespace smemsim::capture {
namespace {

Status write_line(trace::ByteSink& sink, const std::string& text) {
  const std::string line = text + "\n";
  SMEMSIM_TRY(sink.write(std::as_bytes(std::span(line.data(), line.size()))));
  return sink.flush();
}

}  // namespace

void Output::write(trace::LaunchBuilder& launch, const std::string& image) {
  const std::lock_guard lock(mutex_);
  if (failed_) return;
  const auto all = [&]() -> Status {
    if (!writer_) {
      auto file = trace::open_sink(prefix_ + ".smt");
      if (!file) return file.error();
      auto images = trace::open_sink(prefix_ + ".launches");
      if (!images) return images.error();
      file_ = std::move(file.value());
      images_ = std::move(images.value());
      writer_ = std::make_unique<trace::SmtWriter>(*file_);
    }
    // First the line: one too many does no harm if the process dies before the launch is written.
    SMEMSIM_TRY(write_line(*images_, image.empty() ? "-" : image));
    SMEMSIM_TRY(launch.deliver(*writer_));
    return file_->flush();
  };
  const Status status = all();
  if (!status.ok()) {
    failed_ = true;
    problem("launch %s could not be written and recording stops: %s",
            launch.launch().kernel.c_str(), status.error().text().c_str());
  }
}

void Output::finish() {
  const std::lock_guard lock(mutex_);
  if (!writer_ || failed_) return;
  failed_ = true;  // nothing after the end
  const Status status = writer_->finish();
  if (!status.ok()) problem("the trace could not be ended: %s", status.error().text().c_str());
}

}  // namespace smemsim::capture
