//===- PartitionOrder.cpp - When partitions are made --------- ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A partition that depends on the contents of fields is made after the graphs
// that fill the fields: before the first graph that uses it.
//
//===----------------------------------------------------------------------===//

#include "LowerRegions.h"
#include "Source.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
class PartitionOrder {
public:
  explicit PartitionOrder(const RegionModel &program);

  std::vector<std::vector<unsigned>> run();

private:
  bool dependsOnData(const RegionPartition &partition) const;
  void make(unsigned index, std::vector<unsigned> &order);
  void makeConstrained(std::vector<unsigned> &order);

  const RegionModel &program;
  std::vector<bool> isMade;
  /// By partition.
  std::vector<bool> onData;
};
} // namespace

static SmallVector<unsigned> basesOf(const RegionPartition &partition) {
  SmallVector<unsigned> bases;
  for (unsigned base : {partition.parent, partition.left, partition.right})
    if (base != noIndex)
      bases.push_back(base);
  return bases;
}

/// What a partition is made from comes before it.
PartitionOrder::PartitionOrder(const RegionModel &program)
    : program(program), isMade(program.partitions.size()) {
  for (const RegionPartition &partition : program.partitions)
    onData.push_back(dependsOnData(partition));
}

bool PartitionOrder::dependsOnData(const RegionPartition &partition) const {
  switch (partition.kind) {
  case PartitionKind::ByField:
  case PartitionKind::Image:
  case PartitionKind::Preimage:
  case PartitionKind::ImageOfRanges:
  case PartitionKind::PreimageOfRanges:
    return true;
  default:
    return any_of(basesOf(partition),
                  [&](unsigned base) { return onData[base]; });
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
    if (!onData[i])
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
codegen::constraintsBeforeGraphs(const RegionModel &program) {
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
codegen::partitionsBeforeGraphs(const RegionModel &program) {
  return PartitionOrder(program).run();
}

//===----------------------------------------------------------------------===//
// Partitions that are made anew
//===----------------------------------------------------------------------===//

using FieldOfRoot = std::pair<unsigned, unsigned>;

/// The fields that decide which elements each partition has.
static std::vector<std::set<FieldOfRoot>>
fieldsOfPartitions(const RegionModel &program) {
  std::vector<std::set<FieldOfRoot>> result;
  for (const RegionPartition &partition : program.partitions) {
    std::set<FieldOfRoot> fields;
    for (unsigned field : {partition.field, partition.last})
      if (field != noIndex)
        fields.insert({rootOfFields(program, partition), field});
    for (unsigned base : basesOf(partition))
      fields.insert(result[base].begin(), result[base].end());
    result.push_back(std::move(fields));
  }
  return result;
}

static bool changesField(const RegionStatement &statement,
                         const std::set<FieldOfRoot> &fields) {
  return any_of(statement.arguments, [&](const auto &argument) {
    return argument.privilege != RegionPrivilege::Read &&
           any_of(argument.fields, [&](unsigned field) {
             return fields.count({argument.root, field}) != 0;
           });
  });
}

static void addWithBases(const RegionModel &program, unsigned index,
                         std::set<unsigned> &all) {
  if (!all.insert(index).second)
    return;
  for (unsigned base : basesOf(program.partitions[index]))
    addWithBases(program, base, all);
}

std::vector<unsigned> codegen::remadePartitions(const RegionModel &program,
                                                unsigned graph) {
  std::vector<unsigned> result;
  if (!program.graphs[graph].repeats)
    return result;
  const auto orders = partitionsBeforeGraphs(program);
  std::map<unsigned, unsigned> firstGraph;
  for (auto [i, order] : enumerate(orders))
    for (unsigned index : order)
      firstGraph[index] = i;
  // Constraints may have others made that depend on those of the graph.
  std::set<unsigned> used;
  for (unsigned index : orders[graph])
    addWithBases(program, index, used);
  forEachStatement(program.graphs[graph].statements,
                   [&](const RegionStatement &statement) {
                     for (const RegionArgument &argument : statement.arguments)
                       if (argument.partition != noIndex)
                         addWithBases(program, argument.partition, used);
                   });
  const auto fieldsOf = fieldsOfPartitions(program);
  for (unsigned index : used) {
    const std::set<FieldOfRoot> &fields = fieldsOf[index];
    bool isChanged = false;
    for (unsigned i = firstGraph[index]; i <= graph; ++i)
      forEachStatement(program.graphs[i].statements,
                       [&](const RegionStatement &statement) {
                         isChanged |= changesField(statement, fields);
                       });
    if (isChanged)
      result.push_back(index);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Fields that change later
//===----------------------------------------------------------------------===//

namespace {
/// Finds statements that change what a partition was made from, while the
/// partition is still used.
class StaleParts {
public:
  explicit StaleParts(const RegionModel &program)
      : program(program), fieldsOf(fieldsOfPartitions(program)) {
    for (unsigned graph = 0; graph != program.graphs.size(); ++graph)
      remade.push_back(remadePartitions(program, graph));
  }
  void report();

private:
  struct Place {
    const RegionStatement *statement;
    unsigned graph;
    /// The outermost loop around it, or null.
    const RegionStatement *loop;
  };

  void visit(ArrayRef<RegionStatement> statements, unsigned graph,
             const RegionStatement *loop);
  const Place *findChange(unsigned partition, unsigned madeBefore) const;

  const RegionModel &program;
  /// By partition.
  std::vector<std::set<FieldOfRoot>> fieldsOf;
  /// By graph: the partitions with which each of its runs begins anew.
  std::vector<std::vector<unsigned>> remade;
  /// In the order of the program.
  std::vector<Place> places;
};
} // namespace

void StaleParts::visit(ArrayRef<RegionStatement> statements, unsigned graph,
                       const RegionStatement *loop) {
  for (const RegionStatement &statement : statements)
    if (statement.body.empty())
      places.push_back({&statement, graph, loop});
    else
      visit(statement.body, graph,
            loop || statement.kind != RegionStatement::Loop ? loop
                                                            : &statement);
}

/// The first statement that changes one of the fields after the partition was
/// made, and before or in the same loop as a use of it.
const StaleParts::Place *StaleParts::findChange(unsigned partition,
                                                unsigned madeBefore) const {
  const std::set<FieldOfRoot> &fields = fieldsOf[partition];
  if (fields.empty())
    return nullptr;
  std::set<unsigned> remaking;
  for (auto [graph, partitions] : enumerate(remade))
    if (is_contained(partitions, partition))
      remaking.insert(graph);
  auto isNew = [&](const Place &change, const Place &use) {
    return change.graph != use.graph && remaking.count(use.graph);
  };
  auto uses = [&](const Place &place) {
    return any_of(place.statement->arguments, [&](const auto &argument) {
      return argument.partition == partition;
    });
  };
  for (size_t i = 0; i != places.size(); ++i) {
    const Place &change = places[i];
    if (change.graph < madeBefore || !changesField(*change.statement, fields))
      continue;
    for (size_t j = 0; j != places.size(); ++j)
      if (uses(places[j]) && !isNew(change, places[j]) &&
          (j > i || (change.loop && change.loop == places[j].loop)))
        return &change;
  }
  return nullptr;
}

void StaleParts::report() {
  for (auto [index, graph] : enumerate(program.graphs))
    visit(graph.statements, index, nullptr);
  for (auto [graph, order] : enumerate(partitionsBeforeGraphs(program)))
    for (unsigned index : order) {
      const Place *change = findChange(index, graph);
      if (!change)
        continue;
      const RegionPartition &partition = program.partitions[index];
      auto warning = mlir::emitWarning(change->statement->location);
      warning << "changes a field from which partition '@" << partition.name
              << "' was made, before graph '" << program.graphs[graph].name
              << "'; the partition keeps the elements that it has";
      if (partition.location)
        warning.attachNote(*partition.location)
            << "the partition is declared here";
    }
}

void codegen::reportStaleParts(const RegionModel &program) {
  if (!program.graphs.empty())
    StaleParts(program).report();
}

unsigned codegen::rootOfFields(const RegionModel &program,
                               const RegionPartition &partition) {
  return partition.kind == PartitionKind::Image ||
                 partition.kind == PartitionKind::ImageOfRanges
             ? program.partitions[partition.left].root
             : partition.root;
}

bool codegen::knowsParent(const RegionPartition &partition) {
  return partition.parent == noIndex ||
         partition.kind == PartitionKind::Blocks ||
         partition.kind == PartitionKind::Coloring;
}

RegionConstraint codegen::completeness(const RegionModel &program,
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
