//===- DecodeArrays.cpp - From subarray and darray to a normal form -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both begin with the dimension that changes fastest, and add one loop per
// dimension (for a cyclic distribution, one loop over blocks).
//
//===----------------------------------------------------------------------===//

#include "DecodeArrays.h"
#include "../Library/Native.h"

using namespace sluice::mpi;
using namespace sluice::pack;

namespace {
/// Reads values and lists from the front.
class EnvelopeReader {
public:
  explicit EnvelopeReader(const std::vector<int64_t> &values)
      : values(values) {}
  int64_t next() { return values.at(position++); }
  std::vector<int64_t> list(int64_t length) {
    std::vector<int64_t> result;
    for (int64_t i = 0; i < length; ++i)
      result.push_back(next());
    return result;
  }
  bool atEnd() const { return position == values.size(); }

private:
  const std::vector<int64_t> &values;
  size_t position = 0;
};
} // namespace

/// Sizes, and for subarrays the other two lists, are large counts if there are
/// any; the other arguments are always integers.
static ArrayArguments read(bool isDarray, EnvelopeReader &plain,
                           EnvelopeReader &large) {
  ArrayArguments result;
  result.isDarray = isDarray;
  if (isDarray) {
    result.processes = plain.next();
    result.rank = plain.next();
  }
  result.dimensions = plain.next();
  int lists = isDarray ? 4 : 3;
  for (int i = 0; i != lists; ++i) {
    bool isSize = !isDarray || i == 0;
    result.lists.push_back((isSize ? large : plain).list(result.dimensions));
  }
  result.isFortranOrder = plain.next() == MPI_ORDER_FORTRAN;
  return result;
}

std::optional<ArrayArguments>
sluice::mpi::arrayArguments(int combiner, const std::vector<int64_t> &plain,
                            const std::vector<int64_t> &numbers) {
  bool isDarray = combiner == MPI_COMBINER_DARRAY;
  EnvelopeReader large(numbers);
  EnvelopeReader small(plain);
  bool hasLarge = !plain.empty();
  ArrayArguments result = read(isDarray, hasLarge ? small : large, large);
  if (!large.atEnd() || !small.atEnd())
    return std::nullopt;
  return result;
}

static PlacedForm subarrayForm(const ArrayArguments &arguments, PlacedForm form,
                               int64_t extent) {
  int64_t stride = extent;
  int64_t offset = 0;
  for (int64_t k = 0; k != arguments.dimensions; ++k) {
    int64_t i = arguments.isFortranOrder ? k : arguments.dimensions - 1 - k;
    form = repeat(form, arguments.lists[1][i], stride);
    offset += arguments.lists[2][i] * stride;
    stride *= arguments.lists[0][i];
  }
  form.offset += offset;
  return form;
}

static int64_t blockSize(const ArrayArguments &arguments, int64_t i) {
  int64_t size = arguments.lists[0][i];
  int64_t argument = arguments.lists[2][i];
  if (arguments.lists[1][i] == MPI_DISTRIBUTE_NONE)
    return size;
  if (argument != MPI_DISTRIBUTE_DFLT_DARG)
    return argument;
  if (arguments.lists[1][i] == MPI_DISTRIBUTE_CYCLIC)
    return 1;
  return (size - 1) / arguments.lists[3][i] + 1;
}

/// Blocks `coordinate`, `coordinate` + processes, ... of the dimension; its
/// last block may be shorter.
static PlacedForm distribute(const ArrayArguments &arguments, int64_t i,
                             int64_t coordinate, const PlacedForm &element,
                             int64_t extent) {
  int64_t size = arguments.lists[0][i];
  int64_t processes = arguments.lists[3][i];
  int64_t length = blockSize(arguments, i);
  int64_t full = size / length;
  int64_t rest = size % length;
  int64_t rounds =
      full > coordinate ? (full - coordinate - 1) / processes + 1 : 0;
  int64_t blockBytes = length * extent;
  PlacedForm parts[] = {
      repeat(repeat(element, length, extent), rounds, blockBytes * processes),
      repeat(element, full % processes == coordinate ? rest : 0, extent)};
  parts[0].offset += coordinate * blockBytes;
  parts[1].offset += full * blockBytes;
  return sequence(parts);
}

static PlacedForm darrayForm(const ArrayArguments &arguments, PlacedForm form,
                             int64_t extent) {
  std::vector<int64_t> coordinates;
  int64_t restSize = arguments.processes;
  int64_t restRank = arguments.rank;
  for (int64_t i = 0; i != arguments.dimensions; ++i) {
    restSize /= arguments.lists[3][i];
    coordinates.push_back(restRank / restSize);
    restRank %= restSize;
  }
  for (int64_t k = 0; k != arguments.dimensions; ++k) {
    int64_t i = arguments.isFortranOrder ? k : arguments.dimensions - 1 - k;
    form = distribute(arguments, i, coordinates[i], form, extent);
    extent *= arguments.lists[0][i];
  }
  return form;
}

PlacedForm sluice::mpi::arrayForm(const ArrayArguments &arguments,
                                  const PlacedForm &element, int64_t extent) {
  return arguments.isDarray ? darrayForm(arguments, element, extent)
                            : subarrayForm(arguments, element, extent);
}
