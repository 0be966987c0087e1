/*===- errors.c - Wrong uses meet the MPI library's own errors ------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* The class of each error is logged and must be the same whether the program *|
|* is interposed or not; nothing may be unpacked after an error.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

static double from[300], to[300];
static char packed[400];

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Datatype type, uncommitted;
  MPI_Type_vector(40, 1, 3, MPI_DOUBLE, &type);
  MPI_Type_vector(40, 1, 4, MPI_DOUBLE, &uncommitted);
  MPI_Type_commit(&type);
  MPI_Request request;
  int position = 0, peer = rank ^ 1;
  for (int i = 0; i != 3; ++i) { /* The first uses only read the layout. */
    position = 0;
    logCode("pack", MPI_Pack(from, 1, type, packed, 400, &position,
                             MPI_COMM_WORLD));
  }
#ifdef OPEN_MPI /* MPICH writes behind the buffer, or reads there. */
  position = 100;
  logCode("pack without room", MPI_Pack(from, 1, type, packed, 400, &position,
                                        MPI_COMM_WORLD));
  logHash("position", (uint64_t)position);
  position = 200;
  logCode("unpack short", MPI_Unpack(packed, 400, &position, to, 1, type,
                                     MPI_COMM_WORLD));
#endif
  logCode("pack count", MPI_Pack(from, -1, type, packed, 400, &position,
                                 MPI_COMM_WORLD));
  logCode("pack comm",
          MPI_Pack(from, 1, type, packed, 400, &position, MPI_COMM_NULL));
  logCode("send count", MPI_Send(from, -1, type, peer, 1, MPI_COMM_WORLD));
  logCode("send rank", MPI_Send(from, 1, type, ranks, 1, MPI_COMM_WORLD));
  logCode("send tag", MPI_Send(from, 1, type, peer, -7, MPI_COMM_WORLD));
  logCode("send type", MPI_Send(from, 1, uncommitted, peer, 1, MPI_COMM_WORLD));
  logCode("send null type",
          MPI_Send(from, 1, MPI_DATATYPE_NULL, peer, 1, MPI_COMM_WORLD));
  logCode("isend rank",
          MPI_Isend(from, 1, type, ranks, 1, MPI_COMM_WORLD, &request));
  logCode("recv rank", MPI_Recv(to, 1, type, ranks, 1, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE));
  logCode("recv count", MPI_Recv(to, -1, type, peer, 1, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE));
  logCode("irecv tag",
          MPI_Irecv(to, 1, type, peer, -7, MPI_COMM_WORLD, &request));
  logCode("bcast root", MPI_Bcast(to, 1, type, ranks, MPI_COMM_WORLD));
  MPI_Datatype none = MPI_DATATYPE_NULL;
  logCode("free null", MPI_Type_free(&none));
  logCode("commit null", MPI_Type_commit(&none));
  MPI_Datatype predefined = MPI_INT;
  logCode("free predefined", MPI_Type_free(&predefined));
  logCode("commit predefined", MPI_Type_commit(&predefined));

  /* Messages that are too long: received, waited for, among others. */
  for (int i = 0; i != 120; ++i)
    to[i] = -1;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int flag = 0;
  if (rank == 0)
    for (int tag = 0; tag != 5; ++tag)
      MPI_Send(from, tag == 4 ? 1 : 2, type, 1, tag, MPI_COMM_WORLD);
  if (rank == 1) {
    logCode("truncated",
            MPI_Recv(to, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MPI_Irecv(to, 1, type, 0, 1, MPI_COMM_WORLD, &request);
    logCode("truncated later", MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Irecv(to, 1, type, 0, 2, MPI_COMM_WORLD, &request);
    int code = MPI_SUCCESS;
    while (code == MPI_SUCCESS && !flag)
      code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    logCode("truncated test", code);
    MPI_Irecv(to, 1, type, 0, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(to + 130, 1, type, 0, 4, MPI_COMM_WORLD, &requests[1]);
    logCode("truncated among others", MPI_Waitall(2, requests, statuses));
    logCode("truncated among others", statuses[0].MPI_ERROR);
  } else {
    for (int i = 0; i != 5; ++i)
      logCode("truncated", MPI_SUCCESS);
  }
  printLog();
  MPI_Type_free(&type);
  MPI_Type_free(&uncommitted);
  MPI_Finalize();
  return 0;
}
