//===- Partitions.cpp - Partitions for StarPU -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

void StarPUEmitter::writeCreation(unsigned index) {
  const RegionPartition &partition = program.partitions[index];
  bool hasParent = partition.parent != noIndex;
  std::string parent = hasParent ? "&" + partitions[partition.parent]
                                 : "&" + roots[partition.root] + ".whole";
  std::string parentColor =
      std::to_string(hasParent ? partition.parentColor : 0);
  std::string colors = "(int64_t[])" + extentsText(program, partition.colors);
  std::string rank = std::to_string(partition.colors.size());
  std::string field = std::to_string(partition.field);
  auto other = [&](unsigned i) { return "&" + partitions[i]; };
  std::vector<std::string> words{"&" + partitions[index]}, more;
  switch (partition.kind) {
  case PartitionKind::Blocks:
    more = {parent, parentColor, rank, colors};
    break;
  case PartitionKind::Coloring:
    more = {parent, parentColor, rank, colors, partition.function};
    break;
  case PartitionKind::ByField:
    more = {parent, parentColor, field, rank, colors};
    break;
  case PartitionKind::Halo: {
    std::vector<std::string> widths;
    for (int64_t width : partition.width)
      widths.push_back(std::to_string(width));
    more = {other(partition.left), "(int64_t[]){" + join(widths, ", ") + "}",
            partition.hasCorners ? "1" : "0"};
    break;
  }
  case PartitionKind::Image:
    more = {"&" + roots[partition.root], other(partition.left), field};
    break;
  case PartitionKind::Preimage:
    more = {parent, parentColor, field, other(partition.left)};
    break;
  default:
    more = {setOperation(partition.kind).str(), other(partition.left),
            other(partition.right)};
  }
  append_range(words, more);
  writeList(os, ("  sluiceCreate" + partitionMaker(partition.kind) + "(").str(),
            words, ");\n");
  if (isPromiseNeeded(partition))
    writeList(os, "  sluiceCheckPromise(",
              {"&" + partitions[index],
               "&(" + parent + ")->sets[" + parentColor + "]",
               partition.isDisjoint ? "/*isDisjoint=*/1" : "/*isDisjoint=*/0",
               partition.isComplete ? "/*isComplete=*/1" : "/*isComplete=*/0"},
              ");\n");
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
    os << "\nstatic SluicePartition " << partitions[index] << " = {.name = \""
       << partition.name << "\"};\n";
    if (!allColors[index].empty())
      os << "static SluicePartition " << allColors[index] << " = {.name = \""
         << partition.name << "\"};\n";
  }
  for (unsigned index : made) {
    os << "\nstatic void create_" << partitions[index] << "(void) {\n";
    writeCreation(index);
    if (!allColors[index].empty())
      os << "  sluiceCreateAllColors(&" << allColors[index] << ", &"
         << partitions[index] << ");\n";
    os << "}\n";
  }
}
