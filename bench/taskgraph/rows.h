//===- rows.h - The rows of `bench taskgraph` -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every program of this folder defines the three functions below, and its main
// calls serveRows. The rows are `chain`, `fan-out`, `wavefront`, and
// `grid:PATTERN:WIDTH:STEPS:ITERATIONS:CHECKS`. Times are per task.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_ROWS_H
#define SLUICE_BENCH_ROWS_H

#include "../common/harness.h"
#include "work.h"

#include <string>

namespace bench {

/// Makes tasks of `graph`, before the first of several runs.
void prepareGraph();
/// Runs every task once and returns when all have ended.
void runGraph();
void releaseGraph();

constexpr uint32_t emptyTasks = 1 << 16;
constexpr uint32_t wavefrontSide = 256;

inline bool checksWhenTimed = false;
inline bool isVerifying = false; ///< the run's values will be looked at
inline BenchRow *gridRow = nullptr;
/// How a program takes the time of a grid, if not as the mean.
inline double (*measureGrid)() = nullptr;

inline void begin(Graph made, uint64_t iterations, bool checks) {
  graph = std::move(made);
  values = std::make_unique<Value[]>(graph.size());
  work.iterations = iterations;
  wrongInputs = 0; // counts until the row ends, timed runs included
  checksWhenTimed = checks;
  prepareGraph();
}

inline void beginChain() { begin(makeChain(emptyTasks), 0, false); }
inline void beginFanOut() { begin(makeFanOut(emptyTasks), 0, false); }
inline void beginWavefront() { begin(makeWavefront(wavefrontSide), 0, false); }

[[noreturn]] inline void refuseGrid() {
  std::fprintf(stderr,
               "bad grid '%s', expected "
               "PATTERN:WIDTH:STEPS:ITERATIONS:CHECKS\n",
               benchParameters);
  std::exit(1);
}

/// The parameters of the row that is being prepared.
struct GridParameters {
  const Pattern *pattern;
  unsigned width, steps, checks;
  unsigned long iterations;
};

inline GridParameters readGrid() {
  char name[32];
  GridParameters grid = {};
  if (std::sscanf(benchParameters, "%31[a-z0-9_]:%u:%u:%lu:%u", name,
                  &grid.width, &grid.steps, &grid.iterations,
                  &grid.checks) != 5)
    refuseGrid();
  grid.pattern = findPattern(name);
  if (!grid.pattern || grid.width < 1 || grid.width > maxWidth ||
      grid.steps < 1)
    refuseGrid();
  return grid;
}

/// A round takes some milliseconds, whatever the size of the kernel.
inline int gridRepetitions(const GridParameters &grid) {
  double tasks = double(grid.width) * grid.steps;
  double estimate = tasks * (100e-9 + double(grid.iterations) * 0.5e-9);
  return std::clamp(static_cast<int>(4e-3 / estimate), 1, 20);
}

inline void beginGrid() {
  GridParameters grid = readGrid();
  gridRow->items = gridRow->work = double(grid.width) * grid.steps;
  gridRow->repetitions = gridRepetitions(grid);
  begin(makeGrid(*grid.pattern, grid.width, grid.steps), grid.iterations,
        grid.checks != 0);
}

inline void endGraph() {
  releaseGraph();
  values.reset();
  graph = Graph();
}

/// The run that follows is checked in every row.
inline void resetInputs() {
  std::fill_n(values.get(), graph.size(), Value());
  work.checksInputs = isVerifying = true;
}

inline void runOnce() {
  ++work.run;
  runGraph();
}

inline const char *verifyGraph() {
  work.checksInputs = checksWhenTimed;
  isVerifying = false;
  if (uint32_t count = wrongInputs)
    return benchWrong("tasks with wrong inputs", 0, 0, count);
  for (uint32_t node = 0; node < graph.size(); ++node)
    if (values[node].node != node || values[node].run != work.run)
      return benchWrong("task not run: run", node, work.run, values[node].run);
  return nullptr;
}

inline BenchRow emptyRow(const char *name, void (*allocate)(),
                         int repetitions) {
  return {name,    emptyTasks,  repetitions, allocate,   resetInputs,
          runOnce, verifyGraph, endGraph,    emptyTasks, nullptr};
}

/// `repetitions` of the rows of empty tasks.
inline int serveRows(int repetitions) {
  BenchRow rows[] = {
      emptyRow("chain", beginChain, repetitions),
      emptyRow("fan-out", beginFanOut, repetitions),
      emptyRow("wavefront", beginWavefront, repetitions),
      emptyRow("grid", beginGrid, 1),
  };
  gridRow = &rows[3];
  gridRow->measure = measureGrid;
  return benchServe(rows, 4);
}

} // namespace bench

#endif // SLUICE_BENCH_ROWS_H
