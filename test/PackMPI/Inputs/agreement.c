/*===- agreement.c - Who packs may change from use to use -------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Types that the MPIs pack, or write to files, in ways of their own: what    *|
|* the first use took must come back by the second, whoever packs. Argument:  *|
|* a folder for files.                                                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

enum { SIZE = 8192, N = 4 };
static unsigned char from[2 * SIZE], to[2 * SIZE], bytes[SIZE];
static MPI_File file;

static void begins(void) {
  for (int i = 0; i != 2 * SIZE; ++i) {
    from[i] = (unsigned char)(1 + (i * 7 + i / 255) % 255);
    to[i] = 0;
  }
}

static void ends(const char *name, int uses) {
  int came = 0, wrong = 0;
  for (int i = 0; i != 2 * SIZE; ++i)
    if (to[i]) {
      ++came;
      wrong += to[i] != from[i];
    }
  if (wrong || !came)
    printf("%s, use %d: %d of %d bytes are wrong\n", name, uses, wrong, came);
}

/* A type of its own for each pair of uses: who packs changes at the second. */
static void roundTrip(const char *name, MPI_Datatype type) {
  MPI_Datatype again;
  int size = sizeOf(type);
  for (int uses = 0; uses != 3; ++uses) {
    int position = 0;
    MPI_Type_dup(type, &again);
    MPI_Type_commit(&again);
    begins();
    for (int i = 0; i != uses; ++i, position = 0)
      MPI_Pack(from + SIZE, N, again, bytes, SIZE, &position, MPI_COMM_SELF);
    MPI_Pack(from + SIZE, N, again, bytes, SIZE, &position, MPI_COMM_SELF);
    position = 0;
    MPI_Unpack(bytes, N * size, &position, to + SIZE, N, again, MPI_COMM_SELF);
    ends(name, uses);
    MPI_Type_free(&again);
  }
  for (int uses = 0; uses != 3; ++uses) {
    MPI_Request request;
    MPI_Type_dup(type, &again);
    MPI_Type_commit(&again);
    begins();
    for (int i = 0; i <= uses; ++i) {
      MPI_Irecv(to + SIZE, N, again, 0, 0, MPI_COMM_SELF, &request);
      MPI_Send(from + SIZE, N, again, 0, 0, MPI_COMM_SELF);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      ends(name, uses + 10);
    }
    MPI_Type_free(&again);
  }
}

static void fileTrip(const char *name, MPI_Datatype type) {
  for (int uses = 0; uses != 3; ++uses) {
    MPI_Datatype again;
    MPI_Type_dup(type, &again);
    MPI_Type_commit(&again);
    begins();
    for (int i = 0; i <= uses; ++i)
      MPI_File_write_at(file, 0, from + SIZE, N, again, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, to + SIZE, N, again, MPI_STATUS_IGNORE);
    ends(name, uses + 20);
    MPI_Type_free(&again);
  }
}

static void shiftedBounds(void) {
  MPI_Datatype column, type, pair, outer;
  MPI_Aint lowest[] = {-8, 8, 40, 0};
  MPI_Type_vector(4, 1, 3, MPI_INT, &column);
  for (int i = 0; i != 4; ++i) {
    MPI_Type_create_resized(column, lowest[i], 80, &type);
    MPI_Type_vector(2, 1, 2, type, &pair);
    /* The bounds begin at zero again. */
    MPI_Type_create_resized(pair, 0, 240, &outer);
    fileTrip("resized", type);
    fileTrip("vector of resized", pair);
    fileTrip("resized vector of resized", outer);
    roundTrip("resized", type);
    MPI_Type_free(&type);
    MPI_Type_free(&pair);
    MPI_Type_free(&outer);
  }
  MPI_Type_free(&column);
}

static void emptyMembers(void) {
  MPI_Datatype empty, type;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  for (int length = 0; length <= 7; length += 7)
    for (int place = -9; place <= 39; place += 8) {
      int lengths[] = {6, length};
      MPI_Aint places[] = {8, place};
      MPI_Datatype types[] = {MPI_SHORT, length ? empty : MPI_DOUBLE};
      MPI_Type_create_struct(2, lengths, places, types, &type);
      roundTrip("struct with an empty member", type);
      MPI_Type_free(&type);
    }
  MPI_Type_free(&empty);
}

static void negativeExtents(void) {
  MPI_Datatype byte, four, back, type;
  int length = 4;
  MPI_Aint seven = 7, minus5 = -5;
  MPI_Type_create_hindexed_block(1, 1, &seven, MPI_BYTE, &byte);
  MPI_Type_create_struct(1, &length, &minus5, &byte, &four);
  MPI_Type_create_resized(four, 5, -5, &back);
  MPI_Type_contiguous(4, back, &type);
  roundTrip("negative extent", back);
  roundTrip("some of negative extent", type);
  MPI_Type_free(&byte);
  MPI_Type_free(&four);
  MPI_Type_free(&back);
  MPI_Type_free(&type);
}

static void descending(void) {
  MPI_Datatype type;
  MPI_Type_vector(5, 1, -3, MPI_INT, &type);
  roundTrip("descending", type);
  fileTrip("descending", type);
  MPI_Type_free(&type);
}

int main(int argc, char **argv) {
  char path[1000];
  begin(&argc, &argv);
  snprintf(path, sizeof path, "%s/agreement", argv[1]);
  MPI_File_open(MPI_COMM_SELF, path,
                MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  shiftedBounds();
  emptyMembers();
  negativeExtents();
  descending();
  MPI_File_close(&file);
  printf("all came back\n");
  MPI_Finalize();
  return 0;
}
