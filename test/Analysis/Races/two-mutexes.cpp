// 'std::lock' and 'std::scoped_lock' take several mutexes: each is held then, so
// who holds one of them waits. Other mutexes, and what comes after the scope, keep
// nobody away.
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: %sluice check -DSCOPE='std::lock(a, b, c); std::lock_guard<std::mutex> x(a, std::adopt_lock), y(b, std::adopt_lock), z(c, std::adopt_lock);' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: %sluice check -DSCOPE='std::unique_lock<std::mutex> x(c); std::scoped_lock y(a, d);' %s 2>&1 | FileCheck %s --check-prefix=FREE
// FREE-NOT: {{error|cannot tell}}
// FREE: proven free of races; results may depend on the order in which instances take turns
// RUN: not %sluice check -DOTHER='std::scoped_lock y(b, c);' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not %sluice check -DSCOPE='{ std::scoped_lock y(a, b); }' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RACY: error: {{.*}} 'v' of 'root'

#include <hpvm.h>
#include <mutex>

static std::mutex a, b, c;
static std::mutex d;

#ifndef SCOPE
#define SCOPE std::scoped_lock x(a, d);
#endif
#ifndef OTHER
#define OTHER std::scoped_lock y(b, a);
#endif

void work(int *v, size_t bytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, v, 1, v);
  SCOPE
  v[0]++;
}
void other(int *v, size_t bytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, v, 1, v);
  OTHER
  v[0]++;
}
void root(int *v, size_t bytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, v, 1, v);
  void *one = __hpvm__createNodeND(1, work, (size_t)8);
  void *two = __hpvm__createNodeND(1, other, (size_t)8);
  for (int i = 0; i < 2; ++i) {
    __hpvm__bindIn(one, i, i, 0);
    __hpvm__bindIn(two, i, i, 0);
  }
}
