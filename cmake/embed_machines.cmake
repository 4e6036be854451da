# Writes a C++ file that holds every machine file as a string, for a program without an install.
set(content "// Made by cmake/embed_machines.cmake from machines/*.json.\n#include \"trace/machine_file.hpp\"\n\nnamespace smemsim::trace {\n\nstd::span<const EmbeddedMachine> embedded_machines() {\n  static constexpr EmbeddedMachine kMachines[] = {\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND content "      {\"${name}\", R\"machine(${text})machine\"},\n")
endforeach()
string(APPEND content "  };\n  return kMachines;\n}\n\n}  // namespace smemsim::trace\n")
file(WRITE ${OUTPUT} "${content}")
