/*===- reasons.c - Layouts that stay with MPI, for several reasons ----------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

static int from[2000], packed[2000];

static void use(MPI_Datatype type, int uses, int commits) {
  MPI_Type_commit(&type);
  for (int i = 0; i != uses; ++i) {
    int position = 0;
    if (commits)
      MPI_Type_commit(&type);
    MPI_Pack(from + 1000, 1, type, packed, sizeof packed, &position,
             MPI_COMM_SELF);
  }
  MPI_Type_free(&type);
}

static MPI_Datatype columns(int number) {
  MPI_Datatype type;
  MPI_Type_vector(number, 1, 2, MPI_INT, &type);
  return type;
}

/* A tool that reads the layout of a type gets handles that it frees. */
static void useWhatIsRead(void) {
  MPI_Datatype type = columns(70), outer, inner;
  MPI_Aint address;
  int count;
  MPI_Type_commit(&type);
  MPI_Type_contiguous(2, type, &outer);
  for (int i = 0; i != 3; ++i) {
    MPI_Type_get_contents(outer, 1, 0, 1, &count, &address, &inner);
    MPI_Type_free(&inner);
  }
  MPI_Type_free(&outer);
  use(type, 10, 0);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  use(columns(50), 10, 1); /* committed again and again */
  useWhatIsRead();
  use(columns(60), 1, 0);
  use(columns(61), 1, 0);
  MPI_Datatype type, next;
  MPI_Type_contiguous(40, MPI_INT, &type);
  use(type, 5, 0);
  type = columns(80);
  for (int i = 0; i != 500; ++i) {
    MPI_Type_contiguous(1, type, &next);
    MPI_Type_free(&type);
    type = next;
  }
  use(type, 20, 0);
#ifdef OPEN_MPI
  MPI_Datatype empty;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  int lengths[] = {6, 7};
  MPI_Aint places[] = {8, -1};
  MPI_Datatype types[] = {MPI_SHORT, empty};
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_free(&empty);
#else
  MPI_Datatype byte, four, back;
  int length = 4;
  MPI_Aint seven = 7, minus5 = -5;
  MPI_Type_create_hindexed_block(1, 1, &seven, MPI_BYTE, &byte);
  MPI_Type_create_struct(1, &length, &minus5, &byte, &four);
  MPI_Type_create_resized(four, 5, -5, &back);
  MPI_Type_contiguous(4, back, &type);
  MPI_Type_free(&byte);
  MPI_Type_free(&four);
  MPI_Type_free(&back);
#endif
  use(type, 5, 0);
  MPI_Finalize();
  return 0;
}
