//===- RandomProgram.h - Random programs and their serial meaning ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program made from a seed, in a form that can be given to the runtime and
// that an oracle can run: one statement after the other, point by point, on
// memory and element sets of its own, which follow the definitions word by
// word.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_TESTING_RANDOMPROGRAM_H
#define SLUICE_RUNTIME_REGIONS_TESTING_RANDOMPROGRAM_H

#include "RegionsTest.h"

#include <random>
#include <set>

namespace sluice::regions::test {

constexpr int64_t numColors = 4;
constexpr uint32_t numFields = 3;

struct TestRoot {
  Shape shape;
  std::vector<int64_t> extents() const {
    return {shape.extent, shape.extent + shape.rank};
  }
};

struct TestPartition {
  enum Kind {
    Blocks,
    Halos,
    Coloring,
    ByField,
    Union,
    Intersection,
    Difference,
    Image,
    Preimage
  };
  Kind kind;
  uint32_t root;
  uint32_t left = 0, right = 0;
  int64_t parentColor = -1; ///< Blocks: of a color of `left`
  std::vector<int64_t> width = {};
  bool corners = false;
  /// The elements of each color.
  std::vector<std::set<int64_t>> sets = {};
};

struct TestArgument {
  uint32_t root;
  int64_t partition = -1;
  /// Color of point p: (p + color) % 4, or `color` if `isFixed`.
  int64_t color = 0;
  bool isFixed = false, isWhole = false;
  SluicePrivilege privilege;
  SluiceReductionKind reduction = SLUICE_REDUCE_SUM;
  uint64_t fields = 1;

  int64_t colorOf(int64_t point) const {
    return isFixed ? color : (point + color) % numColors;
  }
};

struct TestStatement {
  uint64_t seed = 0;
  bool isLaunch = false, isHost = false;
  std::vector<TestArgument> arguments;
  /// A loop: its iterations, the root it tests (or -1), whether it runs if that
  /// is 0, and its body.
  bool isLoop = false, isUnless = false;
  int64_t count = 0;
  int64_t whileRoot = -1;
  std::vector<TestStatement> body;
};

class RandomProgram {
public:
  explicit RandomProgram(unsigned seed, bool hasLoops = true);

  std::vector<TestRoot> roots;
  std::vector<TestPartition> partitions;
  std::vector<TestStatement> statements;
  /// The first values of all fields: of each root, field and element.
  std::vector<std::vector<std::vector<int64_t>>> initial;

  /// What the fields hold in the end.
  std::vector<std::vector<std::vector<int64_t>>> runSerially() const;

private:
  uint64_t pick(uint64_t limit) { return random() % limit; }
  void makeRoots();
  void makePartitions();
  void addPartition(TestPartition partition);
  void fillSets(TestPartition &partition) const;
  TestArgument makeArgument(bool isLaunch);
  TestStatement makeStatement();
  TestStatement makeWrite(uint32_t root);
  std::vector<TestStatement> makeBody(unsigned depth, unsigned length,
                                      bool hasLoops);
  std::mt19937 random;
};

/// The work of every statement: writes depend on all that is read.
void runBody(const TestStatement &statement, const SluiceTask &task,
             const SluiceView *views);

} // namespace sluice::regions::test

#endif // SLUICE_RUNTIME_REGIONS_TESTING_RANDOMPROGRAM_H
