//===- Native.cpp - Finding the MPI library's own functions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The MPI library is a dependency of this object, so it follows it in the
// search order, whether the interposer is linked or preloaded.
//
//===----------------------------------------------------------------------===//

#include "Native.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace sluice::mpi;

void *sluice::mpi::findNative(const char *name) {
  if (void *function = dlsym(RTLD_NEXT, name))
    return function;
  fprintf(stderr,
          "sluice-mpi: no '%s' after the interposer; link it before a shared "
          "MPI library, or preload it\n",
          name);
  abort();
}

const char *sluice::mpi::nameOf(Call call) {
  static constexpr const char *names[] = {
#define SLUICE_MPI_CALL(name) "MPI_" #name,
#include "Calls.inc"
#undef SLUICE_MPI_CALL
  };
  return names[static_cast<size_t>(call)];
}
