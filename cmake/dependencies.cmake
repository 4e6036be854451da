# Every dependency comes from the distribution; a missing one is named with its package.
function(smemsim_require package apt)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "smemsim needs ${package}. On Debian or Ubuntu: apt-get install ${apt}")
  endif()
endfunction()

smemsim_require(fmt libfmt-dev)
smemsim_require(nlohmann_json nlohmann-json3-dev)
smemsim_require(CLI11 libcli11-dev)
smemsim_require(ZLIB zlib1g-dev)
smemsim_require(Threads libc6-dev)

# Not every distribution ships a CMake package for zstd; the library is found by name.
find_path(ZSTD_INCLUDE_DIR zstd.h)
find_library(ZSTD_LIBRARY zstd)
if(NOT ZSTD_INCLUDE_DIR OR NOT ZSTD_LIBRARY)
  message(FATAL_ERROR "smemsim needs zstd. On Debian or Ubuntu: apt-get install libzstd-dev")
endif()
if(NOT TARGET smemsim_zstd)
  add_library(smemsim_zstd UNKNOWN IMPORTED)
  set_target_properties(smemsim_zstd PROPERTIES IMPORTED_LOCATION ${ZSTD_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${ZSTD_INCLUDE_DIR}
                        INTERFACE_COMPILE_DEFINITIONS SMEMSIM_HAVE_ZSTD=1)
endif()

# Accel-Sim traces come compressed with xz; without liblzma they have to be unpacked by hand.
find_path(LZMA_INCLUDE_DIR lzma.h)
find_library(LZMA_LIBRARY lzma)
if(NOT TARGET smemsim_lzma)
  add_library(smemsim_lzma INTERFACE IMPORTED)
  if(LZMA_INCLUDE_DIR AND LZMA_LIBRARY)
    set_target_properties(smemsim_lzma PROPERTIES INTERFACE_LINK_LIBRARIES ${LZMA_LIBRARY}
                          INTERFACE_INCLUDE_DIRECTORIES ${LZMA_INCLUDE_DIR}
                          INTERFACE_COMPILE_DEFINITIONS SMEMSIM_HAVE_LZMA=1)
  else()
    message(STATUS "smemsim import: no .xz (on Debian or Ubuntu: apt-get install liblzma-dev)")
    set_target_properties(smemsim_lzma PROPERTIES
                          INTERFACE_COMPILE_DEFINITIONS SMEMSIM_HAVE_LZMA=0)
  endif()
endif()
