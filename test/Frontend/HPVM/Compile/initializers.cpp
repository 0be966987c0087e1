// Host calls may stand in all kinds of initialisers.
//
// RUN: sluice-translate %s --print=canonical > %t.ll
// RUN: grep -c 'call ptr @llvm.hpvm.launch(ptr @_Z4rooti, ptr @arguments, i1 true)' %t.ll \
// RUN:   | FileCheck %s --check-prefix=STREAMS
// RUN: grep -c 'call ptr @llvm.hpvm.launch(ptr @_Z4rooti, ptr @arguments, i1 false)' %t.ll \
// RUN:   | FileCheck %s --check-prefix=LAUNCHES
// STREAMS: 3
// LAUNCHES: 4

#include <hpvm.h>

void root(int a) { __hpvm__hint(hpvm::CPU_TARGET); }

int arguments;

struct Run {
  void *graph;
  void *second = __hpvm__launch(1, root, &arguments);
  Run() : graph(__hpvm__launch(0, root, &arguments)) {}
};

template <typename T> struct Holder {
  static void *graph;
};
template <typename T>
void *Holder<T>::graph = __hpvm__launch(0, root, &arguments);

void *global = __hpvm__launch(1, root, &arguments);

void wait(void *graph = __hpvm__launch(1, root, &arguments)) {
  static void *once = __hpvm__launch(0, root, &arguments);
  auto start = [] { return __hpvm__launch(0, root, &arguments); };
  __hpvm__wait(graph);
  __hpvm__wait(once);
  __hpvm__wait(start());
  __hpvm__wait(Holder<int>::graph);
}

void all() {
  Run run;
  wait();
}
