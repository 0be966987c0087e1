// large_items.cpp - A stream whose items have large structures, through stages
// on several ranks.
//
// usage: large_items ITEMS LENGTH [AT]
//
// LENGTH says how long a stage works. Without AT results are popped at the end;
// with it the host pops each result AT items later, and ends at once behind the
// last push.

#include "hpvm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef NUMBERS
#define NUMBERS 8192
#endif

struct Large {
  double Values[NUMBERS];
};

/// How often the last stage does the work of one stage.
#ifndef LAST_TIMES
#define LAST_TIMES 1
#endif

/// What each stage does.
#define STAGE(ITEM, LENGTH)                                                    \
  double Value = ITEM.Values[1];                                               \
  for (long I = 0; I < LENGTH; ++I)                                            \
    Value = Value * 0.999 + 1.0 / (1.0 + Value * Value);                       \
  ITEM.Values[1] = Value;                                                      \
  for (long I = 2; I < NUMBERS; ++I)                                           \
  ITEM.Values[I] += ITEM.Values[I - 1] * 0.25

static void first(Large Item, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  STAGE(Item, Length);
  __hpvm__return(2, Item, Length);
}

static void middle(Large Item, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  STAGE(Item, Length);
  __hpvm__return(2, Item, Length);
}

static void last(Large Item, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  STAGE(Item, Length * LAST_TIMES);
  __hpvm__return(1, Item);
}

static void root(Large Item, long Length) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *First = __hpvm__createNodeND(0, first);
  void *Middle = __hpvm__createNodeND(0, middle);
  void *Last = __hpvm__createNodeND(0, last);
  __hpvm__bindIn(First, 0, 0, 1);
  __hpvm__bindIn(First, 1, 1, 1);
  __hpvm__edge(First, Middle, 1, 0, 0, 1);
  __hpvm__edge(First, Middle, 1, 1, 1, 1);
  __hpvm__edge(Middle, Last, 1, 0, 0, 1);
  __hpvm__edge(Middle, Last, 1, 1, 1, 1);
  __hpvm__bindOut(Last, 0, 0, 1);
}

struct __attribute__((packed)) Arguments {
  Large Item;
  long Length;
};

static bool Good = true;

/// Compares a result with what plain C++ computes.
static void take(void *Graph, int Number, long Length) {
  static Large Found, Expected;
  std::memcpy(&Found, __hpvm__pop(Graph), sizeof Found);
  for (int I = 0; I < NUMBERS; ++I)
    Expected.Values[I] = I % 100 + Number;
  const long Times[] = {1, 1, LAST_TIMES};
  for (long Stage : Times) {
    STAGE(Expected, Length * Stage);
  }
  if (std::memcmp(&Found, &Expected, sizeof Found)) {
    std::printf("item %d: wrong\n", Number);
    Good = false;
  }
}

int main(int Count, char **Words) {
  const int Items = Count > 1 ? std::atoi(Words[1]) : 30;
  const long Length = Count > 2 ? std::atol(Words[2]) : 20000;
  const int Behind = Count > 3 ? std::atoi(Words[3]) : Items;
  static Arguments All;
  All.Length = Length;
  __hpvm__init();
  void *Graph = __hpvm__launch(1, (void *)root, &All);
  for (int I = 0; I < Items; ++I) {
    for (int K = 0; K < NUMBERS; ++K)
      All.Item.Values[K] = K % 100 + I;
    __hpvm__push(Graph, &All);
    if (I >= Behind)
      take(Graph, I - Behind, Length);
  }
  if (Count > 3) {
    std::printf("left: %s\n", Good ? "ok" : "wrong");
    return !Good;
  }
  for (int I = 0; I < Items; ++I)
    take(Graph, I, Length);
  __hpvm__wait(Graph);
  std::printf("items: %s\n", Good ? "ok" : "wrong");
  __hpvm__cleanup();
  return !Good;
}
