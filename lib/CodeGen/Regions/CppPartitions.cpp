//===- CppPartitions.cpp - Partitions of a generated program --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls that declare each partition by its rule: blocks, halo, coloring,
// field, image, preimage, sets.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

void CppEmitter::writePartition(const RegionPartition &partition) {
  unsigned index = &partition - program.partitions.data();
  os << "\nstatic void " << adders[index] << "(SluiceProgram *program) {\n";
  writeMakerArray(program, partition, os);
  writeList(os,
            "  " + partitionName(index) + " =\n      " +
                partitionMaker(partition) + "(",
            makerWords(partition, "program", rootName(partition.root),
                       [&](unsigned other) { return partitionName(other); }),
            ");\n");
  bool promisesAll = partition.isComplete && knowsParent(partition);
  if (isPromiseNeeded(partition) && (partition.isDisjoint || promisesAll)) {
    std::vector<std::string> words{
        "program", partitionName(index),
        partition.isDisjoint ? "/*isDisjoint=*/1" : "/*isDisjoint=*/0",
        promisesAll ? "/*isComplete=*/1" : "/*isComplete=*/0"};
    writeList(os, "  sluicePromise(", words, ");\n");
  }
  if (partition.isComplete && !knowsParent(partition))
    writeConstraint(completeness(program, index));
  os << "}\n";
}

void CppEmitter::writePartitions() {
  // Partitions by data that no graph uses are not made.
  std::vector<unsigned> made;
  for (const std::vector<unsigned> &order : partitionsBeforeGraphs(program))
    append_range(made, order);
  llvm::sort(made);
  if (made.empty())
    return;
  std::vector<std::string> variables;
  for (unsigned partition : made)
    variables.push_back(partitionName(partition));
  os << '\n';
  writeList(os, "static uint32_t ", variables, ";\n");
  for (unsigned partition : made)
    writePartition(program.partitions[partition]);
}
