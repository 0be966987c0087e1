/*===- edges.c - Exchange the edges of a tile with its neighbours ---------===//
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A tile of a grid with a border of ghost cells. Rows lie together in memory,
 * columns do not: a vector describes them, and Pack gathers them into a buffer
 * and scatters what comes back. The tile is its own neighbour here, as on a
 * ring of one process. Link with -lSluicePack.
 *
 *===----------------------------------------------------------------------===*/

#include "sluice-c/Pack.h"

#include <stdio.h>
#include <stdlib.h>

enum { Rows = 300, Columns = 200, Line = Columns + 2 };

static double grid[Rows + 2][Line];

static void check(int code) {
  if (code == LPK_SUCCESS)
    return;
  fprintf(stderr, "edges: %s\n", LPK_Last_error());
  exit(1);
}

/* All inner cells of one column. */
static LPK_Datatype columnLayout(void) {
  LPK_Datatype number, column;
  check(LPK_Primitive(LPK_DOUBLE, &number));
  check(LPK_Vector(Rows, 1, Line, number, &column));
  check(LPK_Free(&number)); /* the column has its own copy */
  check(LPK_Commit(&column));
  return column;
}

/* Sends the column at `from` through a buffer to the one at `to`. */
static void exchange(LPK_Datatype column, int from, int to) {
  LPK_Count size, position = 0;
  check(LPK_Pack_size(1, column, &size));
  char *buffer = malloc((size_t)size);
  check(LPK_Pack_into(&grid[1][from], 1, column, buffer, size, &position));
  position = 0;
  check(LPK_Unpack_from(buffer, size, &position, &grid[1][to], 1, column));
  free(buffer);
}

static void fill(void) {
  for (int i = 0; i != Rows + 2; ++i)
    for (int j = 0; j != Line; ++j)
      grid[i][j] = j == 0 || j == Line - 1 ? -1 : i * 1000.0 + j;
}

static int isRight(void) {
  for (int i = 1; i != Rows + 1; ++i)
    if (grid[i][0] != grid[i][Columns] || grid[i][Line - 1] != grid[i][1] ||
        grid[i][1] != i * 1000.0 + 1) {
      fprintf(stderr, "edges: row %d has the ghosts %g and %g\n", i, grid[i][0],
              grid[i][Line - 1]);
      return 0;
    }
  return grid[0][0] == -1 && grid[Rows + 1][Line - 1] == -1;
}

int main(void) {
  LPK_Datatype column = columnLayout();
  char text[100], kernel[100];
  fill();
  exchange(column, Columns, 0);
  exchange(column, 1, Line - 1);
  check(LPK_To_text(column, text, sizeof text, NULL));
  check(LPK_Kernel_name(column, kernel, sizeof kernel, NULL));
  printf("%s, packed by '%s'\n", text, kernel);
  check(LPK_Free(&column));
  if (!isRight())
    return 1;
  printf("pack-c: ok\n");
  return 0;
}
