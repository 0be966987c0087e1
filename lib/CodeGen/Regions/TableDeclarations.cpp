//===- TableDeclarations.cpp - Roots and partitions in tables -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters, roots, partitions and constraints, and the order in which the
// runtime makes partitions and runs graphs.
//
//===----------------------------------------------------------------------===//

#include "RegionTableBuilder.h"
#include "Source.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

void RegionTableBuilder::setParameters() {
  auto result = array<SluiceRegionParameter>(program.parameters.size());
  for (auto [to, from, least] :
       zip(result, program.parameters, minValues(program))) {
    to.name = text(from.name);
    to.defaultText = text(literalOf(from.value, from.type));
    to.min = least;
    to.type = uint32_t(from.type);
    refer(to.variable, parameterVariable(from));
  }
  table.program->parameters = result.data();
  table.program->numParameters = result.size();
}

void RegionTableBuilder::setRoots() {
  auto result = array<SluiceRegionRoot>(program.roots.size());
  for (auto [to, from] : zip(result, program.roots)) {
    auto fields = array<SluiceField>(from.fields.size());
    for (auto [field, given] : zip(fields, from.fields))
      field = {text(given.name), SluiceElementType(given.type), given.count};
    to.name = text(from.name);
    to.rank = from.isScalar ? 1 : from.extents.size();
    to.extents = extents(from.isScalar ? std::vector<Extent>{{1, noIndex}}
                                       : from.extents);
    to.fields = fields.data();
    to.numFields = fields.size();
    if (from.isScalar)
      to.initial = values(from.initial, from.fields[0].type);
  }
  table.program->roots = result.data();
  table.program->numRoots = result.size();
}

static SluicePartitionKind kindOf(PartitionKind kind) {
  switch (kind) {
  case PartitionKind::Blocks:
    return SLUICE_PARTITION_BLOCKS;
  case PartitionKind::Halo:
    return SLUICE_PARTITION_HALOS;
  case PartitionKind::Coloring:
    return SLUICE_PARTITION_COLORING;
  case PartitionKind::ByField:
    return SLUICE_PARTITION_BY_FIELD;
  case PartitionKind::Image:
    return SLUICE_PARTITION_IMAGE;
  case PartitionKind::Preimage:
    return SLUICE_PARTITION_PREIMAGE;
  case PartitionKind::Union:
    return SLUICE_PARTITION_UNION;
  case PartitionKind::Intersection:
    return SLUICE_PARTITION_INTERSECTION;
  case PartitionKind::Difference:
    return SLUICE_PARTITION_DIFFERENCE;
  case PartitionKind::BlocksOfEach:
    return SLUICE_PARTITION_BLOCKS_OF_EACH;
  case PartitionKind::Cross:
    return SLUICE_PARTITION_CROSS;
  case PartitionKind::ByMap:
    return SLUICE_PARTITION_BY_MAP;
  case PartitionKind::MappedImage:
    return SLUICE_PARTITION_MAPPED_IMAGE;
  case PartitionKind::MappedPreimage:
    return SLUICE_PARTITION_MAPPED_PREIMAGE;
  case PartitionKind::ImageOfRanges:
    return SLUICE_PARTITION_IMAGE_OF_RANGES;
  case PartitionKind::PreimageOfRanges:
    return SLUICE_PARTITION_PREIMAGE_OF_RANGES;
  case PartitionKind::Abstract:
    break;
  }
  llvm_unreachable("abstract partitions are refused");
}

const SluiceExtent *RegionTableBuilder::mapOf(ArrayRef<ElementCoordinate> map) {
  std::vector<Extent> numbers;
  for (const ElementCoordinate &coordinate : map) {
    for (int64_t factor : coordinate.factors)
      numbers.push_back({factor});
    append_range(numbers, std::initializer_list<Extent>{coordinate.offset,
                                                        coordinate.divisor,
                                                        coordinate.modulus});
  }
  return map.empty() ? nullptr : extents(numbers);
}

void RegionTableBuilder::setPartition(const RegionPartition &from,
                                      SluiceRegionPartition &to) {
  auto number = [&](unsigned index) {
    return index == noIndex ? SLUICE_NO_PARTITION : numberOf[index];
  };
  to.name = text(from.name);
  to.kind = kindOf(from.kind);
  to.root = from.root;
  to.parent = number(from.parent);
  to.parentColor = from.parentColor;
  to.first = number(from.left);
  to.second = number(from.right);
  to.field = from.field;
  to.hasCorners = from.hasCorners;
  to.periodic = from.periodic;
  to.last = from.last;
  to.rightSide = uint32_t(from.rightSide);
  to.secondColor = from.rightColor;
  to.map = mapOf(from.map);
  to.numMap = from.map.size();
  to.rank = from.colors.size();
  if (from.kind == PartitionKind::Halo) {
    to.rank = from.width.size();
    to.width = numbers(from.width);
  } else {
    to.colors = extents(from.colors);
  }
  if (from.kind == PartitionKind::Coloring)
    refer(to.coloring, from.function);
  if (isPromiseNeeded(from)) {
    to.checkApart = from.isDisjoint;
    to.checkCovers = from.isComplete && knowsParent(from);
  }
}

/// Partitions get their numbers in the order in which they are made.
void RegionTableBuilder::setPartitions() {
  numberOf.assign(program.partitions.size(), SLUICE_NO_PARTITION);
  auto checks = constraintsBeforeGraphs(program);
  auto addConstraint = [&](const RegionConstraint &constraint) {
    steps.push_back({SLUICE_STEP_CONSTRAINT, uint32_t(constraints.size())});
    constraints.push_back(constraint);
  };
  auto make = [&](unsigned index) {
    const RegionPartition &partition = program.partitions[index];
    if (numberOf[index] == SLUICE_NO_PARTITION) {
      numberOf[index] = made.size();
      made.push_back(&partition);
    }
    steps.push_back({SLUICE_STEP_PARTITION, numberOf[index]});
    if (partition.isComplete && !knowsParent(partition))
      addConstraint(completeness(program, index));
  };
  for (auto [i, order] : enumerate(partitionsBeforeGraphs(program))) {
    const std::vector<unsigned> remade = i < program.graphs.size()
                                             ? remadePartitions(program, i)
                                             : std::vector<unsigned>();
    auto isRemade = [&](unsigned index) { return is_contained(remade, index); };
    auto concerns = [&](const RegionConstraint &constraint) {
      return isRemade(constraint.first.partition) ||
             isRemade(constraint.second.partition);
    };
    for (unsigned index : order)
      if (!isRemade(index))
        make(index);
    for (const RegionConstraint *constraint : checks[i])
      if (!concerns(*constraint))
        addConstraint(*constraint);
    auto isMade = [&](const RegionPart &part) {
      return part.partition == noIndex ||
             numberOf[part.partition] != SLUICE_NO_PARTITION;
    };
    auto makeAnew = [&] {
      for (unsigned index : remade)
        make(index);
      for (const RegionConstraint &constraint : program.constraints)
        if (concerns(constraint) && isMade(constraint.first) &&
            isMade(constraint.second))
          addConstraint(constraint);
    };
    makeAnew();
    if (i < program.graphs.size() && program.graphs[i].repeats) {
      steps.push_back({SLUICE_STEP_REPEAT, uint32_t(i)});
      makeAnew();
    }
    if (i < program.graphs.size())
      steps.push_back({SLUICE_STEP_GRAPH, uint32_t(i)});
  }
  auto result = array<SluiceRegionPartition>(made.size());
  for (auto [to, from] : zip(result, made))
    setPartition(*from, to);
  table.program->partitions = result.data();
  table.program->numPartitions = result.size();
}

SluiceRegionPart RegionTableBuilder::partOf(const RegionPart &part) const {
  return {part.root,
          part.partition == noIndex ? SLUICE_NO_PARTITION
                                    : numberOf[part.partition],
          part.color};
}

void RegionTableBuilder::setConstraints() {
  auto result = array<SluiceRegionConstraint>(constraints.size());
  for (auto [to, from] : zip(result, constraints))
    to = {from.isDisjoint, 0, partOf(from.first), partOf(from.second)};
  table.program->constraints = result.data();
  table.program->numConstraints = result.size();
}
