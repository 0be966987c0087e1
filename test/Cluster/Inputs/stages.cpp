// stages.cpp - Streams whose stages are on several ranks: values between them,
// memory that all items share, memory of each item, and stages that fail.
//
// usage: stages values|shared|own|fails|both|two|pinned ITEMS LENGTH

#include "hpvm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/// Takes some time, and gives the same bits wherever it runs.
static double work(double Value, long Length) {
  for (long I = 0; I < Length; ++I)
    Value = Value * 0.999 + 1.0 / (1.0 + Value * Value);
  return Value;
}

//===----------------------------------------------------------------------===//
// Values along edges
//===----------------------------------------------------------------------===//

struct Two {
  double First;
  int Second[3];
};

static void begin(double Value, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  double Made = work(Value, Length);
  __hpvm__return(3, Made, static_cast<int>(Made * 1000), Length);
}

static void middle(double Value, int Count, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  Two Both = {work(Value, Length), {Count, Count + 1, Count * 2}};
  __hpvm__return(3, Both, Value, Length);
}

static void end(Two Both, double Value, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  double Made = work(Both.First + Value, Length);
  __hpvm__return(2, Made, Both.Second[0] + Both.Second[2]);
}

static void valuesRoot(double Value, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *Begin = __hpvm__createNodeND(0, begin);
  void *Middle = __hpvm__createNodeND(0, middle);
  void *End = __hpvm__createNodeND(0, end);
  __hpvm__bindIn(Begin, 0, 0, 1);
  __hpvm__bindIn(Begin, 1, 1, 0);
  for (int I = 0; I < 3; ++I)
    __hpvm__edge(Begin, Middle, 1, I, I, 1);
  for (int I = 0; I < 3; ++I)
    __hpvm__edge(Middle, End, 1, I, I, 1);
  __hpvm__bindOut(End, 0, 0, 1);
  __hpvm__bindOut(End, 1, 1, 1);
}

struct __attribute__((packed)) ValuesArguments {
  double Value;
  long Length;
};

struct __attribute__((packed)) ValuesResult {
  double Made;
  int Count;
};

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Makes numbers for an item, from what the one before left.
static void make(float *Data, size_t DataBytes, int Seed, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Data, 1, Data);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Data[I] = static_cast<float>(work(Data[I] + Seed * 0.01, Length));
  __hpvm__return(2, DataBytes, Seed);
}

/// Smooths them into other memory; reads what that had.
static void smooth(float *Data, size_t DataBytes, float *Other,
                   size_t OtherBytes, long Length, int Seed) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Data, Other, 1, Other);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  long N = static_cast<long>(DataBytes / sizeof(float));
  float Left = Data[I > 0 ? I - 1 : I], Right = Data[I + 1 < N ? I + 1 : I];
  Other[I] = Other[I] * 0.5f +
             static_cast<float>(work(Left + Data[I] + Right, Length)) + Seed;
  __hpvm__return(2, OtherBytes, Seed);
}

/// Adds all up in order.
static void total(float *Other, size_t OtherBytes, float *Data,
                  size_t DataBytes, int Seed) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Other, Data, 0);
  double Sum = Seed;
  for (size_t I = 0; I < OtherBytes / sizeof(float); ++I)
    Sum = Sum * 0.9 + Other[I] - Data[I] * 0.125;
  __hpvm__return(1, Sum);
}

template <bool IsOwn>
static void memoryRoot(float *Data, size_t DataBytes, float *Other,
                       size_t OtherBytes, int Seed, long Length, long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Data, Other, 2, Data, Other);
  void *Make = __hpvm__createNodeND(1, make, N);
  void *Smooth = __hpvm__createNodeND(1, smooth, N);
  void *Total = __hpvm__createNodeND(0, total);
  __hpvm__bindIn(Make, 0, 0, IsOwn);
  __hpvm__bindIn(Make, 1, 1, 0);
  __hpvm__bindIn(Make, 4, 2, 1);
  __hpvm__bindIn(Make, 5, 3, 0);
  __hpvm__bindIn(Smooth, 0, 0, IsOwn);
  __hpvm__edge(Make, Smooth, 1, 0, 1, 1);
  __hpvm__bindIn(Smooth, 2, 2, 0);
  __hpvm__bindIn(Smooth, 3, 3, 0);
  __hpvm__bindIn(Smooth, 5, 4, 0);
  __hpvm__edge(Make, Smooth, 1, 1, 5, 1);
  __hpvm__bindIn(Total, 2, 0, 0);
  __hpvm__edge(Smooth, Total, 1, 0, 1, 1);
  __hpvm__bindIn(Total, 0, 2, IsOwn);
  __hpvm__bindIn(Total, 1, 3, 0);
  __hpvm__edge(Smooth, Total, 1, 1, 4, 1);
  __hpvm__bindOut(Total, 0, 0, 1);
}

struct __attribute__((packed)) MemoryArguments {
  float *Data;
  size_t DataBytes;
  float *Other;
  size_t OtherBytes;
  int Seed;
  long Length, N;
};

//===----------------------------------------------------------------------===//
// Stages that fail, or stay
//===----------------------------------------------------------------------===//

/// As many values as a number says, which is negative for the tenth item.
static void spread(double Value, int Item, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  double Made = work(Value, Length);
  __hpvm__return(2, Made, Item == 9 ? -1l : 3l);
}

static void each(double Value) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  double Made = work(Value, 20000);
  __hpvm__return(1, Made);
}

static void group(double Value, long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  void *Each = __hpvm__createNodeND(1, each, Count);
  __hpvm__bindIn(Each, 0, 0, 1);
  __hpvm__bindOut(Each, 0, 0, 1);
}

static void failsRoot(double Value, int Item, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *Spread = __hpvm__createNodeND(0, spread);
  void *Group = __hpvm__createNodeND(0, group);
  __hpvm__bindIn(Spread, 0, 0, 1);
  __hpvm__bindIn(Spread, 1, 1, 1);
  __hpvm__bindIn(Spread, 2, 2, 0);
  __hpvm__edge(Spread, Group, 1, 0, 0, 1);
  __hpvm__edge(Spread, Group, 1, 1, 1, 1);
  __hpvm__bindOut(Group, 0, 0, 1);
}

struct __attribute__((packed)) FailsArguments {
  double Value;
  int Item;
  long Length;
};

/// Prints, so it stays on rank 0.
static void show(double Value) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  std::printf("%.9g\n", Value);
  __hpvm__return(1, Value);
}

static void pinnedRoot(double Value, int Item, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *Spread = __hpvm__createNodeND(0, spread);
  void *Show = __hpvm__createNodeND(0, show);
  __hpvm__bindIn(Spread, 0, 0, 1);
  __hpvm__bindIn(Spread, 1, 1, 1);
  __hpvm__bindIn(Spread, 2, 2, 0);
  __hpvm__edge(Spread, Show, 1, 0, 0, 1);
  __hpvm__bindOut(Show, 0, 0, 1);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

static void runValues(int Items, long Length) {
  ValuesArguments All = {0, Length};
  void *Graph = __hpvm__launch(1, (void *)valuesRoot, &All);
  int Popped = 0;
  for (int I = 0; I < Items; ++I) {
    All.Value = I * 0.25;
    __hpvm__push(Graph, &All);
    // Some results are taken while others are under way.
    if (I % 7 == 6) {
      auto *Result = static_cast<ValuesResult *>(__hpvm__pop(Graph));
      std::printf("%d %.17g %d\n", Popped++, Result->Made, Result->Count);
    }
  }
  for (; Popped < Items; ++Popped) {
    auto *Result = static_cast<ValuesResult *>(__hpvm__pop(Graph));
    std::printf("%d %.17g %d\n", Popped, Result->Made, Result->Count);
  }
  __hpvm__wait(Graph);
}

template <bool IsOwn> static void runMemory(int Items, long Length) {
  constexpr long N = 50, Buffers = 5;
  std::vector<float> Data(N * Buffers), Other(N);
  for (size_t I = 0; I < Data.size(); ++I)
    Data[I] = static_cast<float>(I % 13);
  llvm_hpvm_track_mem(Data.data(), Data.size() * sizeof(float));
  llvm_hpvm_track_mem(Other.data(), N * sizeof(float));
  for (int Round = 0; Round < 2; ++Round) {
    MemoryArguments All = {Data.data(), N * sizeof(float), Other.data(),
                           N * sizeof(float), 0, Length, N};
    void *Graph =
        __hpvm__launch(1, (void *)memoryRoot<IsOwn>, &All);
    for (int I = 0; I < Items; ++I) {
      All.Seed = I;
      if (IsOwn)
        All.Data = Data.data() + I % Buffers * N;
      __hpvm__push(Graph, &All);
    }
    for (int I = 0; I < Items; ++I)
      std::printf("%.17g\n",
                  *static_cast<double *>(__hpvm__pop(Graph)));
    __hpvm__wait(Graph);
    llvm_hpvm_request_mem(Other.data(), N * sizeof(float));
    Other[3] += 1;
  }
  llvm_hpvm_request_mem(Data.data(), Data.size() * sizeof(float));
  unsigned long Hash = 0;
  for (float Value : Data) {
    unsigned Bits;
    std::memcpy(&Bits, &Value, sizeof Bits);
    Hash = Hash * 31 + Bits;
  }
  for (float Value : Other) {
    unsigned Bits;
    std::memcpy(&Bits, &Value, sizeof Bits);
    Hash = Hash * 31 + Bits;
  }
  std::printf("%lx\n", Hash);
  llvm_hpvm_untrack_mem(Data.data());
  llvm_hpvm_untrack_mem(Other.data());
}

static void runFails(int Items, long Length, bool Fails) {
  FailsArguments All = {0, 0, Length};
  void *Graph = Fails ? __hpvm__launch(1, (void *)failsRoot, &All)
                      : __hpvm__launch(1, (void *)pinnedRoot, &All);
  for (int I = 0; I < Items; ++I) {
    All.Item = I;
    All.Value = I;
    __hpvm__push(Graph, &All);
    std::printf("%.17g\n",
                *static_cast<double *>(__hpvm__pop(Graph)));
  }
  __hpvm__wait(Graph);
}

/// The same item of two streams fails before anybody asks for either error.
static void runBothFail(int Items, long Length) {
  FailsArguments All = {0, 0, Length};
  void *First = __hpvm__launch(1, (void *)failsRoot, &All);
  void *Second = __hpvm__launch(1, (void *)failsRoot, &All);
  for (int I = 0; I < Items; ++I) {
    All.Item = I;
    All.Value = I;
    __hpvm__push(First, &All);
    __hpvm__push(Second, &All);
    if (I < 8) {
      std::printf("%.17g\n", *static_cast<double *>(__hpvm__pop(First)));
      std::printf("%.17g\n", *static_cast<double *>(__hpvm__pop(Second)));
    }
  }
  std::fflush(stdout);
  __hpvm__wait(Second);
  std::printf("no error\n");
}

int main(int Count, char **Words) {
  const char *Case = Count > 1 ? Words[1] : "values";
  const int Items = Count > 2 ? std::atoi(Words[2]) : 40;
  const long Length = Count > 3 ? std::atol(Words[3]) : 20000;
  __hpvm__init();
  if (!std::strcmp(Case, "values")) {
    runValues(Items, Length);
  } else if (!std::strcmp(Case, "shared")) {
    runMemory<false>(Items, Length / 50);
  } else if (!std::strcmp(Case, "both")) {
    runBothFail(Items, Length);
  } else if (!std::strcmp(Case, "own")) {
    runMemory<true>(Items, Length / 50);
  } else if (!std::strcmp(Case, "two")) {
    // One stream after another, and a launch's memory between.
    runValues(Items, Length);
    runMemory<false>(Items, Length / 50);
    runValues(Items, Length);
  } else {
    runFails(Items, Length, !std::strcmp(Case, "fails"));
  }
  std::printf("end\n");
  __hpvm__cleanup();
}
