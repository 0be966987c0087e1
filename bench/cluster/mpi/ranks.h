//===- ranks.h - A program on two ranks that serves the driver --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 speaks with the driver and has both ranks do the same.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_CLUSTER_MPI_RANKS_H
#define SLUICE_BENCH_CLUSTER_MPI_RANKS_H

#include "../../common/harness.h"
#include "../../pack/pair.h"

#include <cstdint>
#include <mpi.h>
#include <vector>

namespace bench {

inline int ownRank, numRanks;

/// What a program of two ranks consists of. Both ranks call each function.
struct RankProgram {
  const char *name;
  void (*allocate)(); ///< by `benchParameters`
  void (*reset)();
  void (*run)(); ///< one repetition
  /// Gathers the result; on rank 0 what is wrong, or null.
  const char *(*verify)();
  void (*release)();
  /// Start and end a library that calls MPI from its own threads; or null.
  void (*begin)() = nullptr;
  void (*finish)() = nullptr;
};

class RankServer {
public:
  explicit RankServer(const RankProgram &given) { program = given; }

  int serve(int argc, char **argv) {
    const int wanted = program.begin ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int threads = wanted;
    MPI_Init_thread(&argc, &argv, wanted, &threads);
    CommandPipe::require(threads >= wanted, "call MPI from several threads");
    MPI_Comm_rank(MPI_COMM_WORLD, &ownRank);
    MPI_Comm_size(MPI_COMM_WORLD, &numRanks);
    CommandPipe::require(numRanks == 2, "run with other than 2 ranks");
    pipe.open(ownRank);
    if (program.begin)
      program.begin();
    int status = 0;
    if (ownRank == 0) {
      BenchRow row = {};
      row.name = program.name;
      row.work = 1;
      row.repetitions = 1;
      row.allocate = [] { order(0); };
      row.reset = [] { order(1); };
      row.run = [] { order(2); };
      row.verify = [] { return order(3); };
      row.release = [] { order(4); };
      status = benchServe(&row, 1);
      pipe.close();
    } else {
      for (Command command; pipe.hear(command);) {
        std::memcpy(benchParameters, command.parameters,
                    sizeof benchParameters);
        obey(command.what);
      }
    }
    if (program.finish)
      program.finish();
    MPI_Finalize();
    return status;
  }

private:
  struct Command {
    int what;
    char parameters[sizeof benchParameters];
  };
  static inline RankProgram program;
  static inline CommandPipe pipe;

  static const char *obey(int what) {
    switch (what) {
    case 0:
      program.allocate();
      return nullptr;
    case 1:
      program.reset();
      return nullptr;
    case 2:
      program.run();
      return nullptr;
    case 3:
      return program.verify();
    default:
      program.release();
      return nullptr;
    }
  }
  static const char *order(int what) {
    Command command = {what, {}};
    std::memcpy(command.parameters, benchParameters, sizeof benchParameters);
    pipe.tell(command);
    return obey(what);
  }
};

/// Of `count` things the first of that rank.
inline int64_t firstOf(int64_t count, int rank) {
  return count * rank / numRanks;
}

/// At rank 0 all of `count` rows of so many numbers, of which each rank has
/// those from `firstOf` on at `own`; elsewhere nothing.
inline std::vector<double> gatherRows(const double *own, int64_t count,
                                      int64_t numbersPerRow) {
  std::vector<int> counts, places;
  for (int rank = 0; rank < numRanks; ++rank) {
    const int64_t first = firstOf(count, rank), end = firstOf(count, rank + 1);
    places.push_back(static_cast<int>(first * numbersPerRow));
    counts.push_back(static_cast<int>((end - first) * numbersPerRow));
  }
  std::vector<double> all(ownRank == 0 ? count * numbersPerRow : 0);
  MPI_Gatherv(own, counts[ownRank], MPI_DOUBLE, all.data(), counts.data(),
              places.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return all;
}

} // namespace bench

#endif // SLUICE_BENCH_CLUSTER_MPI_RANKS_H
