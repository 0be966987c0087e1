//===- ScaleTest.cpp - Large task graphs ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs with shapes for which a naive order needs quadratic time. Limits are
// at least ten times the actual processor time, so that the load of the machine
// does not matter.
//
//===----------------------------------------------------------------------===//

#include "TestGraph.h"

#include <ctime>

using namespace sluice;

namespace {
constexpr unsigned manyTasks = 100'000;

std::string task(const std::string &arguments) {
  return "dfg.task c \"t\"(" + arguments + ")\n";
}

std::string tile(const char *mode, unsigned begin, unsigned end) {
  return std::string(mode) + "@A[" + std::to_string(begin) + ":" +
         std::to_string(end) + "]";
}

class TaskScale : public ::testing::Test {
protected:
  void start(unsigned count,
             const std::function<std::string(unsigned)> &arguments) {
    std::string text = "dfg.dataset @A : f64 [1000000] initial(dense<0.0> : "
                       "tensor<1000000xf64>)\n"
                       "dfg.dataset @B : f64 [1000000] initial(dense<0.0> : "
                       "tensor<1000000xf64>)\n"
                       "dfg.dataset @C : f64 [10000, 10000]\n"
                       "dfg.task_graph @g {\n";
    for (unsigned i = 0; i != count; ++i)
      text += task(arguments(i));
    graph = std::make_unique<TestGraph>(text + "}\n", /*isOrdered=*/false);
    dfg::TaskGraphOp op = *graph->module->getOps<dfg::TaskGraphOp>().begin();
    orderSeconds = secondsOf([&] { graph->order = inferTaskOrder(op); });
    checkSeconds =
        secondsOf([&] { EXPECT_TRUE(checkTaskGraph(graph->order, false)); });
    EXPECT_LT(orderSeconds, 10);
    EXPECT_LT(checkSeconds, 30);
    RecordProperty("order ms", int(orderSeconds * 1000));
    RecordProperty("check ms", int(checkSeconds * 1000));
  }

  size_t numPredecessors() const {
    size_t result = 0;
    for (const std::vector<unsigned> &list : graph->order.predecessors)
      result += list.size();
    return result;
  }

  template <typename Function> static double secondsOf(Function function) {
    std::clock_t begin = std::clock();
    function();
    return double(std::clock() - begin) / CLOCKS_PER_SEC;
  }

  std::unique_ptr<TestGraph> graph;
  double orderSeconds = 0, checkSeconds = 0;
};
} // namespace

TEST_F(TaskScale, Chain) {
  start(manyTasks, [](unsigned) { return "@A"; });
  EXPECT_EQ(numPredecessors(), manyTasks - 1);
}

TEST_F(TaskScale, ChainWithAConstant) {
  start(manyTasks,
        [](unsigned i) { return i ? "@A, in @B" : "out @A, out @B"; });
  EXPECT_EQ(numPredecessors(), manyTasks - 1);
}

TEST_F(TaskScale, FanOutAndIn) {
  start(manyTasks, [](unsigned i) {
    if (i == 0 || i == manyTasks - 1)
      return std::string("@A");
    return "in @A, " + std::string("@B[") + std::to_string(i) + ":" +
           std::to_string(i + 1) + "]";
  });
  EXPECT_EQ(numPredecessors(), 2 * (manyTasks - 2));
}

TEST_F(TaskScale, ReadersBeforeManyPartialWrites) {
  start(manyTasks, [](unsigned i) {
    return i < manyTasks / 2 ? "in @A, @B[0:0]" : "@A[0:10]";
  });
  EXPECT_EQ(numPredecessors(), manyTasks - 1);
}

TEST_F(TaskScale, WholeReadsBetweenHalves) {
  start(manyTasks, [](unsigned i) {
    return i % 3 == 0   ? tile("", 0, 500000)
           : i % 3 == 1 ? tile("", 500000, 1000000)
                        : std::string("in @A");
  });
  // A write follows the previous read; a read follows the two previous writes.
  EXPECT_EQ(numPredecessors(), manyTasks / 3 * 4 - 1);
}

TEST_F(TaskScale, Stencil) {
  start(manyTasks, [](unsigned i) {
    unsigned number = i % 1000 * 10, step = i / 1000;
    const char *from = step % 2 ? "in @B[" : "in @A[";
    const char *to = step % 2 ? "out @A[" : "out @B[";
    return from + std::to_string(number ? number - 1 : 0) + ":" +
           std::to_string(number + 11) + "], " + to + std::to_string(number) +
           ":" + std::to_string(number + 10) + "]";
  });
  // The neighbours of the previous step: three, and two at both ends.
  EXPECT_EQ(numPredecessors(), 99 * (998 * 3 + 2 * 2));
}

TEST_F(TaskScale, TilesOfAMatrix) {
  start(manyTasks, [](unsigned i) {
    unsigned row = i % 1024 / 32 * 10, column = i % 32 * 10;
    return "@C[" + std::to_string(row) + ":" + std::to_string(row + 10) + ", " +
           std::to_string(column) + ":" + std::to_string(column + 10) + "]";
  });
  EXPECT_EQ(numPredecessors(), manyTasks - 1024);
}

TEST_F(TaskScale, AllPartsDifferent) {
  start(manyTasks, [](unsigned i) {
    return i == 0 ? std::string("in @B, @A") : tile("", i, i + 1);
  });
  EXPECT_EQ(numPredecessors(), manyTasks - 1);
}
