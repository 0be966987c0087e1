# libSluiceTaskGraph.so, which meta-programs link: the API and the compiler
# behind it. It shows the API only and shares nothing with the process but the
# runtime, so that a program may have another LLVM (Halide's) beside it.
set(SLUICE_TASKGRAPH_FOLDER ${CMAKE_CURRENT_SOURCE_DIR}/TaskGraph)

add_library(SluiceTaskGraph SHARED
  Driver/TaskGraphs/LoadedProgram.cpp Driver/TaskGraphs/NamedTables.cpp Driver/TaskGraphs/CollectProblems.cpp
  Driver/TaskGraphs/GeneratorFunctions.cpp
  Driver/TaskGraphs/MetaProgram.cpp Driver/TaskGraphs/Results.cpp)
sluice_target_defaults(SluiceTaskGraph)
target_link_libraries(SluiceTaskGraph
  PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,SluiceTaskGraphModel>
    SluiceDriver
  PUBLIC SluiceRuntime)
if(NOT SLUICE_PACKAGED) # there it is in a folder of the system
  set_target_properties(SluiceTaskGraph PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
sluice_reuse_headers(SluiceTaskGraph)
# Never unloaded: LLVM is not made for that.
target_link_options(SluiceTaskGraph PRIVATE -Wl,-z,nodelete)
sluice_shared_library(SluiceTaskGraph ${SLUICE_TASKGRAPH_FOLDER}/TaskGraph.map)
sluice_install_library(SluiceTaskGraph EXPORT TaskGraph COMPONENT compiler)

sluice_add_unittest(SluiceTaskGraphProgramTests
  SOURCES TaskGraph/ProgramTest.cpp LINK SluiceTaskGraph)

if(TARGET SluiceTestGenerators)
  sluice_add_unittest(SluiceHalideRunTests SOURCES Halide/RunTest.cpp
    LINK SluiceTaskGraph SluiceTestGenerators)
  add_dependencies(SluiceHalideRunTests SluiceHalide)
endif()
