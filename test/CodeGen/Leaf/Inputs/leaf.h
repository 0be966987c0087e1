// Names of HPVM's intrinsics for leaves written in C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef LEAF_H
#define LEAF_H

void *node(void) __asm__("llvm.hpvm.getNode");
void *parent(void *) __asm__("llvm.hpvm.getParentNode");
int numDims(void *) __asm__("llvm.hpvm.getNumDims");
long idX(void *) __asm__("llvm.hpvm.getNodeInstanceID.x");
long idY(void *) __asm__("llvm.hpvm.getNodeInstanceID.y");
long idZ(void *) __asm__("llvm.hpvm.getNodeInstanceID.z");
long numX(void *) __asm__("llvm.hpvm.getNumNodeInstances.x");
long numY(void *) __asm__("llvm.hpvm.getNumNodeInstances.y");
long numZ(void *) __asm__("llvm.hpvm.getNumNodeInstances.z");
void barrier(void) __asm__("llvm.hpvm.barrier");
void *allocate(long) __asm__("llvm.hpvm.malloc");
int atomicAdd(int *, int) __asm__("llvm.hpvm.atomic.add");
int atomicSub(int *, int) __asm__("llvm.hpvm.atomic.sub");
int atomicExchange(int *, int) __asm__("llvm.hpvm.atomic.xchg");
int atomicMin(int *, int) __asm__("llvm.hpvm.atomic.min");
int atomicMax(int *, int) __asm__("llvm.hpvm.atomic.max");
int atomicMaxUnsigned(int *, int) __asm__("llvm.hpvm.atomic.umax");
int atomicMinUnsigned(int *, int) __asm__("llvm.hpvm.atomic.umin");
int atomicAnd(int *, int) __asm__("llvm.hpvm.atomic.and");
int atomicOr(int *, int) __asm__("llvm.hpvm.atomic.or");
int atomicXor(int *, int) __asm__("llvm.hpvm.atomic.xor");
int atomicIncrement(int *) __asm__("llvm.hpvm.atomic.inc");
int atomicDecrement(int *) __asm__("llvm.hpvm.atomic.dec");
int atomicSwapIf(int *, int, int) __asm__("llvm.hpvm.atomic.cmpxchg");
long atomicAddLong(long *, long) __asm__("llvm.hpvm.atomic.add.i64");
float atomicAddFloat(float *, float) __asm__("llvm.hpvm.atomic.add.f32");

#define X idX(node())
#define Y idY(node())
#define Z idZ(node())
#define GROUP idX(parent(node()))
#define SIZE numX(node())

#endif
