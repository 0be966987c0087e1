/*===- requests.c - Completion in every order, and what happens to types --===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Where an interposer that tracks requests goes wrong: tests before          *|
|* completion, handles used again, arrays of which some complete, persistent  *|
|* requests, cancelled and freed ones, types freed while requests are under   *|
|* way. Rank 0 sends, rank 1 receives.                                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

enum { N = 64, MANY = 100 };
static double from[N * 4], to[MANY][N * 4];
static MPI_Datatype column;

static MPI_Datatype newColumn(void) {
  MPI_Datatype type;
  MPI_Type_vector(N, 1, 3, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}
static void clear(void) {
  for (int k = 0; k != MANY; ++k)
    for (int i = 0; i != N * 4; ++i)
      to[k][i] = -1;
}
static void set(double value) {
  for (int i = 0; i != N * 4; ++i)
    from[i] = value + i;
}
/* Whether the message with this value came into buffer `k`, and no gap. */
static int came(int k, double value) {
  for (int i = 0; i != N * 4; ++i) {
    int inside = i % 3 == 0 && i < 3 * N;
    if (to[k][i] != (inside ? value + i : -1))
      return 0;
  }
  return 1;
}
static int untouched(int k) {
  for (int i = 0; i != N * 4; ++i)
    if (to[k][i] != -1)
      return 0;
  return 1;
}
static void sendOne(double value, int tag) {
  set(value);
  MPI_Send(from, 1, column, 1, tag, MPI_COMM_WORLD);
}
static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

/* The original unpacked in every MPI_Test, complete or not. */
static void testUnpacksOnceComplete(void) {
  MPI_Request request;
  int flag = 1;
  clear();
  if (rank == 1) {
    MPI_Irecv(to[0], 1, column, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag && untouched(0) && request != MPI_REQUEST_NULL);
  }
  meet();
  if (rank == 0)
    sendOne(5, 1);
  while (rank == 1 && !(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), flag))
    CHECK(untouched(0));
  CHECK(rank != 1 || (came(0, 5) && request == MPI_REQUEST_NULL));
  if (rank == 1) {
    to[0][0] = 77; /* A later test of the null request must not unpack. */
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(flag && to[0][0] == 77);
  }
}

/* The original kept requests by address: a variable, or handle, used again. */
static void handlesAreUsedAgain(void) {
  for (int i = 0; i != 200; ++i) {
    MPI_Request request, copy;
    clear();
    if (rank == 0) {
      sendOne(i, 2);
      int plain = i;
      MPI_Isend(&plain, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      continue;
    }
    MPI_Irecv(to[0], 1, column, 0, 2, MPI_COMM_WORLD, &request);
    copy = request; /* The handle counts, not the variable's address. */
    request = MPI_REQUEST_NULL;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
    CHECK(came(0, i) && copy == MPI_REQUEST_NULL);
    int plain = -1;
    MPI_Irecv(&plain, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &copy);
    to[0][0] = 42;
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
    CHECK(plain == i && to[0][0] == 42);
  }
}

typedef enum { ANY, SOME, ALL, TEST_ANY, TEST_SOME, TEST_ALL } Way;

static int completeSome(Way way, MPI_Request *requests, int *indices,
                        MPI_Status *statuses) {
  int done = 0, flag = 1;
  switch (way) {
  case ANY:
    MPI_Waitany(MANY, requests, indices, statuses);
    return indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  case SOME:
    MPI_Waitsome(MANY, requests, &done, indices, statuses);
    return done;
  case TEST_ANY:
    MPI_Testany(MANY, requests, indices, &flag, statuses);
    return !flag ? 0 : indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  case TEST_SOME:
    MPI_Testsome(MANY, requests, &done, indices, statuses);
    return done;
  case ALL:
    MPI_Waitall(MANY, requests, statuses);
    break;
  case TEST_ALL:
    MPI_Testall(MANY, requests, &flag, statuses);
  }
  for (int i = 0; flag && i != MANY; ++i)
    indices[i] = i;
  return flag ? MANY : 0;
}

static void arraysComplete(Way way) {
  MPI_Request requests[MANY];
  MPI_Status statuses[MANY];
  int indices[MANY], total = 0, plain[MANY];
  clear();
  for (int k = 0; rank == 1 && k != MANY; ++k) {
    if (k % 5 == 4)
      MPI_Irecv(&plain[k], 1, MPI_INT, 0, 100 + k, MPI_COMM_WORLD,
                &requests[k]);
    else
      MPI_Irecv(to[k], 1, column, 0, 100 + k, MPI_COMM_WORLD, &requests[k]);
  }
  meet();
  for (int i = 0; rank == 0 && i != MANY; ++i) {
    int k = i * 37 % MANY; /* Not in order. */
    if (k % 5 == 4)
      MPI_Send(&k, 1, MPI_INT, 1, 100 + k, MPI_COMM_WORLD);
    else
      sendOne(k, 100 + k);
  }
  while (rank == 1 && total < MANY) {
    int done = completeSome(way, requests, indices, statuses);
    CHECK(done != MPI_UNDEFINED);
    for (int i = 0; i != done; ++i) {
      int k = indices[i], count;
      CHECK(statuses[i].MPI_TAG == 100 + k && statuses[i].MPI_SOURCE == 0);
      MPI_Get_count(&statuses[i], k % 5 == 4 ? MPI_INT : column, &count);
      CHECK(count == 1 && requests[k] == MPI_REQUEST_NULL);
      CHECK(k % 5 == 4 ? plain[k] == k : came(k, k));
      total++;
    }
  }
  if (rank == 1 && way != ALL && way != TEST_ALL)
    CHECK(completeSome(way, requests, indices, statuses) == MPI_UNDEFINED);
  meet();
}

/* The type's handle goes, and comes again as another type. */
static void typesAreFreed(void) {
  MPI_Request request;
  clear();
  for (int i = 0; i != 100; ++i) {
    MPI_Datatype type = newColumn(), other;
    if (rank == 0)
      MPI_Isend((set(i), from), 1, type, 1, 4, MPI_COMM_WORLD, &request);
    else
      MPI_Irecv(to[0], 1, type, 0, 4, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    MPI_Type_vector(N / 2, 2, 2 + i % 3, MPI_DOUBLE, &other);
    MPI_Type_commit(&other);
    double image[N], spread[N * 4];
    int position = 0;
    for (int k = 0; k != N * 4; ++k)
      spread[k] = k;
    MPI_Pack(spread, 1, other, image, (int)sizeof image, &position,
             MPI_COMM_WORLD);
    for (int k = 0; k != N; ++k)
      CHECK(image[k] == k / 2 * (2 + i % 3) + k % 2);
    MPI_Type_free(&other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(rank == 0 || came(0, i));
  }
}

/* A duplicate outlives its original, and a type the handles it was made of. */
static void typesAreCopied(void) {
  MPI_Datatype type = newColumn(), copy, two;
  MPI_Type_dup(type, &copy);
  MPI_Type_create_hvector(2, 1, 8, type, &two);
  MPI_Type_commit(&two);
  MPI_Type_free(&type);
  for (int i = 0; i != 4; ++i) {
    clear();
    set(i);
    if (rank == 0)
      MPI_Send(from, 1, copy, 1, 4, MPI_COMM_WORLD);
    else
      MPI_Recv(to[0], 1, copy, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(rank == 0 || came(0, i));
    if (rank == 0)
      MPI_Send(from, 1, two, 1, 4, MPI_COMM_WORLD);
    else
      MPI_Recv(to[1], 1, two, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(rank == 0 || (to[1][0] == i && to[1][1] == 1 + i && to[1][2] == -1));
  }
  MPI_Type_free(&copy);
  MPI_Type_free(&two);
}

static void persistentRequests(void) {
  MPI_Request requests[3];
  MPI_Status statuses[3];
  int plain = 0;
  if (rank == 0) {
    MPI_Send_init(from, 1, column, 1, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Ssend_init(from, 1, column, 1, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(&plain, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[2]);
  } else {
    MPI_Recv_init(to[0], 1, column, 0, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(to[1], 1, column, 0, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv_init(&plain, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &requests[2]);
  }
  for (int i = 0; i != 20; ++i) {
    clear();
    set(i * 1000);
    if (rank == 0)
      plain = i;
    if (i % 2)
      MPI_Startall(3, requests);
    else
      for (int k = 0; k != 3; ++k)
        MPI_Start(&requests[k]);
    MPI_Waitall(3, requests, i % 3 ? statuses : MPI_STATUSES_IGNORE);
    CHECK(requests[0] != MPI_REQUEST_NULL && plain == i);
    CHECK(rank == 0 || (came(0, i * 1000) && came(1, i * 1000)));
    to[0][0] = 3; /* Inactive: waiting does nothing. */
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CHECK(to[0][0] == 3);
  }
  for (int k = 0; k != 3; ++k)
    MPI_Request_free(&requests[k]);
  CHECK(requests[0] == MPI_REQUEST_NULL);
}

static void statusWithoutCompletion(void) {
  MPI_Request request;
  MPI_Status status;
  int flag = 0, count;
  clear();
  if (rank == 0)
    sendOne(9, 9);
  if (rank == 1) {
    MPI_Irecv(to[0], 1, column, 0, 9, MPI_COMM_WORLD, &request);
    while (!flag)
      MPI_Request_get_status(request, &flag, &status);
    MPI_Get_count(&status, column, &count);
    CHECK(came(0, 9) && count == 1 && request != MPI_REQUEST_NULL);
    to[0][0] = 4; /* It has been delivered. */
    MPI_Wait(&request, &status);
    CHECK(to[0][0] == 4 && request == MPI_REQUEST_NULL);
  }
}

static void cancelledReceives(void) {
  MPI_Request request;
  MPI_Status status;
  int flag;
  clear();
  MPI_Irecv(to[0], 1, column, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag && untouched(0));
  meet();
}

/* A freed send is delivered; a freed receive, too, sooner or later. */
static void freedRequests(void) {
  clear();
  for (int i = 0; i != 50; ++i) {
    MPI_Request request;
    if (rank == 0) {
      set(i);
      MPI_Isend(from, 1, column, 1, 11, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
      CHECK(request == MPI_REQUEST_NULL);
      MPI_Recv(&i, 1, MPI_INT, 1, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(to[0], 1, column, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(came(0, i));
      MPI_Send(&i, 1, MPI_INT, 0, 12, MPI_COMM_WORLD);
    }
  }
  MPI_Request request;
  if (rank == 1) {
    MPI_Irecv(to[1], 1, column, 0, 13, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  } else {
    sendOne(3, 13);
  }
  meet();
  for (int i = 0; rank == 1 && !came(1, 3); ++i) {
    int flag;
    MPI_Iprobe(0, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Irecv(to[2], 1, column, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(i < 1000000);
  }
  meet();
}

static void absoluteAddresses(void) {
  MPI_Aint place;
  MPI_Datatype type;
  clear();
  set(8);
  MPI_Get_address(rank == 0 ? from : to[0], &place);
  MPI_Type_create_hindexed_block(1, 1, &place, column, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i != 3; ++i) {
    if (rank == 0)
      MPI_Send(MPI_BOTTOM, 1, type, 1, 14, MPI_COMM_WORLD);
    else
      MPI_Recv(MPI_BOTTOM, 1, type, 0, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(rank == 0 || came(0, 8));
  }
#ifdef OPEN_MPI /* MPICH refuses to pack from there. */
  double image[N];
  int position = 0;
  MPI_Pack(MPI_BOTTOM, 1, type, image, (int)sizeof image, &position,
           MPI_COMM_WORLD);
  CHECK(image[2] == 8 + 6);
#endif
  MPI_Type_free(&type);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  CHECK(ranks == 2);
  column = newColumn();
  for (int round = 0; round != 3; ++round) {
    testUnpacksOnceComplete();
    handlesAreUsedAgain();
    for (Way way = ANY; way <= TEST_ALL; ++way)
      arraysComplete(way);
    typesAreFreed();
    typesAreCopied();
    persistentRequests();
    statusWithoutCompletion();
    cancelledReceives();
    freedRequests();
    absoluteAddresses();
  }
  MPI_Type_free(&column);
  if (rank == 0)
    printf("requests complete\n");
  MPI_Finalize();
  return 0;
}
