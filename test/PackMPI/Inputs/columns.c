/*===- columns.c - A few sends whose statistics are known -----------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Rank 0 sends ten columns of 100 doubles, packs one three times, and sends  *|
|* integers that nobody takes over.                                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

int main(int argc, char **argv) {
  static double matrix[100][10], packed[100];
  MPI_Datatype column;
  begin(&argc, &argv);
  MPI_Type_vector(100, 1, 10, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i != 10; ++i) {
    int plain = i;
    if (rank == 0) {
      MPI_Send(matrix, 1, column, 1, 1, MPI_COMM_WORLD);
      MPI_Send(&plain, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else {
      MPI_Recv(matrix, 1, column, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(&plain, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(plain == i);
    }
  }
  for (int i = 0; i != 3; ++i) {
    int position = 0;
    MPI_Pack(matrix, 1, column, packed, (int)sizeof packed, &position,
             MPI_COMM_WORLD);
    CHECK(position == sizeof packed);
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}
