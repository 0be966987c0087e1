// Structures with thousands of numbers as inputs and outputs of nodes: compiled
// as copies of memory, in time that does not depend on their size, with what
// plain C++ computes.

// RUN: %sluice build %s -DLENGTH=40 -o %t.small
// RUN: %t.small | FileCheck %s
// RUN: %sluice build %s -DLENGTH=300 -o %t.middle
// RUN: %t.middle | FileCheck %s
// RUN: %sluice build %s -o %t
// RUN: %t | FileCheck %s
// RUN: env SLUICE_WORKERS=3 %t | FileCheck %s
// RUN: env SLUICE_EXECUTOR=sequential %t | FileCheck %s
// RUN: %sluice build %s --no-transforms -o %t.plain
// RUN: %t.plain | FileCheck %s
// RUN: %sluice build %s --reference -o %t.reference
// RUN: %t.reference | FileCheck %s
// RUN: %sluice build %s -O0 -g -o %t.debug
// RUN: %t.debug | FileCheck %s
// RUN: %sluice build %s --check -o %t.check
// RUN: env SLUICE_CHECK=1 %t.check | FileCheck %s
// CHECK: leaf: ok
// CHECK-NEXT: known places: ok
// CHECK-NEXT: edges: ok
// CHECK-NEXT: replicated: ok
// CHECK-NEXT: instances: ok
// CHECK-NEXT: inner: ok
// CHECK-NEXT: chosen: ok
// CHECK-NEXT: stream: ok

// No more code for more numbers.
// RUN: %sluice build %s -DLENGTH=300 --print=llvm > %t.few.ll
// RUN: %sluice build %s -DLENGTH=20000 --print=llvm > %t.many.ll
// RUN: %sluice build %s -DLENGTH=300 -O0 --print=llvm > %t.few.0.ll
// RUN: %sluice build %s -DLENGTH=20000 -O0 --print=llvm > %t.many.0.ll
// RUN: wc -l < %t.few.ll > %t.count
// RUN: wc -l < %t.many.ll >> %t.count
// RUN: wc -l < %t.few.0.ll >> %t.count
// RUN: wc -l < %t.many.0.ll >> %t.count
// RUN: awk '{ n[NR] = $1 } END { exit !(n[2] < 1.1 * n[1] && n[4] < 1.1 * n[3]) }' %t.count

#include "hpvm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef LENGTH
#define LENGTH 8192
#endif

struct Big {
  double Values[LENGTH];
};

/// With padding, and parts that are structures.
struct Mixed {
  char Tag;
  int Count;
  struct {
    short Key;
    double Weight;
  } Pairs[LENGTH / 4];
  float Parts[LENGTH];
  char End;
};

//===----------------------------------------------------------------------===//
// What leaves compute
//===----------------------------------------------------------------------===//

static double sumOf(const Big &Value) {
  double Sum = 0;
  for (double Each : Value.Values)
    Sum = Sum * 0.99 + Each;
  return Sum;
}

static void scale(Big &Value, double Factor) {
  for (long I = 0; I < LENGTH; ++I)
    Value.Values[I] = Value.Values[LENGTH - 1 - I] * Factor + I;
}

static void mix(Mixed &Some, const Big &Value) {
  ++Some.Tag;
  Some.Count += 3;
  for (int I = 0; I < LENGTH / 4; ++I) {
    Some.Pairs[I].Key = static_cast<short>(Some.Pairs[I].Key + I);
    Some.Pairs[I].Weight += Value.Values[(I * 5) % LENGTH];
  }
  for (int I = 0; I < LENGTH; ++I)
    Some.Parts[I] = Some.Parts[I] * 0.5f + static_cast<float>(Value.Values[I]);
  Some.End = Some.Tag;
}

static bool isSame(const Mixed &A, const Mixed &B) {
  bool Same = A.Tag == B.Tag && A.Count == B.Count && A.End == B.End &&
              !std::memcmp(A.Parts, B.Parts, sizeof A.Parts);
  for (int I = 0; I < LENGTH / 4; ++I)
    Same = Same && A.Pairs[I].Key == B.Pairs[I].Key &&
           A.Pairs[I].Weight == B.Pairs[I].Weight;
  return Same;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void scaleLeaf(Big Value, double Factor) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  scale(Value, Factor);
  double Sum = sumOf(Value);
  __hpvm__return(2, Value, Sum);
}

static void scaleRoot(Big Value, double Factor) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *Node = __hpvm__createNodeND(0, scaleLeaf);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
  __hpvm__bindOut(Node, 0, 0, 0);
  __hpvm__bindOut(Node, 1, 1, 0);
}

/// Reads numbers at places that are known, one of which bounds a loop.
static void placesLeaf(Mixed Some, double *Out, size_t OutBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Out, 1, Out);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  double Sum = 0;
  for (int K = 0; K < Some.Count; ++K)
    Sum += Some.Pairs[2].Weight * (I + K) + Some.Parts[7];
  Out[I] = Sum + Some.Tag;
}

static void placesRoot(Mixed Some, double *Out, size_t OutBytes, long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Out, 1, Out);
  void *Node = __hpvm__createNodeND(1, placesLeaf, Count);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
  __hpvm__bindIn(Node, 2, 2, 0);
}

static void mixLeaf(Mixed Some, Big Value, double Sum) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  mix(Some, Value);
  Value.Values[1] += Sum;
  __hpvm__return(3, Some, Value, Sum);
}

template <bool IsStream>
static void edgesRoot(Big Value, double Factor, Mixed Some) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *Scale = __hpvm__createNodeND(0, scaleLeaf);
  void *Mix = __hpvm__createNodeND(0, mixLeaf);
  void *Again = __hpvm__createNodeND(0, mixLeaf);
  __hpvm__bindIn(Scale, 0, 0, IsStream);
  __hpvm__bindIn(Scale, 1, 1, IsStream);
  __hpvm__bindIn(Mix, 2, 0, IsStream);
  __hpvm__edge(Scale, Mix, 1, 0, 1, IsStream);
  __hpvm__edge(Scale, Mix, 1, 1, 2, IsStream);
  __hpvm__edge(Mix, Again, 1, 0, 0, IsStream);
  __hpvm__edge(Mix, Again, 1, 1, 1, IsStream);
  __hpvm__edge(Mix, Again, 1, 2, 2, IsStream);
  __hpvm__bindOut(Again, 0, 0, IsStream);
  __hpvm__bindOut(Again, 1, 1, IsStream);
}

/// Each instance reads all of what they share.
static void manyLeaf(Big Value, double *Out, size_t OutBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Out, 1, Out);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  double Sum = 0;
  for (long K = 0; K < LENGTH; ++K)
    Sum += Value.Values[(K + I) % LENGTH] * (K & 3);
  Out[I] = Sum;
}

static void manyRoot(Big Value, double *Out, size_t OutBytes, long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Out, 1, Out);
  void *Node = __hpvm__createNodeND(1, manyLeaf, Count);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
  __hpvm__bindIn(Node, 2, 2, 0);
}

/// Each instance has a structure of its own for the one behind it.
static void makeLeaf(Big Value) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  scale(Value, 1.0 / (I + 1));
  __hpvm__return(1, Value);
}

static void takeLeaf(Big Value, double *Out, size_t OutBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Out, 1, Out);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Out[I] = sumOf(Value);
}

static void instancesRoot(Big Value, double *Out, size_t OutBytes,
                          long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Out, 1, Out);
  void *Make = __hpvm__createNodeND(1, makeLeaf, Count);
  void *Take = __hpvm__createNodeND(1, takeLeaf, Count);
  __hpvm__bindIn(Make, 0, 0, 0);
  __hpvm__edge(Make, Take, 0, 0, 0, 0);
  __hpvm__bindIn(Take, 1, 1, 0);
  __hpvm__bindIn(Take, 2, 2, 0);
}

static void innerNode(Big Value, double Factor, double *Out, size_t OutBytes,
                      long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Out, 1, Out);
  void *Scale = __hpvm__createNodeND(0, scaleLeaf);
  void *Many = __hpvm__createNodeND(1, manyLeaf, Count);
  __hpvm__bindIn(Scale, 0, 0, 0);
  __hpvm__bindIn(Scale, 1, 1, 0);
  __hpvm__edge(Scale, Many, 1, 0, 0, 0);
  __hpvm__bindIn(Many, 2, 1, 0);
  __hpvm__bindIn(Many, 3, 2, 0);
  __hpvm__bindOut(Scale, 0, 0, 0);
  __hpvm__bindOut(Scale, 1, 1, 0);
}

static void innerRoot(Big Value, double Factor, double *Out, size_t OutBytes,
                      long Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Out, 1, Out);
  void *Inner = __hpvm__createNodeND(1, innerNode, 1);
  __hpvm__bindIn(Inner, 0, 0, 0);
  __hpvm__bindIn(Inner, 1, 1, 0);
  __hpvm__bindIn(Inner, 2, 2, 0);
  __hpvm__bindIn(Inner, 3, 3, 0);
  __hpvm__bindIn(Inner, 4, 4, 0);
  __hpvm__bindOut(Inner, 0, 0, 0);
  __hpvm__bindOut(Inner, 1, 1, 0);
}

/// One of two, and one that was there before it changed.
static void chosenLeaf(Big Left, Big Right, int Which) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  Big Before = Left;
  for (int I = 0; I < 3; ++I) {
    Big Kept = Left;
    Left = Right;
    Right = Kept;
    Left.Values[I] += Which;
  }
  if (Which > 1)
    __hpvm__return(2, Left, Before);
  else
    __hpvm__return(2, Before, Right);
}

static void chosenRoot(Big Left, Big Right, int Which) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *Node = __hpvm__createNodeND(0, chosenLeaf);
  for (int I = 0; I < 3; ++I)
    __hpvm__bindIn(Node, I, I, 0);
  __hpvm__bindOut(Node, 0, 0, 0);
  __hpvm__bindOut(Node, 1, 1, 0);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

struct __attribute__((packed)) ScaleArguments {
  Big Value;
  double Factor;
  struct __attribute__((packed)) {
    Big Value;
    double Sum;
  } Result;
};
struct __attribute__((packed)) PlacesArguments {
  Mixed Some;
  double *Out;
  size_t OutBytes;
  long Count;
};
struct __attribute__((packed)) EdgesArguments {
  Big Value;
  double Factor;
  Mixed Some;
  struct __attribute__((packed)) {
    Mixed Some;
    Big Value;
  } Result;
};
struct __attribute__((packed)) ManyArguments {
  Big Value;
  double *Out;
  size_t OutBytes;
  long Count;
};
struct __attribute__((packed)) InnerArguments {
  Big Value;
  double Factor;
  double *Out;
  size_t OutBytes;
  long Count;
  struct __attribute__((packed)) {
    Big Value;
    double Sum;
  } Result;
};
struct __attribute__((packed)) ChosenArguments {
  Big Left, Right;
  int Which;
  struct __attribute__((packed)) {
    Big First, Second;
  } Result;
};

static Big Start;
static Mixed Some;
static constexpr long Count = 5;
static double Out[Count];

static void tell(const char *Name, bool Good) {
  std::printf("%s: %s\n", Name, Good ? "ok" : "WRONG");
}

static double sumOfMany(const Big &Value, long I) {
  double Sum = 0;
  for (long K = 0; K < LENGTH; ++K)
    Sum += Value.Values[(K + I) % LENGTH] * (K & 3);
  return Sum;
}

template <typename Arguments> static void giveMemory(Arguments &All) {
  std::memset(Out, 0, sizeof Out);
  All.Out = Out;
  All.OutBytes = sizeof Out;
  All.Count = Count;
  llvm_hpvm_track_mem(Out, sizeof Out);
}

static void waitForMemory(void *Graph) {
  __hpvm__wait(Graph);
  llvm_hpvm_request_mem(Out, sizeof Out);
  llvm_hpvm_untrack_mem(Out);
}

static void runScale() {
  static ScaleArguments All;
  All.Value = Start;
  All.Factor = 0.75;
  __hpvm__wait(__hpvm__launch(0, (void *)scaleRoot, &All));
  static Big Expected;
  Expected = Start;
  scale(Expected, 0.75);
  tell("leaf", !std::memcmp(&All.Result.Value, &Expected, sizeof Expected) &&
                   All.Result.Sum == sumOf(Expected));
}

static void runPlaces() {
  static PlacesArguments All;
  All.Some = Some;
  giveMemory(All);
  waitForMemory(__hpvm__launch(0, (void *)placesRoot, &All));
  bool Good = true;
  for (long I = 0; I < Count; ++I) {
    double Sum = 0;
    for (int K = 0; K < Some.Count; ++K)
      Sum += Some.Pairs[2].Weight * (I + K) + Some.Parts[7];
    Good = Good && Out[I] == Sum + Some.Tag;
  }
  tell("known places", Good);
}

static void runEdges() {
  static EdgesArguments All;
  All.Value = Start;
  All.Factor = 1.25;
  All.Some = Some;
  __hpvm__wait(__hpvm__launch(0, (void *)edgesRoot<false>, &All));
  static Big Value;
  static Mixed Expected;
  Value = Start;
  Expected = Some;
  scale(Value, 1.25);
  double Sum = sumOf(Value);
  for (int I = 0; I < 2; ++I) {
    mix(Expected, Value);
    Value.Values[1] += Sum;
  }
  static Mixed Found;
  std::memcpy(&Found, &All.Result.Some, sizeof Found);
  tell("edges", isSame(Found, Expected) &&
                    !std::memcmp(&All.Result.Value, &Value, sizeof Value));
}

static void runMany() {
  static ManyArguments All;
  All.Value = Start;
  giveMemory(All);
  waitForMemory(__hpvm__launch(0, (void *)manyRoot, &All));
  bool Good = true;
  for (long I = 0; I < Count; ++I)
    Good = Good && Out[I] == sumOfMany(Start, I);
  tell("replicated", Good);
  giveMemory(All);
  waitForMemory(__hpvm__launch(0, (void *)instancesRoot, &All));
  Good = true;
  static Big Value;
  for (long I = 0; I < Count; ++I) {
    Value = Start;
    scale(Value, 1.0 / (I + 1));
    Good = Good && Out[I] == sumOf(Value);
  }
  tell("instances", Good);
}

static void runInner() {
  static InnerArguments All;
  All.Value = Start;
  All.Factor = 0.5;
  giveMemory(All);
  waitForMemory(__hpvm__launch(0, (void *)innerRoot, &All));
  static Big Value;
  Value = Start;
  scale(Value, 0.5);
  bool Good = !std::memcmp(&All.Result.Value, &Value, sizeof Value) &&
              All.Result.Sum == sumOf(Value);
  for (long I = 0; I < Count; ++I)
    Good = Good && Out[I] == sumOfMany(Value, I);
  tell("inner", Good);
}

static void runChosen() {
  static ChosenArguments All;
  static Big Left, Right, Before, Kept;
  bool Good = true;
  for (int Which = 0; Which < 4; ++Which) {
    All.Left = Left = Start;
    scale(Left, 2);
    All.Right = Right = Left;
    Before = Left = Start;
    All.Which = Which;
    __hpvm__wait(__hpvm__launch(0, (void *)chosenRoot, &All));
    for (int I = 0; I < 3; ++I) {
      Kept = Left;
      Left = Right;
      Right = Kept;
      Left.Values[I] += Which;
    }
    const Big &First = Which > 1 ? Left : Before;
    const Big &Second = Which > 1 ? Before : Right;
    Good = Good && !std::memcmp(&All.Result.First, &First, sizeof First) &&
           !std::memcmp(&All.Result.Second, &Second, sizeof Second);
  }
  tell("chosen", Good);
}

static void runStream() {
  static EdgesArguments All;
  static Big Value;
  static Mixed Expected, Found;
  void *Graph = __hpvm__launch(1, (void *)edgesRoot<true>, &All);
  constexpr int Items = 20;
  bool Good = true;
  for (int I = 0; I < Items; ++I) {
    All.Value = Start;
    All.Value.Values[0] = I;
    All.Factor = 1 + I * 0.25;
    All.Some = Some;
    All.Some.Count = I;
    __hpvm__push(Graph, &All);
  }
  for (int I = 0; I < Items; ++I) {
    const void *Result = __hpvm__pop(Graph);
    Value = Start;
    Value.Values[0] = I;
    scale(Value, 1 + I * 0.25);
    Expected = Some;
    Expected.Count = I;
    double Sum = sumOf(Value);
    for (int K = 0; K < 2; ++K) {
      mix(Expected, Value);
      Value.Values[1] += Sum;
    }
    std::memcpy(&Found, Result, sizeof Found);
    Good = Good && isSame(Found, Expected) &&
           !std::memcmp(static_cast<const char *>(Result) + sizeof Found,
                        &Value, sizeof Value);
  }
  __hpvm__wait(Graph);
  tell("stream", Good);
}

int main() {
  for (int I = 0; I < LENGTH; ++I) {
    Start.Values[I] = (I * 37 % 101) * 0.125;
    Some.Parts[I] = static_cast<float>(I % 17);
  }
  for (int I = 0; I < LENGTH / 4; ++I) {
    Some.Pairs[I].Key = static_cast<short>(I * 3);
    Some.Pairs[I].Weight = I * 0.5;
  }
  Some.Tag = 'a';
  Some.Count = 4;
  Some.End = 'z';
  __hpvm__init();
  runScale();
  runPlaces();
  runEdges();
  runMany();
  runInner();
  runChosen();
  runStream();
  __hpvm__cleanup();
}
