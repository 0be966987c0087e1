//===- pair.h - Two ranks, of which one talks to the driver -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between rounds both ranks sleep: the first in a read of its standard input,
// the second in a read of a named pipe on which the first one tells it what
// to do. So the programs that wait take no time from the one that is measured.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_PAIR_H
#define SLUICE_BENCH_PACK_PAIR_H

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bench {

/// The pipe from rank 0 to rank 1 of MPI_COMM_WORLD.
class CommandPipe {
public:
  /// Both ranks call it.
  void open(int rank) {
    char path[64];
    if (rank == 0)
      make(path);
    MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, MPI_COMM_WORLD);
    pipe = ::open(path, rank == 0 ? O_WRONLY : O_RDONLY);
    require(pipe >= 0, "open a named pipe");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      unlink(path);
      path[std::strlen(path) - std::strlen(pipeName)] = '\0';
      rmdir(path);
    }
  }

  template <class Command> void tell(const Command &command) {
    require(write(pipe, &command, sizeof(command)) == sizeof(command),
            "write to the other rank");
  }

  /// False when the other rank has ended.
  template <class Command> bool hear(Command &command) {
    return read(pipe, &command, sizeof(command)) == sizeof(command);
  }

  void close() { ::close(pipe); }

  static void require(bool holds, const char *what) {
    if (holds)
      return;
    std::fprintf(stderr, "cannot %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

private:
  static constexpr const char *pipeName = "/commands";

  static void make(char *path) {
    std::strcpy(path, P_tmpdir "/bench-pair-XXXXXX");
    require(mkdtemp(path) != nullptr, "make a temporary folder");
    std::strcat(path, pipeName);
    require(mkfifo(path, 0600) == 0, "make a named pipe");
  }

  int pipe = -1;
};

} // namespace bench

#endif // SLUICE_BENCH_PACK_PAIR_H
