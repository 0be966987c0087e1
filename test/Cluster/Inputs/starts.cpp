// starts.cpp - Beginnings and ends of programs whose graphs run on ranks.
//
// usage: starts CASE [PROGRAM]

#include "hpvm.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

struct __attribute__((packed)) Arguments {
  long *Data;
  size_t DataBytes;
  long N;
};

static void fill(long *Data, size_t DataBytes, long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Data[I] = Data[I] * 3 + I;
}

static void fillRoot(long *Data, size_t DataBytes, long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  void *Node = __hpvm__createNodeND(1, fill, N);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
  __hpvm__bindIn(Node, 2, 2, 0);
}

int main(int argc, char **argv) {
  const std::string Case = argc > 1 ? argv[1] : "";
  const char *Who = "main";
  if (Case == "fork" || Case == "both") {
    // A child has no ranks; its parent has.
    const pid_t Child = fork();
    if (Child == 0) {
      Who = "child";
    } else {
      int Status = 0;
      waitpid(Child, &Status, 0);
      std::printf("child ended with %d\n", Status);
      if (Case == "fork")
        return 0;
    }
  }
  const long N = Case == "inflight" ? 200003 : 1003;
  auto &Data = *new std::vector<long>(N, 5);
  Arguments Args = {Data.data(), N * sizeof(long), N};
  __hpvm__init();
  llvm_hpvm_track_mem(Data.data(), Args.DataBytes);
  std::vector<void *> Graphs;
  for (int I = 0; I != 30; ++I)
    Graphs.push_back(__hpvm__launch(0, (void *)fillRoot, &Args));
  if (Case == "inflight") {
    usleep(2000);
    std::printf("main ends\n");
    return 0;
  }
  for (void *Graph : Graphs)
    __hpvm__wait(Graph);
  if (Case == "starts") {
    std::fflush(stdout);
    std::printf("status %d\n", std::system(argv[2]));
  }
  llvm_hpvm_request_mem(Data.data(), Args.DataBytes);
  llvm_hpvm_untrack_mem(Data.data());
  __hpvm__cleanup();
  unsigned long Hash = 0;
  for (long I = 0; I != N; ++I)
    Hash = Hash * 1000003 + Data[I];
  std::printf("%s %lx\n", Who, Hash);
}
