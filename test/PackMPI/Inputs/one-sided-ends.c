/* one-sided-ends.c: gets that bring less than there is room for, and flushes of
   a neighbour that does not exist while one is under way. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 20000 };
static double *window, *to;
static MPI_Win win;
static int rank;

static void clear(void) {
  for (int i = 0; i < 2 * count; ++i)
    to[i] = -1;
}

static int isRight(int arrived) {
  for (int i = 0; i < count; ++i) {
    double expected = i < arrived ? (1 - rank) * 100000 + i : -1;
    if (to[2 * i] != expected || to[2 * i + 1] != -1)
      return 0;
  }
  return 1;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(8 * count, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
  for (int i = 0; i < count; ++i)
    window[i] = rank * 100000 + i;
  to = malloc(2 * count * sizeof *to);
  MPI_Datatype other;
  MPI_Type_vector(count, 1, 2, MPI_DOUBLE, &other);
  MPI_Type_commit(&other);
  int good = 1;
  for (int round = 0; round < 4; ++round) {
    const int arriving = round % 2 ? count / 2 : count;
    clear();
    MPI_Win_fence(0, win);
    MPI_Get(to, 1, other, 1 - rank, 0, arriving, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    good &= isRight(arriving);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  for (int round = 0; round < 4; ++round) {
    clear();
    MPI_Win_lock_all(0, win);
    MPI_Get(to, 1, other, 1 - rank, 0, count, MPI_DOUBLE, win);
    MPI_Win_flush(MPI_PROC_NULL, win);
    MPI_Win_flush(1 - rank, win);
    good &= isRight(count);
    MPI_Win_unlock_all(win);
  }
  int all;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0)
    puts(all ? "right" : "WRONG");
  MPI_Type_free(&other);
  MPI_Win_free(&win);
  free(to);
  MPI_Finalize();
  return !all;
}
