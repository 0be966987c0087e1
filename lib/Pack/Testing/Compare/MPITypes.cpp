//===- MPITypes.cpp - MPI types equal to Sluice's types -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call of the MPI per constructor.
//
//===----------------------------------------------------------------------===//

#include "MPITypes.h"

using Primitive = farc::PrimitiveDatatype;

MPI_Datatype predefinedType(Primitive::PrimitiveType type) {
  static const MPI_Datatype types[] = {MPI_BYTE,
                                       MPI_CHAR,
                                       MPI_DOUBLE,
                                       MPI_FLOAT,
                                       MPI_INT,
                                       MPI_SIGNED_CHAR,
                                       MPI_UNSIGNED_CHAR,
                                       MPI_WCHAR,
                                       MPI_SHORT,
                                       MPI_UNSIGNED_SHORT,
                                       MPI_UNSIGNED,
                                       MPI_LONG,
                                       MPI_UNSIGNED_LONG,
                                       MPI_LONG_LONG,
                                       MPI_UNSIGNED_LONG_LONG,
                                       MPI_LONG_DOUBLE,
                                       MPI_C_BOOL,
                                       MPI_INT8_T,
                                       MPI_INT16_T,
                                       MPI_INT32_T,
                                       MPI_INT64_T,
                                       MPI_UINT8_T,
                                       MPI_UINT16_T,
                                       MPI_UINT32_T,
                                       MPI_UINT64_T,
                                       MPI_AINT,
                                       MPI_COUNT,
                                       MPI_OFFSET,
                                       MPI_C_FLOAT_COMPLEX,
                                       MPI_C_DOUBLE_COMPLEX,
                                       MPI_C_LONG_DOUBLE_COMPLEX,
                                       MPI_PACKED,
                                       MPI_INTEGER,
                                       MPI_REAL,
                                       MPI_DOUBLE_PRECISION,
                                       MPI_COMPLEX,
                                       MPI_DOUBLE_COMPLEX,
                                       MPI_LOGICAL,
                                       MPI_CHARACTER,
                                       MPI_INTEGER1,
                                       MPI_INTEGER2,
                                       MPI_INTEGER4,
                                       MPI_INTEGER8};
  return size_t(type) < std::size(types) ? types[type] : MPI_DATATYPE_NULL;
}

static std::vector<int> ints(const int64_t *numbers, int64_t count) {
  return std::vector<int>(numbers, numbers + count);
}

static int orderOf(int64_t order) {
  return order == farc::ORDER_C ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
}

static MPI_Datatype makeStruct(const farc::Contents &contents,
                               std::vector<MPI_Datatype> &types) {
  int64_t count = contents.integers[0];
  std::vector<int> lengths = ints(contents.integers.data() + 1, count);
  std::vector<MPI_Aint> places(contents.addresses.begin(),
                               contents.addresses.end());
  MPI_Datatype made;
  MPI_Type_create_struct(count, lengths.data(), places.data(), types.data(),
                         &made);
  return made;
}

static MPI_Datatype makeIndexed(farc::DatatypeName combiner,
                                const farc::Contents &contents,
                                MPI_Datatype base) {
  int64_t count = contents.integers[0];
  std::vector<int> numbers =
      ints(contents.integers.data() + 1, contents.integers.size() - 1);
  std::vector<MPI_Aint> places(contents.addresses.begin(),
                               contents.addresses.end());
  int *first = numbers.data();
  MPI_Datatype made;
  if (combiner == farc::INDEXED)
    MPI_Type_indexed(count, first, first + count, base, &made);
  else if (combiner == farc::HINDEXED)
    MPI_Type_create_hindexed(count, first, places.data(), base, &made);
  else if (combiner == farc::INDEXEDBLOCK)
    MPI_Type_create_indexed_block(count, numbers[0], first + 1, base, &made);
  else
    MPI_Type_create_hindexed_block(count, numbers[0], places.data(), base,
                                   &made);
  return made;
}

static MPI_Datatype makeSubarray(const std::vector<int64_t> &integers,
                                 MPI_Datatype base) {
  int64_t rank = integers[0];
  std::vector<int> numbers = ints(integers.data() + 1, 3 * rank);
  int *first = numbers.data();
  MPI_Datatype made;
  MPI_Type_create_subarray(rank, first, first + rank, first + 2 * rank,
                           orderOf(integers.back()), base, &made);
  return made;
}

static MPI_Datatype makeDarray(const std::vector<int64_t> &integers,
                               MPI_Datatype base) {
  static const int distributions[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK,
                                      MPI_DISTRIBUTE_CYCLIC};
  int64_t rank = integers[2];
  std::vector<int> numbers = ints(integers.data() + 3, 4 * rank);
  int *first = numbers.data();
  for (int64_t d = 0; d != rank; ++d) {
    first[rank + d] = distributions[first[rank + d]];
    if (first[2 * rank + d] == farc::DISTRIBUTE_DFLT_DARG)
      first[2 * rank + d] = MPI_DISTRIBUTE_DFLT_DARG;
  }
  MPI_Datatype made;
  MPI_Type_create_darray(integers[0], integers[1], rank, first, first + rank,
                         first + 2 * rank, first + 3 * rank,
                         orderOf(integers.back()), base, &made);
  return made;
}

static MPI_Datatype makeUnary(farc::DatatypeName combiner,
                              const farc::Contents &contents,
                              MPI_Datatype base) {
  const std::vector<int64_t> &integers = contents.integers;
  const std::vector<int64_t> &addresses = contents.addresses;
  MPI_Datatype made;
  switch (combiner) {
  case farc::CONTIGUOUS:
    MPI_Type_contiguous(integers[0], base, &made);
    return made;
  case farc::VECTOR:
    MPI_Type_vector(integers[0], integers[1], integers[2], base, &made);
    return made;
  case farc::HVECTOR:
    MPI_Type_create_hvector(integers[0], integers[1], addresses[0], base,
                            &made);
    return made;
  case farc::RESIZED:
    MPI_Type_create_resized(base, addresses[0], addresses[1], &made);
    return made;
  case farc::SUBARRAY:
    return makeSubarray(integers, base);
  case farc::DARRAY:
    return makeDarray(integers, base);
  case farc::DUP:
    MPI_Type_dup(base, &made);
    return made;
  default:
    return makeIndexed(combiner, contents, base);
  }
}

void freeType(MPI_Datatype &type) {
  int integers, addresses, datatypes, combiner;
  MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner);
  if (combiner != MPI_COMBINER_NAMED)
    MPI_Type_free(&type);
}

MPI_Datatype MPITypes::build(const farc::Datatype &type) {
  farc::DatatypeName combiner = type.getEnvelope().combiner;
  if (combiner == farc::PRIMITIVE)
    return predefinedType(static_cast<const Primitive &>(type).getType());
  farc::Contents contents = type.getContents();
  std::vector<MPI_Datatype> types;
  bool wasForced = false;
  for (const std::unique_ptr<farc::Datatype> &child : contents.datatypes) {
    types.push_back(make(*child));
    wasForced |= isForced;
  }
  isForced = wasForced;
  MPI_Datatype made = combiner == farc::STRUCT
                          ? makeStruct(contents, types)
                          : makeUnary(combiner, contents, types.at(0));
  for (MPI_Datatype &child : types)
    freeType(child);
  return made;
}

MPI_Datatype MPITypes::make(const farc::Datatype &type) {
  isForced = false;
  MPI_Datatype made = build(type);
  BothBounds theirs = boundsOf(made), ours = boundsOf(type);
  if (theirs == ours)
    return made;
  onDifference(type, theirs, isForced);
  if (theirs.lower == ours.lower && theirs.upper == ours.upper)
    return made;
  isForced = true;
  MPI_Datatype resized;
  MPI_Type_create_resized(made, ours.lower, ours.upper - ours.lower, &resized);
  freeType(made);
  return resized;
}
