// The value of a condition with && is a phi that names the entry block of its
// leaf, which becomes a part of another block.
//
// RUN: %sluice run %s | FileCheck %s
// CHECK: {{^}}0 0 1 0 0 0 1 0 {{$}}

#include <hpvm.h>

#include <cstdio>

static int larger(int A, int B) { return A < B ? B : A; }

void both(short *In, size_t InBytes, unsigned char *Out, size_t OutBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, In, 1, Out);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Pixel = Y * __hpvm__getNumNodeInstances_x(Self) + X;
  int Most = larger(In[Pixel], -1), Least = -larger(-In[Pixel], -9);
  Out[Pixel] = Most > 0 && Least < 2;
}

void root(short *In, size_t InBytes, unsigned char *Out, size_t OutBytes,
          size_t Columns) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, In, 1, Out);
  void *Node = __hpvm__createNodeND(2, both, Columns, 2);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
  __hpvm__bindIn(Node, 2, 2, 0);
  __hpvm__bindIn(Node, 3, 3, 0);
}

struct __attribute__((packed)) Arguments {
  short *In;
  size_t InBytes;
  unsigned char *Out;
  size_t OutBytes;
  size_t Columns;
};

int main() {
  short In[8] = {-1, 0, 1, 2, -3, -2, 1, 3};
  unsigned char Out[8];
  Arguments Args = {In, sizeof In, Out, sizeof Out, 4};
  __hpvm__init();
  llvm_hpvm_track_mem(In, sizeof In);
  llvm_hpvm_track_mem(Out, sizeof Out);
  __hpvm__wait(__hpvm__launch(0, root, &Args));
  llvm_hpvm_request_mem(Out, sizeof Out);
  llvm_hpvm_untrack_mem(In);
  llvm_hpvm_untrack_mem(Out);
  __hpvm__cleanup();
  for (int Value : Out)
    std::printf("%d ", Value);
  std::printf("\n");
}
