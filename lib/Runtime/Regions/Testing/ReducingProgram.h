//===- ReducingProgram.h - Random programs whose points reduce to the same ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that reduce through colors which share elements, several operators
// after each other, and graphs that change the fields by which the partitions
// of later ones are made. What tasks compute depends on each bit that they read
// and on the order of sums, so that one value in a wrong place changes the end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_TESTING_REDUCINGPROGRAM_H
#define SLUICE_RUNTIME_REGIONS_TESTING_REDUCINGPROGRAM_H

#include "../ProgramOverRegions.h"

#include <deque>
#include <functional>
#include <random>

namespace sluice::regions::test {

/// Makes the same calls of whatever program it is given.
class ReducingProgram {
public:
  struct Options {
    /// Points of each launch.
    int64_t numColors;
    unsigned numGraphs;
    /// Graphs may have whole roots that are filled, which only plans of all
    /// points tell.
    bool hasOthers = false;
    /// Few elements each, so that copies are small trees.
    bool isTiny = false;
  };
  ReducingProgram(unsigned seed, const Options &options)
      : random(seed), options(options) {}

  /// Calls `end` at the end of each graph, which is to close it; partitions of
  /// later ones are made in between.
  void run(RegionProgram &program, const std::function<void()> &end);

  /// The bits of all fields, when all ranks have them.
  std::vector<uint64_t> takeResults();

  /// Fields of each root: two numbers, and one that names elements.
  enum : uint64_t { A = 1, B = 2, Name = 4 };

private:
  struct TestRoot {
    uint32_t index;
    int64_t count;
    /// Whose colors share nothing, and others.
    std::vector<uint32_t> disjoint, aliased;
  };
  /// What a task does with a view.
  struct Use {
    SluicePrivilege privilege;
    SluiceReductionKind kind;
    bool isName;
    int64_t count;
  };
  struct Call {
    std::vector<Use> uses;
    uint64_t salt;
  };

  int64_t pick(int64_t limit) { return random() % limit; }
  template <typename Value> Value valueOf(Result<Value> result);
  void check(const Status &status);
  void addRoot(int64_t count, bool isPlane);
  uint32_t addBorder(const TestRoot &root, bool isDisjoint);
  void addByNames();
  void addGraph();
  void addBody(unsigned depth, int64_t length);
  void addLaunch();
  void addReduction();
  void addRename();
  void addSingle();
  void add(int64_t numPoints, std::vector<SluiceArgument> arguments,
           bool isHost = false);
  SluiceArgument use(const TestRoot &root, uint32_t partition,
                     SluicePrivilege privilege, uint64_t fields);
  SluiceArgument scalar(SluicePrivilege privilege);
  SluiceReductionKind pickKind();
  static void runTask(const SluiceTask *task, const SluiceView *views,
                      const void *closure);

  std::mt19937 random;
  const Options options;
  RegionProgram *program = nullptr;
  std::vector<TestRoot> roots;
  uint32_t sum = 0;
  std::deque<Call> calls;
};

} // namespace sluice::regions::test

#endif // SLUICE_RUNTIME_REGIONS_TESTING_REDUCINGPROGRAM_H
