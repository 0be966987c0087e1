//===- RandomForest.cpp - Random forests ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Up to three trees. The first has up to two partitions, one of which may have
// a partition below a color.
//
//===----------------------------------------------------------------------===//

#include "RandomGraphs.h"

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

static void addPartition(Random &random, RegionForest &forest,
                         const Extensions &extensions, RegionIndex parent,
                         unsigned depth) {
  bool isDisjoint = !(extensions.aliased && random.chance(50));
  bool isComplete = !(extensions.incomplete && random.chance(60));
  unsigned colors = random.chance(75) ? 2 : random.chance(80) ? 3 : 4;
  if (extensions.launches && random.chance(30))
    colors = 4;
  bool isUnknown = extensions.incomplete && random.chance(20);
  RegionIndex partition = forest.addPartition(
      std::string(1, "PQSTUVWX"[forest.size() % 8]) +
          std::to_string(forest.size()),
      parent, isDisjoint, isComplete, isUnknown ? 0 : colors);
  for (unsigned color = 0; color < colors; ++color) {
    RegionIndex region = forest.getSubregion(partition, color);
    if (depth < 2 && random.chance(20))
      addPartition(random, forest, extensions, region, depth + 1);
  }
}

static ConstrainedForest anyForest(Random &random,
                                   const Extensions &extensions) {
  ConstrainedForest result;
  unsigned numRoots = 1 + random.pick(3);
  for (unsigned i = 0; i < numRoots; ++i) {
    RegionIndex root = result.forest.addRoot(std::string(1, 'A' + i));
    unsigned numPartitions = i == 0 ? random.pick(3) : random.chance(25);
    if (i == 0 && (extensions.aliased || extensions.incomplete ||
                   extensions.constraints || extensions.partitions))
      numPartitions = std::max(1u, numPartitions);
    for (unsigned k = 0; k < numPartitions; ++k)
      addPartition(random, result.forest, extensions, root, 1);
  }
  if (!extensions.constraints)
    return result;
  for (unsigned i = 0, e = 1 + random.pick(2); i < e; ++i) {
    RegionIndex a = random.pick(result.forest.size());
    RegionIndex b = random.pick(result.forest.size());
    if (a == b)
      continue;
    if (random.chance(60))
      result.addDisjointConstraint(a, b);
    else
      result.addSubregionConstraint(a, b);
  }
  return result;
}

static bool isExact(const ConstrainedForest &constrained) {
  const RegionForest &forest = constrained.forest;
  if (forest.size() > 16)
    return false;
  World world(constrained);
  if (world.numElements() > 40)
    return false;
  for (RegionIndex a = 0; a < forest.size(); ++a)
    for (RegionIndex b = 0; b <= a; ++b)
      if (forest.mayAlias(a, b) != world.share(a, b))
        return false;
  return true;
}

/// True if, of any two trees that may alias, one lies in the other.
static bool isNested(const RegionForest &forest) {
  for (RegionIndex a = 0; a < forest.size(); ++a)
    for (RegionIndex b = 0; b < a; ++b)
      if (forest.root(a) == a && forest.root(b) == b && forest.mayAlias(a, b) &&
          !forest.isSubregion(a, b) && !forest.isSubregion(b, a))
        return false;
  return true;
}

ConstrainedForest oracle::randomNestedForest(Random &random,
                                             const Extensions &extensions) {
  for (;;) {
    ConstrainedForest forest = randomForest(random, extensions);
    if (isNested(forest.forest))
      return forest;
  }
}

ConstrainedForest oracle::randomForest(Random &random,
                                       const Extensions &extensions) {
  for (;;) {
    ConstrainedForest forest = anyForest(random, extensions);
    if (isExact(forest))
      return forest;
  }
}
