# Functions that every CMakeLists.txt of Sluice uses, so that flags, include
# paths and the order of the libraries are defined in one place.

find_package(Threads REQUIRED)

# Generates sources with many repetitions.
find_program(SLUICE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(SLUICE_PYTHON python3 REQUIRED)

# Executables are compiled like libraries (-fPIC), whose precompiled headers
# they share. Precompiled headers contain no timestamps, so that equal sources
# become equal files.
set(SLUICE_COMPILE_OPTIONS -Wall -Wextra -Wno-unused-parameter
  -fPIC -fno-semantic-interposition
  "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
set(SLUICE_LINK_OPTIONS -fuse-ld=lld)
if(SLUICE_SANITIZER)
  list(APPEND SLUICE_COMPILE_OPTIONS -fsanitize=${SLUICE_SANITIZER}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  list(APPEND SLUICE_LINK_OPTIONS -fsanitize=${SLUICE_SANITIZER})
endif()

# The places where tools that run from a build folder find headers and
# documentation.
set(SLUICE_OWN_SOURCES ${PROJECT_SOURCE_DIR})
if(SLUICE_PACKAGED)
  set(SLUICE_OWN_SOURCES ${CMAKE_INSTALL_PREFIX})
  list(APPEND SLUICE_COMPILE_OPTIONS
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=/usr/src/sluice
    -ffile-prefix-map=${PROJECT_BINARY_DIR}=/usr/src/sluice/build)
endif()

if(SLUICE_ENABLE_FUZZERS)
  list(APPEND SLUICE_COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
endif()

if(SLUICE_ENABLE_COMPILER)
  # The version file of Debian's package accepts only an exact version, so no
  # version is requested here, and the major version is checked instead.
  find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
  find_package(Clang REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/clang)
  if(NOT LLVM_VERSION_MAJOR EQUAL 22)
    message(FATAL_ERROR
      "Sluice needs LLVM 22, found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
  endif()
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)

  # What links a library of the compiler links MLIR, LLVM and clang through these.
  # Programs of the compiler link what they use from the archives, where these
  # are: with shared libraries three quarters of the time of a start would be
  # relocations and pages of these, and a tenth of that of most commands. Others
  # use the shared libraries: plugins, what programs of users load, unit tests,
  # and builds with sanitizers, whose containers would differ from the archives'.
  file(GLOB mlir_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a)
  file(GLOB llvm_archives ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  file(GLOB clang_archives ${LLVM_LIBRARY_DIR}/libclang[A-Z]*.a)
  # Archives of Debian's packages were compiled with these; their files for
  # linking are in packages that nothing else needs.
  find_library(SLUICE_ZLIB NAMES z libz.so.1)
  find_library(SLUICE_ZSTD NAMES zstd libzstd.so.1)
  mark_as_advanced(SLUICE_ZLIB SLUICE_ZSTD)
  set(inside $<BOOL:$<TARGET_PROPERTY:SLUICE_HAS_LLVM_INSIDE>>)
  set(mlir_inside 0)
  if(mlir_archives)
    set(mlir_inside ${inside})
  endif()
  set(llvm_inside 0)
  if(mlir_archives AND llvm_archives AND clang_archives AND SLUICE_ZLIB
      AND SLUICE_ZSTD AND NOT SLUICE_SANITIZER)
    set(llvm_inside ${inside})
  endif()
  add_library(SluiceMLIR INTERFACE)
  target_link_libraries(SluiceMLIR INTERFACE
    "$<${mlir_inside}:${mlir_archives}>" $<$<NOT:${mlir_inside}>:MLIR>)
  add_library(SluiceLLVM INTERFACE)
  target_link_libraries(SluiceLLVM INTERFACE
    "$<${llvm_inside}:SluiceLLVMExtensions;${llvm_archives};${SLUICE_ZLIB};${SLUICE_ZSTD}>"
    $<$<NOT:${llvm_inside}>:LLVM>)
  target_link_options(SluiceLLVM INTERFACE
    $<${llvm_inside}:LINKER:--gc-sections>)
  add_library(SluiceClangLibraries INTERFACE)
  target_link_libraries(SluiceClangLibraries INTERFACE
    "$<${llvm_inside}:${clang_archives}>" $<$<NOT:${llvm_inside}>:clang-cpp>)
endif()

function(sluice_target_defaults target)
  target_compile_options(${target} PRIVATE ${SLUICE_COMPILE_OPTIONS})
  target_link_options(${target} PRIVATE ${SLUICE_LINK_OPTIONS})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# sluice_join_sources(TARGET [APART file...])
# Compiles up to twelve sources of the target at once, which takes half of the
# time. Every target of the product does this in every build, so that tests use
# what users compile; the tests each_source_N check each source alone.
# Sources stay separate if another source has the same local names. Sources that
# use all of LLVM's names are not joined with sources that use all of MLIR's.
set(SLUICE_JOINED_SOURCES 12)
function(sluice_join_sources target)
  cmake_parse_arguments(ARG "" "" "APART" ${ARGN})
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(source IN_LIST ARG_APART OR NOT source MATCHES "^[A-Za-z].*\\.cpp$")
      continue()
    endif()
    file(STRINGS ${source} used REGEX "^using namespace [a-z:]+;")
    string(MD5 names "${used}")
    math(EXPR batch "0${number_${names}} / ${SLUICE_JOINED_SOURCES}")
    math(EXPR number_${names} "0${number_${names}} + 1")
    set_source_files_properties(${source} PROPERTIES
      UNITY_GROUP "${names}_${batch}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON
    UNITY_BUILD_MODE GROUP)
endfunction()

# sluice_add_library(NAME SOURCES file... [LINK library...])
# A static library of plain C++ (no LLVM): Base, Runtime, Pack.
function(sluice_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  sluice_target_defaults(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  sluice_reuse_headers(${name})
endfunction()

# sluice_add_compiler_library(NAME SOURCES file... [LINK library...]
#                             [DEPENDS target...] [APART file...])
# A static library that uses LLVM, MLIR or Clang; see sluice_join_sources.
function(sluice_add_compiler_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS;APART" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  sluice_target_defaults(${name})
  target_include_directories(${name} SYSTEM PUBLIC
    ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
  target_compile_definitions(${name} PUBLIC ${LLVM_DEFINITIONS_LIST})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} SluiceMLIR SluiceLLVM)
  set_target_properties(${name} PROPERTIES SLUICE_USES_COMPILER ON)
  sluice_reuse_headers(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  sluice_join_sources(${name} APART ${ARG_APART})
endfunction()

# sluice_add_tool(NAME SOURCES file... [LINK library...]
#                 [COMPONENT component] [EXPORT set])
# An executable in bin/ that is installed, with the compiler unless COMPONENT
# names another component; see sluice_install_library. It contains what it uses of
# MLIR, LLVM and clang.
function(sluice_add_tool name)
  cmake_parse_arguments(ARG "" "COMPONENT;EXPORT" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_COMPONENT)
    set(ARG_COMPONENT compiler)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  sluice_target_defaults(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  sluice_reuse_headers(${name})
  sluice_join_sources(${name})
  set_target_properties(${name} PROPERTIES SLUICE_HAS_LLVM_INSIDE ON)
  sluice_install_library(${name} EXPORT ${ARG_EXPORT}
    COMPONENT ${ARG_COMPONENT})
endfunction()

# All unit tests, and only what they need: builds with sanitizers build nothing
# else.
add_custom_target(SluiceUnitTests)

# sluice_add_unittest(NAME SOURCES file... [LINK library...] [APART file...]
#   [LONG])
# A GoogleTest executable, registered with ctest under its name; see
# sluice_join_sources. LONG: starts before the others, so that nothing waits
# for it at the end.
function(sluice_add_unittest name)
  cmake_parse_arguments(ARG "LONG" "" "SOURCES;LINK;APART" ${ARGN})
  if(NOT SLUICE_ENABLE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  sluice_target_defaults(${name})
  # Tests mostly wait for the code under test; more optimisation would only
  # take longer to compile.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_include_directories(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/lib/Base/Testing)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest
    GTest::gtest_main Threads::Threads)
  sluice_reuse_headers(${name} TEST)
  sluice_join_sources(${name} APART ${ARG_APART})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unittests)
  add_test(NAME ${name} COMMAND ${name})
  if(ARG_LONG)
    set_tests_properties(${name} PROPERTIES COST 1000)
  endif()
  add_dependencies(SluiceUnitTests ${name})
endfunction()

# sluice_add_tablegen(TARGET file.td OUTPUT -gen-flag ...)
# Runs mlir-tblgen once per (output, flag) pair, below include/sluice/<dir>;
# llvm-tblgen for tables of options.
function(sluice_add_tablegen target file)
  get_filename_component(dir ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(outputs)
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest output flag)
    set(program ${MLIR_TABLEGEN_EXE})
    if(flag STREQUAL "-gen-opt-parser-defs")
      set(program llvm-tblgen)
    endif()
    string(REPLACE "," ";" flag "${flag}")
    set(path ${PROJECT_BINARY_DIR}/include/sluice/${output})
    get_filename_component(folder ${path} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${path}
      COMMAND ${program} ${flag} -I ${MLIR_INCLUDE_DIRS}
        -I ${LLVM_INCLUDE_DIRS}
        -I ${PROJECT_SOURCE_DIR}/include ${file} -o ${path}
        --write-if-changed -d ${path}.d
      DEPFILE ${path}.d
      DEPENDS ${file} VERBATIM)
    list(APPEND outputs ${path})
  endwhile()
  add_custom_target(${target} DEPENDS ${outputs})
endfunction()
