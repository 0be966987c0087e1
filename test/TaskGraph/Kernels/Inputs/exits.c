// A node that calls exit.
#include <hpvm.h>
#include <stdlib.h>

void leaf(double *A, size_t ABytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, A, 1, A);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  if (I == 7)
    exit(0);
  A[I] = 1;
  __hpvm__return(1, ABytes);
}

void root(double *A, size_t ABytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, A, 1, A);
  void *Leaf = __hpvm__createNodeND(1, leaf, ABytes / 8);
  __hpvm__bindIn(Leaf, 0, 0, 0);
  __hpvm__bindIn(Leaf, 1, 1, 0);
  __hpvm__bindOut(Leaf, 0, 0, 0);
}
