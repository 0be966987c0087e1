/*===- hpvm.h - HPVM-C for Sluice ------------------------------------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Everything an HPVM-C program calls, for C99 and later and C++11 and later.
 * `sluice` finds this file by itself: `#include <hpvm.h>` is enough.
 *
 * These functions have no bodies. The compiler interprets the calls: calls in
 * node functions describe the graph and its work, calls in host code run it.
 * Only the three functions of the memory tracker, llvm_hpvm_*_mem, are ordinary
 * functions of the runtime.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SLUICE_HPVM_HPVM_H
#define SLUICE_HPVM_HPVM_H

#include <stddef.h>

/* The target with the name DEVICE; -DDEVICE=CPU_TARGET changes it. */
#ifndef DEVICE
#define DEVICE GPU_TARGET
#endif

/* The version that defines plain integers as in `__hpvm__hint(3)`: 100 for HPVM
 * 1.0, 50 for HPVM 0.5. `sluice --hpvm-version=` sets it. */
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

/* Where a node may run. Contains the names of all versions; names that do not
 * exist in the selected version have integers above those of that version. */
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

/* Call these once each, before and after everything else. */
/*@{*/
void __hpvm__init(SLUICE_HPVM_NO_ARGUMENTS) SLUICE_HPVM_NOEXCEPT;
void __hpvm__cleanup(SLUICE_HPVM_NO_ARGUMENTS) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* __hpvm__launch(isStream, rootFunction, arguments): starts a graph and
 * returns its handle. `arguments` points to a packed struct with one field for
 * every argument of the root. If the root has outputs and does not stream, a
 * last field receives the outputs. */
void *__hpvm__launch(unsigned isStream, ...) SLUICE_HPVM_NOEXCEPT;
/* Blocks until the graph has ended. */
void __hpvm__wait(void *graph) SLUICE_HPVM_NOEXCEPT;
/* Pushes one item to a streaming graph; the struct is as in __hpvm__launch. */
void __hpvm__push(void *graph, void *arguments) SLUICE_HPVM_NOEXCEPT;
/* Pops one result, a packed struct that is valid until the next pop. */
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
/* The same operations under their HPVM-C names. */
/*@{*/
void __hpvm__trackMemory(void *pointer, size_t size) SLUICE_HPVM_NOEXCEPT;
void __hpvm__untrackMemory(void *pointer) SLUICE_HPVM_NOEXCEPT;
void __hpvm__requestMemory(void *pointer, size_t size) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/*===----------------------------------------------------------------------===
 * All node functions
 *===----------------------------------------------------------------------===*/

/* Where the node may run; one call per node function. */
void __hpvm__hint(SLUICE_HPVM_TARGET target) SLUICE_HPVM_NOEXCEPT;
/* __hpvm__attributes(ni, in..., no, out...): the pointer parameters that are
 * read, and those that are written. Call it once, with every pointer
 * parameter. */
void __hpvm__attributes(unsigned inputs, ...) SLUICE_HPVM_NOEXCEPT;

/*===----------------------------------------------------------------------===
 * Internal nodes
 *===----------------------------------------------------------------------===*/

/* __hpvm__createNodeND(dimensions, function, extent...): creates a child node
 * with 0 to 3 dimensions and one extent for each. */
void *__hpvm__createNodeND(unsigned dimensions, ...) SLUICE_HPVM_NOEXCEPT;
/* Connects output `output` of `source` to input `input` of `sink`. */
void *__hpvm__edge(void *source, void *sink, unsigned isAllToAll,
                   unsigned output, unsigned input,
                   unsigned isStream) SLUICE_HPVM_NOEXCEPT;
/* Connects an input of this node to an input of the child. */
void __hpvm__bindIn(void *child, unsigned parentInput, unsigned childInput,
                    unsigned isStream) SLUICE_HPVM_NOEXCEPT;
/* Connects an output of the child to an output of this node. The number of the
 * child's output comes first. */
void __hpvm__bindOut(void *child, unsigned childOutput, unsigned parentOutput,
                     unsigned isStream) SLUICE_HPVM_NOEXCEPT;

/* Sluice's own: dimensions of a node along which instances run one after
 * another. */
enum { SLUICE_X = 1, SLUICE_Y = 2, SLUICE_Z = 4 };
/* The instances of `child` run in the order of their ids in these dimensions:
 * an instance begins when all instances have ended with ids that are not
 * greater in any of these dimensions and less in at least one. Call it at most
 * once per node. SLUICE_X alone is a loop of sweeps, SLUICE_X | SLUICE_Y a
 * wavefront. */
void sluice_ordered(void *child, unsigned dimensions) SLUICE_HPVM_NOEXCEPT;
/* Declares that the content of the memory behind a pointer parameter of this
 * graph is not used before the graph is launched or after it has ended: its
 * nodes write the content before they read it, and the host does not access it.
 * So the memory need not be written at all if its rows can be passed from node
 * to node in the cache. */
void sluice_temporary(const void *memory) SLUICE_HPVM_NOEXCEPT;

/*===----------------------------------------------------------------------===
 * Leaf nodes
 *===----------------------------------------------------------------------===*/

/* __hpvm__return(n, value...): the node's outputs, with the types of the
 * expressions as written: a float stays a float, a short a short. */
void __hpvm__return(unsigned outputs, ...) SLUICE_HPVM_NOEXCEPT;

/* This node, for the queries below. */
void *__hpvm__getNode(SLUICE_HPVM_NO_ARGUMENTS) SLUICE_HPVM_NOEXCEPT;
/* The graph that contains `node`, for the same queries. */
void *__hpvm__getParentNode(void *node) SLUICE_HPVM_NOEXCEPT;
/* The dimensions of `node`, 0 to 3. */
int __hpvm__getNumDims(void *node) SLUICE_HPVM_NOEXCEPT;
/* The id of the running instance of `node`, from 0 on, in one of the node's
 * dimensions. */
/*@{*/
long __hpvm__getNodeInstanceID_x(void *node) SLUICE_HPVM_NOEXCEPT;
long __hpvm__getNodeInstanceID_y(void *node) SLUICE_HPVM_NOEXCEPT;
long __hpvm__getNodeInstanceID_z(void *node) SLUICE_HPVM_NOEXCEPT;
/*@}*/
/* The number of instances of `node` in one of its dimensions. */
/*@{*/
long __hpvm__getNumNodeInstances_x(void *node) SLUICE_HPVM_NOEXCEPT;
long __hpvm__getNumNodeInstances_y(void *node) SLUICE_HPVM_NOEXCEPT;
long __hpvm__getNumNodeInstances_z(void *node) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* The same in OpenCL's terms: instances of the leaf are work-items, and
 * instances of its replicated parent are work-groups. The dimension must be a
 * constant. */
/*@{*/
long get_global_id(int dimension) SLUICE_HPVM_NOEXCEPT;
long get_group_id(int dimension) SLUICE_HPVM_NOEXCEPT;
long get_local_id(int dimension) SLUICE_HPVM_NOEXCEPT;
long get_local_size(int dimension) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* Waits for the other instances of this leaf in the same work-group. */
void __hpvm__barrier(SLUICE_HPVM_NO_ARGUMENTS) SLUICE_HPVM_NOEXCEPT;
/* Allocates memory for siblings, to which the leaf returns it with its size.
 * The memory belongs to the instance of the parent or, in a replicated leaf, to
 * the launch or the item of the stream, and is freed with its owner. */
void *__hpvm__malloc(long bytes) SLUICE_HPVM_NOEXCEPT;

/* Sluice's own: states that the memory that one instance accesses through `a`
 * is disjoint from the memory that any other instance of the same node accesses
 * through `b`, and that each access stays within the given number of bytes.
 * With the same pointer twice, it states that every instance has its own memory
 * there. It costs nothing; SLUICE_CHECK=1 checks it. See "Races" in the
 * documentation. */
void sluice_assume_disjoint(const void *a, size_t aBytes, const void *b,
                            size_t bBytes) SLUICE_HPVM_NOEXCEPT;

/* Sluice's own: states that the order in which instances use the `bytes` bytes
 * at `memory` does not matter. This covers the instances of this node, and of
 * other nodes with the same statement. The reason is a string, such as "all
 * write the same value", which the result of the race check quotes.
 * SLUICE_CHECK=1 reports an error if two instances write different values. It
 * costs nothing. See "Races" in the documentation. */
void sluice_assume_ordered(const void *memory, size_t bytes,
                           const char *reason) SLUICE_HPVM_NOEXCEPT;

#ifdef __cplusplus
} /* extern "C" */
#endif

/* Sluice's own: reductions. sluice_reduce(memory, bytes, op), at the start of a
 * leaf, declares that the instances fold into the `bytes` bytes at `memory`, a
 * pointer parameter: each instance updates elements by `memory[k] = memory[k]
 * op value` (for SLUICE_SUM also `-=`, for SLUICE_MIN and SLUICE_MAX also `if
 * (value < memory[k]) memory[k] = value`), and uses that memory in no other
 * way. No atomics are needed, and the result is bitwise the same for any number
 * of workers: each chunk of instances has its own copy, and the copies are
 * combined in an order that depends only on the extents. See "Reductions" in
 * docs/hpvm-rules.md.
 *
 * Scans: sluice_scan(memory, bytes, op) declares that each instance of a
 * one-dimensional node uses its own element, memory[i], and no other element
 * there. When all instances have run, element i contains the previous values of
 * elements 0 to i, combined by the operator. After sluice_scan_exclusive, it
 * contains the combination of elements 0 to i - 1, and element 0 contains the
 * identity. See "Scans" there. */
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

/* The same with an operator of the program, for elements of any type, such as
 * structures: `identity` writes the identity to `element`, and `combine` folds
 * `from`, the result of later instances, into `into`, the result of earlier
 * ones. Instances may use their copy in any way. */
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

/* Atomic operations; operations that change a value return the old value. min
 * and max are signed, umin and umax unsigned, inc and dec change by one. */
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

/* Sluice's own: reads the value, and sets it. */
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

/* Mathematical functions: floorf, 1 / sqrtf, sqrtf, sinf and cosf. */
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
