// RUN: %sluice run %s | FileCheck %s
// RUN: %sluice run --reference %s | FileCheck %s
// CHECK: 1 3 2 1

// A leaf with several paths that throw, and a loop between them that all
// instances run alike: each path belongs to the part that leads to it.

#include <cstdio>
#include <hpvm.h>
#include <vector>

void leaf(int *Data, size_t Bytes, int N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  std::vector<int> Copy(Data, Data + N);
  for (int I = 0; I < N; ++I)
    Data[I] = Copy[N - 1 - I];
  std::vector<int> Reversed(Data, Data + N);
  Data[0] = Reversed.at(N - 1);
}

void root(int *Data, size_t Bytes, int N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  void *Node = __hpvm__createNodeND(0, leaf);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
  __hpvm__bindIn(Node, 2, 2, 0);
}

int main() {
  int Data[4] = {1, 2, 3, 4};
  struct __attribute__((packed)) {
    int *Data;
    size_t Bytes;
    int N;
  } Arguments = {Data, sizeof(Data), 4};
  __hpvm__init();
  llvm_hpvm_track_mem(Data, sizeof(Data));
  __hpvm__wait(__hpvm__launch(0, (void *)root, &Arguments));
  llvm_hpvm_request_mem(Data, sizeof(Data));
  std::printf("%d %d %d %d\n", Data[0], Data[1], Data[2], Data[3]);
  llvm_hpvm_untrack_mem(Data);
  __hpvm__cleanup();
}
