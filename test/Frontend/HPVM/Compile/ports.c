// Ports have the types of the source, whatever the C ABI does with them:
// without care, these six outputs arrive as eight operands of other types.
//
// RUN: sluice-translate %s --print=canonical > %t.ll
// RUN: FileCheck %s < %t.ll
//
// The values survive as well: a program in IR calls the node function.
// RUN: llvm-link %t.ll %S/Inputs/ports-main.ll -S -o %t.linked.ll
// RUN: lli %t.linked.ll

#include <hpvm.h>

typedef struct {
  long first, second;
} Pair;

typedef struct {
  double values[5];
  char tag;
} Big;

// CHECK: define {{.*}}{ float, i16, %struct.Pair, i8, %struct.Big, double } @passSix(
// CHECK-SAME: float %f, i16 %s, %struct.Pair %p, i8 %c, %struct.Big %b, double %d)
// CHECK-SAME: [[SIX:#[0-9]+]]
// CHECK-NOT: __hpvm__
// CHECK: ret { float, i16, %struct.Pair, i8, %struct.Big, double }
void passSix(float f, short s, Pair p, char c, Big b, double d) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  b.values[4] += 1;
  __hpvm__return(6, f, s, p, c, b, d);
}

typedef struct {
  float x, y, z;
} Floats;
typedef struct {
  char bytes[3];
} Three;
typedef float Vector __attribute__((ext_vector_type(4)));
typedef struct {
  Floats points[2];
  struct {
    short a;
    char b;
  } inner;
} Nested;
enum Color { Red, Green };

// Structs of floats are passed in vectors, small ones in integers, long double
// in memory.
// CHECK: define {{.*}}{ %struct.Floats, %struct.Three, i8, <4 x float>, i128, x86_fp80, %struct.Nested, i32, { float, float } } @passMore(
// CHECK-SAME: %struct.Floats %floats, %struct.Three %three, i8 %yes, <4 x float> %vector, i128 %wide, x86_fp80 %precise, %struct.Nested %nested, i32 %color, { float, float } %complex)
void passMore(Floats floats, Three three, _Bool yes, Vector vector,
              __int128 wide, long double precise, Nested nested,
              enum Color color, _Complex float complex) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  nested.points[1].z += floats.z + three.bytes[2];
  __hpvm__return(9, floats, three, yes, vector, wide, precise, nested, color,
                 complex);
}

// A union's members do not fill the same bytes, so all bytes travel.
typedef union {
  struct {
    char c;
    long l;
  } a;
  struct {
    long l;
    char c;
  } b;
} Either;

// CHECK: define {{.*}}{ [2 x i64], i32 } @passUnion([2 x i64] %either, i32 %n)
void passUnion(Either either, int n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  __hpvm__return(2, either, n);
}

// Pointers are marked, and `restrict` is kept.
// CHECK: define {{.*}}{ i64 } @copy(ptr noalias "hpvm.in" %from, i64 %fromBytes, ptr noalias "hpvm.out" %to, i64 %toBytes, ptr "hpvm.in" "hpvm.out" %both, i64 %n)
void copy(const int *restrict from, size_t fromBytes, int *restrict to,
          size_t toBytes, int both[], size_t n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, both, 2, to, both);
  to[0] = from[0] + both[0]++;
  __hpvm__return(1, toBytes);
}

// An array parameter whose size is another parameter is a pointer, too.
// CHECK: define {{.*}}{} @matrix(i64 %n, ptr "hpvm.out" %rows, i64 %bytes)
// CHECK: ret {} zeroinitializer
void matrix(long n, float rows[][n], size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(0, 1, rows);
  rows[n - 1][0] = 0;
}

// The types are those before the promotions of variadic calls.
// CHECK: define {{.*}}{ i8, i16, float, i32, i8 } @narrow(
void narrow(signed char a, unsigned short b, float c, _Bool d) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  __hpvm__return(5, a, (short)(b + 1), c * 2, a + b, d);
}

// CHECK: attributes [[SIX]] = { {{.*}}"hpvm.outputs"="f,s,p,c,b,d"
// CHECK: !hpvm_hint_cpu = !{
// CHECK-SAME: }
// CHECK: !hpvm_hint_gpu = !{![[MATRIX:[0-9]+]]}
// CHECK: ![[MATRIX]] = !{ptr @matrix}
