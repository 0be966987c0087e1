/*===- looks.c - Two threads look at many requests --------------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* One thread completes an array of receives, all at once, while another asks *|
|* for the status of each of them, which completes none, and a third has      *|
|* messages of its own. The last message is sent when the looks have ended.   *|
|* Arguments: rounds, requests per round, and, if not 200, the elements of     *|
|* each message.                                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

#include <pthread.h>
#include <sched.h>

/* MPICH completes 64 requests of an array before it waits for others. */
enum { LONGEST = 200, MOST = 64, GO = 1 << 14 };
static int N = LONGEST;
static MPI_Datatype types[3];
static const int strides[3] = {2, 3, 5};
static double buffers[MOST][5 * LONGEST];
static MPI_Request requests[MOST], copies[MOST];
static int rounds, number, waits;

static void prepare(int round) {
  for (int k = 0; k != number; ++k)
    for (int i = 0; i != 5 * N; ++i)
      buffers[k][i] = rank ? -1 : round * 1e7 + k * 1e4 + i;
}

static int isRight(int k, int round) {
  int stride = strides[k % 3];
  for (int i = 0; i != 5 * N; ++i) {
    int inside = i % stride == 0 && i < stride * N;
    if (buffers[k][i] != (inside ? round * 1e7 + k * 1e4 + i : -1))
      return 0;
  }
  return 1;
}

static void *complete(void *unused) {
  int flag = 0;
  if (waits)
    MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
  while (!waits && !flag) {
    MPI_Testall(number, requests, &flag, MPI_STATUSES_IGNORE);
    sched_yield();
  }
  return unused;
}

static int isDone;
static void *talk(void *unused) {
  double from[5 * LONGEST], to[5 * LONGEST];
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  for (int round = 0; !__atomic_load_n(&isDone, __ATOMIC_ACQUIRE); ++round) {
    MPI_Request two[2];
    for (int i = 0; i != 5 * N; ++i)
      from[i] = round + i, to[i] = -1;
    /* Plain ones as well: they may get handles that others had. */
    MPI_Datatype type = round % 4 ? types[round % 3] : MPI_DOUBLE;
    int count = round % 4 ? 1 : N, stride = round % 4 ? strides[round % 3] : 1;
    MPI_Irecv(to, count, type, 0, 0, own, &two[0]);
    MPI_Isend(from, count, type, 0, 0, own, &two[1]);
    MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    for (int i = 0; i != 5 * N; ++i)
      CHECK(to[i] == (i % stride == 0 && i < stride * N ? round + i : -1));
    sched_yield();
  }
  MPI_Comm_free(&own);
  return unused;
}

static void look(int round) {
#ifndef OPEN_MPI
  /* Open MPI 4.1 calls requests complete that another thread waits for. */
  for (int left = number - 1; left;) {
    left = 0;
    for (int k = 0; k != number - 1; ++k) {
      int flag = 0;
      MPI_Request_get_status(copies[k], &flag, MPI_STATUS_IGNORE);
      left += !flag;
      CHECK(!flag || isRight(k, round));
    }
    sched_yield();
  }
#endif
  for (int looks = 0; looks != 20; ++looks)
    for (int k = 0; k != number; ++k) {
      int flag = 0;
      MPI_Request_get_status(copies[k], &flag, MPI_STATUS_IGNORE);
    }
}

static void receive(int round, int isPersistent) {
  pthread_t thread;
  for (int k = 0; k != number; ++k)
    if (isPersistent)
      MPI_Recv_init(buffers[k], 1, types[k % 3], 0, k, MPI_COMM_WORLD,
                    &requests[k]);
    else
      MPI_Irecv(buffers[k], 1, types[k % 3], 0, k, MPI_COMM_WORLD,
                &requests[k]);
  if (isPersistent)
    MPI_Startall(number, requests);
  memcpy(copies, requests, sizeof copies);
  pthread_create(&thread, NULL, complete, NULL);
  MPI_Send(&round, 1, MPI_INT, 0, GO, MPI_COMM_WORLD);
  look(round);
  MPI_Send(&round, 1, MPI_INT, 0, GO, MPI_COMM_WORLD);
  pthread_join(thread, NULL);
  for (int k = 0; k != number; ++k) {
    CHECK(isRight(k, round));
    if (isPersistent)
      MPI_Request_free(&requests[k]);
  }
}

static void sendAll(void) {
  int go, first = below(number - 1);
  MPI_Recv(&go, 1, MPI_INT, 1, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i != number - 1; ++i) {
    int k = (first + i) % (number - 1);
    MPI_Send(buffers[k], 1, types[k % 3], 1, k, MPI_COMM_WORLD);
  }
  MPI_Recv(&go, 1, MPI_INT, 1, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int last = number - 1;
  MPI_Send(buffers[last], 1, types[last % 3], 1, last, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  int provided;
  pthread_t talker;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  rounds = atoi(argv[1]), number = atoi(argv[2]);
  if (argc > 3)
    N = atoi(argv[3]);
  CHECK(provided == MPI_THREAD_MULTIPLE && number > 1 && number <= MOST &&
        N > 0 && N <= LONGEST);
  for (int i = 0; i != 3; ++i) {
    MPI_Type_vector(N, 1, strides[i], MPI_DOUBLE, &types[i]);
    MPI_Type_commit(&types[i]);
  }
  pthread_create(&talker, NULL, talk, NULL);
  for (int round = 0; round != rounds; ++round) {
    prepare(round);
    waits = round % 2;
    if (rank == 0)
      sendAll();
    else
      receive(round, round % 3 == 2);
  }
  __atomic_store_n(&isDone, 1, __ATOMIC_RELEASE);
  pthread_join(talker, NULL);
  for (int i = 0; i != 3; ++i)
    MPI_Type_free(&types[i]);
  if (rank == 0)
    printf("nothing was lost\n");
  MPI_Finalize();
  return 0;
}
