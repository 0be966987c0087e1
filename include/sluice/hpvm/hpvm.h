/*===- hpvm.h - HPVM-C for Sluice ------------------------------------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Everything an HPVM-C program calls, for C99 and later and C++11 and later.
 * `sluice` finds this file by itself: `#include <hpvm.h>` is enough.
 *
 * Nothing here has a body. The compiler reads the calls: those in node
 * functions describe the graph and its work, those in host code run it. Only
 * the three functions of the memory tracker, llvm_hpvm_*_mem, are ordinary
 * functions of the runtime.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SLUICE_HPVM_HPVM_H
#define SLUICE_HPVM_HPVM_H

#include <stddef.h>

/* The target that programs name DEVICE; -DDEVICE=CPU_TARGET changes it. */
#ifndef DEVICE
#define DEVICE GPU_TARGET
#endif

/* The version whose integers a bare `__hpvm__hint(3)` means: 100 for HPVM 1.0,
 * 50 for HPVM 0.5. `sluice --hpvm-version=` sets it. */
#ifndef SLUICE_HPVM_VERSION
#define SLUICE_HPVM_VERSION 100
#endif

#ifdef __cplusplus
#define SLUICE_HPVM_NOEXCEPT noexcept
#define SLUICE_HPVM_TARGET hpvm::Target
#define SLUICE_HPVM_NO_ARGUMENTS
namespace hpvm {
#else
#define SLUICE_HPVM_NOEXCEPT
#define SLUICE_HPVM_TARGET enum Target
#define SLUICE_HPVM_NO_ARGUMENTS void
#endif

/* Where a node may run. All names of all versions are there; names that the
 * chosen version lacks have integers above those it has. */
enum Target {
#if SLUICE_HPVM_VERSION == 50
  None = 0,
  CPU_TARGET = 1,
  GPU_TARGET = 2,
  SPIR_TARGET = 3,
  CUDNN_TARGET = 4,
  PROMISE_TARGET = 5,
  CPU_OR_GPU_TARGET = 6,
  CPU_OR_SPIR_TARGET = 7,
  NUM_TARGETS = 8,
  TENSOR_TARGET = 100
#else
  None = 0,
  CPU_TARGET = 1,
  GPU_TARGET = 2,
  CUDNN_TARGET = 3,
  TENSOR_TARGET = 4,
  CPU_OR_GPU_TARGET = 5,
  NUM_TARGETS = 6,
  SPIR_TARGET = 100,
  CPU_OR_SPIR_TARGET = 101,
  PROMISE_TARGET = 102
#endif
};

#ifdef __cplusplus
} /* namespace hpvm */
extern "C" {
#endif

/* Names for isStream and isAllToAll. */
enum { HPVM_NONSTREAMING = 0, HPVM_STREAMING = 1 };
enum { HPVM_ONE_TO_ONE = 0, HPVM_ALL_TO_ALL = 1 };

/*===----------------------------------------------------------------------===
 * Host code
 *===----------------------------------------------------------------------===*/

/* Before and after everything else; one call of each in a program. */
/*@{*/
void __hpvm__init(SLUICE_HPVM_NO_ARGUMENTS) SLUICE_HPVM_NOEXCEPT;
void __hpvm__cleanup(SLUICE_HPVM_NO_ARGUMENTS) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* __hpvm__launch(isStream, rootFunction, arguments): starts a graph and
 * returns its handle. `arguments` points to a packed struct of one field for
 * every argument of the root and, where the root has outputs and does not
 * stream, a last field that receives them. */
void *__hpvm__launch(unsigned isStream, ...) SLUICE_HPVM_NOEXCEPT;
/* Blocks until the graph has ended. */
void __hpvm__wait(void *graph) SLUICE_HPVM_NOEXCEPT;
/* Gives a streaming graph one item; takes the struct of __hpvm__launch. */
void __hpvm__push(void *graph, void *arguments) SLUICE_HPVM_NOEXCEPT;
/* Takes one result, a packed struct that is valid until the next pop. */
void *__hpvm__pop(void *graph) SLUICE_HPVM_NOEXCEPT;

#ifndef SLUICE_C_RUNTIME_H
/* The memory tracker: start, stop, and make the host's copy valid.
 * sluice-c/Runtime.h declares them as well. */
/*@{*/
void llvm_hpvm_track_mem(void *pointer, size_t size) SLUICE_HPVM_NOEXCEPT;
void llvm_hpvm_untrack_mem(void *pointer) SLUICE_HPVM_NOEXCEPT;
void llvm_hpvm_request_mem(void *pointer, size_t size) SLUICE_HPVM_NOEXCEPT;
/*@}*/
#endif
/* The same as operations of the language. */
/*@{*/
void __hpvm__trackMemory(void *pointer, size_t size) SLUICE_HPVM_NOEXCEPT;
void __hpvm__untrackMemory(void *pointer) SLUICE_HPVM_NOEXCEPT;
void __hpvm__requestMemory(void *pointer, size_t size) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/*===----------------------------------------------------------------------===
 * Every node function
 *===----------------------------------------------------------------------===*/

/* Where the node may run; once in a node function. */
void __hpvm__hint(SLUICE_HPVM_TARGET target) SLUICE_HPVM_NOEXCEPT;
/* __hpvm__attributes(ni, in..., no, out...): the pointer parameters that are
 * read, and those that are written; once, and every pointer parameter. */
void __hpvm__attributes(unsigned inputs, ...) SLUICE_HPVM_NOEXCEPT;

/*===----------------------------------------------------------------------===
 * Internal nodes
 *===----------------------------------------------------------------------===*/

/* __hpvm__createNodeND(dimensions, function, extent...): a child node with 0
 * to 3 dimensions and as many extents. */
void *__hpvm__createNodeND(unsigned dimensions, ...) SLUICE_HPVM_NOEXCEPT;
/* From output `output` of `source` to input `input` of `sink`. */
void *__hpvm__edge(void *source, void *sink, unsigned isAllToAll,
                   unsigned output, unsigned input,
                   unsigned isStream) SLUICE_HPVM_NOEXCEPT;
/* This node's input to the child's. */
void __hpvm__bindIn(void *child, unsigned parentInput, unsigned childInput,
                    unsigned isStream) SLUICE_HPVM_NOEXCEPT;
/* The child's output to this node's; the child's number comes first. */
void __hpvm__bindOut(void *child, unsigned childOutput, unsigned parentOutput,
                     unsigned isStream) SLUICE_HPVM_NOEXCEPT;

/* Sluice's own: dimensions of a node along which instances run one after
 * another. */
enum { SLUICE_X = 1, SLUICE_Y = 2, SLUICE_Z = 4 };
/* The instances of `child` run in the order of their ids in these dimensions,
 * once per node: an instance begins when all have ended whose ids are no
 * greater in any of them, and less in one. SLUICE_X alone is a loop of sweeps,
 * SLUICE_X | SLUICE_Y a wavefront. */
void sluice_ordered(void *child, unsigned dimensions) SLUICE_HPVM_NOEXCEPT;
/* What the memory behind a pointer parameter of this graph holds is of no use
 * before the graph is launched, nor when it has ended: its nodes write there
 * what they read, and the host looks at none of it. So it need not be written
 * at all where its rows can be handed from node to node in the cache. */
void sluice_temporary(const void *memory) SLUICE_HPVM_NOEXCEPT;

/*===----------------------------------------------------------------------===
 * Leaf nodes
 *===----------------------------------------------------------------------===*/

/* __hpvm__return(n, value...): the node's outputs, with the types of the
 * expressions as written: a float stays a float, a short a short. */
void __hpvm__return(unsigned outputs, ...) SLUICE_HPVM_NOEXCEPT;

/* This node, for the questions below. */
void *__hpvm__getNode(SLUICE_HPVM_NO_ARGUMENTS) SLUICE_HPVM_NOEXCEPT;
/* The graph that `node` stands in, for the same questions. */
void *__hpvm__getParentNode(void *node) SLUICE_HPVM_NOEXCEPT;
/* The dimensions of `node`, 0 to 3. */
int __hpvm__getNumDims(void *node) SLUICE_HPVM_NOEXCEPT;
/* Which instance of `node` runs, from 0 on, in a dimension that it has. */
/*@{*/
long __hpvm__getNodeInstanceID_x(void *node) SLUICE_HPVM_NOEXCEPT;
long __hpvm__getNodeInstanceID_y(void *node) SLUICE_HPVM_NOEXCEPT;
long __hpvm__getNodeInstanceID_z(void *node) SLUICE_HPVM_NOEXCEPT;
/*@}*/
/* How many instances `node` has in a dimension that it has. */
/*@{*/
long __hpvm__getNumNodeInstances_x(void *node) SLUICE_HPVM_NOEXCEPT;
long __hpvm__getNumNodeInstances_y(void *node) SLUICE_HPVM_NOEXCEPT;
long __hpvm__getNumNodeInstances_z(void *node) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* The same in OpenCL's words: instances of the leaf are work-items, those of
 * its replicated parent work-groups. The dimension is a constant. */
/*@{*/
long get_global_id(int dimension) SLUICE_HPVM_NOEXCEPT;
long get_group_id(int dimension) SLUICE_HPVM_NOEXCEPT;
long get_local_id(int dimension) SLUICE_HPVM_NOEXCEPT;
long get_local_size(int dimension) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* Waits for the other instances of this leaf in the same work-group. */
void __hpvm__barrier(SLUICE_HPVM_NO_ARGUMENTS) SLUICE_HPVM_NOEXCEPT;
/* Memory for siblings, to which the leaf returns it with its size. It belongs
 * to the instance of the parent or, in a replicated leaf, to the launch or the
 * item of the stream, and is freed with that. */
void *__hpvm__malloc(long bytes) SLUICE_HPVM_NOEXCEPT;

/* Sluice's own: says that what one instance reaches through `a`, and what any
 * other instance of the same node reaches through `b`, are disjoint, and that
 * each stays within so many bytes. With the same pointer twice: that every
 * instance has memory of its own there. It costs nothing; SLUICE_CHECK=1 checks
 * it. See "Races" in the documentation. */
void sluice_assume_disjoint(const void *a, size_t aBytes, const void *b,
                            size_t bBytes) SLUICE_HPVM_NOEXCEPT;

/* Sluice's own: says that the order in which the instances of this node, and of
 * others that say so as well, use the `bytes` bytes at `memory` does not
 * matter, for the reason given, a string: "all write the same value". The
 * verdict about races names it; SLUICE_CHECK=1 finds it wrong where two
 * instances write different values. It costs nothing. See "Races" in
 * the documentation. */
void sluice_assume_ordered(const void *memory, size_t bytes,
                           const char *reason) SLUICE_HPVM_NOEXCEPT;

#ifdef __cplusplus
} /* extern "C" */
#endif

/* Sluice's own: reductions. sluice_reduce(memory, bytes, op), at the start of a
 * leaf, says that the instances fold into the `bytes` bytes at `memory`, a
 * pointer parameter: each one updates elements by `memory[k] = memory[k] op
 * value` (for SLUICE_SUM also `-=`, for SLUICE_MIN and SLUICE_MAX also `if
 * (value < memory[k]) memory[k] = value`), and uses that memory in no other
 * way. No atomics are needed, and the result is the same to the bit for any
 * number of workers: chunks of instances have copies of their own, which are
 * combined in an order that depends on the extents alone. See "Reductions" in
 * docs/hpvm-rules.md.
 *
 * Scans: sluice_scan(memory, bytes, op) says that each instance of a node of
 * one dimension uses its own element, memory[i], and no other one there. When
 * all have run, element i holds what elements 0 to i held before, joined by the
 * operator; after sluice_scan_exclusive, what elements 0 to i - 1 held, and
 * element 0 what changes nothing. See "Scans" there. */
enum {
  SLUICE_SUM = 0,
  SLUICE_PRODUCT = 1,
  SLUICE_MIN = 2,
  SLUICE_MAX = 3,
  SLUICE_AND = 4,
  SLUICE_OR = 5,
  SLUICE_XOR = 6
};
#define SLUICE_HPVM_FOLD(NAME, TYPE, SUFFIX)                                   \
  void __attribute__((overloadable))                                           \
  sluice_##NAME(TYPE *memory, size_t bytes, int op)                            \
      SLUICE_HPVM_NOEXCEPT __asm__("sluice_" #NAME "_" #SUFFIX);
#define SLUICE_HPVM_REDUCE(TYPE, SUFFIX)                                       \
  SLUICE_HPVM_FOLD(reduce, TYPE, SUFFIX)                                       \
  SLUICE_HPVM_FOLD(scan, TYPE, SUFFIX)                                         \
  SLUICE_HPVM_FOLD(scan_exclusive, TYPE, SUFFIX)
SLUICE_HPVM_REDUCE(char, i8)
SLUICE_HPVM_REDUCE(signed char, i8)
SLUICE_HPVM_REDUCE(unsigned char, u8)
SLUICE_HPVM_REDUCE(short, i16)
SLUICE_HPVM_REDUCE(unsigned short, u16)
SLUICE_HPVM_REDUCE(int, i32)
SLUICE_HPVM_REDUCE(unsigned, u32)
SLUICE_HPVM_REDUCE(long, i64)
SLUICE_HPVM_REDUCE(unsigned long, u64)
SLUICE_HPVM_REDUCE(long long, i64)
SLUICE_HPVM_REDUCE(unsigned long long, u64)
SLUICE_HPVM_REDUCE(float, f32)
SLUICE_HPVM_REDUCE(double, f64)
#undef SLUICE_HPVM_REDUCE
#undef SLUICE_HPVM_FOLD

#ifdef __cplusplus
extern "C" {
#endif

/* The same with an operator of the program, for elements of any type, as
 * structures: `identity` writes to `element` what changes nothing, and
 * `combine` folds `from`, the result of later instances, into `into`, that of
 * earlier ones. Instances may do what they like with their copy. */
/*@{*/
void sluice_reduce_with(void *memory, size_t bytes, size_t elementBytes,
                        void (*identity)(void *element),
                        void (*combine)(void *into,
                                        const void *from)) SLUICE_HPVM_NOEXCEPT;
void sluice_scan_with(void *memory, size_t bytes, size_t elementBytes,
                      void (*identity)(void *element),
                      void (*combine)(void *into,
                                      const void *from)) SLUICE_HPVM_NOEXCEPT;
void sluice_scan_exclusive_with(void *memory, size_t bytes, size_t elementBytes,
                                void (*identity)(void *element),
                                void (*combine)(void *into, const void *from))
    SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* Atomic operations; those that change a value return the old one. min and max
 * are signed, umin and umax unsigned, inc and dec step by one. */
/*@{*/
int __hpvm__atomic_add(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_sub(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_xchg(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_min(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_max(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_umin(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_umax(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_and(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_or(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_xor(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_inc(int *memory) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_dec(int *memory) SLUICE_HPVM_NOEXCEPT;
int __hpvm__atomic_cmpxchg(int *memory, int expected,
                           int value) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* Sluice's own: the value as it is, and setting it. */
/*@{*/
int __hpvm__atomic_load(const int *memory) SLUICE_HPVM_NOEXCEPT;
void __hpvm__atomic_store(int *memory, int value) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* Sluice's own: 64 bits, and floating-point numbers. */
/*@{*/
long __hpvm__atomic_add_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
long __hpvm__atomic_sub_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
long __hpvm__atomic_xchg_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
long __hpvm__atomic_min_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
long __hpvm__atomic_max_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
long __hpvm__atomic_umin_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
long __hpvm__atomic_umax_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
long __hpvm__atomic_and_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
long __hpvm__atomic_or_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
long __hpvm__atomic_xor_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
long __hpvm__atomic_load_i64(const long *memory) SLUICE_HPVM_NOEXCEPT;
void __hpvm__atomic_store_i64(long *memory, long value) SLUICE_HPVM_NOEXCEPT;
float __hpvm__atomic_load_f32(const float *memory) SLUICE_HPVM_NOEXCEPT;
void __hpvm__atomic_store_f32(float *memory, float value) SLUICE_HPVM_NOEXCEPT;
double __hpvm__atomic_load_f64(const double *memory) SLUICE_HPVM_NOEXCEPT;
void __hpvm__atomic_store_f64(double *memory,
                              double value) SLUICE_HPVM_NOEXCEPT;
float __hpvm__atomic_add_f32(float *memory, float value) SLUICE_HPVM_NOEXCEPT;
double __hpvm__atomic_add_f64(double *memory,
                              double value) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* Functions of mathematics, as floorf, 1 / sqrtf, sqrtf, sinf and cosf. */
/*@{*/
float __hpvm__floor(float value) SLUICE_HPVM_NOEXCEPT;
float __hpvm__rsqrt(float value) SLUICE_HPVM_NOEXCEPT;
float __hpvm__sqrt(float value) SLUICE_HPVM_NOEXCEPT;
float __hpvm__sin(float value) SLUICE_HPVM_NOEXCEPT;
float __hpvm__cos(float value) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/*===----------------------------------------------------------------------===
 * Tensor operations: declared so that the compiler can refuse them by name
 *===----------------------------------------------------------------------===*/

/* Refused by the compiler: there are no tensors in Sluice. */
/*@{*/
void *__hpvm__tensor_add(void *, void *) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__tensor_mul(void *, void *) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__tensor_convolution(void *, void *, int, int, int,
                                 int) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__tensor_group_convolution(void *, void *, int, int, int, int, int,
                                       int) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__tensor_batchnorm(void *, void *, void *, void *, void *,
                               double) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__tensor_pool_max(void *, int, int, int, int, int,
                              int) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__tensor_pool_mean(void *, int, int, int, int, int,
                               int) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__tensor_relu(void *) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__tensor_tanh(void *) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__tensor_softmax(void *) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__node_id(int) SLUICE_HPVM_NOEXCEPT;
void *__hpvm__grad(unsigned, ...) SLUICE_HPVM_NOEXCEPT;
/*@}*/

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SLUICE_HPVM_HPVM_H */
