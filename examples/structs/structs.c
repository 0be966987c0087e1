//===- structs.c - Structs along edges, binds and in results --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs by value through a graph of two levels: one of two longs, one that
// mixes float, short and char, one too big for registers, and one that nests
// the others. They come in as arguments of the launch, travel along binds and
// edges, and return in its result. In C.
//
//===----------------------------------------------------------------------===//

#include "hpvm.h"

#include <stdio.h>
#include <string.h>

struct Small {
  long First, Second;
};

struct Mixed {
  float Weight;
  short Count;
  char Letter;
  float Height;
};

struct Big {
  double Values[9];
  int Tag;
};

struct Nested {
  char Mark;
  struct Small Small;
  struct Mixed Mixed;
};

/// Outputs: one struct of each kind.
void make(struct Small In, struct Mixed Mixed, short Step) {
  __hpvm__hint(CPU_TARGET);
  struct Small Small = {In.Second, In.First + Step};
  Mixed.Weight *= 2.0f;
  Mixed.Count += Step;
  Mixed.Letter += 1;
  struct Big Big;
  for (int I = 0; I < 9; ++I)
    Big.Values[I] = I * 0.5 + Step;
  Big.Tag = Step * Step;
  struct Nested Nested = {'n', Small, Mixed};
  __hpvm__return(4, Small, Mixed, Big, Nested);
}

/// Outputs: Nested, Big, Small and the sum of all.
void change(struct Nested Nested, struct Big Big, struct Mixed Mixed,
            struct Small Small, float Factor) {
  __hpvm__hint(CPU_TARGET);
  double Sum = Small.First + Small.Second + Mixed.Weight + Mixed.Count;
  for (int I = 0; I < 9; ++I) {
    Sum += Big.Values[I];
    Big.Values[I] *= Factor;
  }
  Big.Tag += Mixed.Count;
  Small.First -= Nested.Small.Second;
  Nested.Mixed.Height = Mixed.Height + Factor;
  Nested.Mixed.Letter = Mixed.Letter + 1;
  Nested.Mark = Mixed.Letter;
  __hpvm__return(4, Nested, Big, Small, Sum);
}

/// Outputs: Big, Nested, Sum, Small.
void inner(struct Mixed Mixed, float Factor, struct Small Small, short Step) {
  __hpvm__hint(CPU_TARGET);
  void *Make = __hpvm__createNodeND(0, make);
  void *Change = __hpvm__createNodeND(0, change);
  __hpvm__bindIn(Make, 2, 0, 0);
  __hpvm__bindIn(Make, 0, 1, 0);
  __hpvm__bindIn(Make, 3, 2, 0);
  __hpvm__edge(Make, Change, 1, 0, 3, 0);
  __hpvm__edge(Make, Change, 1, 1, 2, 0);
  __hpvm__edge(Make, Change, 1, 2, 1, 0);
  __hpvm__edge(Make, Change, 1, 3, 0, 0);
  __hpvm__bindIn(Change, 1, 4, 0);
  __hpvm__bindOut(Change, 0, 1, 0);
  __hpvm__bindOut(Change, 1, 0, 0);
  __hpvm__bindOut(Change, 2, 3, 0);
  __hpvm__bindOut(Change, 3, 2, 0);
}

/// Outputs: Nested, Sum, Small, Big.
void root(struct Small Small, struct Mixed Mixed, short Step, float Factor) {
  __hpvm__hint(CPU_TARGET);
  void *Inner = __hpvm__createNodeND(0, inner);
  __hpvm__bindIn(Inner, 0, 2, 0);
  __hpvm__bindIn(Inner, 1, 0, 0);
  __hpvm__bindIn(Inner, 2, 3, 0);
  __hpvm__bindIn(Inner, 3, 1, 0);
  __hpvm__bindOut(Inner, 0, 3, 0);
  __hpvm__bindOut(Inner, 1, 0, 0);
  __hpvm__bindOut(Inner, 2, 1, 0);
  __hpvm__bindOut(Inner, 3, 2, 0);
}

struct __attribute__((packed)) Arguments {
  struct Small Small;
  struct Mixed Mixed;
  short Step;
  float Factor;
  struct Nested NestedResult;
  double SumResult;
  struct Small SmallResult;
  struct Big BigResult;
};

static int differs(const char *Name, double Expected, double Got) {
  if (Expected == Got)
    return 0;
  fprintf(stderr, "structs: expected '%s' to be %g, but the graph gave %g\n",
          Name, Expected, Got);
  return 1;
}

static int smallDiffers(struct Small Got) {
  return differs("Small.First", 22 - 15, Got.First) ||
         differs("Small.Second", 11 + 4, Got.Second);
}

static int nestedDiffers(struct Nested Got) {
  return differs("Nested.Mark", 'b', Got.Mark) ||
         differs("Nested.Small.First", 22, Got.Small.First) ||
         differs("Nested.Small.Second", 15, Got.Small.Second) ||
         differs("Nested.Mixed.Weight", 3.0, Got.Mixed.Weight) ||
         differs("Nested.Mixed.Count", -300 + 4, Got.Mixed.Count) ||
         differs("Nested.Mixed.Letter", 'c', Got.Mixed.Letter) ||
         differs("Nested.Mixed.Height", 1.75 + 0.25, Got.Mixed.Height);
}

static int bigDiffers(struct Big Got) {
  for (int I = 0; I < 9; ++I)
    if (differs("Big.Values", (I * 0.5 + 4) * 0.25, Got.Values[I]))
      return 1;
  return differs("Big.Tag", 4 * 4 - 296, Got.Tag);
}

int main(void) {
  struct Arguments Args;
  memset(&Args, 0, sizeof(Args));
  Args.Small = (struct Small){11, 22};
  Args.Mixed = (struct Mixed){1.5f, -300, 'a', 1.75f};
  Args.Step = 4;
  Args.Factor = 0.25f;

  __hpvm__init();
  void *Graph = __hpvm__launch(0, root, &Args);
  __hpvm__wait(Graph);
  __hpvm__cleanup();

  double Sum = 22 + 15 + 3.0 - 296 + 9 * 4 + 36 * 0.5;
  if (smallDiffers(Args.SmallResult) || nestedDiffers(Args.NestedResult) ||
      bigDiffers(Args.BigResult) || differs("Sum", Sum, Args.SumResult))
    return 1;
  printf("four structs went round\n");
  printf("structs: ok\n");
  return 0;
}
