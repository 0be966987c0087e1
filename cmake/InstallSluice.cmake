# The files that `cmake --install` copies: tools, headers, the runtime's
# libraries, and the files for find_package(Sluice) in other projects. The tree
# may be moved afterwards: the tools find headers and runtime relative to their
# own location.
#
# Everything belongs to one of these components, from which packages are made:
#   runtime      what compiled programs need: two shared objects
#   development  headers, archives, files for CMake, pkg-config and debuggers
#   compiler     the tools, and the libraries with LLVM in them
#   mpi-NAME     what belongs to one MPI library
#   documentation
include(CMakePackageConfigHelpers)

set(SLUICE_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Sluice)

# Sluice::Runtime and Sluice::Pack are shared objects, their ...Static variants
# archives. Sluice::PackJIT is for programs that emit code themselves; for all
# others, Pack opens it. Sluice::PackFortran is the module, to be linked before
# Pack. Sluice::TaskGraph is the compiler of meta-programs, Sluice::sluice the
# tool. Each set of targets has a separate file, since packages may be missing.
get_property(exports GLOBAL PROPERTY SLUICE_EXPORTS)
list(REMOVE_DUPLICATES exports)
foreach(export ${exports})
  string(REPLACE ":" ";" export ${export})
  list(GET export 0 name)
  list(GET export 1 component)
  install(EXPORT Sluice${name}Targets NAMESPACE Sluice::
    DESTINATION ${SLUICE_CONFIG_DIR} COMPONENT ${component})
endforeach()

configure_package_config_file(cmake/SluiceConfig.cmake.in SluiceConfig.cmake
  INSTALL_DESTINATION ${SLUICE_CONFIG_DIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(SluiceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SluiceConfig.cmake
  ${PROJECT_BINARY_DIR}/SluiceConfigVersion.cmake
  DESTINATION ${SLUICE_CONFIG_DIR} COMPONENT development)

if(SLUICE_ENABLE_COMPILER)
  install(FILES cmake/SluiceLink.cmake cmake/SluicePrograms.cmake
    cmake/SluiceTaskGraph.cmake
    DESTINATION ${SLUICE_CONFIG_DIR} COMPONENT compiler)
  # Published meta-programs say find_package(CASPER).
  set(SLUICE_CASPER_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/CASPER)
  configure_package_config_file(cmake/CASPERConfig.cmake.in CASPERConfig.cmake
    INSTALL_DESTINATION ${SLUICE_CASPER_CONFIG_DIR})
  install(FILES ${PROJECT_BINARY_DIR}/CASPERConfig.cmake
    DESTINATION ${SLUICE_CASPER_CONFIG_DIR} COMPONENT compiler)
endif()

# For pkg-config, with paths relative to the file, so that the tree may be
# moved. Programs find the libraries automatically even where the loader does
# not search.
if(NOT SLUICE_PACKAGED)
  set(SLUICE_PC_RPATH " -Wl,-rpath,\${libdir}")
endif()
set(SLUICE_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SLUICE_PC_PREFIX
  ${CMAKE_INSTALL_PREFIX}/${SLUICE_PC_DIR} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" SLUICE_PC_PREFIX "${SLUICE_PC_PREFIX}")
function(sluice_add_pc name library component description)
  set(SLUICE_PC_NAME ${name})
  set(SLUICE_PC_LIBRARY ${library})
  set(SLUICE_PC_DESCRIPTION "${description}")
  set(SLUICE_PC_REQUIRES ${ARGN})
  configure_file(cmake/sluice.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc
    DESTINATION ${SLUICE_PC_DIR} COMPONENT ${component})
endfunction()
sluice_add_pc(sluice-runtime SluiceRuntime development
  "runs programs that are graphs of dataflow")
sluice_add_pc(sluice-pack SluicePack development
  "packs data that is not contiguous")
if(TARGET SluiceTaskGraph)
  sluice_add_pc(sluice-taskgraph SluiceTaskGraph compiler
    "describes, compiles and runs graphs of tasks" sluice-runtime)
endif()

# The headers that programs include; those of the other libraries are not
# installed.
install(DIRECTORY include/sluice-c
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY include/sluice/hpvm include/sluice/Pack include/sluice/PackJIT
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice COMPONENT development)
install(FILES include/sluice/TaskGraph.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice COMPONENT development)
install(DIRECTORY include/sluice/TaskGraph
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice COMPONENT development
  PATTERN Import.h EXCLUDE PATTERN Model.h EXCLUDE)
install(FILES include/sluice/Base/Status.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice/Base COMPONENT development)
install(FILES include/sluice/Halide/HalidePart.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice/Halide COMPONENT development)
install(FILES LICENSE README.md CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
# Messages name its pages.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT documentation
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.c"
  PATTERN measured EXCLUDE)
# Pages lead to them.
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT documentation
  PATTERN "__pycache__" EXCLUDE PATTERN ".ipynb_checkpoints" EXCLUDE)
set(SLUICE_DOCS_SITE "" CACHE PATH
  "a version of the site that './dev docs' made, to be installed as well")
if(SLUICE_DOCS_SITE)
  install(DIRECTORY ${SLUICE_DOCS_SITE}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html
    COMPONENT documentation)
endif()

# Installs into a fresh folder, moves it, and builds programs against it: from
# sources, and from meta-programs.
if(SLUICE_ENABLE_TESTS AND NOT SLUICE_SANITIZER)
  foreach(part sources meta-programs)
    add_test(NAME install_${part} COMMAND /usr/bin/python3
      ${PROJECT_SOURCE_DIR}/utils/testing/install_test.py ${part}
      --build ${PROJECT_BINARY_DIR} --source ${PROJECT_SOURCE_DIR}
      --cmake ${CMAKE_COMMAND})
    # Long-running, like LONG unit tests.
    set_tests_properties(install_${part} PROPERTIES COST 1000)
  endforeach()
endif()
