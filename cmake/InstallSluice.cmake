# What `cmake --install` copies: tools, headers, the runtime's libraries, and
# the files that let another project say find_package(Sluice). The tree may be
# moved afterwards: the tools find headers and runtime beside themselves.
include(CMakePackageConfigHelpers)

set(SLUICE_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Sluice)

# Sluice::Runtime and Sluice::Pack are shared objects, their ...Static archives.
# Sluice::PackJIT is for programs that emit code themselves; all others get it
# opened by Pack. Sluice::PackFortran is the module, to be linked before Pack.
# Sluice::TaskGraph is the compiler of meta-programs.
foreach(library Runtime RuntimeStatic Pack PackStatic PackJIT PackFortran
    TaskGraph)
  if(TARGET Sluice${library})
    set_target_properties(Sluice${library} PROPERTIES EXPORT_NAME ${library})
    install(TARGETS Sluice${library} EXPORT SluiceTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
install(EXPORT SluiceTargets NAMESPACE Sluice:: DESTINATION ${SLUICE_CONFIG_DIR})

configure_package_config_file(cmake/SluiceConfig.cmake.in SluiceConfig.cmake
  INSTALL_DESTINATION ${SLUICE_CONFIG_DIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(SluiceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SluiceConfig.cmake
  ${PROJECT_BINARY_DIR}/SluiceConfigVersion.cmake
  cmake/SluiceTaskGraph.cmake
  DESTINATION ${SLUICE_CONFIG_DIR})

# Published meta-programs say find_package(CASPER).
set(SLUICE_CASPER_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/CASPER)
configure_package_config_file(cmake/CASPERConfig.cmake.in CASPERConfig.cmake
  INSTALL_DESTINATION ${SLUICE_CASPER_CONFIG_DIR})
install(FILES ${PROJECT_BINARY_DIR}/CASPERConfig.cmake
  DESTINATION ${SLUICE_CASPER_CONFIG_DIR})

# The headers that programs include; those of the other libraries stay at home.
install(DIRECTORY include/sluice-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/sluice/hpvm include/sluice/Pack include/sluice/PackJIT
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice)
install(FILES include/sluice/TaskGraph.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice)
install(DIRECTORY include/sluice/TaskGraph
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice
  PATTERN Import.h EXCLUDE PATTERN Model.h EXCLUDE)
install(FILES include/sluice/Base/Status.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice/Base)
install(FILES LICENSE README.md CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Messages name its pages.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png"
  PATTERN measured EXCLUDE)

# Installs into a fresh folder, moves it, and builds programs against it.
if(SLUICE_ENABLE_TESTS AND NOT SLUICE_SANITIZER)
  add_test(NAME install COMMAND /usr/bin/python3
    ${PROJECT_SOURCE_DIR}/utils/testing/install_test.py
    --build ${PROJECT_BINARY_DIR} --source ${PROJECT_SOURCE_DIR}
    --cmake ${CMAKE_COMMAND})
  set_tests_properties(install PROPERTIES COST 1000) # long, as LONG unit tests
endif()
