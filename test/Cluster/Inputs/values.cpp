// values.cpp - Nodes that ranks share and that return values: those of their
// last instance, which other nodes and the graph take.
//
// usage: values N

#include "hpvm.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

/// Returns two numbers, and one that it was given.
static void fill(long *Data, size_t DataBytes, long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Data[I] = Data[I] * 3 + I;
  double Half = 0.5 * static_cast<double>(Data[I]);
  __hpvm__return(3, DataBytes, I / 2 + 1, Half);
}

/// As many instances as the node before says, which is fewer.
static void add(long *Data, size_t DataBytes, long Count, double Half) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Data[I] += static_cast<long>(Half) + Count;
  __hpvm__return(2, Data[I], Half + static_cast<double>(Count));
}

static void root(long *Data, size_t DataBytes, long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  void *Fill = __hpvm__createNodeND(1, fill, N);
  __hpvm__bindIn(Fill, 0, 0, 0);
  __hpvm__bindIn(Fill, 1, 1, 0);
  __hpvm__bindIn(Fill, 2, 2, 0);
  void *Add = __hpvm__createNodeND(1, add, N / 2 + 1);
  __hpvm__bindIn(Add, 0, 0, 0);
  __hpvm__edge(Fill, Add, 1, 0, 1, 0);
  __hpvm__edge(Fill, Add, 1, 1, 2, 0);
  __hpvm__edge(Fill, Add, 1, 2, 3, 0);
  __hpvm__bindOut(Add, 0, 0, 0);
  __hpvm__bindOut(Add, 1, 1, 0);
}

struct __attribute__((packed)) Arguments {
  long *Data;
  size_t DataBytes;
  long N;
  long Last;
  double Sum;
};

int main(int Count, char **Words) {
  const long N = Count > 1 ? std::atol(Words[1]) : 1000;
  std::vector<long> Data(N);
  for (long I = 0; I < N; ++I)
    Data[I] = I * I % 101;
  __hpvm__init();
  llvm_hpvm_track_mem(Data.data(), N * sizeof(long));
  for (int Round = 0; Round < 3; ++Round) {
    Arguments All = {Data.data(), N * sizeof(long), N, 0, 0};
    void *Graph = __hpvm__launch(0, (void *)root, &All);
    __hpvm__wait(Graph);
    std::printf("%ld %.17g\n", All.Last, All.Sum);
  }
  llvm_hpvm_request_mem(Data.data(), N * sizeof(long));
  unsigned long Hash = 0;
  for (long Value : Data)
    Hash = Hash * 31 + static_cast<unsigned long>(Value);
  std::printf("%lx\n", Hash);
  llvm_hpvm_untrack_mem(Data.data());
  __hpvm__cleanup();
}
