// Templates, macros, namespaces, static members and lambdas may hold node
// functions; each instantiation has its own ports.
//
// RUN: sluice-translate %s --print=canonical --clang=-std=c++11 | FileCheck %s
// RUN: sluice-translate %s --print=canonical --clang=-std=c++23 | FileCheck %s

#include <hpvm.h>
#include <vector>

namespace work {
template <typename T> struct Point {
  T x, y;
  T sum() const { return x + y; }
};

// CHECK-DAG: define {{.*}}{ float, %"struct.work::Point", i64 } @_ZN4work4leafIfEEvPT_mNS_5PointIS1_EE(ptr "hpvm.in" %data, i64 %bytes, %"struct.work::Point" %point)
// CHECK-DAG: define {{.*}}{ i16, %"struct.work::Point{{[.0-9]*}}", i64 } @_ZN4work4leafIsEEvPT_mNS_5PointIS1_EE(ptr "hpvm.in" %data, i64 %bytes, %"struct.work::Point{{[.0-9]*}}" %point)
template <typename T> void leaf(T *data, std::size_t bytes, Point<T> point) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, data, 0);
  T value = data[0];
  __hpvm__return(3, value, point, bytes);
}
} // namespace work

// A type with a base, passed by value; bool is a byte.
struct Base {
  int a;
  char b;
};
struct Derived : Base {
  char c;
};

// CHECK-DAG: define {{.*}}{ %struct.Derived, i8, i32 } @_ZN6Holder3runE7Derivedb(%struct.Derived %derived, i8 %yes)
// CHECK-DAG: define {{.*}}{ i8 } @_ZL5pointPim(ptr "hpvm.in" "hpvm.out" %p, i64 %n)
#define NODE(body)                                                             \
  __hpvm__hint(hpvm::DEVICE);                                                  \
  __hpvm__attributes(1, p, 1, p);                                              \
  body;                                                                        \
  __hpvm__return(1, (char)*p)
static void point(int *p, std::size_t n) { NODE(*p += 1); }

struct Holder {
  static void run(Derived derived, bool yes) {
    __hpvm__hint(hpvm::CPU_TARGET);
    __hpvm__attributes(0, 0);
    std::vector<int> values(3, derived.a);
    __hpvm__return(3, derived, yes, values[1]);
  }
};

// CHECK-DAG: define {{.*}}{ float, i16, i8 } @_Z4rootPfmPsPi
void root(float *f, std::size_t bytes, short *s, int *p,
          work::Point<float> pf, work::Point<short> ps, Derived d, bool yes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(3, f, s, p, 1, p);
  void *a = __hpvm__createNodeND(0, work::leaf<float>);
  void *b = __hpvm__createNodeND(0, &work::leaf<short>);
  void *c = __hpvm__createNodeND(1, point, bytes);
  __hpvm__createNodeND(0, Holder::run);
  __hpvm__bindOut(a, 0, 0, 0);
  __hpvm__bindOut(b, 0, 1, 0);
  __hpvm__bindOut(c, 0, 2, 0);
}
