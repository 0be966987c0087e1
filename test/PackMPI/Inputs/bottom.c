/*===- bottom.c - The first use of a type of addresses --------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Packs and unpacks each type once, from and to MPI_BOTTOM.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

static MPI_Datatype typeOf(double *first, int *second) {
  int lengths[] = {3, 2};
  MPI_Aint places[2];
  MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT}, type;
  MPI_Get_address(first, &places[0]);
  MPI_Get_address(second, &places[1]);
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  return type;
}

int main(int argc, char **argv) {
  double from[] = {1, 2, 3}, to[] = {0, 0, 0};
  int fromCounts[] = {4, 5}, toCounts[] = {0, 0};
  char packed[64];
  int position = 0, size = 3 * sizeof(double) + 2 * sizeof(int);
  begin(&argc, &argv);
  MPI_Datatype in = typeOf(from, fromCounts), out = typeOf(to, toCounts);
  MPI_Pack(MPI_BOTTOM, 1, in, packed, (int)sizeof packed, &position,
           MPI_COMM_WORLD);
  CHECK(position == size);
  position = 0;
  MPI_Unpack(packed, size, &position, MPI_BOTTOM, 1, out, MPI_COMM_WORLD);
  CHECK(position == size);
  CHECK(to[0] == 1 && to[1] == 2 && to[2] == 3);
  CHECK(toCounts[0] == 4 && toCounts[1] == 5);
  MPI_Type_free(&in);
  MPI_Type_free(&out);
  MPI_Finalize();
  return 0;
}
