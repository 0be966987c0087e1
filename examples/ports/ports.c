//===- ports.c - Edges and binds between unequal ports --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph of two levels in which no edge and no bind connects ports of equal
// numbers. Three outputs of one type go round in a circle at the root, so that
// a bind of the wrong way round would not be seen by its types. In C.
//
//===----------------------------------------------------------------------===//

#include "hpvm.h"

#include <stdio.h>

/// Outputs: a - c, 3 b, 10 a + c.
void mix(long A, int B, long C) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(3, A - C, 3 * B, 10 * A + C);
}

/// Outputs: u - w + v, 2 f, v - 1.
void scale(float F, long U, int V, long W) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(3, U - W + V, 2.0f * F, V - 1);
}

/// Outputs: int, long, float.
void middle(int Q, long P, float R, long S) {
  __hpvm__hint(CPU_TARGET);
  void *Mix = __hpvm__createNodeND(0, mix);
  void *Scale = __hpvm__createNodeND(0, scale);
  __hpvm__bindIn(Mix, 0, 1, 0);
  __hpvm__bindIn(Mix, 1, 2, 0);
  __hpvm__bindIn(Mix, 3, 0, 0);
  __hpvm__bindIn(Scale, 2, 0, 0);
  __hpvm__edge(Mix, Scale, 1, 0, 3, 0);
  __hpvm__edge(Mix, Scale, 1, 1, 2, 0);
  __hpvm__edge(Mix, Scale, 1, 2, 1, 0);
  __hpvm__bindOut(Scale, 0, 1, 0);
  __hpvm__bindOut(Scale, 1, 2, 0);
  __hpvm__bindOut(Scale, 2, 0, 0);
}

/// Outputs: h + t, 100 k - h, g + k.
void finish(short T, float G, int K, long H) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(3, H + T, 100 * K - H, (long)G + K);
}

/// Outputs: three longs.
void root(long P, int Q, long S, float R, short T) {
  __hpvm__hint(CPU_TARGET);
  void *Middle = __hpvm__createNodeND(0, middle);
  void *Finish = __hpvm__createNodeND(0, finish);
  __hpvm__bindIn(Middle, 0, 1, 0);
  __hpvm__bindIn(Middle, 1, 0, 0);
  __hpvm__bindIn(Middle, 2, 3, 0);
  __hpvm__bindIn(Middle, 3, 2, 0);
  __hpvm__bindIn(Finish, 4, 0, 0);
  __hpvm__edge(Middle, Finish, 1, 0, 2, 0);
  __hpvm__edge(Middle, Finish, 1, 1, 3, 0);
  __hpvm__edge(Middle, Finish, 1, 2, 1, 0);
  __hpvm__bindOut(Finish, 0, 2, 0);
  __hpvm__bindOut(Finish, 1, 0, 0);
  __hpvm__bindOut(Finish, 2, 1, 0);
}

struct __attribute__((packed)) Arguments {
  long P;
  int Q;
  long S;
  float R;
  short T;
  long First;
  long Second;
  long Third;
};

static int differs(const char *Name, long Expected, long Got) {
  if (Expected == Got)
    return 0;
  fprintf(stderr, "ports: expected %s to be %ld, but the graph gave %ld\n",
          Name, Expected, Got);
  return 1;
}

int main(void) {
  struct Arguments Args = {1000003, 17, 29, 2.5f, -7, 0, 0, 0};
  __hpvm__init();
  void *Graph = __hpvm__launch(0, root, &Args);
  __hpvm__wait(Graph);
  __hpvm__cleanup();

  // The same without a graph.
  long U = 10 * Args.S + Args.P, W = Args.S - Args.P;
  long V = 3 * Args.Q;
  long H = U - W + V, K = V - 1;
  long G = (long)(2.0f * Args.R);
  if (differs("'First'", 100 * K - H, Args.First) ||
      differs("'Second'", G + K, Args.Second) ||
      differs("'Third'", H + Args.T, Args.Third))
    return 1;
  printf("results %ld, %ld, %ld\n", Args.First, Args.Second, Args.Third);
  printf("ports: ok\n");
  return 0;
}
