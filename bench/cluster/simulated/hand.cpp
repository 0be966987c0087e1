//===- hand.cpp - The sweeps of halo.mlir in MPI by hand ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block for each rank of a grid, with a border of its neighbours' cells.
// Persistent requests, and the inside is swept while messages are under way.
// Columns are packed by hand: with derived types in persistent requests, wrong
// values arrive under SMPI 3.32, though not under Open MPI.
//
//===----------------------------------------------------------------------===//

#include "../../rdir/halo.h"
#include "sweeps.h"

#include <mpi.h>

#include <cstdlib>
#include <cstring>

namespace {
int64_t n = 512, rows = 8, columns = 8, pairs = 20, nanoseconds = 160000;

void readParameters(int argc, char **argv) {
  const struct {
    const char *name;
    int64_t *value;
  } known[] = {{"--n=", &n},
               {"--rows=", &rows},
               {"--columns=", &columns},
               {"--pairs=", &pairs},
               {"--nanoseconds=", &nanoseconds}};
  for (int i = 1; i < argc; ++i)
    for (const auto &[name, value] : known)
      if (std::strncmp(argv[i], name, std::strlen(name)) == 0)
        *value = std::atoll(argv[i] + std::strlen(name));
}

class Block {
public:
  explicit Block(int rank)
      : row(rank / columns), column(rank % columns), top(row * n / rows),
        left(column * n / columns), height((row + 1) * n / rows - top),
        width((column + 1) * n / columns - left) {
    for (int plate = 0; plate < 2; ++plate) {
      cells[plate].resize((height + 2) * (width + 2));
      for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < width; ++j)
          *at(plate, i, j) = bench::startingHeat(top + i, left + j, n);
    }
    for (Side *side : {&before, &behind}) {
      side->sent.resize(height);
      side->received.resize(height);
    }
    for (int plate = 0; plate < 2; ++plate) {
      if (row > 0)
        addNeighbour(plate, -columns, at(plate, 0, 0), at(plate, -1, 0), width);
      if (row + 1 < rows)
        addNeighbour(plate, columns, at(plate, height - 1, 0),
                     at(plate, height, 0), width);
      if (column > 0)
        addNeighbour(plate, -1, before.sent.data(), before.received.data(),
                     height);
      if (column + 1 < columns)
        addNeighbour(plate, 1, behind.sent.data(), behind.received.data(),
                     height);
    }
  }
  ~Block() {
    for (auto &ofPlate : requests)
      for (MPI_Request &request : ofPlate)
        MPI_Request_free(&request);
  }
  Block(const Block &) = delete;

  void sweep(int plate) {
    const int count = static_cast<int>(requests[plate].size());
    const double seconds = 1e-9 * double(nanoseconds);
    const double inside = double(std::max<int64_t>(height - 2, 0) *
                                 std::max<int64_t>(width - 2, 0)) /
                          double(height * width);
    for (int64_t i = 0; i < height; ++i) {
      before.sent[i] = *at(plate, i, 0);
      behind.sent[i] = *at(plate, i, width - 1);
    }
    MPI_Startall(count, requests[plate].data());
    sweepBox(plate, 1, height - 1, 1, width - 1);
    bench::spend(seconds * inside);
    MPI_Waitall(count, requests[plate].data(), MPI_STATUSES_IGNORE);
    for (int64_t i = 0; i < height; ++i) {
      *at(plate, i, -1) = before.received[i];
      *at(plate, i, width) = behind.received[i];
    }
    sweepBox(plate, 0, 1, 0, width);
    if (height > 1)
      sweepBox(plate, height - 1, height, 0, width);
    sweepBox(plate, 1, height - 1, 0, 1);
    if (width > 1)
      sweepBox(plate, 1, height - 1, width - 1, width);
    bench::spend(seconds * (1 - inside));
    pace.note(2 * pairs);
  }
  double secondsPerSweep() const { return pace.secondsPerSweep(); }
  int64_t digest() {
    int64_t sum = 0;
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < width; ++j)
        sum += bench::digestOf(*at(0, i, j), (top + i) * n + left + j);
    return sum;
  }

private:
  double *at(int plate, int64_t i, int64_t j) {
    return cells[plate].data() + (i + 1) * (width + 2) + j + 1;
  }
  void addNeighbour(int plate, int64_t step, double *sent, double *received,
                    int64_t cells) {
    const int peer = static_cast<int>(row * columns + column + step);
    const int count = static_cast<int>(cells);
    MPI_Request request;
    MPI_Recv_init(received, count, MPI_DOUBLE, peer, plate, MPI_COMM_WORLD,
                  &request);
    requests[plate].push_back(request);
    MPI_Send_init(sent, count, MPI_DOUBLE, peer, plate, MPI_COMM_WORLD,
                  &request);
    requests[plate].push_back(request);
  }
  /// Cells at the border of the whole plate stay.
  void sweepBox(int plate, int64_t firstRow, int64_t endRow,
                int64_t firstColumn, int64_t endColumn) {
    firstRow = std::max(firstRow, 1 - top);
    endRow = std::min(endRow, n - 1 - top);
    firstColumn = std::max(firstColumn, 1 - left);
    endColumn = std::min(endColumn, n - 1 - left);
    for (int64_t i = firstRow; i < endRow; ++i)
      bench::sweepRow(at(plate, i, 0), at(1 - plate, i, 0), firstColumn,
                      endColumn, width + 2);
  }

  const int64_t row, column, top, left, height, width;
  std::vector<double> cells[2];
  /// The columns of two neighbours.
  struct Side {
    std::vector<double> sent, received;
  };
  Side before, behind;
  std::vector<MPI_Request> requests[2];
  bench::Pace pace;
};
} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  readParameters(argc, argv);
  int rank = 0, numRanks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &numRanks);
  if (numRanks != rows * columns) {
    std::fprintf(stderr, "hand: %d ranks for %lld blocks\n", numRanks,
                 static_cast<long long>(rows * columns));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  {
    Block block(rank);
    for (int64_t pair = 0; pair < pairs; ++pair) {
      block.sweep(0);
      block.sweep(1);
    }
    double own = block.secondsPerSweep(), most = 0;
    MPI_Reduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    int64_t part = block.digest(), all = 0;
    MPI_Reduce(&part, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
      bench::report(most, all);
  }
  MPI_Finalize();
}
