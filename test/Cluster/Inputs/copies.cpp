// copies.cpp - A Hetero-C++ program that copies memory which ranks have.

#include <hetero.h>

#include <cstdio>
#include <cstdlib>

constexpr long N = 1003;
constexpr size_t Bytes = N * sizeof(long);

static void fill(long *Data, size_t DataBytes, long Count) {
  void *Section = __hetero_section_begin();
  for (long I = 0; I < Count; ++I) {
    __hetero_parallel_loop(1, 2, Data, DataBytes, Count, 1, Data, DataBytes,
                           "fill");
    Data[I] = Data[I] * 3 + I;
  }
  __hetero_section_end(Section);
}

static void *launch(long *Data) {
  return __hetero_launch((void *)fill, 2, Data, Bytes, N, 1, Data, Bytes);
}

static void run(long *Data) { __hetero_wait(launch(Data)); }

static void show(const char *Name, long *Data) {
  __hetero_request_mem(Data, Bytes);
  unsigned long Hash = 0;
  for (long I = 0; I != N; ++I)
    Hash = Hash * 1000003 + Data[I];
  std::printf("%s %lx\n", Name, Hash);
}

int main() {
  long *A = (long *)__hetero_malloc(Bytes), *B = (long *)__hetero_malloc(Bytes);
  long *Plain = (long *)std::malloc(Bytes);
  for (long I = 0; I != N; ++I)
    A[I] = 5, B[I] = Plain[I] = 0;
  for (int I = 0; I != 3; ++I)
    run(A);
  // Others have the source, and then copies of the target that are old.
  run(B);
  __hetero_copy_mem(B, A, Bytes);
  run(B);
  show("B", B);
  run(A);
  run(B);
  // From and to memory that is not tracked, and parts.
  __hetero_copy_mem(Plain, A, Bytes);
  for (long I = 0; I != N; ++I)
    Plain[I] %= 1000;
  __hetero_copy_mem(B + 100, Plain + 300, 500 * sizeof(long));
  __hetero_copy_mem(A, B, 0);
  run(A);
  run(B);
  show("A", A);
  show("B", B);
  // A copy waits for a launch that writes what it reads.
  void *Graph = launch(A);
  __hetero_copy_mem(B, A, Bytes);
  __hetero_wait(Graph);
  run(B);
  show("B", B);
  std::free(Plain);
  __hetero_free(A);
  __hetero_free(B);
}
