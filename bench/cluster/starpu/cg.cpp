//===- cg.cpp - Conjugate gradients on two ranks by StarPU-MPI ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of p that the other rank needs is data of its own, so that nothing
// else is sent. A sum is added on rank 0, from a number of each rank. StarPU
// finds messages and orders from what tasks read and write; both ranks insert
// all tasks. Its workers sleep between rounds.
//
//===----------------------------------------------------------------------===//

#include "../cg.h"
#include "../mpi/ranks.h"

#include <algorithm>
#include <cstdio>
#include <starpu_mpi.h>

using namespace bench;

namespace {
int64_t rows, steps, begin, end;
/// Whole vectors, of which a rank has its rows; of p also those beside them.
std::vector<int64_t> first, column;
std::vector<double> value, b, x, r, p, q;
/// Partial sums of p q and r r.
double parts[2];
/// Sums: of p q, of r r before a step, and after it.
double sums[3];

struct Rank {
  starpu_data_handle_t inside, edge, x, r, q, partOfPq, partOfNew;
};
std::vector<Rank> ranks;
starpu_data_handle_t sumOfPq, sumsOfNew[2];
int64_t nextTag = 0;

template <typename Value = double> Value *pointer(void *buffer) {
  return reinterpret_cast<Value *>(STARPU_VECTOR_GET_PTR(buffer));
}

starpu_data_handle_t addData(int rank, double *memory, int64_t count) {
  starpu_data_handle_t handle;
  const bool isOwn = rank == ownRank;
  starpu_vector_data_register(&handle, isOwn ? STARPU_MAIN_RAM : -1,
                              isOwn ? reinterpret_cast<uintptr_t>(memory) : 0,
                              static_cast<uint32_t>(count), sizeof(double));
  starpu_mpi_data_register(handle, nextTag++, rank);
  return handle;
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// Own rows are where they are in whole vectors; sums come as buffers.

void restart(void **buffers, void *) {
  double sum = 0;
  for (int64_t i = begin; i < end; ++i) {
    x[i] = 0;
    r[i] = p[i] = b[i];
    sum += b[i] * b[i];
  }
  *pointer(buffers[0]) = sum;
}

/// Buffers: the sum; what is needed of the other rank.
void multiply(void **buffers, void *) {
  const double *theirs = pointer(buffers[1]);
  const int64_t side = sideOf(rows);
  std::copy_n(theirs, side, &p[ownRank == 0 ? end : begin - side]);
  *pointer(buffers[0]) =
      multiplyRows(first.data(), column.data(), value.data(), p.data(),
                   q.data(), begin, end, first[end]);
}

/// Buffers: the sum; r r and p q of all.
void improve(void **buffers, void *) {
  *pointer(buffers[0]) =
      improveRows(x.data(), r.data(), p.data(), q.data(),
                  *pointer(buffers[1]) / *pointer(buffers[2]), begin, end);
}

/// Buffers: r r before and after.
void direct(void **buffers, void *) {
  directRows(p.data(), r.data(), *pointer(buffers[1]) / *pointer(buffers[0]),
             begin, end);
}

void add(void **buffers, void *) {
  *pointer(buffers[0]) = *pointer(buffers[1]) + *pointer(buffers[2]);
}

starpu_codelet restarting, multiplying, improving, directing, adding;

void makeCodelet(starpu_codelet &codelet, starpu_cpu_func_t function) {
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
}

void require(int status) { CommandPipe::require(status == 0, "insert a task"); }

void addParts(starpu_data_handle_t sum, starpu_data_handle_t Rank::*part) {
  require(starpu_mpi_task_insert(MPI_COMM_WORLD, &adding, STARPU_W, sum,
                                 STARPU_R, ranks[0].*part, STARPU_R,
                                 ranks[1].*part, 0));
}

void insertStep(int64_t step) {
  starpu_data_handle_t old = sumsOfNew[step % 2],
                       now = sumsOfNew[(step + 1) % 2];
  for (int rank = 0; rank < numRanks; ++rank) {
    Rank &own = ranks[rank];
    require(starpu_mpi_task_insert(MPI_COMM_WORLD, &multiplying, STARPU_W,
                                   own.partOfPq, STARPU_R, ranks[1 - rank].edge,
                                   STARPU_R, own.inside, STARPU_R, own.edge,
                                   STARPU_W, own.q, 0));
  }
  addParts(sumOfPq, &Rank::partOfPq);
  for (Rank &own : ranks)
    require(starpu_mpi_task_insert(
        MPI_COMM_WORLD, &improving, STARPU_W, own.partOfNew, STARPU_R, old,
        STARPU_R, sumOfPq, STARPU_R, own.inside, STARPU_R, own.edge, STARPU_R,
        own.q, STARPU_RW, own.x, STARPU_RW, own.r, 0));
  addParts(now, &Rank::partOfNew);
  for (Rank &own : ranks)
    require(starpu_mpi_task_insert(MPI_COMM_WORLD, &directing, STARPU_R, old,
                                   STARPU_R, now, STARPU_R, own.r, STARPU_RW,
                                   own.inside, STARPU_RW, own.edge, 0));
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

void assemble() {
  first.assign(rows + 1, 0);
  column.clear();
  value.clear();
  for (std::vector<double> *vector : {&b, &x, &r, &p, &q})
    vector->assign(rows, 0);
  for (int64_t i = begin; i < end; ++i) {
    first[i] = static_cast<int64_t>(column.size());
    b[i] = rightSide(i);
    assembleRow(i, rows, sideOf(rows), [&](int64_t j, double factor) {
      column.push_back(j);
      value.push_back(factor);
    });
  }
  first[end] = static_cast<int64_t>(column.size());
}

void allocate() {
  long long parsed[4];
  std::sscanf(benchParameters, "%lld:%lld:%lld:%lld", &parsed[0], &parsed[1],
              &parsed[2], &parsed[3]);
  rows = parsed[0];
  steps = parsed[3];
  begin = firstOf(rows, ownRank);
  end = firstOf(rows, ownRank + 1);
  assemble();
  const int64_t side = sideOf(rows);
  nextTag = 0;
  for (int rank = 0; rank < numRanks; ++rank) {
    const int64_t from = firstOf(rows, rank), to = firstOf(rows, rank + 1);
    const int64_t edge = rank == 0 ? to - side : from;
    const int64_t inside = rank == 0 ? from : from + side;
    Rank &made = ranks.emplace_back();
    made.inside = addData(rank, &p[inside], to - from - side);
    made.edge = addData(rank, &p[edge], side);
    made.x = addData(rank, &x[from], to - from);
    made.r = addData(rank, &r[from], to - from);
    made.q = addData(rank, &q[from], to - from);
    made.partOfPq = addData(rank, &parts[0], 1);
    made.partOfNew = addData(rank, &parts[1], 1);
  }
  sumOfPq = addData(0, &sums[0], 1);
  for (int i = 0; i < 2; ++i)
    sumsOfNew[i] = addData(0, &sums[1 + i], 1);
}

void reset() {}

void run() {
  starpu_resume();
  for (Rank &own : ranks)
    require(starpu_mpi_task_insert(
        MPI_COMM_WORLD, &restarting, STARPU_W, own.partOfNew, STARPU_W, own.x,
        STARPU_W, own.r, STARPU_W, own.inside, STARPU_W, own.edge, 0));
  addParts(sumsOfNew[0], &Rank::partOfNew);
  for (int64_t step = 0; step < steps; ++step)
    insertStep(step);
  starpu_task_wait_for_all();
  starpu_mpi_barrier(MPI_COMM_WORLD);
  starpu_pause();
}

const char *check() {
  const std::vector<double> all = gatherRows(&x[begin], rows, 1);
  if (ownRank != 0)
    return nullptr;
  const std::vector<double> expected = solutionAfter(rows, steps);
  for (int64_t i = 0; i < rows; ++i)
    if (!(errorOf(all[i], expected[i]) <= allowedError))
      return benchWrong("x", i, expected[i], all[i]);
  return nullptr;
}

void release() {
  starpu_resume();
  for (Rank &own : ranks)
    for (starpu_data_handle_t handle : {own.inside, own.edge, own.x, own.r,
                                        own.q, own.partOfPq, own.partOfNew})
      starpu_data_unregister(handle);
  for (starpu_data_handle_t handle : {sumOfPq, sumsOfNew[0], sumsOfNew[1]})
    starpu_data_unregister(handle);
  ranks.clear();
  starpu_pause();
}

void beginStarPU() {
  makeCodelet(restarting, restart);
  makeCodelet(multiplying, multiply);
  makeCodelet(improving, improve);
  makeCodelet(directing, direct);
  makeCodelet(adding, add);
  CommandPipe::require(
      starpu_mpi_init_conf(nullptr, nullptr, 0, MPI_COMM_WORLD, nullptr) == 0,
      "start StarPU");
  starpu_pause();
}

void endStarPU() {
  starpu_resume();
  starpu_mpi_shutdown();
}
} // namespace

int main(int argc, char **argv) {
  return RankServer({"cg", allocate, reset, run, check, release, beginStarPU,
                     endStarPU})
      .serve(argc, argv);
}
