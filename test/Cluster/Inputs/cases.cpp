// cases.cpp - What graphs may meet on several ranks.
//
// usage: cases CASE

#include "hpvm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

static long Scale = 1;   // main changes it
static long Counter = 0; // leaves change it

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

/// Reads a variable that main changes.
static void scale(long *Data, size_t DataBytes, long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Data[I] *= Scale;
}

/// Counts in a variable; one instance.
static void count(long *Data, size_t DataBytes, long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  Counter += Data[N - 1] & 7;
  Data[0] = Counter;
}

static void fail(long *Data, size_t DataBytes, long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  if (I == N - 1)
    throw std::runtime_error("the last one");
  Data[I] += 1;
}

static void leave(long *Data, size_t DataBytes, long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  if (I == N - 1)
    std::exit(7);
  Data[I] += 1;
}

#define BIND(NODE)                                                             \
  __hpvm__bindIn(NODE, 0, 0, 0);                                               \
  __hpvm__bindIn(NODE, 1, 1, 0);                                               \
  __hpvm__bindIn(NODE, 2, 2, 0)
#define ROOT(NAME, LEAF)                                                       \
  static void NAME(long *Data, size_t DataBytes, long N) {                     \
    __hpvm__hint(hpvm::CPU_TARGET);                                            \
    __hpvm__attributes(1, Data, 1, Data);                                      \
    void *Node = __hpvm__createNodeND(1, LEAF, N);                             \
    BIND(Node);                                                                \
  }

#define RUN(ROOT, ARGUMENTS)                                                   \
  __hpvm__wait(__hpvm__launch(0, (void *)ROOT, &ARGUMENTS))

ROOT(fillRoot, fill)
ROOT(scaleRoot, scale)
ROOT(failRoot, fail)
ROOT(leaveRoot, leave)
static void countRoot(long *Data, size_t DataBytes, long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  void *Node = __hpvm__createNodeND(0, count);
  BIND(Node);
}

static unsigned long hashOf(const long *Data, long N) {
  unsigned long Hash = 0;
  for (long I = 0; I != N; ++I)
    Hash = Hash * 1000003 + Data[I];
  return Hash;
}

struct Noisy {
  ~Noisy() { std::printf("main ended\n"); }
};

int main(int argc, char **argv) {
  static Noisy Ends;
  std::string Case = argc > 1 ? argv[1] : "";
  const long N = 1003;
  std::vector<long> Data(N, 5);
  Arguments Args = {Data.data(), N * sizeof(long), N};
  __hpvm__init();
  if (Case != "untracked")
    llvm_hpvm_track_mem(Data.data(), Args.DataBytes);
  RUN(fillRoot, Args);
  RUN(fillRoot, Args);
  if (Case == "globals") {
    Scale = 3;
    RUN(scaleRoot, Args);
    RUN(countRoot, Args);
    RUN(fillRoot, Args);
    RUN(countRoot, Args);
    std::printf("counted %ld\n", Counter);
  } else if (Case == "request") {
    // The host changes what it has asked for, and other copies are old.
    llvm_hpvm_request_mem(&Data[N / 2], 100 * sizeof(long));
    for (long I = 0; I != 100; ++I)
      Data[N / 2 + I] = -I;
    RUN(fillRoot, Args);
  } else if (Case == "several") {
    std::vector<long> Other(N, 9);
    llvm_hpvm_track_mem(Other.data(), Args.DataBytes);
    Arguments OtherArgs = {Other.data(), Args.DataBytes, N};
    void *Graphs[20];
    for (int I = 0; I != 20; ++I)
      Graphs[I] =
          I % 5 == 4
              ? __hpvm__launch(0, (void *)countRoot, &Args)
              : __hpvm__launch(0, (void *)fillRoot, I % 2 ? &Args : &OtherArgs);
    for (int I = 20; I-- != 0;)
      __hpvm__wait(Graphs[I]);
    llvm_hpvm_untrack_mem(Other.data());
    std::printf("other %lx\n", hashOf(Other.data(), N));
  } else if (Case == "part") {
    // A graph gets a part of what is tracked.
    Arguments Part = {&Data[100], 300 * sizeof(long), 300};
    RUN(fillRoot, Part);
    RUN(fillRoot, Part);
  } else if (Case == "empty") {
    Arguments None = {Data.data(), 0, 0};
    RUN(fillRoot, None);
    Arguments Null = {nullptr, 0, 0};
    RUN(fillRoot, Null);
    Arguments One = {Data.data(), Args.DataBytes, 1};
    RUN(fillRoot, One);
  } else if (Case == "negative") {
    Args.N = -1;
    RUN(fillRoot, Args);
  } else if (Case == "fails") {
    RUN(failRoot, Args);
  } else if (Case == "leaves") {
    RUN(leaveRoot, Args);
  } else if (Case == "exit") {
    std::printf("exit from main\n");
    std::exit(5);
  } else if (Case == "again") {
    // The memory of an object that was untracked is used for another.
    llvm_hpvm_untrack_mem(Data.data());
    for (long &Value : Data)
      Value %= 1000;
    llvm_hpvm_track_mem(Data.data(), Args.DataBytes);
    RUN(fillRoot, Args);
  }
  if (Case != "untracked") {
    llvm_hpvm_request_mem(Data.data(), Args.DataBytes);
    llvm_hpvm_untrack_mem(Data.data());
  }
  __hpvm__cleanup();
  std::printf("%s: %lx\n", Case.c_str(), hashOf(Data.data(), N));
  return Case == "status" ? 3 : 0;
}
