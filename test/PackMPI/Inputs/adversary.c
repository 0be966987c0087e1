/*===- adversary.c - Programs that use MPI in unusual but correct ways -----===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Three and more ranks, any source, many sends that are freed, requests that *|
|* fail and start again, permuted bytes, types of mixed elements beside pairs *|
|* of MPI's own, graphs, intercommunicators, and MPI in destructors.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

enum { N = 8000 };
static double from[3 * N], to[3 * N];
static MPI_Datatype column;

static void clear(void) {
  for (int i = 0; i != 3 * N; ++i)
    to[i] = -1;
}
static void set(double value) {
  for (int i = 0; i != 3 * N; ++i)
    from[i] = value + i;
  clear();
}
/* Whether `count` elements of the column came. */
static int came(double value, int count) {
  for (int i = 0; i != 3 * N; ++i)
    if (to[i] != (i % 3 == 0 && i < 3 * count ? value + i : -1))
      return 0;
  return 1;
}

/* Everyone to everyone; whoever comes first is received first. */
static void anySource(void) {
  MPI_Request requests[8];
  for (int round = 0; round != 4; ++round) {
    set(rank);
    for (int r = 0; r != ranks; ++r)
      MPI_Isend(from, 1, column, r, 1, MPI_COMM_WORLD, &requests[r]);
    for (int r = 0; r != ranks; ++r) {
      MPI_Status status;
      MPI_Message message;
      clear();
      if (round % 2) {
        MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(to, 1, column, &message, &status);
      } else {
        MPI_Recv(to, 1, column, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status);
      }
      CHECK(status.MPI_TAG == 1 && came(status.MPI_SOURCE, N));
    }
    MPI_Waitall(ranks, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Short messages, in long and in partial elements; gaps keep their bytes. */
static void shortMessages(void) {
  static const int counts[] = {1, 7, 500, 2100, 7999};
  for (int i = 0; i != 5; ++i) {
    MPI_Status status;
    MPI_Request request;
    int count, elements, n = counts[i];
    set(5);
    if (rank == 0) {
      double packed[N];
      for (int k = 0; k != n; ++k)
        packed[k] = 5 + 3 * k;
      MPI_Send(packed, n, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
      MPI_Send(packed, n, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Irecv(to, 1, column, 0, 3, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, &status);
      CHECK(came(5, n));
      set(5);
      MPI_Recv(to, 1, column, 0, 2, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, column, &count);
      MPI_Get_elements(&status, column, &elements);
      CHECK(count == MPI_UNDEFINED && elements == n && came(5, n));
    }
  }
}

/* Thousands of requests that the program frees at once. */
static void manyFreed(void) {
  enum { MANY = 1000 };
  MPI_Datatype few;
  MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &few);
  MPI_Type_commit(&few);
  set(2);
  for (int i = 0; rank == 0 && i != MANY; ++i) {
    MPI_Request request;
    MPI_Issend(from, 1, few, 1, 4, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; rank == 1 && i != MANY; ++i) {
    to[0] = to[9] = -1;
    MPI_Recv(to, 1, few, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(to[0] == 2 && to[9] == 11);
  }
  MPI_Type_free(&few);
}

/* A persistent receive fails, once alone and once among others. Then it, and
   the send that met it, work as before. */
static void persistentFailures(void) {
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0)
    MPI_Send_init(from, 1, column, 1, 5, MPI_COMM_WORLD, &request);
  else
    MPI_Recv_init(to, 1, column, 0, 5, MPI_COMM_WORLD, &request);
#ifdef OPEN_MPI /* Its own persistent receives do not recover. */
  enum { STEP = 2 };
#else
  enum { STEP = 1 };
#endif
  for (int i = 0; rank < 2 && i < 6; i += STEP) {
    MPI_Status status;
    int index, code = MPI_SUCCESS;
    set(i);
    if (rank == 0 && i % 2) {
      double *much = calloc(2 * N, sizeof *much);
      MPI_Send(much, 2 * N, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
      free(much);
      continue;
    }
    MPI_Start(&request);
    if (i == 1 || i == 2)
      code = MPI_Waitany(1, &request, &index, &status);
    else if (i == 3)
      code = MPI_Waitall(1, &request, &status);
    else
      code = MPI_Wait(&request, &status);
    CHECK((code != MPI_SUCCESS) == (i % 2));
    CHECK(rank == 0 || i % 2 || came(i, N));
  }
  if (rank < 2)
    MPI_Request_free(&request);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* No gaps and the bounds of plain bytes, but not in order: with a type of
   another shape beside it, as a collective with types of their own takes. */
static void permutedBytes(void) {
  int lengths[] = {1, 1}, places[] = {1, 0}, counts[8], displs[8], in[8 * 2],
      out[8 * 12];
  MPI_Datatype swapped, gaps, sendTypes[8], recvTypes[8];
  MPI_Type_indexed(2, lengths, places, MPI_INT, &swapped);
  MPI_Type_commit(&swapped);
  MPI_Type_vector(2, 1, 3, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  for (int i = 0; i != 4; ++i) {
    for (int r = 0; r != ranks; ++r) {
      counts[r] = 1;
      displs[r] = 8 * r;
      in[2 * r] = 10 * rank;
      in[2 * r + 1] = 10 * rank + 1;
      sendTypes[r] = swapped;
    }
    int at[8];
    for (int r = 0; r != ranks; ++r) {
      at[r] = 48 * r;
      recvTypes[r] = r % 2 ? gaps : swapped;
    }
    memset(out, -1, sizeof out);
    MPI_Alltoallw(in, counts, displs, sendTypes, out, counts, at, recvTypes,
                  MPI_COMM_WORLD);
    for (int r = 0; r != ranks; ++r)
      CHECK(r % 2 ? out[12 * r] == 10 * r + 1 && out[12 * r + 3] == 10 * r &&
                        out[12 * r + 1] == -1
                  : out[12 * r] == 10 * r && out[12 * r + 1] == 10 * r + 1);
  }
  MPI_Type_free(&swapped);
  MPI_Type_free(&gaps);
}

/* MPICH cannot receive bytes as elements of several sizes; the receiver's type
   may be one that is never taken over, so nothing may be sent as bytes. */
static void mixedElements(void) {
  struct {
    double value;
    int index, gap;
  } *pairs = calloc(N, sizeof *pairs);
  MPI_Datatype pair, spread;
  MPI_Type_create_resized(MPI_DOUBLE_INT, 0, 16, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_create_resized(MPI_DOUBLE_INT, 0, 16, &spread);
  MPI_Type_commit(&spread);
  for (int i = 0; i != 8; ++i) {
    int n = i % 2 ? 900 : 5000;
    for (int k = 0; k != N; ++k) {
      pairs[k].value = rank == 0 ? k : -1;
      pairs[k].index = rank == 0 ? k + i : -1;
    }
    if (rank == 0)
      MPI_Send(pairs, n, i % 4 < 2 ? pair : spread, 1, 6, MPI_COMM_WORLD);
    if (rank == 1)
      MPI_Recv(pairs, n, i < 4 ? MPI_DOUBLE_INT : spread, 0, 6, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    MPI_Bcast(pairs, n, rank % 2 ? MPI_DOUBLE_INT : pair, 0, MPI_COMM_WORLD);
    for (int k = 0; k != n; ++k)
      CHECK(pairs[k].value == k && pairs[k].index == k + i);
  }
  MPI_Type_free(&pair);
  MPI_Type_free(&spread);
  free(pairs);
}

/* A graph of a ring, in both directions. */
static void graphs(void) {
  int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  int in[] = {last, next}, out[] = {next, last};
  double sent[18], got[18];
  MPI_Datatype few;
  MPI_Comm comm;
  MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &few);
  MPI_Type_commit(&few);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, in, MPI_UNWEIGHTED, 2, out,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  for (int i = 0; i != 4; ++i) {
    int counts[] = {1, 1}, displs[] = {0, 1};
    MPI_Request request;
    for (int k = 0; k != 18; ++k) {
      sent[k] = 100 * rank + k;
      got[k] = -1;
    }
    if (i % 2)
      MPI_Neighbor_alltoallv(sent, counts, displs, few, got, counts, displs,
                             few, comm);
    else {
      MPI_Ineighbor_alltoall(sent, 1, few, got, 1, few, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int k = 0; k != 18; ++k) {
      int from = k < 9 ? last : next, inside = k % 9 % 4 == 0;
      CHECK(got[k] == (inside ? 100 * from + k : -1));
    }
  }
  MPI_Comm_free(&comm);
  MPI_Type_free(&few);
}

/* Between the even and the odd ranks. */
static void intercommunicators(void) {
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &inter);
  int first;
  MPI_Comm_rank(inter, &first);
  for (int i = 0; i != 3; ++i) {
    set(i);
    if (rank == 0)
      MPI_Send(from, 1, column, 0, 1, inter);
    if (rank == 1) {
      MPI_Recv(to, 1, column, 0, 1, inter, MPI_STATUS_IGNORE);
      CHECK(came(i, N));
    }
    set(i);
    int root = rank % 2 ? 0 : first == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(rank % 2 ? to : from, 1, column, root, inter);
    CHECK(rank % 2 == 0 || came(i, N));
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* Operations that are complete at once have a handle in common. */
static void sharedHandles(void) {
  MPI_Datatype few;
  MPI_Request all, one;
  MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &few);
  MPI_Type_commit(&few);
  for (int i = 0; i != 3; ++i) {
    set(i);
    MPI_Iallgather(from, 1, few, to, 1, few, MPI_COMM_SELF, &all);
    MPI_Isend(from, 1, few, rank, 1, MPI_COMM_WORLD, &one);
    MPI_Wait(&all, MPI_STATUS_IGNORE);
    CHECK(came(i, 4));
    set(i);
    MPI_Recv(to, 1, few, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    CHECK(came(i, 4));
  }
  MPI_Type_free(&few);
}

static void end(void) {
  MPI_Datatype later;
  MPI_Type_vector(N, 1, 3, MPI_DOUBLE, &later);
  MPI_Type_commit(&later);
  for (int i = 0; i != 6; ++i) {
    set(i);
    MPI_Datatype type = i < 3 ? column : later;
    MPI_Sendrecv(from, 1, type, rank, 1, to, 1, type, rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(came(i, N));
    if (i == 2)
      MPI_Type_free(&column);
  }
  MPI_Type_free(&later);
  if (rank == 0)
    printf("adversary complete\n");
  MPI_Finalize();
}

/* As C++ programs do whose static objects end MPI. */
__attribute__((destructor)) static void atExit(void) { end(); }

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Type_vector(N, 1, 3, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  anySource();
  shortMessages();
  manyFreed();
  persistentFailures();
  permutedBytes();
  mixedElements();
  graphs();
  intercommunicators();
  sharedHandles();
  return 0;
}
