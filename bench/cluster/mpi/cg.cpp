//===- cg.cpp - Conjugate gradients on two ranks by hand ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank has the rows of its block. What they need of p is found from the
// matrix, once, and comes by persistent requests: straight from p where it is
// one run of elements, as here, else it would be packed. Rows that need nothing
// of others are multiplied meanwhile.
//
//===----------------------------------------------------------------------===//

#include "../cg.h"
#include "ranks.h"

#include <algorithm>
#include <cstdio>
#include <set>

using namespace bench;

namespace {
int64_t rows, steps, begin, end;
/// Rows between these need nothing of other ranks.
int64_t insideBegin, insideEnd;
std::vector<int64_t> first, column;
std::vector<double> value, b, x, r, p, q;
std::vector<MPI_Request> requests;

/// The elements that the rows of a rank need of another one.
std::vector<int64_t> neededBy(int rank, int other) {
  std::set<int64_t> found;
  for (int64_t i = firstOf(rows, rank); i < firstOf(rows, rank + 1); ++i)
    assembleRow(i, rows, sideOf(rows), [&](int64_t j, double) {
      if (j >= firstOf(rows, other) && j < firstOf(rows, other + 1))
        found.insert(j);
    });
  return {found.begin(), found.end()};
}

void addRequest(int peer, bool isSend, const std::vector<int64_t> &elements) {
  if (elements.empty())
    return;
  const int count = static_cast<int>(elements.size());
  CommandPipe::require(elements.back() - elements.front() == count - 1,
                       "send elements that are not one run");
  MPI_Request request;
  if (isSend)
    MPI_Send_init(&p[elements.front()], count, MPI_DOUBLE, peer, 0,
                  MPI_COMM_WORLD, &request);
  else
    MPI_Recv_init(&p[elements.front()], count, MPI_DOUBLE, peer, 0,
                  MPI_COMM_WORLD, &request);
  requests.push_back(request);
}

void allocate() {
  long long parsed[4];
  std::sscanf(benchParameters, "%lld:%lld:%lld:%lld", &parsed[0], &parsed[1],
              &parsed[2], &parsed[3]);
  rows = parsed[0];
  steps = parsed[3];
  begin = firstOf(rows, ownRank);
  end = firstOf(rows, ownRank + 1);
  first.assign(rows + 1, 0);
  column.clear();
  value.clear();
  insideBegin = begin;
  insideEnd = end;
  for (int64_t i = begin; i < end; ++i) {
    first[i] = static_cast<int64_t>(column.size());
    assembleRow(i, rows, sideOf(rows), [&](int64_t j, double factor) {
      column.push_back(j);
      value.push_back(factor);
      if (j < begin)
        insideBegin = i + 1;
      if (j >= end)
        insideEnd = std::min(insideEnd, i);
    });
  }
  first[end] = static_cast<int64_t>(column.size());
  insideBegin = std::min(insideBegin, insideEnd);
  for (std::vector<double> *vector : {&b, &x, &r, &p, &q})
    vector->assign(rows, 0);
  for (int64_t i = begin; i < end; ++i)
    b[i] = rightSide(i);
  for (int peer = 0; peer < numRanks; ++peer) {
    if (peer == ownRank)
      continue;
    addRequest(peer, false, neededBy(ownRank, peer));
    addRequest(peer, true, neededBy(peer, ownRank));
  }
}

void reset() {}

double sumOfAll(double own) {
  MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return own;
}

double multiply(int64_t from, int64_t to) {
  return multiplyRows(first.data(), column.data(), value.data(), p.data(),
                      q.data(), from, to, first[to]);
}

void run() {
  double own = 0;
  for (int64_t i = begin; i < end; ++i) {
    x[i] = 0;
    r[i] = p[i] = b[i];
    own += b[i] * b[i];
  }
  double old = sumOfAll(own);
  const int count = static_cast<int>(requests.size());
  for (int64_t step = 0; step < steps; ++step) {
    MPI_Startall(count, requests.data());
    double pq = multiply(insideBegin, insideEnd);
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    pq += multiply(begin, insideBegin);
    pq += multiply(insideEnd, end);
    pq = sumOfAll(pq);
    const double now = sumOfAll(improveRows(x.data(), r.data(), p.data(),
                                            q.data(), old / pq, begin, end));
    directRows(p.data(), r.data(), now / old, begin, end);
    old = now;
  }
  // The clock of rank 0 is read when all are done.
  MPI_Barrier(MPI_COMM_WORLD);
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
  for (MPI_Request &request : requests)
    MPI_Request_free(&request);
  requests.clear();
}
} // namespace

int main(int argc, char **argv) {
  return RankServer({"cg", allocate, reset, run, check, release})
      .serve(argc, argv);
}
