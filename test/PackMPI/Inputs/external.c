/*===- external.c - Packing in the portable format ------------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Random types of one and of several basic types, packed and unpacked at     *|
|* positions: bytes, positions and errors must be those of the MPI library.   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

static Arena from, to, packed;

/* `long` and `long double` have other sizes there. */
static MPI_Datatype baseType(void) {
  MPI_Datatype bases[] = {MPI_BYTE,   MPI_CHAR,    MPI_SHORT,
                          MPI_INT,    MPI_FLOAT,   MPI_DOUBLE,
                          MPI_INT8_T, MPI_INT64_T, MPI_UNSIGNED_SHORT,
                          MPI_LONG_LONG};
  return bases[below(10)];
}

/* MPICH crashes with structs and with complex numbers. */
static MPI_Datatype anyType(void) {
#ifdef MPICH
  const int kinds = 4;
#else
  const int kinds = 5;
#endif
  for (;;) {
    MPI_Datatype base = baseType(), type, inner;
    switch (below(kinds)) {
    case 0:
      MPI_Type_vector(1 + below(9), 1 + below(3), 3 + below(4), base, &type);
      break;
    case 1:
      type = randomIndexed(base, below(2));
      break;
    case 2:
      type = randomIndexedBlock(base, below(2));
      break;
    case 4:
      type = randomStruct(base, below(2) ? base : baseType());
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
    MPI_Type_free(&type);
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  from = newArena();
  to = newArena();
  packed = newArena();
  int numTypes = atoi(argv[1]);
  for (int i = 0; i != numTypes; ++i) {
    seed = (uint64_t)i + 1;
    fill(from, (unsigned)i * 8 + 1);
    fill(to, (unsigned)i * 8 + 2);
    fill(packed, (unsigned)i * 8 + 3);
    MPI_Datatype type = anyType();
    int count = 1 + below(9);
    MPI_Aint size = 0, position = below(9), begin = position;
    CHECK(MPI_Pack_external_size("external32", count, type, &size) ==
          MPI_SUCCESS);
    MPI_Aint room = begin + 2 * size + below(5);
    for (int twice = 0; twice != 2; ++twice)
      CHECK(MPI_Pack_external("external32", middle(from), count, type,
                              middle(packed), room, &position) == MPI_SUCCESS);
    logHash("position", (uint64_t)position);
    logArena("packed", packed);
    position = begin + size;
    CHECK(MPI_Unpack_external("external32", middle(packed), room, &position,
                              middle(to), count, type) == MPI_SUCCESS);
    logHash("position", (uint64_t)position);
    logArena("unpacked", to);
    MPI_Type_free(&type);
  }
  printLog();
  MPI_Finalize();
  return 0;
}
