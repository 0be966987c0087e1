//===- CppPartitions.cpp - Partitions of a generated program --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

void CppEmitter::writeAdder(const RegionPartition &partition) {
  std::string rank = std::to_string(partition.colors.size());
  std::string root = rootName(partition.root);
  std::string field = std::to_string(partition.field);
  std::vector<std::string> words{"program", "\"" + partition.name + "\""};
  auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  switch (partition.kind) {
  case PartitionKind::Blocks:
  case PartitionKind::Coloring:
    add({root, partitionName(partition.parent),
         std::to_string(partition.parentColor), rank, "colors"});
    if (partition.kind == PartitionKind::Coloring)
      add({partition.function});
    break;
  case PartitionKind::Halo:
    add({partitionName(partition.left), "width",
         partition.hasCorners ? "1" : "0"});
    break;
  case PartitionKind::ByField:
    add({root, field, rank, "colors"});
    break;
  case PartitionKind::Image:
    add({root, partitionName(partition.left), field});
    break;
  case PartitionKind::Preimage:
    add({root, field, partitionName(partition.left)});
    break;
  default:
    add({setOperation(partition.kind).str(), partitionName(partition.left),
         partitionName(partition.right)});
  }
  unsigned index = &partition - program.partitions.data();
  writeList(os,
            ("  " + partitionName(index) + " =\n      sluiceAdd" +
             partitionMaker(partition.kind) + "(")
                .str(),
            words, ");\n");
}

void CppEmitter::writePartition(const RegionPartition &partition) {
  unsigned index = &partition - program.partitions.data();
  os << "\nstatic void " << adders[index] << "(SluiceProgram *program) {\n";
  switch (partition.kind) {
  case PartitionKind::Blocks:
  case PartitionKind::Coloring:
  case PartitionKind::ByField:
    os << "  const int64_t colors[] = "
       << extentsText(program, partition.colors) << ";\n";
    break;
  case PartitionKind::Halo: {
    std::vector<std::string> widths;
    for (int64_t width : partition.width)
      widths.push_back(std::to_string(width));
    writeList(os, "  const int64_t width[] = {", widths, "};\n");
    break;
  }
  default:
    break;
  }
  writeAdder(partition);
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
  // Those that no graph uses, by data, are not made.
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
