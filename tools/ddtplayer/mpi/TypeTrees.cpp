//===- TypeTrees.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each constructor splits the lists of the contents, in the
// order that MPI 3.1 (section 4.1.13) defines.
//
//===----------------------------------------------------------------------===//

#include "TypeTrees.h"
#include "sluice/Base/Text.h"

#include <climits>

using namespace sluice;
using namespace sluice::player;

Status sluice::player::mpiStatus(int code, const char *call) {
  if (code == MPI_SUCCESS)
    return Status();
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return Status::error(StatusCode::System,
                       concat(call, ": ", std::string(text, size_t(length))));
}

void sluice::player::freeType(MPI_Datatype &type) {
  if (type == MPI_DATATYPE_NULL)
    return;
  int integers, addresses, datatypes, combiner;
  MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner);
  if (combiner != MPI_COMBINER_NAMED)
    MPI_Type_free(&type);
}

namespace {
/// The contents of one type as MPI types, and the place for the new type.
class Builder {
public:
  explicit Builder(const farc::Datatype &type) : type(type) {}
  ~Builder() {
    for (MPI_Datatype &part : parts)
      freeType(part);
  }

  Result<MPI_Datatype> build();

private:
  Status takeContents();
  int create();
  int createArray();
  int createDarray();

  /// `count` integers from the list, which is read front to back.
  int *take(size_t count) {
    int *first = integers.data() + position;
    position += count;
    return first;
  }

  const farc::Datatype &type;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> parts;
  size_t position = 0;
  MPI_Datatype made = MPI_DATATYPE_NULL;
};
} // namespace

Status Builder::takeContents() {
  farc::Contents contents = type.getContents();
  for (int64_t value : contents.integers) {
    if (value > INT_MAX || value < INT_MIN)
      return Status::invalidArgument(
          concat(value, " in ", quoted(type.toString(true)),
                 " is beyond the int that MPI takes"));
    integers.push_back(int(value));
  }
  addresses.assign(contents.addresses.begin(), contents.addresses.end());
  for (const auto &part : contents.datatypes) {
    Result<MPI_Datatype> built = mpiType(*part);
    if (!built.ok())
      return built.takeStatus();
    parts.push_back(*built);
  }
  return Status();
}

int Builder::createArray() {
  int dimensions = *take(1);
  size_t length = size_t(dimensions);
  int *sizes = take(length), *subsizes = take(length), *starts = take(length);
  int order = *take(1) == farc::ORDER_C ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  return MPI_Type_create_subarray(dimensions, sizes, subsizes, starts, order,
                                  parts[0], &made);
}

static int distribution(int value) {
  if (value == farc::DISTRIBUTE_BLOCK)
    return MPI_DISTRIBUTE_BLOCK;
  if (value == farc::DISTRIBUTE_CYCLIC)
    return MPI_DISTRIBUTE_CYCLIC;
  return MPI_DISTRIBUTE_NONE;
}

int Builder::createDarray() {
  int size = *take(1), rank = *take(1), dimensions = *take(1);
  size_t length = size_t(dimensions);
  int *sizes = take(length), *distributions = take(length);
  int *arguments = take(length), *processes = take(length);
  int order = *take(1) == farc::ORDER_C ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  for (size_t i = 0; i < length; ++i) {
    distributions[i] = distribution(distributions[i]);
    if (arguments[i] == farc::DISTRIBUTE_DFLT_DARG)
      arguments[i] = MPI_DISTRIBUTE_DFLT_DARG;
  }
  return MPI_Type_create_darray(size, rank, dimensions, sizes, distributions,
                                arguments, processes, order, parts[0], &made);
}

int Builder::create() {
  farc::DatatypeName combiner = type.getDatatypeName();
  if (combiner == farc::SUBARRAY)
    return createArray();
  if (combiner == farc::DARRAY)
    return createDarray();
  if (combiner == farc::DUP)
    return MPI_Type_dup(parts[0], &made);
  if (combiner == farc::RESIZED)
    return MPI_Type_create_resized(parts[0], addresses[0], addresses[1], &made);
  int count = *take(1);
  size_t length = size_t(count);
  switch (combiner) {
  case farc::CONTIGUOUS:
    return MPI_Type_contiguous(count, parts[0], &made);
  case farc::VECTOR:
    return MPI_Type_vector(count, integers[1], integers[2], parts[0], &made);
  case farc::HVECTOR:
    return MPI_Type_create_hvector(count, integers[1], addresses[0], parts[0],
                                   &made);
  case farc::INDEXED: {
    int *lengths = take(length), *places = take(length);
    return MPI_Type_indexed(count, lengths, places, parts[0], &made);
  }
  case farc::HINDEXED:
    return MPI_Type_create_hindexed(count, take(length), addresses.data(),
                                    parts[0], &made);
  case farc::INDEXEDBLOCK: {
    int blockLength = *take(1);
    return MPI_Type_create_indexed_block(count, blockLength, take(length),
                                         parts[0], &made);
  }
  case farc::HINDEXEDBLOCK:
    return MPI_Type_create_hindexed_block(count, integers[1], addresses.data(),
                                          parts[0], &made);
  case farc::STRUCT:
    return MPI_Type_create_struct(count, take(length), addresses.data(),
                                  parts.data(), &made);
  default:
    return MPI_ERR_TYPE;
  }
}

Result<MPI_Datatype> Builder::build() {
  if (Status status = takeContents(); !status.ok())
    return status;
  if (Status status = mpiStatus(create(), "constructor"); !status.ok())
    return status;
  return made;
}

Result<MPI_Datatype> sluice::player::mpiType(const farc::Datatype &type) {
  auto *primitive = dynamic_cast<const farc::PrimitiveDatatype *>(&type);
  if (!primitive)
    return Builder(type).build();
  MPI_Datatype basic = basicType(primitive->getType());
  MPI_Count size = MPI_UNDEFINED;
  if (basic != MPI_DATATYPE_NULL)
    MPI_Type_size_x(basic, &size);
  // An optional type may have a name and still have no size.
  if (size != type.getSize())
    return Status::invalidArgument(
        concat("it has no type ", quoted(type.toString())));
  return basic;
}
