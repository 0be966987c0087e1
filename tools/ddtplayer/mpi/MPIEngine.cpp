//===- MPIEngine.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the MPI that this program is linked with behind the player's interface.
//
//===----------------------------------------------------------------------===//

#include "MPIEngine.h"
#include "sluice/Base/Text.h"

#include <chrono>
#include <climits>

using namespace sluice;
using namespace sluice::player;

/// "Open MPI v4.1.4, package: ..." and "MPICH Version:  4.0.2" in short.
static std::string shortName(const std::string &version) {
  size_t digit = version.find_first_of("0123456789");
  if (digit == std::string::npos)
    return version.substr(0, 20);
  std::string library = version.substr(0, digit);
  for (const char *known : {"MPICH", "Open MPI"})
    if (version.starts_with(known))
      library = known;
  size_t end = version.find_first_not_of("0123456789.abcrc", digit);
  return concat(library, ' ', version.substr(digit, end - digit));
}

std::string MPIEngine::name() const {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return shortName(std::string(text, size_t(length)));
}

Status MPIEngine::build(const std::string &text) {
  release();
  try {
    auto types = farc::parseDatatypes(text);
    if (types.size() != 1)
      return Status::invalidArgument(
          concat("expected 1 type, found ", types.size()));
    tree = std::move(types.front());
  } catch (const farc::Error &error) {
    return Status::invalidArgument(error.what());
  }
  Result<MPI_Datatype> built = mpiType(*tree);
  if (!built.ok())
    return built.takeStatus();
  type = *built;
  return Status();
}

Result<TypeShape> MPIEngine::shape() {
  MPI_Count size = 0, lowerBound = 0, extent = 0, trueLower = 0, trueExtent = 0;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &lowerBound, &extent);
  MPI_Type_get_true_extent_x(type, &trueLower, &trueExtent);
  return TypeShape{.size = size,
                   .lowerBound = lowerBound,
                   .extent = extent,
                   .trueLowerBound = trueLower,
                   .trueExtent = trueExtent};
}

Result<double> MPIEngine::timeCommit() {
  Result<MPI_Datatype> copy = mpiType(*tree);
  if (!copy.ok())
    return copy.takeStatus();
  auto start = std::chrono::steady_clock::now();
  int code = MPI_Type_commit(&*copy);
  auto end = std::chrono::steady_clock::now();
  freeType(*copy);
  if (Status status = mpiStatus(code, "MPI_Type_commit"); !status.ok())
    return status;
  return std::chrono::duration<double>(end - start).count();
}

Status MPIEngine::commit() {
  return mpiStatus(MPI_Type_commit(&type), "MPI_Type_commit");
}

static Status tooLarge(int64_t bytes) {
  return Status::invalidArgument(
      concat("MPI_Pack counts bytes with an int and cannot pack ", bytes));
}

Status MPIEngine::pack(const void *in, int64_t count, void *out,
                       int64_t packedBytes) {
  if (packedBytes > INT_MAX || count > INT_MAX)
    return tooLarge(packedBytes);
  int position = 0;
  int code = MPI_Pack(in, int(count), type, out, int(packedBytes), &position,
                      MPI_COMM_SELF);
  if (code == MPI_SUCCESS) [[likely]]
    return Status();
  return mpiStatus(code, "MPI_Pack");
}

Status MPIEngine::unpack(const void *in, int64_t packedBytes, void *out,
                         int64_t count) {
  if (packedBytes > INT_MAX || count > INT_MAX)
    return tooLarge(packedBytes);
  int position = 0;
  int code = MPI_Unpack(in, int(packedBytes), &position, out, int(count), type,
                        MPI_COMM_SELF);
  if (code == MPI_SUCCESS) [[likely]]
    return Status();
  return mpiStatus(code, "MPI_Unpack");
}

void MPIEngine::release() {
  freeType(type);
  type = MPI_DATATYPE_NULL;
  tree.reset();
}
