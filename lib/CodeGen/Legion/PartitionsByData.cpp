//===- PartitionsByData.cpp - Partitions defined by fields ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legion's own dependent partitioning reads fields of points: 64-bit integers
// in one dimension. The top-level task reads other integer types, and positions
// in more dimensions.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

static bool isPoint(const RegionField &field, size_t rank) {
  return field.type == ElementType::I64 && field.count == 1 && rank == 1;
}

/// "partition_p = runtime->get_logical_partition(ctx, parent, function(...));".
std::string LegionEmitter::assignIndexPartition(unsigned partition,
                                                StringRef function,
                                                ArrayRef<std::string> words) {
  std::string parent = parentText(partition);
  return ("    " + partitionNames[partition] +
          " = runtime->get_logical_partition(\n        ctx, " + parent +
          ",\n        " +
          callText(8, ("runtime->" + function + "(").str(), words, "));\n"));
}

void LegionEmitter::writeByField(unsigned partition, raw_ostream &out) {
  const RegionPartition &info = program.partitions[partition];
  const RegionRoot &root = program.roots[info.root];
  const RegionField &field = root.fields[info.field];
  std::string colors = extentsText(program, info.colors);
  std::string parent = parentText(partition);
  const std::string &name = fieldNames[info.root][info.field];
  use(Helper::Rectangles);
  if (isPoint(field, info.colors.size())) {
    out << assignIndexPartition(partition, "create_partition_by_field",
                                {"ctx", parent, regionNames[info.root], name,
                                 "colorSpace<1>(" + colors + ")"});
    return;
  }
  use(Helper::Coloring);
  dataHelpers.insert("byField");
  out << assignPartition(partition,
                         "byField<" + std::to_string(root.extents.size()) +
                             ", " + std::to_string(info.colors.size()) + ", " +
                             cTypeName(field.type).str() + ">",
                         {parent, regionNames[info.root], name,
                          extentsText(program, root.extents), colors});
}

void LegionEmitter::writeImage(unsigned partition, raw_ostream &out) {
  const RegionPartition &info = program.partitions[partition];
  const RegionPartition &source = program.partitions[info.left];
  const RegionRoot &from = program.roots[source.root];
  const RegionRoot &root = program.roots[info.root];
  const RegionField &field = from.fields[info.field];
  std::string colors = extentsText(program, info.colors);
  std::string colorRank = std::to_string(info.colors.size());
  const std::string &name = fieldNames[source.root][info.field];
  std::string parent = parentText(partition);
  use(Helper::Rectangles);
  if (isPoint(field, root.extents.size())) {
    out << assignIndexPartition(
        partition, "create_partition_by_image",
        {"ctx", parent + ".get_index_space()", partitionNames[info.left],
         regionNames[source.root], name,
         "colorSpace<" + colorRank + ">(" + colors + ")"});
    return;
  }
  use(Helper::Coloring);
  dataHelpers.insert("image");
  out << assignPartition(partition,
                         "image<" + std::to_string(root.extents.size()) + ", " +
                             std::to_string(from.extents.size()) + ", " +
                             colorRank + ", " + cTypeName(field.type).str() +
                             ">",
                         {parent, extentsText(program, root.extents),
                          partitionNames[info.left], regionNames[source.root],
                          name, extentsText(program, from.extents), colors});
}

void LegionEmitter::writePreimage(unsigned partition, raw_ostream &out) {
  const RegionPartition &info = program.partitions[partition];
  const RegionPartition &target = program.partitions[info.left];
  const RegionRoot &to = program.roots[target.root];
  const RegionRoot &root = program.roots[info.root];
  const RegionField &field = root.fields[info.field];
  std::string colors = extentsText(program, info.colors);
  std::string colorRank = std::to_string(info.colors.size());
  const std::string &name = fieldNames[info.root][info.field];
  std::string parent = parentText(partition);
  use(Helper::Rectangles);
  if (isPoint(field, to.extents.size())) {
    out << assignIndexPartition(
        partition, "create_partition_by_preimage",
        {"ctx", partitionNames[info.left] + ".get_index_partition()", parent,
         regionNames[info.root], name,
         "colorSpace<" + colorRank + ">(" + colors + ")"});
    return;
  }
  use(Helper::Coloring);
  dataHelpers.insert("preimage");
  out << assignPartition(
      partition,
      "preimage<" + std::to_string(root.extents.size()) + ", " +
          std::to_string(to.extents.size()) + ", " + colorRank + ", " +
          cTypeName(field.type).str() + ">",
      {parent, regionNames[info.root], name, extentsText(program, root.extents),
       partitionNames[info.left], extentsText(program, to.extents), colors});
}

void LegionEmitter::writeCombined(unsigned partition, raw_ostream &out) {
  use(Helper::Rectangles);
  const RegionPartition &info = program.partitions[partition];
  StringRef operation = info.kind == PartitionKind::Union ? "union"
                        : info.kind == PartitionKind::Intersection
                            ? "intersection"
                            : "difference";
  std::string parent = parentText(partition);
  out << assignIndexPartition(
      partition, ("create_partition_by_" + operation).str(),
      {"ctx", parent + ".get_index_space()",
       partitionNames[info.left] + ".get_index_partition()",
       partitionNames[info.right] + ".get_index_partition()",
       "colorSpace<" + std::to_string(info.colors.size()) + ">(" +
           extentsText(program, info.colors) + ")"});
}
