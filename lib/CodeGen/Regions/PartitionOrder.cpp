//===- PartitionOrder.cpp - When partitions are made --------- ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A partition that depends on the contents of fields is made after the graphs
// that fill the fields: before the first graph that uses it.
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
class PartitionOrder {
public:
  explicit PartitionOrder(const RegionProgram &program)
      : program(program), isMade(program.partitions.size()) {}

  std::vector<std::vector<unsigned>> run();

private:
  bool dependsOnData(unsigned index) const;
  void make(unsigned index, std::vector<unsigned> &order);
  void makeConstrained(std::vector<unsigned> &order);

  const RegionProgram &program;
  std::vector<bool> isMade;
};
} // namespace

static SmallVector<unsigned> basesOf(const RegionPartition &partition) {
  SmallVector<unsigned> bases;
  for (unsigned base : {partition.parent, partition.left, partition.right})
    if (base != noIndex)
      bases.push_back(base);
  return bases;
}

bool PartitionOrder::dependsOnData(unsigned index) const {
  const RegionPartition &partition = program.partitions[index];
  switch (partition.kind) {
  case PartitionKind::ByField:
  case PartitionKind::Image:
  case PartitionKind::Preimage:
    return true;
  default:
    return any_of(basesOf(partition),
                  [&](unsigned base) { return dependsOnData(base); });
  }
}

void PartitionOrder::make(unsigned index, std::vector<unsigned> &order) {
  if (isMade[index])
    return;
  isMade[index] = true;
  for (unsigned base : basesOf(program.partitions[index]))
    make(base, order);
  order.push_back(index);
}

std::vector<std::vector<unsigned>> PartitionOrder::run() {
  // A program without graphs must still check its constraints.
  std::vector<std::vector<unsigned>> orders(
      std::max<size_t>(program.graphs.size(), 1));
  for (unsigned i = 0; i != program.partitions.size(); ++i)
    if (!dependsOnData(i))
      make(i, orders[0]);
  for (auto [graph, order] : zip(program.graphs, orders))
    forEachStatement(graph.statements, [&](const RegionStatement &statement) {
      for (const RegionArgument &argument : statement.arguments)
        if (argument.partition != noIndex)
          make(argument.partition, order);
    });
  // A constraint that ties a partition to a used one is checked, so the
  // partition must be made.
  for (std::vector<unsigned> &order : orders)
    makeConstrained(order);
  return orders;
}

void PartitionOrder::makeConstrained(std::vector<unsigned> &order) {
  for (size_t before = SIZE_MAX; before != order.size();) {
    before = order.size();
    for (const RegionConstraint &constraint : program.constraints)
      for (auto [a, b] :
           {std::pair(constraint.first.partition, constraint.second.partition),
            std::pair(constraint.second.partition, constraint.first.partition)})
        if (b != noIndex && (a == noIndex || is_contained(order, a)))
          make(b, order);
  }
}

std::vector<std::vector<const RegionConstraint *>>
codegen::constraintsBeforeGraphs(const RegionProgram &program) {
  std::vector<bool> isMade(program.partitions.size());
  std::vector<bool> isChecked(program.constraints.size());
  std::vector<std::vector<const RegionConstraint *>> result;
  for (const std::vector<unsigned> &order : partitionsBeforeGraphs(program)) {
    auto &checked = result.emplace_back();
    for (unsigned partition : order)
      isMade[partition] = true;
    for (auto [i, constraint] : enumerate(program.constraints)) {
      bool areMade = true;
      for (unsigned partition :
           {constraint.first.partition, constraint.second.partition})
        areMade &= partition == noIndex || isMade[partition];
      if (areMade && !isChecked[i])
        checked.push_back(&constraint);
      isChecked[i] = isChecked[i] || areMade;
    }
  }
  return result;
}

std::vector<std::vector<unsigned>>
codegen::partitionsBeforeGraphs(const RegionProgram &program) {
  return PartitionOrder(program).run();
}

bool codegen::knowsParent(const RegionPartition &partition) {
  return partition.parent == noIndex ||
         partition.kind == PartitionKind::Blocks ||
         partition.kind == PartitionKind::Coloring;
}

RegionConstraint codegen::completeness(const RegionProgram &program,
                                       unsigned index) {
  const RegionPartition &partition = program.partitions[index];
  return {.isDisjoint = false,
          .first = {partition.root, partition.parent, partition.parentColor},
          .second = {partition.root, index, -1}};
}

bool codegen::isPromiseNeeded(const RegionPartition &partition) {
  return partition.kind != PartitionKind::Blocks &&
         (partition.isDisjoint || partition.isComplete);
}
