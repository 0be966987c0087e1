//===- StarPUPartitions.cpp - Partitions for StarPU -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StarPU only has blocks; the support library and lists of parts make other
// partitions.
//
//===----------------------------------------------------------------------===//

#include "StarPUEmitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

std::string StarPUEmitter::numberOf(unsigned partition) const {
  return partition == noIndex ? "SLUICE_NO_PARTITION"
                              : partitions[partition] + ".number";
}

/// Each rank makes the whole partition, so it needs the whole field.
void StarPUEmitter::writeSharedFields(const RegionPartition &partition) {
  for (unsigned field : {partition.field, partition.last})
    if (field != noIndex)
      os << "  sluiceShareField(&" << roots[rootOfFields(program, partition)]
         << ", " << field << ");\n";
}

void StarPUEmitter::writeCreation(unsigned index) {
  const RegionPartition &partition = program.partitions[index];
  if (options.hasRanks)
    writeSharedFields(partition);
  writeMakerArray(program, partition, os);
  const std::string &root = roots[partition.root];
  writeList(os, "  const uint32_t number = " + partitionMaker(partition) + "(",
            makerWords(partition, "sluiceRegions", root + ".number",
                       [&](unsigned other) { return numberOf(other); }),
            ");\n");
  if (usesColors[index])
    writeList(os, "  sluiceTakePartition(",
              {"&" + partitions[index], "&" + root, "number"}, ");\n");
  else
    os << "  " << partitions[index] << ".number = number;\n";
  bool promisesAll = partition.isComplete && knowsParent(partition);
  if (isPromiseNeeded(partition) && (partition.isDisjoint || promisesAll))
    writeList(os, "  sluicePromise(",
              {"sluiceRegions", "number",
               partition.isDisjoint ? "/*isDisjoint=*/1" : "/*isDisjoint=*/0",
               promisesAll ? "/*isComplete=*/1" : "/*isComplete=*/0"},
              ");\n");
  if (partition.isComplete && !knowsParent(partition))
    writeConstraint(completeness(program, index));
}

void StarPUEmitter::writePartitions() {
  std::vector<unsigned> made;
  for (const std::vector<unsigned> &order : partitionOrder)
    append_range(made, order);
  if (made.empty())
    return;
  llvm::sort(made);
  writeTitle("Partitions");
  for (unsigned index : made) {
    const RegionPartition &partition = program.partitions[index];
    os << "\nstatic SluicePartition " << partitions[index]
       << " = {.name = " << stringLiteral(partition.name) << "};\n";
    if (!allColors[index].empty())
      os << "static SluicePartition " << allColors[index]
         << " = {.name = " << stringLiteral(partition.name) << "};\n";
  }
  for (unsigned index : made) {
    os << "\nstatic void create_" << partitions[index] << "(void) {\n";
    writeCreation(index);
    if (!allColors[index].empty())
      os << "  sluiceTakeAll(&" << allColors[index] << ", &"
         << roots[program.partitions[index].root] << ", number);\n";
    os << "}\n";
  }
}
