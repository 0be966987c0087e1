//===- RegionOrders.cpp - Orders between tasks, known at compile time -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the sizes of a program determine which of its points share elements, the
// compiler computes their orders (`findOrders`) and stores them in the
// program's table, so that they need not be computed at each start.
//
//===----------------------------------------------------------------------===//

#include "sluice/Runtime/RegionOrders.h"

#include "Dependences.h"
#include "TableProgram.h"

using namespace sluice;
using namespace sluice::regions;

//===----------------------------------------------------------------------===//
// Orders in a table
//===----------------------------------------------------------------------===//

bool sluice::regions::takeOrders(const SluiceRegionOrders &orders,
                                 TaskTable &table) {
  if (orders.numTasks != table.tasks.size())
    return false;
  table.predecessors.clear();
  table.predecessors.reserve(orders.firstPredecessor[orders.numTasks]);
  for (uint32_t task = 0; task < orders.numTasks; ++task) {
    const uint32_t begin = orders.firstPredecessor[task];
    const uint32_t end = orders.firstPredecessor[task + 1];
    table.tasks[task].firstPredecessor = begin;
    table.tasks[task].numPredecessors = end - begin;
    for (uint32_t i = begin; i < end; ++i) {
      const uint32_t before = orders.predecessors[i] / 2;
      table.predecessors.push_back(
          {before, table.tasks[before].block, orders.predecessors[i] & 1});
    }
  }
  return true;
}

static GraphOrders ordersOf(const TaskTable &table) {
  GraphOrders orders;
  for (uint32_t task = 0; task < table.tasks.size(); ++task) {
    orders.firstPredecessor.push_back(orders.predecessors.size());
    for (const TablePredecessor &before : table.predecessorsOf(task))
      orders.predecessors.push_back(2 * before.task + before.isPrevious);
  }
  orders.firstPredecessor.push_back(orders.predecessors.size());
  return orders;
}

int64_t sluice::regions::findDifference(const SluiceRegionOrders &orders,
                                        const TaskTable &table) {
  const GraphOrders found = ordersOf(table);
  for (uint32_t task = 0; task < table.tasks.size(); ++task) {
    auto listOf = [task](const uint32_t *first, const uint32_t *all) {
      return std::span(all + first[task], all + first[task + 1]);
    };
    if (task >= orders.numTasks ||
        !std::ranges::equal(
            listOf(orders.firstPredecessor, orders.predecessors),
            listOf(found.firstPredecessor.data(), found.predecessors.data())))
      return task;
  }
  return -1;
}

//===----------------------------------------------------------------------===//
// For the compiler
//===----------------------------------------------------------------------===//

static uint64_t countPoints(const TableProgram &reader,
                            const SluiceRegionStatement *statements,
                            uint32_t count) {
  uint64_t sum = 0;
  for (const SluiceRegionStatement &statement : std::span(statements, count)) {
    uint64_t points = 1;
    for (uint32_t d = 0; d < statement.rank; ++d) {
      std::optional<int64_t> extent = reader.numberOf(statement.extents[d]);
      if (!extent || __builtin_mul_overflow(points, *extent, &points))
        return UINT64_MAX;
    }
    if (isLoop(statement))
      points =
          countPoints(reader, statement.statements, statement.numStatements);
    if (__builtin_add_overflow(sum, points, &sum))
      return UINT64_MAX;
  }
  return sum;
}

std::vector<std::optional<GraphOrders>> sluice::regions::findOrders(
    const SluiceRegionProgram &table, std::vector<int64_t> parameters,
    const std::vector<bool> &isWanted, uint64_t maxPoints) {
  std::vector<std::optional<GraphOrders>> result(table.numGraphs);
  RegionProgram program(table.name, /*runtime=*/nullptr);
  TableProgram reader(table, program, std::move(parameters));
  // The run of the program will report errors.
  if (!reader.addRoots().ok())
    return result;
  for (const SluiceRegionStep &step : std::span(table.steps, table.numSteps)) {
    if (step.kind == SLUICE_STEP_PARTITION && !reader.run(step).ok())
      return result;
    if (step.kind != SLUICE_STEP_GRAPH || !isWanted[step.index])
      continue;
    const SluiceRegionGraph &graph = table.graphs[step.index];
    if (countPoints(reader, graph.statements, graph.numStatements) > maxPoints)
      continue;
    if (!reader.beginGraph(step.index).ok())
      return result;
    auto expansion = program.instantiate();
    if (!expansion.ok())
      return result;
    result[step.index] = ordersOf((*expansion)->table);
    program.forgetGraph(**expansion);
  }
  return result;
}
