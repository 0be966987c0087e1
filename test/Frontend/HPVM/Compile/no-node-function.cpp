// What is no function gets one message where a node function belongs.

// RUN: not %sluice check -DWHAT='[](int *o, size_t n) { __hpvm__hint(hpvm::CPU_TARGET); o[0] = 1; }' %s 2>&1 | FileCheck %s --check-prefixes=LAMBDA,ONE
// RUN: not %sluice check -DWHAT='+[](int *o, size_t n) { __hpvm__hint(hpvm::CPU_TARGET); o[0] = 1; }' %s 2>&1 | FileCheck %s --check-prefixes=LAMBDA,ONE
// RUN: not %sluice check -DWHAT='pair' %s 2>&1 | FileCheck %s --check-prefixes=PAIR,ONE
// RUN: not %sluice check -DWHAT='Functor()' %s 2>&1 | FileCheck %s --check-prefixes=FUNCTOR,ONE
// RUN: not %sluice check -DWHAT=5 %s 2>&1 | FileCheck %s --check-prefixes=NUMBER,ONE
// RUN: not %sluice check -DWHAT='"leaf"' %s 2>&1 | FileCheck %s --check-prefixes=TEXT,ONE
// RUN: not %sluice check -DWHAT=leaf -DROOT=pair %s 2>&1 | FileCheck %s --check-prefixes=PAIR,ONE
// RUN: not %sluice check -DWHAT=leaf -DROOT='[](int *, size_t) {}' %s 2>&1 | FileCheck %s --check-prefixes=LAMBDA,ONE
// RUN: %sluice check -DWHAT='(void *)&leaf' %s

// LAMBDA: error: a node function has a name, but this is a lambda; move its body to a function 'void NAME(...)' and name that here [node-function]
// PAIR: error: a node function is expected here, but this has type 'std::pair<int, int>'; give the name of a function [node-function]
// FUNCTOR: error: a node function is expected here, but this has type 'Functor'
// NUMBER: error: a node function is expected here, but this has type 'int'
// TEXT: error: a node function is expected here, but this has type 'const char[5]'
// ONE-NOT: error:

#include <hpvm.h>
#include <utility>

#ifndef ROOT
#define ROOT root
#endif

struct Functor {
  void operator()(int *o, size_t n) {}
};

static std::pair<int, int> pair;

void leaf(int *o, size_t n) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 1, o);
  o[0] = 1;
}

void root(int *o, size_t n) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 1, o);
  void *node = __hpvm__createNodeND(0, WHAT);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

struct __attribute__((packed)) Arguments {
  int *o;
  size_t n;
};

int main() {
  int o[1];
  Arguments arguments{o, sizeof o};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, ROOT, &arguments));
  __hpvm__cleanup();
}
