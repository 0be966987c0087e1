//===- halo.cpp - The stencil on two ranks by StarPU-MPI ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are dealt to the ranks as in the program on plain MPI. The first and the
// last row of a rank are data of their own, so that nothing else is sent, and
// so are the rows between. StarPU finds messages and orders from what tasks
// read and write; both ranks insert all tasks. Its workers sleep between
// rounds.
//
//===----------------------------------------------------------------------===//

#include "../../rdir/halo.h"
#include "../mpi/ranks.h"

#include <cstdio>
#include <starpu_mpi.h>

using namespace bench;

namespace {
int64_t n, pairs, first, end;
/// Whole plates, of which a rank touches its rows.
std::vector<double> plates[2];

/// The rows of a rank, on each plate.
struct Rows {
  starpu_data_handle_t top[2], inside[2], bottom[2];
};
std::vector<Rows> rowsOf;

double *row(int plate, int64_t i) { return plates[plate].data() + i * n; }

double *pointer(void *buffer) {
  return reinterpret_cast<double *>(STARPU_VECTOR_GET_PTR(buffer));
}

/// Buffers: the rows between, read and written. The rows around are beside
/// them.
void sweepInside(void **buffers, void *) {
  const double *from = pointer(buffers[0]);
  double *to = pointer(buffers[1]);
  for (int64_t i = first + 1; i < end - 1; ++i)
    sweepRow(from + (i - first - 1) * n, to + (i - first - 1) * n, 1, n - 1, n);
}

/// Buffers: the row, the one above, the one below, and the row that is written.
void sweepEdge(void **buffers, void *) {
  const double *from = pointer(buffers[0]), *above = pointer(buffers[1]),
               *below = pointer(buffers[2]);
  double *to = pointer(buffers[3]);
  for (int64_t j = 1; j < n - 1; ++j)
    to[j] = from[j] + 0.2 * (above[j] + below[j] + from[j - 1] + from[j + 1] -
                             4 * from[j]);
}

/// The same for the last row: the last of the rows between is above.
void sweepBottom(void **buffers, void *argument) {
  const int64_t between = end - first - 2;
  const double *above = pointer(buffers[1]) + (between - 1) * n;
  void *shifted[] = {buffers[0], nullptr, buffers[2], buffers[3]};
  starpu_vector_interface last =
      *static_cast<starpu_vector_interface *>(buffers[1]);
  last.ptr = reinterpret_cast<uintptr_t>(above);
  shifted[1] = &last;
  sweepEdge(shifted, argument);
}

starpu_codelet inside, top, bottom;

void makeCodelet(starpu_codelet &codelet, starpu_cpu_func_t function) {
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
}

starpu_data_handle_t addRows(int rank, int plate, int kind, int64_t from,
                             int64_t count) {
  starpu_data_handle_t handle;
  const bool isOwn = rank == ownRank;
  starpu_vector_data_register(
      &handle, isOwn ? STARPU_MAIN_RAM : -1,
      isOwn ? reinterpret_cast<uintptr_t>(row(plate, from)) : 0,
      static_cast<uint32_t>(count * n), sizeof(double));
  starpu_mpi_data_register(handle, 6 * rank + 3 * plate + kind, rank);
  return handle;
}

void allocate() {
  long long parsed[4];
  std::sscanf(benchParameters, "%lld:%lld:%lld:%lld", &parsed[0], &parsed[1],
              &parsed[2], &parsed[3]);
  n = parsed[0];
  pairs = parsed[3];
  first = firstOf(n, ownRank);
  end = firstOf(n, ownRank + 1);
  for (std::vector<double> &plate : plates)
    plate.assign(n * n, 0);
  for (int rank = 0; rank < numRanks; ++rank) {
    const int64_t from = firstOf(n, rank), to = firstOf(n, rank + 1);
    Rows &rows = rowsOf.emplace_back();
    for (int plate = 0; plate < 2; ++plate) {
      rows.top[plate] = addRows(rank, plate, 0, from, 1);
      rows.inside[plate] = addRows(rank, plate, 1, from + 1, to - from - 2);
      rows.bottom[plate] = addRows(rank, plate, 2, to - 1, 1);
    }
  }
}

void reset() {
  for (std::vector<double> &plate : plates)
    for (int64_t i = 0; i < n * n; ++i)
      plate[i] = startingHeat(i / n, i % n, n);
  starpu_mpi_cache_flush_all_data(MPI_COMM_WORLD);
}

void insert(int status) { CommandPipe::require(status == 0, "insert a task"); }

void sweep(int plate) {
  for (int rank = 0; rank < numRanks; ++rank) {
    Rows &rows = rowsOf[rank];
    // What is sent first.
    if (rank > 0)
      insert(starpu_mpi_task_insert(
          MPI_COMM_WORLD, &top, STARPU_R, rows.top[plate], STARPU_R,
          rowsOf[rank - 1].bottom[plate], STARPU_R, rows.inside[plate],
          STARPU_RW, rows.top[1 - plate], 0));
    if (rank + 1 < numRanks)
      insert(starpu_mpi_task_insert(
          MPI_COMM_WORLD, &bottom, STARPU_R, rows.bottom[plate], STARPU_R,
          rows.inside[plate], STARPU_R, rowsOf[rank + 1].top[plate], STARPU_RW,
          rows.bottom[1 - plate], 0));
    insert(starpu_mpi_task_insert(
        MPI_COMM_WORLD, &inside, STARPU_R, rows.inside[plate], STARPU_RW,
        rows.inside[1 - plate], STARPU_R, rows.top[plate], STARPU_R,
        rows.bottom[plate], 0));
  }
}

void run() {
  starpu_resume();
  for (int64_t pair = 0; pair < pairs; ++pair) {
    sweep(0);
    sweep(1);
  }
  starpu_task_wait_for_all();
  starpu_mpi_barrier(MPI_COMM_WORLD);
  starpu_pause();
}

const char *check() {
  const std::vector<double> all = gatherRows(row(0, first), n, n);
  return ownRank == 0 ? verify(all.data(), n, pairs) : nullptr;
}

void release() {
  starpu_resume();
  for (Rows &rows : rowsOf)
    for (int plate = 0; plate < 2; ++plate)
      for (starpu_data_handle_t handle :
           {rows.top[plate], rows.inside[plate], rows.bottom[plate]})
        starpu_data_unregister(handle);
  rowsOf.clear();
  starpu_pause();
}

void begin() {
  makeCodelet(inside, sweepInside);
  makeCodelet(top, sweepEdge);
  makeCodelet(bottom, sweepBottom);
  CommandPipe::require(
      starpu_mpi_init_conf(nullptr, nullptr, 0, MPI_COMM_WORLD, nullptr) == 0,
      "start StarPU");
  starpu_pause();
}

void finish() {
  starpu_resume();
  starpu_mpi_shutdown();
}
} // namespace

int main(int argc, char **argv) {
  return RankServer(
             {"halo", allocate, reset, run, check, release, begin, finish})
      .serve(argc, argv);
}
