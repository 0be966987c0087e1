// reach.cpp - Nodes of rank 0 that reach memory besides their arguments.
//
// usage: reach CASE

#include "hpvm.h"

#include <cstdio>
#include <string>
#include <vector>

constexpr long N = 1003;

static long *Pointer;   // to tracked memory
static long Array[N];   // tracked itself
static long (*volatile Function)(long); // reads tracked memory

struct __attribute__((packed)) Arguments {
  long *Data;
  size_t DataBytes;
  long Count;
};
struct __attribute__((packed)) TableArguments {
  long **Table;
  size_t TableBytes;
  long *Out;
  size_t OutBytes;
  long Count;
};
struct __attribute__((packed)) CountArguments {
  long Count;
};

static void fill(long *Data, size_t DataBytes, long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Data[I] = Data[I] * 3 + I;
}

/// Reads, and writes, what it finds in a table.
static void gather(long **Table, size_t TableBytes, long *Out, size_t OutBytes,
                   long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Table, Out, 1, Out);
  for (long I = 0; I < Count; ++I) {
    Out[I] = Table[0][I] + 1;
    Table[0][I] ^= 5;
  }
  __hpvm__return(1, Count);
}

static void byVariable(long *Data, size_t DataBytes, long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  for (long I = 0; I < Count; ++I) {
    Data[I] = Pointer[I] + 1;
    Pointer[I] -= I;
  }
}

static void byArray(long *Data, size_t DataBytes, long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  for (long I = 0; I < Count; ++I)
    Data[I] = Array[I] + 1;
}

static void byFunction(long *Data, size_t DataBytes, long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  for (long I = 0; I < Count; ++I)
    Data[I] = Function(I) + 1;
}

/// Has no pointer at all.
static void alone(long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  for (long I = 0; I < Count; ++I)
    Pointer[I] = Pointer[I] * 7 + 1;
}

#define BIND(NODE)                                                             \
  __hpvm__bindIn(NODE, 0, 0, 0);                                               \
  __hpvm__bindIn(NODE, 1, 1, 0);                                               \
  __hpvm__bindIn(NODE, 2, 2, 0)
#define ROOT(NAME, LEAF)                                                       \
  static void NAME(long *Data, size_t DataBytes, long Count) {                 \
    __hpvm__hint(hpvm::CPU_TARGET);                                            \
    __hpvm__attributes(1, Data, 1, Data);                                      \
    void *Node = __hpvm__createNodeND(0, LEAF);                                \
    BIND(Node);                                                                \
  }
ROOT(variableRoot, byVariable)
ROOT(arrayRoot, byArray)
ROOT(functionRoot, byFunction)

static void fillRoot(long *Data, size_t DataBytes, long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  void *Node = __hpvm__createNodeND(1, fill, Count);
  BIND(Node);
}

static void gatherRoot(long **Table, size_t TableBytes, long *Out,
                       size_t OutBytes, long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Table, Out, 1, Out);
  void *Node = __hpvm__createNodeND(0, gather);
  BIND(Node);
  __hpvm__bindIn(Node, 3, 3, 0);
  __hpvm__bindIn(Node, 4, 4, 0);
}

/// The same in a launch that ranks share.
static void sharedGatherRoot(long **Table, size_t TableBytes, long *Out,
                             size_t OutBytes, long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Table, Out, 1, Out);
  void *Node = __hpvm__createNodeND(0, gather);
  BIND(Node);
  __hpvm__bindIn(Node, 3, 3, 0);
  __hpvm__bindIn(Node, 4, 4, 0);
  void *Last = __hpvm__createNodeND(1, fill, Count);
  __hpvm__bindIn(Last, 2, 0, 0);
  __hpvm__bindIn(Last, 3, 1, 0);
  __hpvm__edge(Node, Last, 1, 0, 2, 0);
}

static void aloneRoot(long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *Node = __hpvm__createNodeND(0, alone);
  __hpvm__bindIn(Node, 0, 0, 0);
}

#define RUN(ROOT, ARGUMENTS)                                                   \
  __hpvm__wait(__hpvm__launch(0, (void *)ROOT, &ARGUMENTS))

static unsigned long hashOf(const long *Data) {
  unsigned long Hash = 0;
  for (long I = 0; I != N; ++I)
    Hash = Hash * 1000003 + Data[I];
  return Hash;
}

static long readArray(long I) { return Array[I]; }

int main(int argc, char **argv) {
  const std::string Case = argc > 1 ? argv[1] : "";
  const size_t Bytes = N * sizeof(long);
  std::vector<long> Data(N, 5), Out(N, 0);
  long *Table[1] = {Data.data()};
  Pointer = Data.data();
  Function = readArray;
  Arguments OfData = {Data.data(), Bytes, N}, OfOut = {Out.data(), Bytes, N},
            OfArray = {Array, Bytes, N};
  TableArguments OfTable = {Table, sizeof Table, Out.data(), Bytes, N};
  CountArguments OfCount = {N};
  __hpvm__init();
  llvm_hpvm_track_mem(Data.data(), Bytes);
  llvm_hpvm_track_mem(Out.data(), Bytes);
  llvm_hpvm_track_mem(Array, Bytes);
  llvm_hpvm_track_mem(Table, sizeof Table);
  for (int I = 0; I != 3; ++I) {
    RUN(fillRoot, OfData);
    RUN(fillRoot, OfArray);
    if (Case == "table")
      RUN(gatherRoot, OfTable);
    else if (Case == "shared")
      RUN(sharedGatherRoot, OfTable);
    else if (Case == "variable")
      RUN(variableRoot, OfOut);
    else if (Case == "array")
      RUN(arrayRoot, OfOut);
    else if (Case == "function")
      RUN(functionRoot, OfOut);
    else if (Case == "alone")
      RUN(aloneRoot, OfCount);
    // Ranks have to take what the node wrote.
    RUN(fillRoot, OfData);
    RUN(fillRoot, OfOut);
  }
  for (long *Memory : {Data.data(), Out.data(), Array})
    llvm_hpvm_request_mem(Memory, Bytes);
  std::printf("%s: %lx %lx %lx\n", Case.c_str(), hashOf(Data.data()),
              hashOf(Out.data()), hashOf(Array));
  for (void *Memory :
       {(void *)Data.data(), (void *)Out.data(), (void *)Array, (void *)Table})
    llvm_hpvm_untrack_mem(Memory);
  __hpvm__cleanup();
}
