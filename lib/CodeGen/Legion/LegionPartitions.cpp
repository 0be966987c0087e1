//===- LegionPartitions.cpp - Partitions that do not depend on data -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks, halos and colorings are written as rectangles, so that a color has
// the same elements on every runtime; Legion's own equal partition rounds
// differently.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

/// Blocks are disjoint and complete. Properties promised for other partitions
/// must be checked, so Legion computes them.
std::string LegionEmitter::kindText(const RegionPartition &partition) const {
  return partition.kind == PartitionKind::Blocks
             ? "LEGION_DISJOINT_COMPLETE_KIND"
             : "LEGION_COMPUTE_KIND";
}

/// "<2, 1>": the ranks of the elements and of the colors.
std::string LegionEmitter::rankText(unsigned partition) const {
  const RegionPartition &info = program.partitions[partition];
  return "<" + std::to_string(program.roots[info.root].extents.size()) + ", " +
         std::to_string(info.colors.size()) + ">";
}

/// "partition_blocks = blocks(...);".
std::string LegionEmitter::assignPartition(unsigned partition, StringRef head,
                                           ArrayRef<std::string> words) {
  return assignText(4, partitionNames[partition], (head + "(").str(), words,
                    ");\n");
}

void LegionEmitter::writeBlocks(unsigned partition, raw_ostream &out) {
  use(Helper::Blocks);
  const RegionPartition &info = program.partitions[partition];
  out << assignPartition(
      partition, "blocks" + rankText(partition),
      {parentText(partition), extentsText(program, info.colors)});
}

void LegionEmitter::writeHalo(unsigned partition, raw_ostream &out) {
  use(Helper::Halo);
  const RegionPartition &info = program.partitions[partition];
  std::string width;
  for (int64_t value : info.width)
    width += (width.empty() ? "{" : ", ") + std::to_string(value);
  out << assignPartition(
      partition, "halos" + rankText(partition),
      {parentText(partition), partitionNames[info.left],
       extentsText(program, info.colors), width + "}",
       info.hasCorners ? "/*hasCorners=*/true" : "/*hasCorners=*/false"});
}

void LegionEmitter::writeColoring(unsigned partition, raw_ostream &out) {
  use(Helper::Coloring);
  const RegionPartition &info = program.partitions[partition];
  out << assignPartition(
      partition, "coloring" + rankText(partition),
      {stringLiteral(info.name), parentText(partition),
       extentsText(program, program.roots[info.root].extents),
       extentsText(program, info.colors), "::" + info.function});
}

void LegionEmitter::writePartition(unsigned partition, raw_ostream &out) {
  const RegionPartition &info = program.partitions[partition];
  switch (info.kind) {
  case PartitionKind::Blocks:
    writeBlocks(partition, out);
    break;
  case PartitionKind::Halo:
    writeHalo(partition, out);
    break;
  case PartitionKind::Coloring:
    writeColoring(partition, out);
    break;
  case PartitionKind::ByField:
    writeByField(partition, out);
    break;
  case PartitionKind::Image:
    writeImage(partition, out);
    break;
  case PartitionKind::Preimage:
    writePreimage(partition, out);
    break;
  case PartitionKind::Union:
  case PartitionKind::Intersection:
  case PartitionKind::Difference:
    writeCombined(partition, out);
    break;
  case PartitionKind::BlocksOfEach:
  case PartitionKind::Cross:
  case PartitionKind::ByMap:
  case PartitionKind::MappedImage:
  case PartitionKind::MappedPreimage:
  case PartitionKind::ImageOfRanges:
  case PartitionKind::PreimageOfRanges:
    llvm_unreachable("refused: see findBeyondLegion");
  case PartitionKind::Abstract:
    llvm_unreachable("abstract partitions are refused");
  }
  if (info.kind != PartitionKind::Blocks &&
      (info.isDisjoint || info.isComplete)) {
    hasPromises = true;
    use(Helper::Fail);
    out << "    "
        << callText(4, "promise(",
                    {partitionNames[partition], stringLiteral(info.name),
                     info.isDisjoint ? "/*isDisjoint=*/true"
                                     : "/*isDisjoint=*/false",
                     info.isComplete ? "/*isComplete=*/true"
                                     : "/*isComplete=*/false"},
                    ");\n");
  }
  if (wholes.count(partition))
    out << assignText(4, "whole_" + partitionNames[partition], "whole(",
                      {parentText(partition), partitionNames[partition]},
                      ");\n");
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// "blocks[1, 2]", as in the source. A color that depends on parameters has its
/// number.
std::string LegionEmitter::nameOf(const RegionPart &part) const {
  if (part.partition == noIndex)
    return program.roots[part.root].name;
  const RegionPartition &info = program.partitions[part.partition];
  if (part.color < 0)
    return info.name;
  int64_t color = part.color;
  std::vector<int64_t> coordinates;
  if (info.colors.size() == 1 || !isConstant(info.colors))
    coordinates = {color};
  else
    for (const Extent &extent : reverse(info.colors)) {
      coordinates.insert(coordinates.begin(), color % extent.constant);
      color /= extent.constant;
    }
  std::string text;
  for (int64_t coordinate : coordinates)
    text += (text.empty() ? "[" : ", ") + std::to_string(coordinate);
  return info.name + text + "]";
}

std::string LegionEmitter::handleOf(const RegionPart &part) {
  if (part.partition == noIndex)
    return regionNames[part.root];
  if (part.color < 0)
    return wholeText(part.partition);
  return "part(" + partitionNames[part.partition] + ", " +
         colorText(part.partition, part.color) + ")";
}

/// True for properties of all index spaces: a part of a root is in the root,
/// and a partition is in the region that it divides.
static bool holdsByItself(const RegionModel &program,
                          const RegionConstraint &constraint) {
  const RegionPart &inner = constraint.first, &outer = constraint.second;
  if (constraint.isDisjoint)
    return false;
  if (outer.partition == noIndex || inner.partition == noIndex)
    return outer.partition == noIndex;
  const RegionPartition &info = program.partitions[inner.partition];
  return info.parent == outer.partition && info.parentColor == outer.color;
}

/// The regions that constraints compare determine which partitions need a
/// region of all their colors. So this runs before the partitions are written.
void LegionEmitter::collectConstraints() {
  for (const auto &group : constraintsBeforeGraphs(program)) {
    std::string &text = constraints.emplace_back();
    for (const RegionConstraint *constraint : group) {
      if (holdsByItself(program, *constraint))
        continue;
      hasConstraints = true;
      use(Helper::Fail);
      text +=
          "    " + callText(4, "constrain(",
                            {constraint->isDisjoint ? "/*isDisjoint=*/true"
                                                    : "/*isDisjoint=*/false",
                             handleOf(constraint->first),
                             stringLiteral(nameOf(constraint->first)),
                             handleOf(constraint->second),
                             stringLiteral(nameOf(constraint->second))},
                            ");\n");
    }
  }
}

/// Writes the member function that makes the partitions needed before one
/// graph.
void LegionEmitter::writePartitions(ArrayRef<unsigned> order, unsigned graph,
                                    raw_ostream &out) {
  out << "\n  void createPartitions" << graph << "() {\n";
  for (unsigned partition : order)
    writePartition(partition, out);
  out << constraints[graph] << "  }\n";
}
