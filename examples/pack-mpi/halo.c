/*===- halo.c - The halo of a three-dimensional grid, by derived types ----===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* A cube of particles' records is divided between ranks in all three         *|
|* directions. Each step sends the six faces of the local block, described by *|
|* subarrays of a struct with padding, to the neighbours. The program is      *|
|* plain MPI; with Sluice's interposer the faces are packed by Pack.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include <mpi.h>

#include <stddef.h>
#include <stdio.h>

enum { N = 40, SIDE = N + 2, STEPS = 200 };

typedef struct {
  double velocity[3];
  int kind;
  float weight; /* not sent */
} Cell;

static Cell grid[SIDE][SIDE][SIDE];
static MPI_Comm comm;
static int rank, dims[3], periods[3] = {1, 1, 1}, place[3];

static MPI_Datatype cellType(void) {
  int lengths[] = {3, 1};
  MPI_Aint places[] = {0, offsetof(Cell, kind)};
  MPI_Datatype parts[] = {MPI_DOUBLE, MPI_INT}, plain, cell;
  MPI_Type_create_struct(2, lengths, places, parts, &plain);
  MPI_Type_create_resized(plain, 0, sizeof(Cell), &cell);
  MPI_Type_free(&plain);
  return cell;
}

/* The plane at `position` of direction `d`, without its edges. */
static MPI_Datatype faceType(MPI_Datatype cell, int d, int position) {
  int sizes[] = {SIDE, SIDE, SIDE}, parts[] = {N, N, N}, starts[] = {1, 1, 1};
  MPI_Datatype face;
  parts[d] = 1;
  starts[d] = position;
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, cell, &face);
  MPI_Type_commit(&face);
  return face;
}

/* What the cell at these coordinates of the whole cube holds. */
static int valueAt(const int at[3]) {
  int value = 0;
  for (int d = 0; d != 3; ++d) {
    int extent = N * dims[d];
    value = value * 1000 + (at[d] + extent) % extent;
  }
  return value;
}

static void fill(void) {
  for (int i = 1; i <= N; ++i)
    for (int j = 1; j <= N; ++j)
      for (int k = 1; k <= N; ++k) {
        int at[] = {place[0] * N + i - 1, place[1] * N + j - 1,
                    place[2] * N + k - 1};
        int value = valueAt(at);
        grid[i][j][k] = (Cell){{value, value + 0.25, value + 0.5}, value, -1};
      }
}

/* The number of wrong cells in the halo; edges and corners are not sent. */
static int wrongCells(void) {
  int wrong = 0;
  for (int d = 0; d != 3; ++d)
    for (int side = 0; side != 2; ++side)
      for (int a = 1; a <= N; ++a)
        for (int b = 1; b <= N; ++b) {
          int in[3] = {a, b, a};
          in[d == 2 ? 1 : 2] = b;
          in[d == 0 ? 1 : 0] = a;
          in[d] = side ? N + 1 : 0;
          int at[3];
          for (int i = 0; i != 3; ++i)
            at[i] = place[i] * N + in[i] - 1;
          const Cell *cell = &grid[in[0]][in[1]][in[2]];
          int value = valueAt(at);
          wrong += cell->kind != value || cell->velocity[0] != value ||
                   cell->velocity[2] != value + 0.5 || cell->weight != 0;
        }
  return wrong;
}

static void exchange(MPI_Datatype faces[3][4], int neighbours[3][2]) {
  MPI_Request requests[12];
  int n = 0;
  for (int d = 0; d != 3; ++d) {
    MPI_Irecv(grid, 1, faces[d][0], neighbours[d][0], 2 * d, comm,
              &requests[n++]);
    MPI_Irecv(grid, 1, faces[d][3], neighbours[d][1], 2 * d + 1, comm,
              &requests[n++]);
  }
  for (int d = 0; d != 3; ++d) {
    MPI_Isend(grid, 1, faces[d][2], neighbours[d][1], 2 * d, comm,
              &requests[n++]);
    MPI_Isend(grid, 1, faces[d][1], neighbours[d][0], 2 * d + 1, comm,
              &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  int ranks, neighbours[3][2];
  MPI_Datatype faces[3][4], cell;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Cart_coords(comm, rank, 3, place);
  cell = cellType();
  for (int d = 0; d != 3; ++d) {
    const int positions[] = {0, 1, N, N + 1};
    MPI_Cart_shift(comm, d, 1, &neighbours[d][0], &neighbours[d][1]);
    for (int i = 0; i != 4; ++i)
      faces[d][i] = faceType(cell, d, positions[i]);
  }
  MPI_Type_free(&cell);
  fill();

  double best = 1e9;
  for (int step = 0; step != STEPS; ++step) {
    MPI_Barrier(comm);
    double begin = MPI_Wtime();
    exchange(faces, neighbours);
    double time = MPI_Wtime() - begin;
    best = time < best ? time : best;
  }

  int wrong = wrongCells(), all;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, comm);
  for (int d = 0; d != 3; ++d)
    for (int i = 0; i != 4; ++i)
      MPI_Type_free(&faces[d][i]);
  if (rank == 0) {
    printf("one exchange takes %.1f us\n", best * 1e6);
    if (all)
      printf("pack-mpi: %d cells of the halo are wrong\n", all);
    else
      printf("pack-mpi: ok\n");
  }
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return all != 0;
}
