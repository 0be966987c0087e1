//===- KnownDefectsOpenMPI.cpp - Known differences of Open MPI ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by the comparison with Open MPI 4.1.4.
//
//===----------------------------------------------------------------------===//

#include "KnownDefects.h"

/// The standard pads every type to the alignment of its elements; MPICH and
/// Sluice pad only structs. Open MPI also pads after each member, so that
/// members in descending order get more than the standard says.
static bool isPadded(const farc::Datatype &type, const BothBounds &theirs) {
  BothBounds ours = boundsOf(type);
  return !type.hasMarkedBounds() && theirs.lower == ours.lower &&
         theirs.upper > ours.upper && theirs.trueLower == ours.trueLower &&
         theirs.trueUpper == ours.trueUpper;
}

static const KnownDifference differences[] = {{"pads-every-type", isPadded},
                                              {"has-no-bytes", hasNoBytes}};

static bool isArrayOfNoBytes(const farc::Datatype &part) {
  return part.getDatatypeName() == farc::DARRAY && part.getSize() == 0;
}

static bool refusesArraysOfNoBytes() {
  int size = 4, distribution = MPI_DISTRIBUTE_BLOCK, processes = 1;
  int argument = MPI_DISTRIBUTE_DFLT_DARG;
  MPI_Datatype empty, array;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int error = MPI_Type_create_darray(1, 0, 1, &size, &distribution, &argument,
                                     &processes, MPI_ORDER_C, empty, &array);
  MPI_Type_free(&empty);
  return error != MPI_SUCCESS;
}

static bool hasStrideOfMinusOneByte(const farc::Datatype &part) {
  farc::DatatypeName name = part.getDatatypeName();
  if (name != farc::VECTOR && name != farc::HVECTOR)
    return false;
  // A vector is an hvector with a stride in elements.
  auto &vector = static_cast<const farc::HVectorDatatype &>(part);
  int64_t unit = name == farc::VECTOR ? vector.getBasetype()->getExtent() : 1;
  return vector.getStride() * unit == -1;
}

/// Its code uses -1 for "no stride given".
static bool ignoresStrideOfMinusOneByte() {
  MPI_Datatype vector;
  MPI_Type_vector(2, 1, -1, MPI_CHAR, &vector);
  int64_t lowest = boundsOf(vector).trueLower;
  MPI_Type_free(&vector);
  return lowest != -1;
}

static bool isStructWithEmptyMembers(const farc::Datatype &part) {
  if (part.getDatatypeName() != farc::STRUCT)
    return false;
  for (const farc::Datatype *member : part.getSubtypes())
    if (member->getSize() == 0)
      return true;
  return false;
}

/// Such members change the bounds, but leave the type "without gaps".
static bool forgetsBoundsOfEmptyMembers() {
  return packsDifferently("struct(8,6[short] -1,7[struct()])", 2);
}

static const KnownDefect defects[] = {
    {"forgets-bounds-of-empty-members", isStructWithEmptyMembers,
     forgetsBoundsOfEmptyMembers},
    {"refuses-darrays-of-no-bytes", isArrayOfNoBytes, refusesArraysOfNoBytes},
    {"ignores-strides-of-minus-1-byte", hasStrideOfMinusOneByte,
     ignoresStrideOfMinusOneByte}};

const char *nameOfMPI() { return "Open MPI"; }

std::span<const KnownDifference> knownDifferences() { return differences; }

std::span<const KnownDefect> knownDefects() { return defects; }

bool failsInExternal32(const farc::Datatype &) { return false; }
