//===- mpi.cpp - Grids with plain MPI -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank owns columns. At each step it posts its receives and its sends,
// all nonblocking, waits for all of them, and runs its tasks, as Task Bench's
// program does. A message is one value of 16 bytes.
//
// Rank 0 talks to the driver and tells the others what to do. These look for
// commands without sleeping for two milliseconds after one, so that nobody
// waits for them in a round, and once a millisecond from then on, so that they
// take no time from other programs.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#include <mpi.h>

#include <cstring>

using namespace bench;

namespace {

enum Order { Prepare, Run, Release, Quit };

struct Command {
  Order order;
  uint32_t run;
  bool checksInputs, isVerifying;
  char parameters[sizeof(benchParameters)];
};

constexpr int messageBytes = 16;
constexpr uint32_t maxRequests = 2 * maxWidth * maxWidth;

int rank, numRanks;
MPI_Comm commands;
GridParameters grid;
Value received[maxWidth][maxWidth]; ///< by column, by column it came from

int ownerOf(uint32_t column) {
  return static_cast<int>(column * static_cast<uint32_t>(numRanks) /
                          grid.width);
}

uint32_t columnOf(uint32_t node) { return node % grid.width; }

int tagOf(uint32_t from, uint32_t to) {
  return static_cast<int>(from * maxWidth + to);
}

/// Receives what the tasks of `step` need and sends what the step before left.
void exchange(uint32_t step) {
  MPI_Request requests[maxRequests];
  int count = 0;
  for (uint32_t column = 0; column < grid.width; ++column) {
    const uint32_t node = step * grid.width + column;
    if (ownerOf(column) == rank)
      for (uint32_t before : graph.predecessors(node))
        if (uint32_t from = columnOf(before); ownerOf(from) != rank)
          MPI_Irecv(&received[column][from], messageBytes, MPI_BYTE,
                    ownerOf(from), tagOf(from, column), MPI_COMM_WORLD,
                    &requests[count++]);
  }
  for (uint32_t column = 0; column < grid.width; ++column) {
    const uint32_t node = (step - 1) * grid.width + column;
    if (ownerOf(column) == rank)
      for (uint32_t after : graph.successors(node))
        if (uint32_t to = columnOf(after); ownerOf(to) != rank)
          MPI_Isend(&values[node], messageBytes, MPI_BYTE, ownerOf(to),
                    tagOf(column, to), MPI_COMM_WORLD, &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

void checkReceived(uint32_t node) {
  for (uint32_t before : graph.predecessors(node)) {
    uint32_t from = columnOf(before);
    const Value &value =
        ownerOf(from) == rank ? values[before] : received[columnOf(node)][from];
    if (value.node != before || value.run != work.run)
      ++wrongInputs;
  }
}

void runSteps() {
  for (uint32_t step = 0; step < grid.steps; ++step) {
    if (step > 0)
      exchange(step);
    for (uint32_t column = 0; column < grid.width; ++column) {
      if (ownerOf(column) != rank)
        continue;
      const uint32_t node = step * grid.width + column;
      if (work.checksInputs)
        checkReceived(node);
      runKernel(work.iterations);
      values[node] = {node, work.run};
    }
  }
}

/// Rank 0 gets the values and the number of wrong inputs of all ranks.
void gather() {
  uint32_t mine = wrongInputs.exchange(0), all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_UINT32_T, MPI_SUM, 0, MPI_COMM_WORLD);
  wrongInputs = all;
  for (uint32_t node = 0; node < graph.size(); ++node) {
    int owner = ownerOf(columnOf(node));
    if (owner == 0)
      continue;
    if (rank == owner)
      MPI_Send(&values[node], messageBytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
      MPI_Recv(&values[node], messageBytes, MPI_BYTE, owner, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  }
}

void runTogether(bool verifies) {
  runSteps();
  MPI_Barrier(MPI_COMM_WORLD);
  if (verifies)
    gather();
}

void tell(Order order) {
  Command command = {order, work.run, work.checksInputs, isVerifying, {}};
  std::memcpy(command.parameters, benchParameters, sizeof(benchParameters));
  for (int other = 1; other < numRanks; ++other)
    MPI_Send(&command, sizeof(command), MPI_BYTE, other, 0, commands);
}

Command hear() {
  double start = benchSeconds();
  int isThere = 0;
  for (;;) {
    MPI_Iprobe(0, 0, commands, &isThere, MPI_STATUS_IGNORE);
    if (isThere)
      break;
    const timespec pause = {0, 1000000};
    if (benchSeconds() - start > 2e-3)
      nanosleep(&pause, nullptr);
  }
  Command command;
  MPI_Recv(&command, sizeof(command), MPI_BYTE, 0, 0, commands,
           MPI_STATUS_IGNORE);
  return command;
}

void follow() {
  for (;;) {
    Command command = hear();
    switch (command.order) {
    case Prepare:
      std::memcpy(benchParameters, command.parameters, sizeof(benchParameters));
      grid = readGrid();
      graph = makeGrid(*grid.pattern, grid.width, grid.steps);
      values = std::make_unique<Value[]>(graph.size());
      work.iterations = grid.iterations;
      wrongInputs = 0;
      break;
    case Run:
      work.run = command.run;
      work.checksInputs = command.checksInputs;
      runTogether(command.isVerifying);
      break;
    case Release:
      values.reset();
      graph = Graph();
      break;
    case Quit:
      return;
    }
  }
}

} // namespace

void bench::prepareGraph() {
  grid = readGrid();
  tell(Prepare);
}

void bench::runGraph() {
  tell(Run);
  runTogether(isVerifying);
}

void bench::releaseGraph() { tell(Release); }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &numRanks);
  MPI_Comm_dup(MPI_COMM_WORLD, &commands);
  int status = 0;
  if (rank == 0) {
    status = serveRows(1);
    tell(Quit);
  } else {
    follow();
  }
  MPI_Finalize();
  return status;
}
