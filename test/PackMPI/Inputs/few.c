/*===- few.c - Messages of a few runs -------------------------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Rank 0 sends ten messages of eight doubles, and ten of eighty.             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

static void exchange(int count) {
  double matrix[80][4];
  MPI_Datatype column;
  MPI_Type_vector(count, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i != 10; ++i) {
    for (int row = 0; row != 80; ++row)
      matrix[row][0] = rank == 0 ? row : -1;
    if (rank == 0)
      MPI_Send(matrix, 1, column, 1, 1, MPI_COMM_WORLD);
    else
      MPI_Recv(matrix, 1, column, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(matrix[count - 1][0] == count - 1);
  }
  MPI_Type_free(&column);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  exchange(8);
  exchange(80);
  MPI_Finalize();
  return 0;
}
