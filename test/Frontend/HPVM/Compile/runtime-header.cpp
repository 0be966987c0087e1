// A program may include the runtime's header beside hpvm.h, in any order.
//
// RUN: %sluice run %s | FileCheck %s
// RUN: %sluice run -DFIRST %s | FileCheck %s
// CHECK: {{^}}3{{$}}

#ifdef FIRST
#include <sluice-c/Runtime.h>
#endif
#include <hpvm.h>
#include <sluice-c/Runtime.h>

#include <cstdio>

void next(long V) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__return(1, V + 1);
}

void root(long V) {
  __hpvm__hint(hpvm::CPU_TARGET);
  void *Next = __hpvm__createNodeND(0, next);
  __hpvm__bindIn(Next, 0, 0, 1);
  __hpvm__bindOut(Next, 0, 0, 1);
}

struct __attribute__((packed)) Item {
  long V;
};

int main() {
  Item Given = {2};
  __hpvm__init();
  llvm_hpvm_track_mem(&Given, sizeof Given);
  void *Graph = __hpvm__launch(1, root, &Given);
  sluiceSetStreamBound(Graph, 1);
  __hpvm__push(Graph, &Given);
  std::printf("%ld\n", static_cast<Item *>(__hpvm__pop(Graph))->V);
  __hpvm__wait(Graph);
  llvm_hpvm_request_mem(&Given, sizeof Given);
  llvm_hpvm_untrack_mem(&Given);
  __hpvm__cleanup();
}
