//===- FileCalls.cpp - Reads and writes of files --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries the view at each call: this costs little compared with a transfer,
// and a table of files would have to track their handles.
//
//===----------------------------------------------------------------------===//

#include "FileCalls.h"

#include <cstring>

using namespace sluice::mpi;

/// Frees types that MPI returned, except predefined ones.
static void release(MPI_Datatype type) {
  int numIntegers, numAddresses, numTypes, combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &numIntegers, &numAddresses, &numTypes,
                         &combiner);
  if (combiner != MPI_COMBINER_NAMED)
    native::Type_free(&type);
}

bool sluice::mpi::holdsBytesOfMemory(MPI_File file, int &code) {
  if (file == MPI_FILE_NULL)
    return false;
  MPI_Offset begin;
  MPI_Datatype element, place;
  char representation[MPI_MAX_DATAREP_STRING] = {};
  element = place = MPI_DATATYPE_NULL;
  code = PMPI_File_get_view(file, &begin, &element, &place, representation);
  if (code != MPI_SUCCESS || element == MPI_DATATYPE_NULL ||
      place == MPI_DATATYPE_NULL)
    return false;
  release(element);
  release(place);
  return std::strcmp(representation, "native") == 0;
}
