/*===- point-to-point.c - Every send and receive, blocking or not ---------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Ranks in pairs send random types to each other; all bytes that arrive, all *|
|* bytes between them, and all statuses are logged.                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

static Arena from, to;
static char *bsendBuffer;

static int peer(void) { return rank ^ 1; }

typedef int Send(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int Isend(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                  MPI_Request *);

/* The receive is posted first, as MPI_Rsend wants. */
static void blockingSends(MPI_Datatype type, int count) {
  Send *sends[] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
  for (int i = 0; i != 4; ++i) {
    MPI_Status status;
    MPI_Request request;
    fill(from, 1 + (unsigned)i);
    fill(to, 99);
    if (rank % 2) {
      MPI_Irecv(middle(to), count, type, peer(), 5 + i, MPI_COMM_WORLD,
                &request);
      MPI_Send(NULL, 0, MPI_INT, peer(), 99, MPI_COMM_WORLD);
      MPI_Wait(&request, &status);
      logStatus("send status", &status, type);
    } else {
      MPI_Recv(NULL, 0, MPI_INT, peer(), 99, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      sends[i](middle(from), count, type, peer(), 5 + i, MPI_COMM_WORLD);
      logHash("send status", 0);
    }
    logArena("send", to);
  }
}

static void nonblockingSends(MPI_Datatype type, int count) {
  Isend *sends[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
  for (int i = 0; i != 4; ++i) {
    MPI_Request requests[2];
    fill(from, 11 + (unsigned)i + 7 * (unsigned)rank);
    fill(to, 98);
    MPI_Irecv(middle(to), count, type, MPI_ANY_SOURCE, MPI_ANY_TAG,
              MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    sends[i](middle(from), count, type, peer(), 3, MPI_COMM_WORLD,
             &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    logArena("isend", to);
  }
}

static void exchanges(MPI_Datatype type, int count) {
  MPI_Status status;
  fill(from, 21 + (unsigned)rank);
  fill(to, 97);
  MPI_Sendrecv(middle(from), count, type, peer(), 1, middle(to), count, type,
               peer(), 1, MPI_COMM_WORLD, &status);
  logArena("sendrecv", to);
  logStatus("sendrecv status", &status, type);
  fill(to, 96 + (unsigned)rank);
  MPI_Sendrecv_replace(middle(to), count, type, peer(), 1, peer(), 1,
                       MPI_COMM_WORLD, &status);
  logArena("sendrecv_replace", to);
  logStatus("sendrecv_replace status", &status, type);

  /* One side derived, the other its packed bytes. */
  int bytes = count * sizeOf(type), position = 0;
  char *packed = malloc((size_t)bytes);
  fill(from, 31);
  fill(to, 95);
  if (rank % 2) {
    MPI_Recv(packed, bytes, MPI_PACKED, peer(), 2, MPI_COMM_WORLD, &status);
    MPI_Unpack(packed, bytes, &position, middle(to), count, type,
               MPI_COMM_WORLD);
    CHECK(position == bytes);
    logStatus("derived to packed status", &status, type);
    MPI_Send(packed, bytes, MPI_PACKED, peer(), 3, MPI_COMM_WORLD);
  } else {
    MPI_Send(middle(from), count, type, peer(), 2, MPI_COMM_WORLD);
    MPI_Recv(middle(to), count, type, peer(), 3, MPI_COMM_WORLD, &status);
    logStatus("derived to packed status", &status, type);
  }
  logArena("derived to packed", to);
  free(packed);
}

/* Fewer instances come than were asked for, and half an instance. */
static void shortMessages(MPI_Datatype type, int count) {
  MPI_Status status;
  MPI_Datatype two;
  MPI_Type_contiguous(2, type, &two);
  MPI_Type_commit(&two);
  for (int sent = 0; sent <= 2 * count; ++sent) {
    fill(from, 41);
    fill(to, 94);
    if (rank % 2) {
      MPI_Recv(middle(to), count, two, peer(), 4, MPI_COMM_WORLD, &status);
      logStatus("short status", &status, two);
      logStatus("short status in bytes", &status, MPI_BYTE);
    } else {
      MPI_Send(middle(from), sent, type, peer(), 4, MPI_COMM_WORLD);
      logHash("short status", 0);
      logHash("short status in bytes", 0);
    }
    logArena("short", to);
  }
  MPI_Type_free(&two);
}

static void probes(MPI_Datatype type, int count) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  for (int i = 0; i != 3; ++i) {
    fill(from, 51);
    fill(to, 93);
    if (rank % 2 == 0) {
      MPI_Send(middle(from), count, type, peer(), 6, MPI_COMM_WORLD);
      logHash("probe status", 0);
      logHash("probed status", 0);
    } else if (i == 0) {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      logStatus("probe status", &status, type);
      MPI_Recv(middle(to), count, type, status.MPI_SOURCE, status.MPI_TAG,
               MPI_COMM_WORLD, &status);
      logStatus("probed status", &status, type);
    } else {
      MPI_Mprobe(peer(), 6, MPI_COMM_WORLD, &message, &status);
      logStatus("probe status", &status, type);
      if (i == 1)
        MPI_Mrecv(middle(to), count, type, &message, &status);
      else {
        MPI_Imrecv(middle(to), count, type, &message, &request);
        MPI_Wait(&request, &status);
      }
      logStatus("probed status", &status, type);
    }
    logArena("probe", to);
  }
}

static void nobody(MPI_Datatype type, int count) {
  MPI_Status status;
  MPI_Request request;
  fill(to, 92);
  MPI_Send(middle(from), count, type, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Recv(middle(to), count, type, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  logStatus("proc null", &status, type);
  MPI_Irecv(middle(to), count, type, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
            &request);
  MPI_Wait(&request, &status);
  logStatus("proc null", &status, type);
  MPI_Irecv(middle(to), count, type, peer(), 1, MPI_COMM_WORLD, &request);
  MPI_Sendrecv(middle(from), count, type, peer(), 1, middle(to), 0, type,
               MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, &status);
  MPI_Send(middle(from), 0, type, peer(), 1, MPI_COMM_WORLD);
  MPI_Recv(middle(to), 0, type, peer(), 1, MPI_COMM_WORLD, &status);
  logStatus("count zero", &status, type);
  logArena("proc null", to);
}

static void packing(MPI_Datatype type, int count) {
  int size, position = 3;
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &size);
  CHECK(size >= count * sizeOf(type));
  char *packed = malloc((size_t)size + 3);
  fill(from, 61);
  fill(to, 91);
  MPI_Pack(middle(from), count, type, packed, size + 3, &position,
           MPI_COMM_WORLD);
  logHash("pack", hashBytes((uint64_t)position, packed + 3,
                            (size_t)(position - 3)));
  position = 3;
  MPI_Unpack(packed, size + 3, &position, middle(to), count, type,
             MPI_COMM_WORLD);
  logArena("unpack", to);
  free(packed);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  from = newArena();
  to = newArena();
  int room = 1 << 20;
  bsendBuffer = malloc((size_t)room);
  MPI_Buffer_attach(bsendBuffer, room);
  int trees = argc > 1 ? atoi(argv[1]) : 40;
  int most = argc > 2 ? atoi(argv[2]) : 4; /* More than 4: not all eager. */
  for (int i = 0; i != trees; ++i) {
    MPI_Datatype type = committedType();
    int count = 1 + below(most);
    blockingSends(type, count);
    nonblockingSends(type, count);
    exchanges(type, count);
    shortMessages(type, count);
    probes(type, count);
    nobody(type, count);
    packing(type, count);
    MPI_Type_free(&type);
  }
  MPI_Buffer_detach(&bsendBuffer, &room);
  printLog();
  MPI_Finalize();
  return 0;
}
