/*===- testing.h - What the interposer's test programs share --------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Random datatypes whose bytes never overlap, arenas to send from and to     *|
|* receive into, and a log of hashes. A program prints the same log whether   *|
|* it is interposed or not, so runs can be compared.                          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef TESTING_H
#define TESTING_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
      MPI_Abort(MPI_COMM_WORLD, 1);                                            \
    }                                                                          \
  } while (0)

static int rank, ranks;

/* -- Random numbers, the same everywhere -- */

static uint64_t seed = 1;
static int below(int n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (int)((seed >> 33) % (uint64_t)n);
}

/* -- Arenas: the buffer's address is in the middle -- */

enum { ARENA = 1 << 20 };
typedef struct {
  unsigned char *memory;
} Arena;

static Arena newArena(void) {
  Arena a = {malloc(ARENA)};
  return a;
}
static unsigned char *middle(Arena a) { return a.memory + ARENA / 2; }
static void fill(Arena a, unsigned pattern) {
  for (size_t i = 0; i != ARENA; ++i)
    a.memory[i] = (unsigned char)((i * 2654435761u + pattern * 40503u) >> 11);
}

/* -- The log -- */

enum { MOST_LINES = 4096 };
static uint64_t hashes[MOST_LINES];
static char names[MOST_LINES][40];
static int lines;

static uint64_t hashBytes(uint64_t h, const void *data, size_t size) {
  const unsigned char *p = data;
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word;
    memcpy(&word, p + i, 8);
    h = (h ^ word) * 1099511628211u;
    h ^= h >> 29;
  }
  for (; i != size; ++i)
    h = (h ^ p[i]) * 1099511628211u;
  return h;
}

static void logHash(const char *name, uint64_t hash) {
  CHECK(lines < MOST_LINES);
  snprintf(names[lines], sizeof names[lines], "%s", name);
  hashes[lines++] = hash;
}
static void logArena(const char *name, Arena a) {
  logHash(name, hashBytes(14695981039346656037u, a.memory, ARENA));
}
/* MPICH cannot count the elements of arrays; set where one is made. */
static int hasArrays;

/* Source, tag, count and elements of a status. */
static void logStatus(const char *name, MPI_Status *status, MPI_Datatype type) {
  int values[4] = {status->MPI_SOURCE, status->MPI_TAG, 0, 0};
  MPI_Get_count(status, type, &values[2]);
  if (!hasArrays)
    MPI_Get_elements(status, type, &values[3]);
  logHash(name, hashBytes(7, values, sizeof values));
}
__attribute__((unused)) static void logCode(const char *name, int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  logHash(name, (uint64_t)class);
}

/* Rank 0 prints one line per entry with the hashes of all ranks. */
static void printLog(void) {
  uint64_t *all = malloc(sizeof(uint64_t) * MOST_LINES * (size_t)ranks);
  MPI_Gather(hashes, MOST_LINES, MPI_UINT64_T, all, MOST_LINES, MPI_UINT64_T, 0,
             MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i != lines; ++i) {
    printf("%s", names[i]);
    for (int r = 0; r != ranks; ++r)
      printf(" %llx", (unsigned long long)all[r * MOST_LINES + i]);
    printf("\n");
  }
  free(all);
}

static void begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* -- Random types -- */

static MPI_Aint extentOf(MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  return extent;
}
static int sizeOf(MPI_Datatype type) {
  int size;
  MPI_Type_size(type, &size);
  return size;
}

/* No long double: MPICH leaves out its six bytes of padding. */
static MPI_Datatype randomBase(void) {
  MPI_Datatype bases[] = {MPI_CHAR,      MPI_SHORT, MPI_INT,  MPI_DOUBLE,
                          MPI_SHORT_INT, MPI_FLOAT, MPI_BYTE, MPI_C_DOUBLE_COMPLEX};
  return bases[below(8)];
}

static MPI_Datatype randomIndexed(MPI_Datatype base, int inBytes) {
  int lengths[8], places[8], count = 1 + below(8), at = below(3);
  MPI_Aint bytes[8];
  MPI_Datatype type;
  for (int i = 0; i != count; ++i) {
    lengths[i] = below(4);
    places[i] = at;
    bytes[i] = at * extentOf(base) + (inBytes ? i : 0);
    at += lengths[i] + below(3);
  }
  if (inBytes)
    MPI_Type_create_hindexed(count, lengths, bytes, base, &type);
  else
    MPI_Type_indexed(count, lengths, places, base, &type);
  return type;
}

static MPI_Datatype randomIndexedBlock(MPI_Datatype base, int inBytes) {
  int places[8], count = 1 + below(8), length = 1 + below(3), at = below(3);
  MPI_Aint bytes[8];
  MPI_Datatype type;
  for (int i = 0; i != count; ++i) {
    places[i] = at;
    bytes[i] = at * extentOf(base) + (inBytes ? i : 0);
    at += length + below(3);
  }
  if (inBytes)
    MPI_Type_create_hindexed_block(count, length, bytes, base, &type);
  else
    MPI_Type_create_indexed_block(count, length, places, base, &type);
  return type;
}

static MPI_Datatype randomStruct(MPI_Datatype first, MPI_Datatype second) {
  int lengths[] = {1 + below(2), below(3)};
  MPI_Aint lower, extent, places[2] = {0, 0};
  MPI_Datatype types[] = {first, second}, type;
  places[1] = lengths[0] * extentOf(first) + 8 * below(3);
  MPI_Type_get_true_extent(first, &lower, &extent);
  MPI_Aint end = (lengths[0] - 1) * extentOf(first) + lower + extent;
  MPI_Type_get_true_extent(second, &lower, &extent);
  if (places[1] + lower < end)
    places[1] = end - lower;
  MPI_Type_create_struct(2, lengths, places, types, &type);
  return type;
}

static MPI_Datatype randomArray(MPI_Datatype base) {
  int sizes[] = {3 + below(3), 2 + below(4)}, parts[2], starts[2];
  MPI_Datatype type;
  for (int i = 0; i != 2; ++i) {
    parts[i] = 1 + below(sizes[i]);
    starts[i] = below(sizes[i] - parts[i] + 1);
  }
  hasArrays = 1;
  int order = below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  MPI_Type_create_subarray(2, sizes, parts, starts, order, base, &type);
  return type;
}

static MPI_Datatype randomDarray(MPI_Datatype base) {
  int sizes[] = {3 + below(4), 4 + below(4)}, processes[] = {2, 2};
  int kinds[] = {below(2) ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC,
                 MPI_DISTRIBUTE_CYCLIC};
  int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 1 + below(2)};
  MPI_Datatype type;
  hasArrays = 1;
  int order = below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  /* Open MPI refuses some parts that are empty. */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Type_create_darray(4, below(4), 2, sizes, kinds, arguments, processes,
                             order, base, &type) != MPI_SUCCESS)
    MPI_Type_dup(base, &type);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return type;
}

/* Whether instances in a row do not overlap. */
static int isOrderly(MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_true_extent(type, &lower, &extent);
  return extentOf(type) >= extent;
}

static MPI_Datatype randomType(int depth) {
  MPI_Datatype base = depth ? randomType(depth - 1) : randomBase(), type, other;
  int sign = below(4) ? 1 : -1;
  switch (below(11)) {
  case 0:
    MPI_Type_contiguous(1 + below(3), base, &type);
    break;
  case 1:
    MPI_Type_vector(1 + below(4), 1 + below(2), sign * (2 + below(3)), base,
                    &type);
    break;
  case 2:
    MPI_Type_create_hvector(1 + below(4), 2,
                            sign * (2 * extentOf(base) + below(9)), base,
                            &type);
    break;
  case 3:
  case 4:
    type = randomIndexed(base, below(2));
    break;
  case 5:
    type = randomIndexedBlock(base, below(2));
    break;
  case 6:
    other = depth ? randomType(depth - 1) : randomBase();
    type = randomStruct(base, other);
    break;
  case 7:
    MPI_Type_create_resized(base, -below(5), extentOf(base) + 5 + below(9),
                            &type);
    break;
  case 8:
    type = randomArray(base);
    break;
  case 9:
    type = randomDarray(base);
    break;
  default:
    MPI_Type_dup(base, &type);
  }
  return type;
}

/* Committed, some bytes large, and with instances that do not overlap. */
static MPI_Datatype committedType(void) {
  for (;;) {
    hasArrays = 0;
    MPI_Datatype type = randomType(below(3));
    if (isOrderly(type) && sizeOf(type) > 0 && sizeOf(type) < 4000 &&
        extentOf(type) < 16000) {
      MPI_Type_commit(&type);
      return type;
    }
  }
}

#endif
