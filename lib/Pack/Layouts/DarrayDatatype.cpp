//===- DarrayDatatype.cpp - One process's part of a distributed array -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the definition of MPI 3.1, section 4.1.4:
//   1. The rank gives coordinates in the grid of processes, row-major.
//   2. From the dimension that changes fastest on, the element type is
//      distributed: blocks of a size go round the processes of the dimension.
//      A block distribution is one round, no distribution one block.
//   3. Each step's type has the extent of the whole dimension.
//
//===----------------------------------------------------------------------===//

#include "DatatypeArithmetic.h"
#include "ListText.h"
#include "sluice/Pack/ArrayDatatypes.h"
#include "sluice/Pack/IndexedDatatypes.h"

using namespace farc;
using sluice::concat;

static std::vector<int64_t> gather(int64_t dimensions, const int64_t *sizes,
                                   const Distribution *distributions,
                                   const int64_t *distributionArguments,
                                   const int64_t *processes) {
  Arithmetic compute("darray");
  if (dimensions < 1)
    compute.impossible("there must be at least one dimension, but there are ",
                       dimensions);
  if (!sizes || !distributions || !distributionArguments || !processes)
    compute.impossible("an array of sizes, distributions or processes is null");
  std::vector<int64_t> all(sizes, sizes + dimensions);
  all.insert(all.end(), distributions, distributions + dimensions);
  all.insert(all.end(), distributionArguments,
             distributionArguments + dimensions);
  all.insert(all.end(), processes, processes + dimensions);
  return all;
}

DarrayDatatype::DarrayDatatype(int64_t size, int64_t rank, int64_t dimensions,
                               const int64_t *globalSizes,
                               const Distribution *distributions,
                               const int64_t *distributionArguments,
                               const int64_t *processes, Order order,
                               const Datatype *base)
    : ArrayDatatype("darray", base), size(size), rank(rank),
      arguments(std::make_shared<const std::vector<int64_t>>(
          gather(dimensions, globalSizes, distributions, distributionArguments,
                 processes))),
      order(order) {
  check();
  setMeaning(build());
}

void DarrayDatatype::check() const {
  Arithmetic compute("darray");
  if (order != ORDER_C && order != ORDER_FORTRAN)
    compute.impossible("there is no array order ", int(order));
  if (size < 1 || rank < 0 || rank >= size)
    compute.impossible("the rank must be from 0 to the number of processes ",
                       size, " less one, but is ", rank);
  int64_t grid = 1;
  for (int64_t i = 0; i != getDimensions(); ++i) {
    checkDimension(i);
    grid = compute.multiply(grid, processes(i));
  }
  if (grid != size)
    compute.impossible("the grid has ", grid, " processes, but there are ",
                       size);
}

void DarrayDatatype::checkDimension(int64_t i) const {
  Arithmetic compute("darray");
  if (globalSize(i) < 1)
    compute.impossible("the size of dimension ", i,
                       " must be at least 1, but is ", globalSize(i));
  if (processes(i) < 1)
    compute.impossible("the processes of dimension ", i,
                       " must be at least 1, but are ", processes(i));
  Distribution kind = distribution(i);
  if (kind != DISTRIBUTE_NONE && kind != DISTRIBUTE_BLOCK &&
      kind != DISTRIBUTE_CYCLIC)
    compute.impossible("there is no distribution ", int(kind));
  if (kind == DISTRIBUTE_NONE && processes(i) != 1)
    compute.impossible("dimension ", i, " is not distributed, but has ",
                       processes(i), " processes");
  int64_t block = distributionArgument(i);
  if (kind == DISTRIBUTE_NONE || block == DISTRIBUTE_DFLT_DARG)
    return;
  if (block < 1)
    compute.impossible("the distribution argument of dimension ", i,
                       " must be at least 1, but is ", block);
  if (kind == DISTRIBUTE_BLOCK &&
      compute.multiply(block, processes(i)) < globalSize(i))
    compute.impossible("blocks of ", block, " on ", processes(i),
                       " processes do not cover the size ", globalSize(i),
                       " of dimension ", i);
}

int64_t DarrayDatatype::blockSize(int64_t i) const {
  if (distribution(i) == DISTRIBUTE_NONE)
    return globalSize(i);
  if (distributionArgument(i) != DISTRIBUTE_DFLT_DARG)
    return distributionArgument(i);
  if (distribution(i) == DISTRIBUTE_CYCLIC)
    return 1;
  return (globalSize(i) - 1) / processes(i) + 1;
}

/// Blocks `coordinate`, `coordinate` + processes, ... of the dimension; the
/// dimension's last block may be shorter.
BuiltinDatatype::TypeRef
DarrayDatatype::distribute(int64_t i, int64_t coordinate,
                           const TypeRef &element,
                           int64_t elementExtent) const {
  Arithmetic compute("darray");
  int64_t length = blockSize(i);
  int64_t fullBlocks = globalSize(i) / length;
  int64_t rest = globalSize(i) % length;
  int64_t rounds = fullBlocks > coordinate
                       ? (fullBlocks - coordinate - 1) / processes(i) + 1
                       : 0;
  int64_t blockBytes = compute.multiply(length, elementExtent);
  int64_t stride = rounds > 1 ? compute.multiply(blockBytes, processes(i)) : 0;
  HVectorDatatype full(rounds, length, stride, element.get());
  bool hasRest = rest != 0 && fullBlocks % processes(i) == coordinate;
  ContiguousDatatype last(hasRest ? rest : 0, element.get());
  int64_t lengths[] = {1, 1};
  int64_t places[] = {rounds > 0 ? compute.multiply(coordinate, blockBytes) : 0,
                      hasRest ? compute.multiply(fullBlocks, blockBytes) : 0};
  const Datatype *types[] = {&full, &last};
  StructDatatype mine(2, lengths, places, types);
  return std::make_shared<ResizedDatatype>(
      &mine, 0, compute.multiply(globalSize(i), elementExtent));
}

BuiltinDatatype::TypeRef DarrayDatatype::build() const {
  int64_t dimensions = getDimensions();
  std::vector<int64_t> coordinates;
  int64_t restSize = size;
  int64_t restRank = rank;
  for (int64_t i = 0; i != dimensions; ++i) {
    restSize /= processes(i);
    coordinates.push_back(restRank / restSize);
    restRank %= restSize;
  }
  TypeRef type = base;
  for (int64_t k = 0; k != dimensions; ++k) {
    int64_t i = order == ORDER_FORTRAN ? k : dimensions - 1 - k;
    type = distribute(i, coordinates[size_t(i)], type, type->getExtent());
  }
  return type;
}

DarrayDatatype *DarrayDatatype::clone() const {
  return new DarrayDatatype(*this);
}

Envelope DarrayDatatype::getEnvelope() const {
  return {DARRAY, 4 * getDimensions() + 4, 0, 1};
}

Contents DarrayDatatype::getContents() const {
  std::vector<int64_t> integers{size, rank, getDimensions()};
  integers.insert(integers.end(), arguments->begin(), arguments->end());
  integers.push_back(order);
  return contentsOf(std::move(integers), {});
}

std::string DarrayDatatype::toString(bool summary) const {
  static const char *const names[] = {"none", "block", "cyclic"};
  std::string head = concat("darray(", order == ORDER_C ? "c" : "fortran", ' ',
                            size, ' ', rank, ": ");
  appendList(head, getDimensions(), summary,
             [this](std::string &out, int64_t i) {
               out += concat(globalSize(i), ',', names[distribution(i)]);
               if (distributionArgument(i) != DISTRIBUTE_DFLT_DARG)
                 out += concat('(', distributionArgument(i), ')');
               out += concat(',', processes(i));
             });
  return textOf(head + ')', summary);
}
