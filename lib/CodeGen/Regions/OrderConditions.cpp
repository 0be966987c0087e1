//===- OrderConditions.cpp - Conditions of orders between points ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which points of a graph share elements depends on the extents of its
// launches, partitions and roots. For a root that is only divided into blocks
// and halos, the answer is the same for all large extents. In a dimension of
// extent n, the bounds of all colors are floor(c * n / k) + s, with a few
// numbers of colors k and widths s. Two such bounds with different c / k are at
// least n / lcm(k, l) - 1 apart. So they have the same order for every n that
// is too large for the widths to bridge, and only this order determines which
// boxes overlap or cover each other.
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "sluice/CodeGen/RegionTable.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>
#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
class ConditionFinder {
public:
  ConditionFinder(const RegionModel &program, const RegionGraph &graph)
      : program(program), graph(graph) {}
  std::optional<std::vector<SluiceOrderCondition>> run();

private:
  void visit(const RegionStatement &statement);
  void usePartition(unsigned index);
  void addBounds(const RegionRoot &root, unsigned index);
  int64_t numberOf(const Extent &extent) const;
  void addExact(ArrayRef<Extent> extents) {
    for (const Extent &extent : extents)
      if (extent.parameter != noIndex)
        exact.insert(extent.parameter);
  }

  const RegionModel &program;
  const RegionGraph &graph;
  /// The elements of some partition, or the colors of some launch, are not
  /// known before run time.
  bool isUnknown = false;
  std::set<unsigned> partitions, roots;
  /// Roots for which more than the order of bounds matters.
  std::set<unsigned> exactRoots;
  /// Parameters that must keep their value, parameters that count iterations,
  /// and parameters that must have a least value.
  std::set<unsigned> exact, counts;
  std::map<unsigned, int64_t> atLeast;
};
} // namespace

int64_t ConditionFinder::numberOf(const Extent &extent) const {
  return extent.parameter == noIndex
             ? extent.constant
             : defaultOf(program.parameters[extent.parameter]);
}

void ConditionFinder::usePartition(unsigned index) {
  if (index == noIndex || !partitions.insert(index).second)
    return;
  const RegionPartition &partition = program.partitions[index];
  roots.insert(partition.root);
  addExact(partition.colors);
  switch (partition.kind) {
  case PartitionKind::Blocks:
    if (partition.parent != noIndex)
      exactRoots.insert(partition.root);
    break;
  case PartitionKind::Halo:
    // The bounds of boxes do not tell where a periodic dimension meets itself.
    if (partition.periodic)
      exactRoots.insert(partition.root);
    break;
  case PartitionKind::BlocksOfEach:
  case PartitionKind::Cross:
  case PartitionKind::Union:
  case PartitionKind::Intersection:
  case PartitionKind::Difference:
    exactRoots.insert(partition.root);
    break;
  default:
    isUnknown = true;
  }
  for (unsigned base : {partition.parent, partition.left, partition.right})
    usePartition(base);
}

void ConditionFinder::visit(const RegionStatement &statement) {
  addExact(statement.domain);
  isUnknown |=
      any_of(statement.domain,
             [](const Extent &extent) { return !extent.terms.empty(); }) ||
      !statement.count.terms.empty();
  if (statement.kind == RegionStatement::Loop) {
    isUnknown |= statement.iteration != noIndex;
    if (statement.count.parameter != noIndex)
      counts.insert(statement.count.parameter);
    if (statement.whileScalar != noIndex)
      roots.insert(statement.whileScalar);
  }
  const bool isMove = statement.kind == RegionStatement::Copy ||
                      statement.kind == RegionStatement::Fill;
  for (const RegionArgument &argument : statement.arguments) {
    if (!isView(argument))
      continue;
    roots.insert(argument.root);
    usePartition(argument.partition);
    isUnknown |= argument.projection.kind == RegionProjection::Function ||
                 !argument.projection.shifts.empty();
    // The number of pieces of a single copy, and the number of copies that
    // reducing points share, depend on the number of elements; the union of a
    // partition may not be a box.
    const bool isSplit = isMove && statement.domain.empty();
    const bool isReduced = argument.privilege == RegionPrivilege::Reduce;
    const bool isUnion = argument.partition != noIndex && argument.color < 0 &&
                         argument.projection.kind == RegionProjection::Whole;
    if (argument.kind == RegionArgument::Region &&
        (isSplit || isReduced || isUnion))
      exactRoots.insert(argument.root);
  }
}

/// Finds the extents from which on the bounds in each dimension keep their
/// order.
void ConditionFinder::addBounds(const RegionRoot &root, unsigned index) {
  for (auto [d, extent] : enumerate(root.extents)) {
    if (extent.parameter == noIndex)
      continue;
    std::set<int64_t> divisors{1};
    int64_t width = 0;
    for (unsigned partition : partitions) {
      const RegionPartition *info = &program.partitions[partition];
      if (info->root != index)
        continue;
      int64_t sum = 0;
      for (; info->kind == PartitionKind::Halo;
           info = &program.partitions[info->left])
        sum = SaturatingAdd<uint64_t>(sum, info->width[d]) & INT64_MAX;
      width = std::max(width, sum);
      if (d < info->colors.size())
        divisors.insert(numberOf(info->colors[d]));
    }
    for (int64_t k : divisors)
      for (int64_t l : divisors) {
        // Larger than any relevant extent: k and l are numbers of colors.
        const __int128 least =
            (__int128(k) / std::gcd(k, l)) * l * (2 * __int128(width) + 3);
        int64_t &known = atLeast[extent.parameter];
        known = std::max<__int128>(known, std::min<__int128>(least, INT64_MAX));
      }
  }
}

std::optional<std::vector<SluiceOrderCondition>> ConditionFinder::run() {
  forEachStatement(graph.statements,
                   [&](const RegionStatement &statement) { visit(statement); });
  if (isUnknown)
    return std::nullopt;
  for (unsigned root : roots)
    if (exactRoots.count(root))
      addExact(program.roots[root].extents);
    else
      addBounds(program.roots[root], root);
  std::vector<SluiceOrderCondition> conditions;
  for (auto [parameter, least] : atLeast)
    if (defaultOf(program.parameters[parameter]) < least)
      exact.insert(parameter);
    else if (!exact.count(parameter))
      conditions.push_back({parameter, SLUICE_ORDERS_AT_LEAST, least});
  auto add = [&](uint32_t kind, const std::set<unsigned> &parameters) {
    for (unsigned parameter : parameters)
      conditions.push_back(
          {parameter, kind, defaultOf(program.parameters[parameter])});
  };
  add(SLUICE_ORDERS_EQUAL, exact);
  add(SLUICE_ORDERS_COUNT, counts);
  return conditions;
}

std::optional<std::vector<SluiceOrderCondition>>
codegen::orderConditions(const RegionModel &program, const RegionGraph &graph) {
  return ConditionFinder(program, graph).run();
}
