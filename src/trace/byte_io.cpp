#include "trace/byte_io.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace smemsim::trace {
namespace {

Error system_error(const std::string& name, const char* doing) {
  return io_error(name, std::string("cannot ") + doing + ": " + std::strerror(errno));
}

/// Owns a file descriptor, unless it is a standard stream.
class Descriptor {
 public:
  Descriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  ~Descriptor() {
    if (owned_) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

class FileSource final : public ByteSource {
 public:
  FileSource(int fd, bool owned, std::string name, std::optional<std::uint64_t> size)
      : file_(fd, owned), name_(std::move(name)), size_(size) {}

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return size_; }

  Result<std::size_t> read(std::span<std::byte> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = ::read(file_.get(), out.data() + done, out.size() - done);
      if (got == 0) break;
      if (got > 0) {
        done += static_cast<std::size_t>(got);
      } else if (errno != EINTR) {
        return system_error(name_, "read");
      }
    }
    return done;
  }

  Status seek(std::uint64_t offset) override {
    if (!size_) return io_error(name_, "cannot go back in a pipe", "save it to a file first");
    if (::lseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
      return system_error(name_, "seek");
    }
    return {};
  }

 private:
  Descriptor file_;
  std::string name_;
  std::optional<std::uint64_t> size_;
};

class FileSink final : public ByteSink {
 public:
  FileSink(int fd, bool owned, std::string name) : file_(fd, owned), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }

  Status write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t put = ::write(file_.get(), bytes.data(), bytes.size());
      if (put >= 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(put));
      } else if (errno != EINTR) {
        return system_error(name_, "write");
      }
    }
    return {};
  }

  /// Nothing is buffered here; every error has been reported by `write`.
  Status flush() override { return {}; }

 private:
  Descriptor file_;
  std::string name_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }

  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), bytes_.size() - position_);
    if (count != 0) std::memcpy(out.data(), bytes_.data() + position_, count);
    position_ += count;
    return count;
  }

  Status seek(std::uint64_t offset) override {
    if (offset > bytes_.size()) return io_error(name_, "cannot seek past the end");
    position_ = static_cast<std::size_t>(offset);
    return {};
  }

 private:
  std::string bytes_;
  std::string name_;
  std::size_t position_ = 0;
};

class StringSink final : public ByteSink {
 public:
  explicit StringSink(std::string& out) : out_(out) {}
  const std::string& name() const override { return name_; }
  Status write(std::span<const std::byte> bytes) override {
    out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }
  Status flush() override { return {}; }

 private:
  std::string& out_;
  std::string name_ = "memory";
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  const bool standard = path == "-";
  const std::string name = standard ? "standard input" : path;
  const int fd = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error(name, "open");

  struct stat info {};
  if (::fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
    if (!standard) ::close(fd);
    return io_error(name, "cannot read: it is a directory");
  }
  // A redirected standard input may already stand past its start, so only a named file seeks.
  std::optional<std::uint64_t> size;
  if (S_ISREG(info.st_mode) && !standard) size = static_cast<std::uint64_t>(info.st_size);
  return std::unique_ptr<ByteSource>(new FileSource(fd, !standard, name, size));
}

Result<std::unique_ptr<ByteSink>> open_sink(const std::string& path) {
  if (path == "-") {
    return std::unique_ptr<ByteSink>(new FileSink(STDOUT_FILENO, false, "standard output"));
  }
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return system_error(path, "create");
  return std::unique_ptr<ByteSink>(new FileSink(fd, true, path));
}

Result<std::unique_ptr<ByteSource>> temporary_copy(ByteSource& source) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = folder == nullptr || *folder == '\0' ? "/tmp" : folder;
  path += "/smemsim-XXXXXX";
  const int fd = ::mkstemp(path.data());
  if (fd < 0) return system_error(path, "create");
  ::unlink(path.c_str());
  FileSink sink(fd, false, path);
  std::uint64_t size = 0;
  std::string buffer(std::size_t{1} << 16, '\0');
  const auto room = std::as_writable_bytes(std::span(buffer));
  for (std::size_t count = room.size(); count == room.size();) {
    const Result<std::size_t> got = source.read(room);
    const Status put = got ? sink.write(room.first(*got)) : Status(got.error());
    if (!put) {
      ::close(fd);
      return put.error();
    }
    count = *got;
    size += count;
  }
  auto file = std::make_unique<FileSource>(fd, true, source.name(), size);
  SMEMSIM_TRY(file->seek(0));
  return std::unique_ptr<ByteSource>(std::move(file));
}

std::unique_ptr<ByteSource> memory_source(std::string bytes, std::string name) {
  return std::make_unique<MemorySource>(std::move(bytes), std::move(name));
}

std::unique_ptr<ByteSink> string_sink(std::string& out) {
  return std::make_unique<StringSink>(out);
}

Result<std::string> read_all(ByteSource& source, std::uint64_t limit) {
  // Memory follows the bytes that arrive, not what the source claims to hold.
  constexpr std::size_t kStep = std::size_t{1} << 16;
  std::string out;
  for (;;) {
    const std::size_t before = out.size();
    out.resize(before + kStep);
    const auto room = std::as_writable_bytes(std::span(out)).subspan(before);
    const Result<std::size_t> got = source.read(room);
    if (!got) return got.error();
    out.resize(before + *got);
    if (out.size() > limit) {
      return invalid_input(source.name(),
                           "is larger than the limit of " + std::to_string(limit) + " bytes");
    }
    if (*got < kStep) return out;
  }
}

}  // namespace smemsim::trace
