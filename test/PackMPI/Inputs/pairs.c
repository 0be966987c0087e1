/*===- pairs.c - Accumulating MPI's pairs from gaps -------------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Most pairs end with a gap, which they keep in a window. From every third   *|
|* one of an array.                                                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

enum { N = 64 };

#define TRY(Value, type, op)                                                   \
  do {                                                                         \
    typedef struct {                                                           \
      Value v;                                                                 \
      int i;                                                                   \
    } Pair;                                                                    \
    static Pair from[3 * N];                                                   \
    Pair *to;                                                                  \
    MPI_Win window;                                                            \
    MPI_Datatype third;                                                        \
    MPI_Win_allocate(N * sizeof(Pair), sizeof(Pair), MPI_INFO_NULL,            \
                     MPI_COMM_WORLD, &to, &window);                            \
    MPI_Type_vector(N, 1, 3, type, &third);                                    \
    MPI_Type_commit(&third);                                                   \
    for (int round = 0; round != 4; ++round) {                                 \
      MPI_Win_fence(0, window);                                                \
      for (int k = 0; k != N; ++k)                                             \
        to[k].v = 5, to[k].i = 1000;                                           \
      for (int k = 0; k != 3 * N; ++k)                                         \
        from[k].v = k, from[k].i = k + round;                                  \
      MPI_Win_fence(0, window);                                                \
      MPI_Accumulate(from, 1, third, (rank + 1) % ranks, 0, N, type, op,       \
                     window);                                                  \
      MPI_Win_fence(0, window);                                                \
      for (int k = 0; k != N; ++k) {                                           \
        int taken = op == MPI_REPLACE || 3 * k > 5;                            \
        CHECK(to[k].v == (taken ? 3 * k : 5) &&                                \
              to[k].i == (taken ? 3 * k + round : 1000));                      \
      }                                                                        \
    }                                                                          \
    MPI_Type_free(&third);                                                     \
    MPI_Win_free(&window);                                                     \
  } while (0)

int main(int argc, char **argv) {
  begin(&argc, &argv);
  TRY(double, MPI_DOUBLE_INT, MPI_MAXLOC);
  TRY(long, MPI_LONG_INT, MPI_MAXLOC);
  TRY(long double, MPI_LONG_DOUBLE_INT, MPI_MAXLOC);
  TRY(float, MPI_FLOAT_INT, MPI_MAXLOC);
#ifndef OPEN_MPI /* 4.1 by itself mixes up the pairs */
  TRY(short, MPI_SHORT_INT, MPI_MAXLOC);
#endif
  TRY(int, MPI_2INT, MPI_MAXLOC);
  TRY(double, MPI_DOUBLE_INT, MPI_REPLACE);
  if (rank == 0)
    printf("pairs agree\n");
  MPI_Finalize();
  return 0;
}
