/*===- files.c - Reads and writes of files --------------------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Random types in memory, with views and without, in all calls. The bytes of *|
|* the file and what is read back must be those of the MPI library.           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

#include <unistd.h>

static Arena from, to;
static char path[4096];
static unsigned pattern;

static MPI_File openNew(void) {
  MPI_File file;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    MPI_File_delete(path, MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &file) == MPI_SUCCESS);
  fill(from, ++pattern * 16 + (unsigned)rank);
  fill(to, pattern * 16 + 8 + (unsigned)rank);
  return file;
}

static void syncAll(MPI_File file) {
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
}

/* Rank 0 logs what is in the file. */
static void closeAndLog(const char *name, MPI_File *file) {
  CHECK(MPI_File_close(file) == MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  uint64_t hash = 0;
  if (rank == 0) {
    static unsigned char bytes[ARENA];
    FILE *plain = fopen(path, "rb");
    CHECK(plain);
    size_t size = fread(bytes, 1, sizeof bytes, plain);
    CHECK(size < sizeof bytes);
    hash = hashBytes(size, bytes, size);
    fclose(plain);
  }
  logHash(name, hash);
  logArena(name, to);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* How many bytes a status names. */
static void logBytes(const char *name, MPI_Status *status) {
  int bytes = 0;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  logHash(name, (uint64_t)bytes);
}

/* MPICH writes other elements than it should where displacements do not rise,
   and crashes with some types of which parts are empty: only strides for it. */
static MPI_Datatype risingType(void) {
#ifdef MPICH
  MPI_Datatype bases[] = {MPI_DOUBLE, MPI_INT, MPI_SHORT};
  MPI_Datatype base = bases[below(3)], type, inner;
  int kinds = 2;
#else
  MPI_Datatype base = randomBase(), type, inner;
  int kinds = 5;
#endif
  for (;;) {
    switch (below(kinds)) {
    case 0:
      MPI_Type_vector(1 + below(9), 1 + below(3), 3 + below(4), base, &type);
      break;
    case 2:
      type = randomIndexed(base, below(2));
      break;
    case 3:
      type = randomIndexedBlock(base, below(2));
      break;
    case 4:
      type = randomStruct(base, randomBase());
      break;
    default:
      MPI_Type_vector(1 + below(5), 1 + below(2), 2 + below(4), base, &inner);
      MPI_Type_create_hvector(1 + below(4), 1, extentOf(inner) + below(20),
                              inner, &type);
      MPI_Type_free(&inner);
    }
    if (isOrderly(type) && sizeOf(type) > 0) {
      MPI_Type_commit(&type);
      return type;
    }
  }
}

static void atOffsets(MPI_Datatype type, int count) {
  int bytes = count * sizeOf(type);
  MPI_File file = openNew();
  MPI_Status status;
  CHECK(MPI_File_write_at(file, rank * bytes, middle(from), count, type,
                          &status) == MPI_SUCCESS);
  logBytes("write_at", &status);
  CHECK(MPI_File_write_at_all(file, (ranks + rank) * bytes, middle(from), count,
                              type, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  syncAll(file);
  int other = (rank + 1) % ranks;
  CHECK(MPI_File_read_at(file, other * bytes, middle(to), count, type,
                         &status) == MPI_SUCCESS);
  logBytes("read_at", &status);
  logArena("read_at", to);
  fill(to, pattern * 16 + 9);
  CHECK(MPI_File_read_at_all(file, (ranks + other) * bytes, middle(to), count,
                             type, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  closeAndLog("at", &file);
}

/* Each rank sees every ranks-th block of some elements. */
static void throughViews(MPI_Datatype type, int count) {
  MPI_Datatype block, place;
  int size = sizeOf(type);
  MPI_Type_contiguous(size ? size : 1, MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, (MPI_Aint)(size ? size : 1) * ranks,
                          &place);
  MPI_Type_commit(&place);
  MPI_File file = openNew();
  CHECK(MPI_File_set_view(file, 5 + (MPI_Offset)rank * size, MPI_BYTE, place,
                          "native", MPI_INFO_NULL) == MPI_SUCCESS);
  MPI_Status status;
  CHECK(MPI_File_write(file, middle(from), count, type, &status) ==
        MPI_SUCCESS);
  logBytes("write", &status);
  CHECK(MPI_File_write_all(file, middle(from), count, type, &status) ==
        MPI_SUCCESS);
  syncAll(file);
  CHECK(MPI_File_seek(file, 0, MPI_SEEK_SET) == MPI_SUCCESS);
  CHECK(MPI_File_read(file, middle(to), count, type, &status) == MPI_SUCCESS);
  logArena("read", to);
  CHECK(MPI_File_read_all(file, middle(to), count, type, &status) ==
        MPI_SUCCESS);
  MPI_Offset at;
  MPI_File_get_position(file, &at);
  logHash("position", (uint64_t)at);
  closeAndLog("views", &file);
  MPI_Type_free(&place);
  MPI_Type_free(&block);
}

static void throughSharedPointers(MPI_Datatype type, int count) {
  MPI_File file = openNew();
  CHECK(MPI_File_write_ordered(file, middle(from), count, type,
                               MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (int r = 0; r != ranks; ++r) {
    if (r == rank)
      CHECK(MPI_File_write_shared(file, middle(from), count, type,
                                  MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  syncAll(file);
  CHECK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET) == MPI_SUCCESS);
  CHECK(MPI_File_read_ordered(file, middle(to), count, type,
                              MPI_STATUS_IGNORE) == MPI_SUCCESS);
  logArena("read_ordered", to);
  for (int r = ranks; r-- > 0;) {
    if (r == rank)
      CHECK(MPI_File_read_shared(file, middle(to), count, type,
                                 MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  closeAndLog("shared", &file);
}

/* Requests: two writes and two reads at once, one that ends at its own time. */
static void withRequests(MPI_Datatype type, int count) {
  int bytes = count * sizeOf(type);
  MPI_File file = openNew();
  MPI_Request requests[2];
  MPI_Status statuses[2];
  CHECK(MPI_File_iwrite_at(file, rank * bytes, middle(from), count, type,
                           &requests[0]) == MPI_SUCCESS);
  CHECK(MPI_File_iwrite_at(file, (ranks + rank) * bytes, middle(from), count,
                           type, &requests[1]) == MPI_SUCCESS);
  CHECK(MPI_Waitall(2, requests, statuses) == MPI_SUCCESS);
  logBytes("iwrite_at", &statuses[1]);
  CHECK(MPI_File_iwrite_at_all(file, (2 * ranks + rank) * bytes, middle(from),
                               count, type, &requests[0]) == MPI_SUCCESS);
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_File_seek(file, (3 * ranks + rank) * bytes, MPI_SEEK_SET) ==
        MPI_SUCCESS);
  CHECK(MPI_File_iwrite(file, middle(from), count, type, &requests[0]) ==
        MPI_SUCCESS);
  int flag = 0;
  while (!flag)
    CHECK(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  syncAll(file);
  int other = (rank + 1) % ranks;
  CHECK(MPI_File_iread_at(file, other * bytes, middle(to), count, type,
                          &requests[0]) == MPI_SUCCESS);
  CHECK(MPI_File_iread_at(file, (ranks + other) * bytes,
                          middle(to) + ARENA / 4, count, type,
                          &requests[1]) == MPI_SUCCESS);
  CHECK(MPI_Waitall(2, requests, statuses) == MPI_SUCCESS);
  logBytes("iread_at", &statuses[0]);
  logArena("iread_at", to);
  fill(to, pattern * 16 + 9);
  CHECK(MPI_File_iread_at_all(file, (2 * ranks + other) * bytes, middle(to),
                              count, type, &requests[0]) == MPI_SUCCESS);
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
  logArena("iread_at_all", to);
  CHECK(MPI_File_seek(file, (3 * ranks + other) * bytes, MPI_SEEK_SET) ==
        MPI_SUCCESS);
  fill(to, pattern * 16 + 10);
  CHECK(MPI_File_iread(file, middle(to), count, type, &requests[0]) ==
        MPI_SUCCESS);
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
  closeAndLog("requests", &file);
}

/* Begun by one call and ended by another, with a file of its own in between. */
static void begunAndEnded(MPI_Datatype type, int count) {
  int bytes = count * sizeOf(type), other = (rank + 1) % ranks;
  MPI_File file = openNew();
  MPI_Status status;
  CHECK(MPI_File_write_at_all_begin(file, rank * bytes, middle(from), count,
                                    type) == MPI_SUCCESS);
  CHECK(MPI_File_write_at_all_end(file, middle(from), &status) == MPI_SUCCESS);
  logBytes("write_at_all_end", &status);
  CHECK(MPI_File_seek(file, (ranks + rank) * bytes, MPI_SEEK_SET) ==
        MPI_SUCCESS);
  CHECK(MPI_File_write_all_begin(file, middle(from), count, type) ==
        MPI_SUCCESS);
  CHECK(MPI_File_write_all_end(file, middle(from), MPI_STATUS_IGNORE) ==
        MPI_SUCCESS);
  CHECK(MPI_File_seek_shared(file, 2 * ranks * bytes, MPI_SEEK_SET) ==
        MPI_SUCCESS);
  CHECK(MPI_File_write_ordered_begin(file, middle(from), count, type) ==
        MPI_SUCCESS);
  CHECK(MPI_File_write_ordered_end(file, middle(from), MPI_STATUS_IGNORE) ==
        MPI_SUCCESS);
  syncAll(file);
  CHECK(MPI_File_read_at_all_begin(file, other * bytes, middle(to), count,
                                   type) == MPI_SUCCESS);
  CHECK(MPI_File_read_at_all_end(file, middle(to), &status) == MPI_SUCCESS);
  logBytes("read_at_all_end", &status);
  logArena("read_at_all_end", to);
  CHECK(MPI_File_seek(file, (ranks + other) * bytes, MPI_SEEK_SET) ==
        MPI_SUCCESS);
  fill(to, pattern * 16 + 9);
  CHECK(MPI_File_read_all_begin(file, middle(to), count, type) == MPI_SUCCESS);
  CHECK(MPI_File_read_all_end(file, middle(to), MPI_STATUS_IGNORE) ==
        MPI_SUCCESS);
  logArena("read_all_end", to);
  CHECK(MPI_File_seek_shared(file, 2 * ranks * bytes, MPI_SEEK_SET) ==
        MPI_SUCCESS);
  fill(to, pattern * 16 + 10);
  CHECK(MPI_File_read_ordered_begin(file, middle(to), count, type) ==
        MPI_SUCCESS);
  CHECK(MPI_File_read_ordered_end(file, middle(to), MPI_STATUS_IGNORE) ==
        MPI_SUCCESS);
  closeAndLog("begun", &file);
}

/* The file ends within what is read. Of types with gaps MPICH says then that
   all was read, and leaves what happened to be in its own buffers. */
static void beyondTheEnd(MPI_Datatype type, int count) {
  MPI_File file = openNew();
  int bytes = count * sizeOf(type);
  if (rank == 0)
    CHECK(MPI_File_write_at(file, 0, middle(from), count, type,
                            MPI_STATUS_IGNORE) == MPI_SUCCESS);
  syncAll(file);
  MPI_Status status;
  CHECK(MPI_File_read_at(file, bytes / 3, middle(to), count, type, &status) ==
        MPI_SUCCESS);
#ifndef MPICH
  logBytes("end", &status);
#endif
  CHECK(MPI_File_read_at(file, 10 * bytes + 1, middle(to), count, type,
                         &status) == MPI_SUCCESS);
#ifndef MPICH
  logBytes("behind", &status);
#endif
  fill(to, pattern);
  closeAndLog("end", &file);
}

/* What MPI refuses is refused. */
static void mistakes(MPI_Datatype type) {
  MPI_File file;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL,
                      &file) == MPI_SUCCESS);
  CHECK(MPI_File_write(file, middle(from), 1, type, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS);
  CHECK(MPI_File_read(file, middle(to), -1, type, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS);
  logArena("mistakes", to);
  CHECK(MPI_File_close(&file) == MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  CHECK(argc == 3);
  from = newArena();
  to = newArena();
  int numTypes = atoi(argv[1]);
  /* Ranks of one run share a name, and runs do not. */
  int own = (int)getpid();
  MPI_Bcast(&own, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(path, sizeof path, "%s/file-%d", argv[2], own);
  for (int i = 0; i != numTypes; ++i) {
    seed = (uint64_t)i + 1;
    MPI_Datatype type = risingType();
    int count = 1 + below(9);
    atOffsets(type, count);
    throughViews(type, count);
    throughSharedPointers(type, count);
    withRequests(type, count);
    begunAndEnded(type, count);
    beyondTheEnd(type, count);
    mistakes(type);
    MPI_Type_free(&type);
  }
  if (rank == 0)
    MPI_File_delete(path, MPI_INFO_NULL);
  printLog();
  MPI_Finalize();
  return 0;
}
