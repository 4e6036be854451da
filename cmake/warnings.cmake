# Warnings are a property of our targets, not of the whole build: link smemsim_warnings privately.
add_library(smemsim_warnings INTERFACE)
target_compile_options(smemsim_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                       $<$<BOOL:${SMEMSIM_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns about std::string's own operator+ in optimised builds (GCC bug 105651).
  target_compile_options(smemsim_warnings INTERFACE -Wno-restrict)
endif()
