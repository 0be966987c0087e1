//===- halo.cpp - The stencil on two ranks by hand ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are dealt to the ranks; each sends its border rows by persistent
// requests and sweeps the rows inside meanwhile.
//
//===----------------------------------------------------------------------===//

#include "../../rdir/halo.h"
#include "ranks.h"

#include <cstdio>

using namespace bench;

namespace {
int64_t n, pairs, first, end;
/// Whole plates, of which a rank touches its rows and those beside them.
std::vector<double> plates[2];
/// The requests of the sweeps that read plate 0, and plate 1.
std::vector<MPI_Request> requests[2];

double *row(int plate, int64_t i) { return plates[plate].data() + i * n; }

void allocate() {
  long long parsed[4];
  std::sscanf(benchParameters, "%lld:%lld:%lld:%lld", &parsed[0], &parsed[1],
              &parsed[2], &parsed[3]);
  n = parsed[0];
  pairs = parsed[3];
  first = firstOf(n, ownRank);
  end = firstOf(n, ownRank + 1);
  for (int plate = 0; plate < 2; ++plate) {
    plates[plate].assign(n * n, 0);
    auto add = [&](int peer, int64_t sent, int64_t received) {
      const int count = static_cast<int>(n);
      MPI_Request request;
      MPI_Recv_init(row(plate, received), count, MPI_DOUBLE, peer, plate,
                    MPI_COMM_WORLD, &request);
      requests[plate].push_back(request);
      MPI_Send_init(row(plate, sent), count, MPI_DOUBLE, peer, plate,
                    MPI_COMM_WORLD, &request);
      requests[plate].push_back(request);
    };
    if (ownRank > 0)
      add(ownRank - 1, first, first - 1);
    if (ownRank + 1 < numRanks)
      add(ownRank + 1, end - 1, end);
  }
}

void reset() {
  for (std::vector<double> &plate : plates)
    for (int64_t i = 0; i < n * n; ++i)
      plate[i] = startingHeat(i / n, i % n, n);
}

void sweep(int plate) {
  std::vector<MPI_Request> &ours = requests[plate];
  const int count = static_cast<int>(ours.size());
  const double *from = plates[plate].data();
  double *to = plates[1 - plate].data();
  MPI_Startall(count, ours.data());
  sweepBox(from, to, first + 1, end - 1, 0, n, n);
  MPI_Waitall(count, ours.data(), MPI_STATUSES_IGNORE);
  sweepBox(from, to, first, first + 1, 0, n, n);
  sweepBox(from, to, end - 1, end, 0, n, n);
}

void run() {
  for (int64_t pair = 0; pair < pairs; ++pair) {
    sweep(0);
    sweep(1);
  }
  // The clock of rank 0 is read when all are done.
  MPI_Barrier(MPI_COMM_WORLD);
}

const char *check() {
  const std::vector<double> all = gatherRows(row(0, first), n, n);
  return ownRank == 0 ? verify(all.data(), n, pairs) : nullptr;
}

void release() {
  for (int plate = 0; plate < 2; ++plate) {
    for (MPI_Request &request : requests[plate])
      MPI_Request_free(&request);
    requests[plate].clear();
    std::vector<double>().swap(plates[plate]);
  }
}
} // namespace

int main(int argc, char **argv) {
  return RankServer({"halo", allocate, reset, run, check, release})
      .serve(argc, argv);
}
