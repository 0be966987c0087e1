/*===- handlers.c - One mistake is one call of the error handler ------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Null handles everywhere; and with MPICH, whose handles are numbers, ones   *|
|* that are of nothing.                                                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

static int calls;
static void countForFile(MPI_File *file, int *code, ...) { ++calls; }
static void countForComm(MPI_Comm *comm, int *code, ...) { ++calls; }
static void countForWindow(MPI_Win *window, int *code, ...) { ++calls; }

static void expectOne(const char *name, int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  printf("%s: %d call%s, class %d\n", name, calls, calls == 1 ? "" : "s",
         class);
  calls = 0;
}
#define TRY(call, ...) expectOne(#call, call(__VA_ARGS__))

static MPI_Datatype type;
static int from[1200], to[1200];

static void useFile(MPI_File file) {
  MPI_Status status;
  MPI_Request request;
  TRY(MPI_File_write, file, from, 1, type, &status);
  TRY(MPI_File_read_at, file, 0, to, 1, type, &status);
  TRY(MPI_File_iwrite, file, from, 1, type, &request);
  TRY(MPI_File_read_all_begin, file, to, 1, type);
}

static void useComm(MPI_Comm comm) {
  MPI_Request request;
  TRY(MPI_Bcast, from, 1, type, 0, comm);
  TRY(MPI_Ibcast, from, 1, type, 0, comm, &request);
  TRY(MPI_Gather, from, 1, type, to, 1, type, 0, comm);
#ifndef OPEN_MPI /* crashes by itself */
  TRY(MPI_Allgather, from, 1, type, to, 1, type, comm);
  TRY(MPI_Alltoall, from, 1, type, to, 1, type, comm);
  TRY(MPI_Neighbor_allgather, from, 1, type, to, 1, type, comm);
#endif
  TRY(MPI_Send, from, 1, type, 0, 0, comm);
}

static void useType(MPI_Datatype wrong) {
  MPI_Status status;
  MPI_Win window;
  int position = 0;
  MPI_Win_create(to, sizeof to, 4, MPI_INFO_NULL, MPI_COMM_SELF, &window);
  MPI_Errhandler handler;
  MPI_Win_create_errhandler(countForWindow, &handler);
  MPI_Win_set_errhandler(window, handler);
  MPI_Errhandler_free(&handler);
  MPI_Win_fence(0, window);
  TRY(MPI_Get, from, 1, type, 0, 0, 600, wrong, window);
  TRY(MPI_Put, from, 1, type, 0, 0, 600, wrong, window);
  TRY(MPI_Accumulate, from, 1, type, 0, 0, 600, wrong, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  TRY(MPI_Send, from, 1, wrong, 0, 0, MPI_COMM_SELF);
  TRY(MPI_Recv, to, 1, wrong, 0, 0, MPI_COMM_SELF, &status);
  TRY(MPI_Bcast, from, 1, wrong, 0, MPI_COMM_SELF);
  TRY(MPI_Pack, from, 1, wrong, to, sizeof to, &position, MPI_COMM_SELF);
}

/* Places for results that are null. */
static void useNothing(void) {
  int zero = 0, flag;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(to, 1, type, 0, 5, MPI_COMM_SELF, &request);
  TRY(MPI_Waitany, 1, &request, NULL, &status);
  TRY(MPI_Testany, 1, &request, NULL, &flag, &status);
  TRY(MPI_Waitsome, 1, &request, NULL, &zero, &status);
  MPI_Send(from, 1, type, 0, 5, MPI_COMM_SELF);
  MPI_Wait(&request, &status);
  expectOne("right uses", 0);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Errhandler files, comms;
  MPI_File_create_errhandler(countForFile, &files);
  MPI_File_set_errhandler(MPI_FILE_NULL, files);
  MPI_Comm_create_errhandler(countForComm, &comms);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, comms);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, comms);
  MPI_Type_vector(600, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  for (int i = 0, position = 0; i != 3; ++i, position = 0)
    MPI_Pack(from, 1, type, to, sizeof to, &position, MPI_COMM_SELF);
  expectOne("right uses", 0);
  useFile(MPI_FILE_NULL);
  useComm(MPI_COMM_NULL);
  useType(MPI_DATATYPE_NULL);
  useNothing();
#ifndef OPEN_MPI
  /* The handle of a request. */
  useType((MPI_Datatype)0x98000000);
  useComm((MPI_Comm)0x98000000);
#endif
  MPI_Type_free(&type);
  MPI_Finalize();
  return 0;
}
