# Headers of other projects that most sources include, compiled once for each
# kind of target: otherwise, they would take two thirds of the build time. Of
# Sluice's own headers, only those of the dialects are included, since they are
# generated, large and seldom changed; changing any other header recompiles
# only the sources that include it. The preset 'asan' uses no precompiled
# headers: there every source must include everything it uses.
set(SLUICE_STANDARD_HEADERS
  <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <cstdio>
  <cstdlib> <cstring> <deque> <fstream> <functional> <map> <memory>
  <mutex> <numeric> <optional> <random> <set> <span> <sstream> <string>
  <string_view> <thread> <unordered_map> <vector>)
set(SLUICE_COMPILER_HEADERS
  <llvm/ADT/SetVector.h> <llvm/ADT/StringExtras.h> <llvm/ADT/StringSet.h>
  <llvm/ADT/StringSwitch.h> <llvm/ADT/TypeSwitch.h>
  <llvm/Analysis/LoopInfo.h> <llvm/Analysis/ValueTracking.h>
  <llvm/IR/DebugInfo.h> <llvm/IR/Dominators.h> <llvm/IR/IRBuilder.h>
  <llvm/IR/InstIterator.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h>
  <llvm/Passes/PassBuilder.h>
  <llvm/Support/FileSystem.h> <llvm/Support/JSON.h>
  <llvm/Support/MemoryBuffer.h>
  <llvm/Support/Path.h> <llvm/Support/SourceMgr.h>
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/OpImplementation.h>
  <sluice/DFG/DFG.h> <sluice/RDIR/RDIR.h>)

# The compiler checks its assertions in release builds as well: they are cheap,
# and all of its tests run with them. The runtime and Pack do not check
# assertions in release builds. The compiler is optimised less than these,
# which reduces its build time by a sixth. This makes hardly any difference to
# compile times, since most of the work happens in LLVM.
option(SLUICE_ASSERTIONS "Assertions in the compiler, whatever the build type" ON)
function(sluice_compiler_options target)
  if(SLUICE_ASSERTIONS)
    target_compile_options(${target} PRIVATE -UNDEBUG)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Code under test is optimised as for users. The tests themselves need not be,
# and so compile faster. Only code under test is checked for undefined
# behaviour, which saves two fifths of the time.
set(SLUICE_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)
if(SLUICE_SANITIZER MATCHES "undefined")
  list(APPEND SLUICE_TEST_OPTIONS -fno-sanitize=undefined)
endif()

# sluice_add_headers(NAME [COMPILER] [TEST])
# Makes precompiled headers for sluice_reuse_headers: of the standard library,
# with COMPILER also those of LLVM and MLIR, with TEST also those of GoogleTest.
function(sluice_add_headers name)
  cmake_parse_arguments(ARG "COMPILER;TEST" "" "" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
  sluice_target_defaults(${name})
  set(headers ${SLUICE_STANDARD_HEADERS})
  if(ARG_COMPILER)
    list(APPEND headers ${SLUICE_COMPILER_HEADERS})
    target_include_directories(${name} SYSTEM PRIVATE
      ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_compile_definitions(${name} PRIVATE ${LLVM_DEFINITIONS_LIST})
    add_dependencies(${name} SluiceDFGIncGen SluiceRDIRIncGen
      SluiceRDIRInterfacesIncGen)
    sluice_compiler_options(${name})
  endif()
  if(ARG_TEST)
    list(APPEND headers <gtest/gtest.h>)
    target_link_libraries(${name} PRIVATE GTest::gtest)
    target_compile_options(${name} PRIVATE ${SLUICE_TEST_OPTIONS})
  endif()
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
  target_precompile_headers(${name} PRIVATE ${headers})
endfunction()

# sluice_reuse_headers(TARGET [TEST])
# The sources of the target start with precompiled headers. Name its libraries
# before: they determine whether it uses the compiler. A target that links LLVM
# without MLIR only gets those of the standard library, since MLIR's headers
# contain functions that are emitted even if they are not called.
function(sluice_reuse_headers target)
  cmake_parse_arguments(ARG "TEST" "" "" ${ARGN})
  set(headers SluiceHeaders)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  foreach(library ${target} ${libraries})
    if(TARGET ${library})
      get_target_property(uses_compiler ${library} SLUICE_USES_COMPILER)
      if(uses_compiler)
        set(headers SluiceCompilerHeaders)
      endif()
    endif()
  endforeach()
  if(headers STREQUAL SluiceCompilerHeaders)
    sluice_compiler_options(${target})
  endif()
  if(ARG_TEST)
    string(REPLACE Headers TestHeaders headers ${headers})
    target_compile_options(${target} PRIVATE ${SLUICE_TEST_OPTIONS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()
