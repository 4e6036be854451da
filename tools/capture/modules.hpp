// The program's loaded modules: patching them, keeping their images and naming their code.
#pragma once

#include <sanitizer.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/capture_elf.hpp"
#include "frontend/capture_options.hpp"

namespace smemsim::capture {

/// Where an instruction is.
struct CodePlace {
  std::string function;
  std::uint32_t offset = 0;
};

/// Demangled, or the name itself when it is none of C++.
std::string demangle(const std::string& name);

class Modules {
 public:
  explicit Modules(const Options& options) : options_(options) {}

  void loaded(const Sanitizer_ResourceModuleData& data);
  void unloading(CUmodule module);
  void context_destroyed(CUcontext context);

  /// Name of the file that holds the module's image, written now if it was not yet; "" = none.
  std::string keep_image(CUmodule module);

  /// Resources of a function, zeros when unknown.
  CubinFunction function(CUmodule module, const std::string& name);

  /// The function of `module` that an absolute pc lies in, with `hint` tried first.
  CodePlace place(CUmodule module, const std::string& hint, std::uint64_t pc);

 private:
  struct Module {
    std::string image;
    std::string kept;  ///< file name
    std::vector<CubinFunction> functions;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> code;  ///< pc -> size, name
    bool all_placed = false;
  };
  void patch(CUcontext context, CUmodule module, bool clusters);
  void add_code(CUmodule handle, const std::vector<std::string>& names);
  CodePlace known_place(CUmodule handle, std::uint64_t pc);

  const Options& options_;
  std::mutex mutex_;        ///< of the tables; not held while the Sanitizer API is called
  std::mutex patch_mutex_;  ///< the patching functions want to be called one at a time
  std::map<CUmodule, Module> modules_;
  std::map<CUcontext, bool> contexts_;           ///< whether the patches could be loaded
  std::map<std::uint64_t, std::string> images_;  ///< kept ones, by hash
};

}  // namespace smemsim::capture
