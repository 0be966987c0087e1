// What does not fit a prototype is refused with the parameter, both types and
// both places; from source and from debug information alike.
//
// RUN: rm -rf %t && split-file --leading-lines %s %t && cd %t
// RUN: not %sluice check graph.mlir kernels.c 2>&1 | FileCheck %s
// RUN: %clang -g -O2 -c kernels.c
// RUN: not %sluice check graph.mlir kernels.o 2>&1 | FileCheck %s
// RUN: %clang -g -O2 -emit-llvm -c kernels.c
// RUN: not %sluice check graph.mlir kernels.bc 2>&1 | FileCheck %s
// RUN: %sluice check good.mlir kernels.c 2>&1 | FileCheck --check-prefix=GOOD %s
// RUN: %sluice check good.mlir kernels.o 2>&1 | FileCheck --check-prefix=GOOD %s

//--- kernels.c
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { double x, y; } Pair;
typedef enum { Red, Green } Colour;
typedef double Number;

void vector(double *b, double *f, int o, int n, int s) {}
void constant(const double *b, const double *f, int o, int n, int s) {}
void anything(void *b, char *f, int64_t o, size_t n, ptrdiff_t s) {}
void typed(Number *restrict b, const volatile Number *f, long o, long n,
           long s) {}
void rows(double (*b)[2], double f[][2], int o, int n, int m, int sn, int sm) {}
void tiny(double *b, double *f, int o, int8_t n, int s) {}
void flag(double *b, double *f, bool o, int n, int s) {}
void number(double x) {}
void real(float x) {}
void counted(int x) {}
void coloured(Colour x) {}
void pointed(double *x) {}
void pair(Pair x) {}
void assign(int64_t *x) {}
void unsignedOf(uint64_t x) {}
void variadic(int x, ...) {}
void signedBytes(int8_t *b, int8_t *f, int o, int n, int s) {}
void unsignedBytes(const void *b, uint8_t *f, int o, int n, int s) {}
void anyBytes(char *b, const char *f, int o, int n, int s) {}
void unsignedAt(uint64_t *x) {}
void callback(void (*x)(void)) {}
double result(double x) { return x; }
long wide(double x) { return 0; }
int status(double x) { return 0; }
long double extended(long double x) { return x; }

//--- graph.mlir
dfg.dataset @v : f64 [6]
dfg.dataset @w : f32 [6]
dfg.dataset @m : f64 [3, 2]
dfg.dataset @n : f64 [2, 3]
dfg.dataset @large : f64 [3000000000]
dfg.dataset @long : f64 [200]
dfg.scalar @d : f64 = 1.0
dfg.scalar @i : si32 = 1
dfg.scalar @l : si64 = 5000000000
dfg.scalar @written : si64 = 1
dfg.scalar @minus : si32 = -1
dfg.dataset @bytes : ui8 [6]
dfg.dataset @chars : si8 [6]
dfg.task_graph @wrong {
// CHECK: graph.mlir:[[#@LINE+4]]:{{[0-9]+}}: error: parameter 1 'b' of 'vector' is 'double *', but 'w' holds 'float'
// CHECK: kernels.c:{{[0-9]+}}:{{.*}} note: the function is 'void vector(double *b, double *f, int o, int n, int s)'
// CHECK: graph.mlir:[[#@LINE+2]]:{{.*}} note: the task calls 'void vector(float *w_base, float *w,
// CHECK-SAME: int64_t w_offset, int64_t w_n0, int64_t w_s0)'
  %0 = dfg.task c "vector"(@w)
// CHECK: error: 'vector' takes 5 parameters, but the arguments of the task become 7 ('m' 7)
  %1 = dfg.task c "vector"(@m)
// CHECK: error: 'vector' takes 5 parameters, but the arguments of the task become 6 ('v' 5, 'd' 1)
  %2 = dfg.task c "vector"(@v, value @d)
// CHECK: error: parameter 4 'n' of 'vector' is 'int', but the extent of dimension 0 of 'large' is 3000000000, which does not fit; declare it 'int64_t'
  %3 = dfg.task c "vector"(@large)
// CHECK: error: parameter 1 'b' of 'constant' is 'const double *', but the task says that it writes 'v' ('out'); remove 'const', or say 'in'
  %4 = dfg.task c "constant"(out @v)
// CHECK: error: parameter 1 'b' of 'rows' is 'double[2] *', but 'n' is [2][3]
  %5 = dfg.task c "rows"(@n)
// CHECK: error: parameter 1 'b' of 'rows' is 'double[2] *', but 'm' is [2][2], with gaps
  %6 = dfg.task c "rows"(@m[0:3:2, 0:2])
// CHECK: error: parameter 4 'n' of 'tiny' is 'int8_t', but the extent of dimension 0 of 'long' is 200
  %7 = dfg.task c "tiny"(@long)
// CHECK: error: parameter 3 'o' of 'flag' is '{{bool|_Bool}}', but the offset of 'v' is expected there, an 'int' or 'int64_t'
  %8 = dfg.task c "flag"(@v)
// CHECK: error: parameter 1 'x' of 'real' is 'float', but the value of 'd' is 'double'
  %9 = dfg.task c "real"(value @d)
// CHECK: error: parameter 1 'x' of 'number' is 'double', but the value of 'i' is 'int32_t'
  %10 = dfg.task c "number"(value @i)
// CHECK: error: parameter 1 'x' of 'counted' is 'int', but the value of 'l' is 5000000000, which does not fit
  %11 = dfg.task c "counted"(value @l)
// CHECK: error: parameter 1 'x' of 'pointed' is 'double *', but the value of 'd' is 'double'
  %12 = dfg.task c "pointed"(value @d)
// CHECK: error: parameter 1 'x' of 'number' is 'double', but the address of 'd' is expected there, a 'double *'
  %13 = dfg.task c "number"(@d)
// CHECK: error: parameter 1 'x' of 'pointed' is 'double *', but 'i' holds 'int32_t'
  %14 = dfg.task c "pointed"(@i)
// CHECK: error: parameter 1 'x' of 'pair' is 'Pair', but the value of 'd' is 'double'
  %15 = dfg.task c "pair"(value @d)
// CHECK: error: 'variadic' takes variable arguments, which tasks do not pass; declare one parameter for each
  %16 = dfg.task c "variadic"(value @i)
// CHECK: error: parameter 1 'x' of 'callback' is 'a function *', but 'd' holds 'double'
  %17 = dfg.task c "callback"(@d)
// CHECK: error: 'result' returns 'double', but a kernel returns nothing, or 'int' as its status; give results to a dataset or a PtrScalar
  %18 = dfg.task c "result"(value @d)
// CHECK: error: 'wide' returns 'long', but
  %19 = dfg.task c "wide"(value @d)
// CHECK: error: the task takes the result of 'number' as its status, but the function returns nothing
  %20 = dfg.task c "number"(value @d) returns_status
// CHECK: error: 'extended' returns 'long double', but
  %21 = dfg.task c "extended"(value @d)
  %22 = dfg.task c "assign"(@written)
// CHECK: error: parameter 1 'x' of 'counted' is 'int', but the value of 'written' is 'int64_t'
  %23 = dfg.task c "counted"(value @written)
// CHECK: error: parameter 1 'x' of 'unsignedOf' is 'uint64_t', but the value of 'minus' is -1, which does not fit
  %24 = dfg.task c "unsignedOf"(value @minus)
// CHECK: error: parameter 1 'b' of 'signedBytes' is 'int8_t *', but 'bytes' holds 'uint8_t', the same bits as other values; createIntDat makes such datasets, or say takesAnySign() of the task
  %25 = dfg.task c "signedBytes"(@bytes)
// CHECK: error: parameter 2 'f' of 'unsignedBytes' is 'uint8_t *', but 'chars' holds 'int8_t', the same bits as other values; createUIntDat makes such datasets, or say takesAnySign() of the task
  %26 = dfg.task c "unsignedBytes"(@chars)
}

//--- good.mlir
// GOOD: no problems in a graph of 20 tasks
dfg.dataset @bytes : ui8 [6]
dfg.dataset @chars : si8 [6]
dfg.scalar @given : si64
dfg.dataset @v : f64 [6]
dfg.dataset @m : f64 [3, 2]
dfg.dataset @large : f64 [3000000000]
dfg.scalar @d : f64 = 1.0
dfg.scalar @i : ui32 = 1
dfg.scalar @wide : si64 = 2147483647
dfg.task_graph @good {
  %0 = dfg.task c "vector"(@v)
  %1 = dfg.task c "constant"(in @v)
  %2 = dfg.task c "anything"(out @v)
  %3 = dfg.task c "anything"(@large)
  %4 = dfg.task c "typed"(out @v)
  %5 = dfg.task c "rows"(@m)
  %6 = dfg.task c "coloured"(value @i)
  %7 = dfg.task c "status"(value @d)
  %8 = dfg.task c "pointed"(@d)
  %9 = dfg.task c "status"(value @d) returns_status
  %10 = dfg.task c "counted"(value @wide)
  %11 = dfg.task c "unsignedOf"(value @i)
  %12 = dfg.task c "signedBytes"(@chars)
  %13 = dfg.task c "signedBytes"(@bytes) takes_any_sign
  %14 = dfg.task c "unsignedBytes"(@bytes)
  %15 = dfg.task c "anyBytes"(@bytes)
  %16 = dfg.task c "anyBytes"(@chars)
  %17 = dfg.task c "assign"(@given)
  %18 = dfg.task c "unsignedOf"(value @given)
  %19 = dfg.task c "unsignedAt"(@given)
}
