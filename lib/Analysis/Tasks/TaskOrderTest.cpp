//===- TaskOrderTest.cpp - The order of tasks, by hand and by brute force -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the order of tasks with one found by comparing all elements of all
// arguments.
//
//===----------------------------------------------------------------------===//

#include "System.h"
#include "TestGraph.h"

#include <random>

using namespace sluice;
using Reason = TaskEdge::Reason;

TEST(TaskOrder, KnowsTheThreeConflicts) {
  TestGraph graph(R"(
    dfg.dataset @A : f64 [4]
    dfg.dataset @B : f64 [4]
    dfg.task_graph @g {
      dfg.task c "write"(out @A)
      dfg.task c "read"(in @A)
      dfg.task c "read"(in @A)
      dfg.task c "again"(out @A)
      dfg.task c "other"(@B)
      dfg.task c "last"(out @A)
    })");
  EXPECT_EQ(graph.text(), "0-1 0-2 1-3 2-3 3-5");
  EXPECT_EQ(graph.order.names,
            (std::vector<std::string>{"write", "read", "read#2", "again",
                                      "other", "last"}));
  ASSERT_EQ(graph.order.edges.size(), 6u);
  EXPECT_EQ(graph.order.edges[0].reason, Reason::ReadAfterWrite);
  EXPECT_EQ(graph.order.edges[2].reason, Reason::WriteAfterWrite); // 0-3
  EXPECT_EQ(graph.order.edges[3].reason, Reason::WriteAfterRead);
  EXPECT_EQ(graph.order.edges[3].data, "A");
}

TEST(TaskOrder, ScalarsObjectsAndFilesAreDataToo) {
  TestGraph graph(R"(
    dfg.scalar @n : si32 = 1
    dfg.object @o
    dfg.task_graph @g {
      dfg.task c "a"(value @n)
      dfg.task c "b"(@n)
      dfg.task c "c"(value @n)
      dfg.task python "d" of "m"(@o)
      dfg.task python "e" of "m"(in @o)
      dfg.task c "f"() writes(["x.bmp"])
      dfg.task c "g"() reads(["./x.bmp"])
      dfg.task c "h"() reads(["x.bmp"])
    })");
  EXPECT_EQ(graph.text(), "0-1 1-2 3-4 5-6 5-7");
  EXPECT_EQ(graph.order.edges.back().reason, Reason::File);
  EXPECT_EQ(graph.order.edges.back().data, "x.bmp");
  EXPECT_EQ(graph.order.names[3], "m.d");
}

TEST(TaskOrder, StateOrdersAsDataDoes) {
  TestGraph graph(R"(
    dfg.task_graph @g {
      dfg.task c "a"()
      dfg.task c "b"()
      dfg.task c "c"()
      dfg.task c "d"()
      dfg.task c "e"() independent
    })");
  EXPECT_EQ(graph.text(), "");
  auto op = *graph.module->getOps<dfg::TaskGraphOp>().begin();
  const TaskState write{"the variable 'v'", dfg::Access::InOut};
  const TaskState read{"the variable 'v'", dfg::Access::In};
  graph.order =
      inferTaskOrder(op, {{read}, {read, {"other"}}, {write}, {}, {write}});
  EXPECT_EQ(graph.text(), "0-2 1-2");
  EXPECT_EQ(graph.order.edges[0].reason, Reason::State);
  EXPECT_EQ(graph.order.edges[0].data, "the variable 'v'");
  EXPECT_TRUE(graph.order.states[4].empty());
  EXPECT_TRUE(checkTaskGraph(graph.order, /*hasRemarks=*/true));
  EXPECT_NE(graph.messages.find("'c' waits for 'a', because both use the "
                                "variable 'v' and 'a' is created before it"),
            std::string::npos)
      << graph.messages;
  // The check is independent of how the order was found.
  graph.order.predecessors[2].clear();
  EXPECT_FALSE(checkTaskGraph(graph.order, /*hasRemarks=*/false));
  EXPECT_NE(graph.messages.find("both use the variable 'v', and neither"),
            std::string::npos)
      << graph.messages;
}

TEST(TaskOrder, PythonKeepsTheOrderOfCreation) {
  TestGraph graph(R"(
    dfg.object @o
    dfg.task_graph @g {
      dfg.task python "a" of "m"()
      dfg.task c "b"()
      dfg.task fem "c" of "m"(@o)
      dfg.task python "d" of "m"() independent
      dfg.task python "e" of "n"()
      dfg.task python "f" of "n"(in @o) independent
    })");
  EXPECT_EQ(graph.text(), "0-2 2-4 2-5");
  EXPECT_EQ(graph.order.edges[0].reason, Reason::State);
}

TEST(TaskOrder, StatedDependencesCount) {
  TestGraph graph(R"(
    dfg.dataset @A : f64 [4]
    dfg.task_graph @g {
      %0 = dfg.task c "a"(@A)
      %1 = dfg.task c "b"()
      %2 = dfg.task c "c"(@A) after(%0, %1, %0)
    })");
  EXPECT_EQ(graph.text(), "0-2 1-2");
  EXPECT_EQ(graph.order.edges[0].reason, Reason::ReadAfterWrite);
  EXPECT_TRUE(graph.order.edges[0].isStated);
  EXPECT_EQ(graph.order.edges[1].reason, Reason::Stated);
  EXPECT_TRUE(graph.order.edges[1].isStated);
}

TEST(TaskOrder, SerialGraphsAreChains) {
  TestGraph graph(R"(
    dfg.task_graph @g serial {
      dfg.task c "a"()
      dfg.task c "b"()
      dfg.task c "c"()
    })");
  EXPECT_EQ(graph.text(), "0-1 1-2");
  EXPECT_EQ(graph.order.edges[1].reason, Reason::Serial);
}

TEST(TaskOrder, GivenNamesWinOverNumbers) {
  TestGraph graph(R"(
    dfg.task_graph @g {
      dfg.task c "a"()
      dfg.task c "a"()
      dfg.task c "b"() named("a#2")
      dfg.task c "c"() named("a")
    })");
  EXPECT_EQ(graph.order.names,
            (std::vector<std::string>{"a#3", "a#4", "a#2", "a"}));
}

TEST(TaskOrder, GraphsMayBeEmpty) {
  TestGraph graph("dfg.task_graph @g {\n}");
  EXPECT_EQ(graph.text(), "");
  EXPECT_TRUE(checkTaskGraph(graph.order, true));
}

TEST(TaskOrder, RemarksAreNotEndless) {
  std::string text = "dfg.dataset @A : f64 [4]\ndfg.task_graph @g {\n";
  for (unsigned i = 0; i != 151; ++i)
    text += "dfg.task c \"a\"(@A)\n";
  TestGraph graph(text + "}\n");
  EXPECT_TRUE(checkTaskGraph(graph.order, true));
  size_t count = 0;
  for (size_t at = 0;
       (at = graph.messages.find("' waits for '", at)) != std::string::npos;
       ++at)
    ++count;
  EXPECT_EQ(count, 100u);
  EXPECT_NE(graph.messages.find("50 more waits come from"), std::string::npos);
  graph.messages.clear();
  EXPECT_TRUE(checkTaskGraph(graph.order, false));
  EXPECT_EQ(graph.messages, "");
}

//===----------------------------------------------------------------------===//
// Random graphs, element by element
//===----------------------------------------------------------------------===//

namespace {
using Random = std::minstd_rand;
using Elements = std::set<std::pair<unsigned, int64_t>>;

constexpr int64_t extents[3][2] = {{6, 1}, {4, 5}, {3, 3}};

std::string randomRange(int64_t extent, Random &random) {
  int64_t begin = random() % (extent + 1);
  int64_t end = begin + random() % (extent - begin + 1);
  int64_t step = 1 + random() % 3;
  return std::to_string(begin) + ":" + std::to_string(end) + ":" +
         std::to_string(step);
}

std::string randomGraph(Random &random) {
  std::string text = "dfg.dataset @d0 : f64 [6, 1]\n"
                     "dfg.dataset @d1 : f32 [4, 5]\n"
                     "dfg.dataset @d2 : ui8 [3, 3]\n"
                     "dfg.task_graph @g {\n";
  unsigned count = 2 + random() % 12;
  for (unsigned task = 0; task != count; ++task) {
    text += "%t" + std::to_string(task) + " = dfg.task c \"t\"(";
    for (unsigned i = 0, e = random() % 4; i != e; ++i) {
      unsigned data = random() % 3;
      const char *modes[] = {"in ", "in ", "out ", ""};
      text += (i ? ", " : "") + std::string(modes[random() % 4]) + "@d" +
              std::to_string(data);
      if (random() % 3)
        text += "[" + randomRange(extents[data][0], random) + ", " +
                randomRange(extents[data][1], random) + "]";
    }
    text += ")";
    if (task && random() % 5 == 0)
      text += " after(%t" + std::to_string(random() % task) + ")";
    text += "\n";
  }
  return text + "}\n";
}

/// The elements of arguments with one of the bits of `mode`, one by one.
Elements elementsOf(dfg::TaskOp task, dfg::Access mode) {
  Elements result;
  for (dfg::TaskArgAttr argument : task.getTaskArgs()) {
    if (!(int(argument.getAccess()) & int(mode)))
      continue;
    unsigned data = argument.getData().getValue().back() - '0';
    auto visit = [&](unsigned dimension, auto next) {
      bool isPart = argument.isPart();
      int64_t count =
          isPart ? argument.getSizes()[dimension] : extents[data][dimension];
      for (int64_t i = 0; i != count; ++i)
        next(isPart ? argument.getOffsets()[dimension] +
                          i * argument.getSteps()[dimension]
                    : i);
    };
    visit(0, [&](int64_t row) {
      visit(1, [&](int64_t column) {
        result.insert({data, row * extents[data][1] + column});
      });
    });
  }
  return result;
}

bool meet(const Elements &a, const Elements &b) {
  for (const auto &element : a)
    if (b.count(element))
      return true;
  return false;
}

using Matrix = std::vector<std::vector<bool>>;

Matrix closureOf(Matrix order) {
  for (size_t k = 0; k != order.size(); ++k)
    for (size_t i = 0; i != order.size(); ++i)
      for (size_t j = 0; j != order.size(); ++j)
        if (order[i][k] && order[k][j])
          order[i][j] = true;
  return order;
}

/// The required order: all conflicts and all stated edges.
Matrix expectedOrder(TaskOrder &order) {
  size_t count = order.tasks.size();
  Matrix result(count, std::vector<bool>(count));
  for (size_t i = 0; i != count; ++i)
    for (size_t j = i + 1; j != count; ++j) {
      Elements firstWrites = elementsOf(order.tasks[i], dfg::Access::Out);
      Elements first = elementsOf(order.tasks[i], dfg::Access::InOut);
      Elements secondWrites = elementsOf(order.tasks[j], dfg::Access::Out);
      Elements second = elementsOf(order.tasks[j], dfg::Access::InOut);
      result[i][j] = meet(firstWrites, second) || meet(first, secondWrites);
      for (mlir::Value before : order.tasks[j].getDependencies())
        if (before == order.tasks[i].getEnd())
          result[i][j] = true;
    }
  return result;
}

Matrix matrixOf(const TaskOrder &order) {
  size_t count = order.tasks.size();
  Matrix result(count, std::vector<bool>(count));
  for (size_t j = 0; j != count; ++j)
    for (unsigned before : order.predecessors[j])
      result[before][j] = true;
  return result;
}
} // namespace

TEST(TaskOrder, AgreesWithAllElementsOfRandomGraphs) {
  unsigned numEdges = 0, numImplied = 0;
  for (unsigned seed = 1; seed != 1500; ++seed) {
    Random random(seed * 7919);
    std::string text = randomGraph(random);
    TestGraph graph(text);
    ASSERT_TRUE(graph.module);
    Matrix direct = matrixOf(graph.order);
    Matrix conflicts = expectedOrder(graph.order);
    EXPECT_EQ(closureOf(direct), closureOf(conflicts))
        << "seed " << seed << "\n"
        << text;
    // Every reported edge is a conflict, and none of the kept ones is implied.
    for (const TaskEdge &edge : graph.order.edges)
      EXPECT_TRUE(conflicts[edge.before][edge.after]) << text;
    for (size_t i = 0; i != direct.size(); ++i)
      for (size_t j = 0; j != direct.size(); ++j) {
        if (!direct[i][j])
          continue;
        ++numEdges;
        Matrix less = direct;
        less[i][j] = false;
        EXPECT_FALSE(closureOf(less)[i][j]) << text;
      }
    for (const auto &row : closureOf(conflicts))
      numImplied += std::count(row.begin(), row.end(), true);
    // The region analysis is independent of how the order was found.
    graph.messages.clear();
    checkTaskGraph(graph.order, false);
    EXPECT_EQ(graph.messages.find("neither waits"), std::string::npos)
        << graph.messages << text;
  }
  EXPECT_GT(numEdges, 4000u);
  EXPECT_GT(numImplied, numEdges + 1000);
}

using Pair = std::pair<unsigned, unsigned>;

/// The pairs without an order that the checks of parts and of cells find.
static std::set<Pair> pairsOf(const regions::TaskSystem &system,
                              const regions::Proof &proof) {
  std::set<Pair> result;
  regions::RegionCheck check = regions::checkTasks(system, proof);
  EXPECT_TRUE(check.unknown.empty());
  for (const regions::Meeting &meeting : check.met)
    result.insert({meeting.first, meeting.second});
  return result;
}

static auto pairsByParts(const TaskOrder &order) {
  PartSystem parts = partSystem(order, TaskAccesses(order));
  return pairsOf(parts.system,
                 [&](const auto &meeting) { return parts.answer(meeting); });
}

static auto pairsByCells(const TaskOrder &order) {
  auto cells = cellSystem(order, TaskAccesses(order));
  EXPECT_TRUE(cells);
  return pairsOf(cells->system,
                 [](const auto &) { return regions::Answer::Meet; });
}

TEST(TaskOrder, TheRegionCheckFindsEveryEdgeThatIsTakenAway) {
  unsigned removed = 0;
  for (unsigned seed = 1; seed != 300; ++seed) {
    Random random(seed * 104729);
    TestGraph graph(randomGraph(random));
    ASSERT_TRUE(graph.module);
    Matrix conflicts = expectedOrder(graph.order);
    for (unsigned task = 0; task != graph.order.tasks.size(); ++task)
      for (unsigned before : graph.order.predecessors[task]) {
        // This edge is only stated: without it, nothing is wrong.
        auto edge = llvm::find_if(graph.order.edges, [&](const TaskEdge &e) {
          return e.before == before && e.after == task;
        });
        ASSERT_NE(edge, graph.order.edges.end());
        if (edge->reason == Reason::Stated)
          continue;
        TaskOrder less = graph.order;
        llvm::erase(less.predecessors[task], before);
        graph.messages.clear();
        EXPECT_FALSE(checkTaskGraph(less, false));
        EXPECT_NE(graph.messages.find("neither waits"), std::string::npos);
        // Both find the pairs from which the others follow; parts find some of
        // those too.
        std::set<Pair> parts = pairsByParts(less), cells = pairsByCells(less);
        EXPECT_TRUE(std::includes(parts.begin(), parts.end(), cells.begin(),
                                  cells.end()));
        EXPECT_FALSE(cells.empty());
        ++removed;
      }
  }
  EXPECT_GT(removed, 500u);
}
