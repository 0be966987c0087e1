/*===- nested.c - Types nested deep, and types that share others ------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

#include <pthread.h>

static int numbers[100], packed[50];

/* Uses the type, whose 50 numbers are every second one. */
static void use(const char *name, MPI_Datatype type) {
  MPI_Type_commit(&type);
  for (int use = 0; use != 20; ++use) {
    int position = 0;
    memset(packed, 0, sizeof packed);
    MPI_Pack(numbers, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF);
    CHECK(position == sizeof packed);
    for (int i = 0; i != 50; ++i)
      CHECK(packed[i] == 2 * i);
  }
  MPI_Type_free(&type);
  printf("%s\n", name);
}

static MPI_Datatype base(void) {
  MPI_Datatype type;
  MPI_Type_vector(50, 1, 2, MPI_INT, &type);
  return type;
}

static MPI_Datatype wrapped(int levels, int kind) {
  MPI_Datatype last = base(), next;
  for (int i = 0; i != levels; ++i, last = next) {
    if (kind == 0)
      MPI_Type_contiguous(1, last, &next);
    else if (kind == 1)
      MPI_Type_dup(last, &next);
    else
      MPI_Type_create_resized(last, 0, 400, &next);
    MPI_Type_free(&last);
  }
  return last;
}

static void *deep(void *levels) {
  for (int kind = 0; kind != 3; ++kind)
    use("wrapped", wrapped(*(int *)levels, kind));
  return NULL;
}

/* Each has the last one twice, one of them without instances. */
static MPI_Datatype sharing(int depth, MPI_Datatype last, int length) {
  MPI_Datatype next;
  for (int i = 0; i != depth; ++i, last = next) {
    int lengths[] = {length, 1};
    MPI_Aint places[] = {0, 0};
    MPI_Datatype types[] = {last, last};
    MPI_Type_create_struct(2, lengths, places, types, &next);
    MPI_Type_free(&last);
  }
  return last;
}

/* The same, but without bytes. */
static MPI_Datatype besideEmpty(int depth) {
  MPI_Datatype empty, type;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  int lengths[] = {1, 1};
  MPI_Aint places[] = {0, 0};
  MPI_Datatype types[] = {sharing(depth, empty, 1), base()};
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_free(&types[0]);
  MPI_Type_free(&types[1]);
  return type;
}

/* Much data in a few bytes of memory, of which little is received. */
static void receiveLittle(int depth) {
  MPI_Datatype last = base(), next;
  int lengths[] = {1, 1, 1};
  MPI_Datatype types[3] = {0, MPI_BYTE, 0};
  for (int i = 0; i != depth; ++i, last = next) {
    MPI_Aint places[] = {0, 4 + 8 * i, 0};
    types[0] = types[2] = last;
    MPI_Type_create_struct(3, lengths, places, types, &next);
    MPI_Type_free(&last);
  }
  MPI_Type_commit(&last);
  for (int i = 0; i != 20; ++i) {
    int one = 7, got[200] = {0};
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(got, 1, last, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, &status);
    CHECK(got[0] == 7);
  }
  MPI_Type_free(&last);
  printf("received little\n");
}

int main(int argc, char **argv) {
  int levels = atoi(argv[1]);
  begin(&argc, &argv);
  for (int i = 0; i != 100; ++i)
    numbers[i] = i;
  /* Threads have smaller stacks. */
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 18);
  int some[] = {100, 128, 129, 1000};
  for (int i = 0; i != 4; ++i) {
    pthread_create(&thread, &attributes, deep, &some[i]);
    pthread_join(thread, NULL);
  }
  deep(&levels);
  use("sharing", sharing(40, base(), 0));
  use("beside what is empty", besideEmpty(40));
  receiveLittle(12);
  MPI_Finalize();
  return 0;
}
