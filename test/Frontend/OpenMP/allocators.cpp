// What a vector holds is its own with the allocator of the standard library
// alone: another one, whatever it is made from, may give all vectors the same
// memory.
// RUN: %sluice check --require-proof %s -DALLOCATOR=std::allocator | FileCheck %s --check-prefix=PROVEN
// RUN: not %sluice check --require-proof %s -DALLOCATOR=Shared > %t 2>&1
// RUN: FileCheck %s --check-prefix=OPEN < %t
// PROVEN: proven free of races
// OPEN: remark: assumes that {{.*}} do not overlap

#include <memory>
#include <vector>

static double memory[64];

template <class T, class Base = std::allocator<T>> struct Shared {
  using value_type = T;
  template <class U> struct rebind {
    using other = Shared<U>;
  };
  Shared() = default;
  template <class U, class B> Shared(const Shared<U, B> &) {}
  T *allocate(std::size_t) { return reinterpret_cast<T *>(memory); }
  void deallocate(T *, std::size_t) {}
  bool operator==(const Shared &) const { return true; }
  bool operator!=(const Shared &) const { return false; }
};

int main() {
  std::vector<double, ALLOCATOR<double>> a(32), b(32);
#pragma omp parallel for
  for (int i = 0; i < 31; ++i)
    a[i] = b[i + 1];
  return int(a[3] + b[4]);
}
