//===- KnownDefectsMPICH.cpp - Known differences of MPICH -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by the comparison with MPICH 4.0.2.
//
//===----------------------------------------------------------------------===//

#include "KnownDefects.h"

#include <cstddef>
#include <string>
#include <vector>

using Bytes = std::vector<std::byte>;

static bool equalBounds(const BothBounds &left, const BothBounds &right) {
  return left.lower == right.lower && left.upper == right.upper;
}

/// Whether some component type has no bytes.
static bool hasEmptyPart(const farc::Datatype &type) {
  if (type.getSize() == 0)
    return true;
  for (const farc::Datatype *child : type.getSubtypes())
    if (hasEmptyPart(*child))
      return true;
  return false;
}

/// MPICH uses a member's bounds for the struct, marked or not, and pads.
static bool ignoresMarkers(const farc::Datatype &type, const BothBounds &) {
  return type.hasMarkedBounds();
}

/// MPICH treats a struct with members of one type like an hindexed type, which
/// is not padded.
static bool isNotPadded(const farc::Datatype &type, const BothBounds &theirs) {
  return type.getDatatypeName() == farc::STRUCT &&
         theirs.lower == type.getLowerBound() &&
         theirs.upper < type.getUpperBound();
}

/// Members without bytes have an alignment in MPICH.
static bool isPaddedMore(const farc::Datatype &type, const BothBounds &theirs) {
  return type.getDatatypeName() == farc::STRUCT && hasEmptyPart(type) &&
         theirs.lower == type.getLowerBound() &&
         theirs.upper > type.getUpperBound();
}

/// A part without bytes moves MPICH's true bounds.
static bool countsEmptyParts(const farc::Datatype &type,
                             const BothBounds &theirs) {
  return hasEmptyPart(type) && equalBounds(theirs, boundsOf(type));
}

static const KnownDifference differences[] = {
    {"ignores-markers-of-members", ignoresMarkers},
    {"does-not-pad-members-of-one-type", isNotPadded},
    {"aligns-empty-members", isPaddedMore},
    {"counts-empty-parts", countsEmptyParts},
    {"has-no-bytes", hasNoBytes}};

/// MPICH copies the values, but omits their padding bytes.
static bool isLongDouble(const farc::Datatype &part) {
  using Primitive = farc::PrimitiveDatatype;
  if (part.getDatatypeName() != farc::PRIMITIVE)
    return false;
  auto type = static_cast<const Primitive &>(part).getType();
  return type == Primitive::LONG_DOUBLE ||
         type == Primitive::C_LONG_DOUBLE_COMPLEX;
}

static bool losesPaddingOfLongDoubles() {
  MPI_Datatype strided;
  MPI_Type_vector(2, 1, 2, MPI_LONG_DOUBLE, &strided);
  MPI_Type_commit(&strided);
  Bytes in(3 * sizeof(long double), std::byte(1)), packed(32);
  int position = 0;
  MPI_Pack(in.data(), 1, strided, packed.data(), packed.size(), &position,
           MPI_COMM_SELF);
  MPI_Type_free(&strided);
  return packed != Bytes(32, std::byte(1));
}

static bool hasNegativeExtent(const farc::Datatype &part) {
  return part.getExtent() < 0;
}

/// It reads outside of the type.
static bool packsNegativeExtentsWrong() {
  return packsDifferently(
      "ctg(4)[resized(5,-5)[struct(-5,4[hidxb(1: 7)[byte]])]]", 2);
}

static const KnownDefect defects[] = {
    {"packs-negative-extents-wrong", hasNegativeExtent,
     packsNegativeExtentsWrong},
    {"copies-long-doubles-by-value", isLongDouble, losesPaddingOfLongDoubles}};

const char *nameOfMPI() { return "MPICH"; }

std::span<const KnownDifference> knownDifferences() { return differences; }

std::span<const KnownDefect> knownDefects() { return defects; }

/// It swaps the two parts of a complex number.
static bool isComplex(const farc::Datatype &type) {
  using Primitive = farc::PrimitiveDatatype;
  if (type.getDatatypeName() != farc::PRIMITIVE)
    return false;
  std::string name =
      Primitive::getName(static_cast<const Primitive &>(type).getType());
  return name.find("complex") != std::string::npos;
}

/// MPI_Pack_external_size executes an illegal instruction for types without
/// bytes, and for structs and distributed arrays.
bool failsInExternal32(const farc::Datatype &type) {
  farc::DatatypeName name = type.getDatatypeName();
  if (type.getSize() == 0 || name == farc::STRUCT || name == farc::DARRAY ||
      isComplex(type))
    return true;
  for (const farc::Datatype *child : type.getSubtypes())
    if (failsInExternal32(*child))
      return true;
  return false;
}
