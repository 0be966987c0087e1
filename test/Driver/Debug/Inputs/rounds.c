// Rounds of a graph that changes all of its memory in each.
#include <hpvm.h>
#include <stdio.h>

enum { Count = 1024, Rounds = 100 };

void next(int *A, size_t ABytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, A, 1, A);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  A[I] = A[I] * 1103515245 + I;
}

void root(int *A, size_t ABytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, A, 1, A);
  void *Next = __hpvm__createNodeND(1, next, (size_t)Count);
  __hpvm__bindIn(Next, 0, 0, 0);
  __hpvm__bindIn(Next, 1, 1, 0);
}

int main(void) {
  static int A[Count];
  struct __attribute__((packed)) {
    int *A;
    size_t ABytes;
  } Arguments = {A, sizeof A};
  __hpvm__init();
  for (int I = 0; I < Rounds; ++I)
    __hpvm__wait(__hpvm__launch(0, root, &Arguments));
  __hpvm__cleanup();
  unsigned Hash = 0;
  for (int I = 0; I < Count; ++I)
    Hash = Hash * 31 + A[I];
  printf("%u %d\n", Hash, A[5]);
}
