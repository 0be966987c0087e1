# The MPI libraries of this machine. Debian installs Open MPI and MPICH side by
# side; each provides its location through its own compiler wrapper. For each
# library that is found there is a target, SluiceOpenMPI or SluiceMPICH, that
# carries include folders and the library. SLUICE_MPI_LIBRARIES lists their
# short names, openmpi and mpich, and SLUICE_MPI_TARGET_name names the target.
# SMPI, with which SimGrid simulates ranks in one process, has the target
# SluiceSMPI. It is in SLUICE_SIMULATED_MPI, since only ranks are built for it.
# Included once, by the project's CMakeLists.txt, so that all folders see these
# variables.

# Splits the flags that the wrapper would pass on into include folders and
# linker flags.
function(sluice_find_mpi name target compile_question link_question)
  find_program(SLUICE_MPICC_${name} mpicc.${name})
  mark_as_advanced(SLUICE_MPICC_${name})
  if(NOT SLUICE_MPICC_${name})
    message(STATUS "No mpicc.${name}: nothing is built for this MPI")
    return()
  endif()
  foreach(question compile link)
    execute_process(COMMAND ${SLUICE_MPICC_${name}} ${${question}_question}
      OUTPUT_VARIABLE ${question}_flags OUTPUT_STRIP_TRAILING_WHITESPACE
      COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(${question}_flags UNIX_COMMAND "${${question}_flags}")
  endforeach()
  list(FILTER compile_flags INCLUDE REGEX "^-I")
  list(TRANSFORM compile_flags REPLACE "^-I" "")
  list(FILTER link_flags INCLUDE REGEX "^-[Ll]")
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${compile_flags})
  # Disables the C++ bindings, which MPI 3 removed.
  target_compile_definitions(${target} INTERFACE
    OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(${target} INTERFACE ${link_flags})
  set(SLUICE_MPI_LIBRARIES ${SLUICE_MPI_LIBRARIES} ${name} PARENT_SCOPE)
  set(SLUICE_MPI_TARGET_${name} ${target} PARENT_SCOPE)
endfunction()

set(SLUICE_MPI_LIBRARIES)
sluice_find_mpi(openmpi SluiceOpenMPI --showme:compile --showme:link)
sluice_find_mpi(mpich SluiceMPICH -compile-info -link-info)

# SMPI's own wrapper compiles programs for its launcher; a library that such
# programs open needs its header and SimGrid.
find_path(SLUICE_SMPI_INCLUDE smpi/mpi.h)
find_library(SLUICE_SIMGRID_LIBRARY simgrid)
mark_as_advanced(SLUICE_SMPI_INCLUDE SLUICE_SIMGRID_LIBRARY)
set(SLUICE_SIMULATED_MPI)
if(SLUICE_SMPI_INCLUDE AND SLUICE_SIMGRID_LIBRARY)
  add_library(SluiceSMPI INTERFACE)
  target_include_directories(SluiceSMPI SYSTEM INTERFACE
    ${SLUICE_SMPI_INCLUDE} ${SLUICE_SMPI_INCLUDE}/smpi)
  target_compile_definitions(SluiceSMPI INTERFACE SLUICE_SIMULATED_RANKS)
  target_link_libraries(SluiceSMPI INTERFACE ${SLUICE_SIMGRID_LIBRARY})
  set(SLUICE_SIMULATED_MPI smpi)
  set(SLUICE_MPI_TARGET_smpi SluiceSMPI)
else()
  message(STATUS "No SimGrid: ranks cannot be simulated")
endif()
