# find_package(smemsim) gives smemsim::sim and smemsim::trace.
include(CMakePackageConfigHelpers)
install(TARGETS smemsim_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# What `smemsim capture --measure` runs.
install(PROGRAMS tools/measure DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/smemsim)
install(TARGETS smemsim_sim smemsim_trace EXPORT smemsimTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/smemsim)
install(EXPORT smemsimTargets NAMESPACE smemsim::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/smemsim)
configure_package_config_file(cmake/smemsimConfig.cmake.in
        ${CMAKE_CURRENT_BINARY_DIR}/smemsimConfig.cmake
        INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/smemsim)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/smemsimConfigVersion.cmake
        COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/smemsimConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/smemsimConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/smemsim)
