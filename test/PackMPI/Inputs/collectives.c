/*===- collectives.c - Every collective, blocking or not ------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Each with random types on both sides, one side derived and the other       *|
|* packed, counts and displacements that differ, and in place.                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

static Arena from, to;
static MPI_Comm world, grid, ring;
static MPI_Request request;
static const char *current;

static void prepare(const char *name) {
  static unsigned pattern;
  current = name;
  fill(from, ++pattern * 16 + (unsigned)rank);
  fill(to, pattern * 16 + 8 + (unsigned)rank);
}
static void finish(void) { logArena(current, to); }
static void waitAndFinish(void) {
  MPI_Status status;
  MPI_Wait(&request, &status);
  CHECK(request == MPI_REQUEST_NULL);
  finish();
}

/* Runs a collective blocking and non-blocking: the arguments are the same. */
#define BOTH(name, ...)                                                        \
  do {                                                                         \
    prepare(#name);                                                            \
    CHECK(MPI_##name(__VA_ARGS__) == MPI_SUCCESS);                             \
    finish();                                                                  \
    prepare("I" #name);                                                        \
    CHECK(MPI_I##name(__VA_ARGS__, &request) == MPI_SUCCESS);                  \
    waitAndFinish();                                                           \
  } while (0)

/* The macro writes MPI_IBcast; the standard writes MPI_Ibcast. */
#define MPI_IBcast MPI_Ibcast
#define MPI_IGather MPI_Igather
#define MPI_IGatherv MPI_Igatherv
#define MPI_IScatter MPI_Iscatter
#define MPI_IScatterv MPI_Iscatterv
#define MPI_IAllgather MPI_Iallgather
#define MPI_IAllgatherv MPI_Iallgatherv
#define MPI_IAlltoall MPI_Ialltoall
#define MPI_IAlltoallv MPI_Ialltoallv
#define MPI_IAlltoallw MPI_Ialltoallw
#define MPI_INeighbor_allgather MPI_Ineighbor_allgather
#define MPI_INeighbor_allgatherv MPI_Ineighbor_allgatherv
#define MPI_INeighbor_alltoall MPI_Ineighbor_alltoall
#define MPI_INeighbor_alltoallv MPI_Ineighbor_alltoallv
#define MPI_INeighbor_alltoallw MPI_Ineighbor_alltoallw

enum { MOST = 8 };

static void rooted(MPI_Datatype type, MPI_Datatype image, int count) {
  int root = 1 % ranks, isRoot = rank == root;
  int counts[MOST], places[MOST];
  for (int i = 0; i != ranks; ++i) {
    counts[i] = (count + i) % 3;
    places[i] = 3 * (ranks - 1 - i);
  }
  int mine = counts[rank];
  MPI_Datatype odd = rank % 2 ? image : type;
  BOTH(Bcast, middle(to), count, odd, root, world);
  BOTH(Gather, middle(from), count, odd, middle(to), count, type, root, world);
  BOTH(Gather, isRoot ? MPI_IN_PLACE : middle(from), count, type, middle(to),
       count, type, root, world);
  BOTH(Gatherv, middle(from), mine, odd, middle(to), counts, places, type, root,
       world);
  BOTH(Gatherv, isRoot ? MPI_IN_PLACE : middle(from), mine, type, middle(to),
       counts, places, type, root, world);
  BOTH(Scatter, middle(from), count, type, middle(to), count, odd, root, world);
  BOTH(Scatter, middle(from), count, type, isRoot ? MPI_IN_PLACE : middle(to),
       count, type, root, world);
  BOTH(Scatterv, middle(from), counts, places, type, middle(to), mine, odd,
       root, world);
  BOTH(Scatterv, middle(from), counts, places, type,
       isRoot ? MPI_IN_PLACE : middle(to), mine, odd, root, world);
}

static void everybody(MPI_Datatype type, MPI_Datatype image, int count) {
  int counts[MOST], places[MOST];
  for (int i = 0; i != ranks; ++i) {
    counts[i] = (count + i) % 3;
    places[i] = 3 * (ranks - 1 - i);
  }
  int mine = counts[rank];
  BOTH(Allgather, middle(from), count, image, middle(to), count, type, world);
  BOTH(Allgather, middle(from), count, type, middle(to), count, image, world);
  BOTH(Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, middle(to), count, type,
       world);
  BOTH(Allgatherv, middle(from), mine, type, middle(to), counts, places, type,
       world);
  BOTH(Allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, middle(to), counts,
       places, type, world);
  BOTH(Alltoall, middle(from), count, type, middle(to), count, type, world);
  BOTH(Alltoall, middle(from), count, type, middle(to), count, image, world);
}

static void allToAllOfMany(MPI_Datatype type, MPI_Datatype image, int count) {
  int sends[MOST], receives[MOST], places[MOST], bytes[MOST];
  MPI_Datatype sendTypes[MOST], receiveTypes[MOST];
  for (int i = 0; i != ranks; ++i) {
    sends[i] = (rank + 2 * i + count) % 3;
    receives[i] = (i + 2 * rank + count) % 3;
    places[i] = 3 * i;
    bytes[i] = (int)(3 * i * extentOf(type)) + 16 * i;
    sendTypes[i] = (i + rank) % 2 ? type : image;
    receiveTypes[i] = (i + rank) % 3 ? type : image;
  }
  BOTH(Alltoallv, middle(from), sends, places, type, middle(to), receives,
       places, type, world);
  BOTH(Alltoallw, middle(from), sends, bytes, sendTypes, middle(to), receives,
       bytes, receiveTypes, world);
}

/* Counts are the same between any two ranks. */
static void inPlace(MPI_Datatype type, int count) {
  int counts[MOST], places[MOST], bytes[MOST];
  MPI_Datatype types[MOST];
  for (int i = 0; i != ranks; ++i) {
    counts[i] = (i + rank + count) % 3;
    places[i] = 3 * i;
    bytes[i] = (int)(3 * i * extentOf(type));
    types[i] = type;
  }
  prepare("Alltoall in place");
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, middle(to), count, type,
               world);
  finish();
  prepare("Alltoallv in place");
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, middle(to), counts,
                places, type, world);
  finish();
  prepare("Alltoallw in place");
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, middle(to), counts, bytes,
                types, world);
  finish();
}

static void neighbours(MPI_Comm comm, int degree, MPI_Datatype type,
                       MPI_Datatype image, int count) {
  int counts[MOST], places[MOST];
  MPI_Aint bytes[MOST];
  MPI_Datatype types[MOST];
  for (int i = 0; i != degree; ++i) {
    counts[i] = count;
    places[i] = (count + 1) * i;
    bytes[i] = places[i] * extentOf(type) + 16 * i;
    types[i] = i % 2 ? image : type;
  }
  BOTH(Neighbor_allgather, middle(from), count, type, middle(to), count, type,
       comm);
  BOTH(Neighbor_allgatherv, middle(from), count, image, middle(to), counts,
       places, type, comm);
  BOTH(Neighbor_alltoall, middle(from), count, type, middle(to), count, type,
       comm);
  BOTH(Neighbor_alltoallv, middle(from), counts, places, type, middle(to),
       counts, places, type, comm);
  BOTH(Neighbor_alltoallw, middle(from), counts, bytes, types, middle(to),
       counts, bytes, types, comm);
}

/* The rank before and the rank after, as a general graph. */
static MPI_Comm makeRing(void) {
  int sources[] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
  int targets[] = {(rank + 1) % ranks, (rank + ranks - 1) % ranks};
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(world, 2, sources, MPI_UNWEIGHTED, 2, targets,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  return comm;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  CHECK(ranks <= MOST);
  from = newArena();
  to = newArena();
  world = MPI_COMM_WORLD;
  int periods[] = {0};
  MPI_Cart_create(world, 1, &ranks, periods, 0, &grid);
  ring = makeRing();
  int trees = argc > 1 ? atoi(argv[1]) : 8;
  for (int i = 0; i != trees; ++i) {
    MPI_Datatype type = committedType(), image;
    while (extentOf(type) > 4000) {
      MPI_Type_free(&type);
      type = committedType();
    }
    MPI_Type_contiguous(sizeOf(type), MPI_BYTE, &image);
    MPI_Type_commit(&image);
    int count = 1 + below(3);
    rooted(type, image, count);
    everybody(type, image, count);
    allToAllOfMany(type, image, count);
    inPlace(type, count);
    neighbours(grid, 2, type, image, count);
    neighbours(ring, 2, type, image, count);
    MPI_Type_free(&type);
    MPI_Type_free(&image);
  }
  printLog();
  MPI_Comm_free(&grid);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
