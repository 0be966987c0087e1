/*===- tool.c - A tool between the program and MPI --------------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include <mpi.h>
#include <stdio.h>

int MPI_Finalize(void) {
  printf("the tool saw the end\n");
  return PMPI_Finalize();
}
