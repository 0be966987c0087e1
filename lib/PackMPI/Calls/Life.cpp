//===- Life.cpp - Start and end of MPI ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI 4 programs may start and end MPI several times, in sessions. Handles that
// Sluice keeps between calls are valid only for one of these periods.
//
//===----------------------------------------------------------------------===//

#include "Life.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace sluice::mpi;

static constinit std::atomic<int> users = 0;

/// Keeps MPICH from loading OpenCL: MPICH asks hwloc for devices, and hwloc
/// loads PoCL with its own LLVM. In a process with Sluice's LLVM, which
/// compiles kernels, both would run their destructors on each other's objects
/// at exit. Packing does not need hwloc's list; a program that does sets the
/// variable. SLUICE_MPI=off changes nothing.
__attribute__((constructor)) static void leaveOutOpenCL() {
  const char *mode = std::getenv("SLUICE_MPI");
  if (!mode || std::strcmp(mode, "off") != 0)
    setenv("HWLOC_COMPONENTS", "-opencl", /*overwrite=*/0);
}

void sluice::mpi::beginUse() { users.fetch_add(1); }

void sluice::mpi::endUse() {
  if (users.fetch_sub(1) > 1)
    return;
  forgetAllTypes();
  freeImageTypes();
  freeGapTypes();
  emptyStagingPool();
}

int sluice::mpi::noteLent(int code, MPI_Datatype type,
                          const MPI_Datatype *types) {
  if (code != MPI_SUCCESS || !hasTypes())
    return code;
  int combiner;
#if MPI_VERSION >= 4
  MPI_Count integers, addresses, counts, number = 0;
  PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &number,
                           &combiner);
#else
  int integers, addresses, number = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &number, &combiner);
#endif
  for (int64_t i = 0; i != int64_t(number); ++i)
    rememberLent(types[i]);
  return code;
}

void sluice::mpi::checkLibrary() {
#ifdef OPEN_MPI
  constexpr bool isOpenMPI = true;
#else
  constexpr bool isOpenMPI = false;
#endif
  auto *version = reinterpret_cast<decltype(&PMPI_Get_library_version)>(
      dlsym(RTLD_NEXT, "PMPI_Get_library_version"));
  char text[MPI_MAX_LIBRARY_VERSION_STRING + 8192] = "";
  int length = 0;
  if (!version || version(text, &length) != MPI_SUCCESS ||
      (std::strstr(text, "Open MPI") != nullptr) == isOpenMPI)
    return;
  text[std::strcspn(text, "\n")] = 0;
  std::fprintf(stderr,
               "sluice-mpi: this interposer is for %s, but the program uses "
               "'%s'; use the other one\n",
               isOpenMPI ? "Open MPI" : "MPICH", text);
  std::_Exit(2);
}
