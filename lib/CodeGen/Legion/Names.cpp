//===- Names.cpp - Names in the Legion program ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the names of the IR as far as C++ allows them and they stay distinct.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"

using namespace sluice::codegen;
using namespace sluice::codegen::legion;

std::string LegionEmitter::unique(std::string name) {
  std::string result = name;
  for (unsigned number = 2; !taken.insert(result).second; ++number)
    result = name + "_" + std::to_string(number);
  return result;
}

void LegionEmitter::makeNames() {
  for (const RegionRoot &root : program.roots) {
    regionNames.push_back(unique((root.isScalar ? "scalar_" : "region_") +
                                 identifier(root.name)));
    std::vector<std::string> &fields = fieldNames.emplace_back();
    for (const RegionField &field : root.fields)
      fields.push_back(root.isScalar ? ""
                                     : unique("FID_" + macroName(root.name) +
                                              "_" + macroName(field.name)));
  }
  for (const RegionPartition &partition : program.partitions)
    partitionNames.push_back(unique("partition_" + identifier(partition.name)));
  for (const RegionGraph &graph : program.graphs)
    graphNames.push_back(unique("run_" + identifier(graph.name)));
}
