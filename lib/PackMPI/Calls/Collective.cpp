//===- Collective.cpp - Common parts of handled collectives ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries MPI about communicators and types.
//
//===----------------------------------------------------------------------===//

#include "Collective.h"

using namespace sluice::mpi;

Group::Group(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL)
    return; // MPI refuses it
  int isInter = 1;
  code = PMPI_Comm_test_inter(comm, &isInter);
  isUsable = code == MPI_SUCCESS && !isInter &&
             PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS &&
             PMPI_Comm_size(comm, &size) == MPI_SUCCESS;
}

bool sluice::mpi::isPlain(MPI_Datatype type, int64_t &size, int64_t &lowest) {
  MPI_Count bytes, lower, extent, trueLower, trueExtent;
  if (!isKnownPlain(type))
    return false;
  if (PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS ||
      PMPI_Type_get_extent_x(type, &lower, &extent) != MPI_SUCCESS ||
      PMPI_Type_get_true_extent_x(type, &trueLower, &trueExtent) != MPI_SUCCESS)
    return false;
  size = bytes;
  lowest = trueLower;
  return bytes > 0 && bytes == extent && bytes == trueExtent;
}
