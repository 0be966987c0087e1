//===- Wrappers.cpp - The MPI calls that the interposer defines -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrappers.inc is generated from calls.txt: each PMPI_name passes its arguments
// to a function family, and MPI_name is the same function.
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"
#include "Completion.h"
#include "External.h"
#include "FileCalls.h"
#include "FilesLater.h"
#include "Life.h"
#include "Neighbors.h"
#include "OneSided.h"
#include "PointToPoint.h"

using namespace sluice::mpi;

#define SLUICE_MPI_ENTRY extern "C" __attribute__((visibility("default")))
#define SLUICE_MPI_ALIAS(target)                                               \
  extern "C"                                                                   \
      __attribute__((visibility("default"), alias(#target))) decltype(target)

#include "Wrappers.inc"
