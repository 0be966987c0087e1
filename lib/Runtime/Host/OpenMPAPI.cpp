//===- OpenMPAPI.cpp - What programs in OpenMP ask ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such a program asks before each loop whether Sluice may run it. It may not
// in a process that was forked, before init, after cleanup, or in a node, where
// LLVM's library of OpenMP runs what there is.
//
//===----------------------------------------------------------------------===//

#include "HostAPI.h"
#include "Runtime.h"

#include "sluice-c/Runtime.h"

#include <cstdlib>

using namespace sluice;

int sluiceServeOpenMP(void) {
  RuntimeOptions::servesOpenMP = true;
  for (const char *name : {"KMP_BLOCKTIME", "OMP_WAIT_POLICY", "KMP_LIBRARY"})
    if (const char *value = std::getenv(name); value && *value)
      return 0;
  return 1;
}

int sluiceServesTeam(int numThreads) {
  Runtime *runtime = runtimeOfHost();
  return runtime && runtime->servesTeam(numThreads);
}
