/*===- wide.c - Packs of layouts that span much memory --------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Packs 8192 doubles from as many stretches of 64 KiB, and 131072 from as    *|
|* many pages. The memory is only read, so hardly any of it exists.           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

static void packOnce(const char *memory, int count, int stride) {
  static double packed[1 << 17];
  MPI_Datatype type;
  int position = 0;
  packed[0] = packed[count - 1] = 1;
  MPI_Type_create_hvector(count, 1, stride, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Pack(memory, 1, type, packed, (int)sizeof packed, &position,
           MPI_COMM_WORLD);
  CHECK(position == count * (int)sizeof(double));
  CHECK(packed[0] == 0 && packed[count - 1] == 0);
  MPI_Type_free(&type);
}

int main(int argc, char **argv) {
  char *memory = calloc(1 << 19, 1 << 10);
  begin(&argc, &argv);
  packOnce(memory, 1 << 13, 1 << 16);
  packOnce(memory, 1 << 17, 1 << 12);
  MPI_Finalize();
  free(memory);
  return 0;
}
