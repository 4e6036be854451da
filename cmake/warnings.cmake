# Warnings are a property of our targets, not of the whole build: link smemsim_warnings privately.
add_library(smemsim_warnings INTERFACE)
target_compile_options(smemsim_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                       $<$<BOOL:${SMEMSIM_WERROR}>:-Werror>)
