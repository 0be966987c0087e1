//===- hpvm.h - HPVM 1.0's sequential lowering, re-implemented --*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for hpvm.h when a program of ../nd is built the way HPVM 1.0's CPU
// back end lowers it. Our own re-implementation, from its published behaviour:
//
// 1. A launch calls the root; `wait` frees the handle.
// 2. A replicated node is a nest of do-while loops, x outermost, so that an
//    extent of 0 still runs once.
// 3. Around every instance, its dimensions are pushed on and popped from one
//    global stack, each under one global mutex.
// 4. An instance looks each of its `in` pointers up in the memory tracker,
//    under the same mutex.
// 5. A leaf's own ids arrive as arguments; an ancestor's are read from the
//    stack, under the mutex.
//
// Graph construction happened at compile time there; here the program's file
// in this folder writes the loops down, and the builder functions do nothing.
// Barriers, atomics and `malloc` have no lowering there and none here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_SEQUENTIAL_HPVM_H
#define SLUICE_BENCH_SEQUENTIAL_HPVM_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum Target { CPU_TARGET = 1 };

enum { sequentialMaxDepth = 16, sequentialMaxTracked = 16 };

typedef struct SequentialDepth {
  uint64_t limit[3];
  uint64_t instance[3];
} SequentialDepth;

typedef struct SequentialTracked {
  void *pointer;
  size_t size;
} SequentialTracked;

static pthread_mutex_t sequentialMutex = PTHREAD_MUTEX_INITIALIZER;
static SequentialDepth sequentialStack[sequentialMaxDepth];
static unsigned sequentialDepth;
static SequentialTracked sequentialTable[sequentialMaxTracked];
static unsigned sequentialNumTracked;
/// The running leaf's own dimensions: arguments of the leaf in the original.
static SequentialDepth sequentialOwn;

static inline void sequentialPush(SequentialDepth depth) {
  pthread_mutex_lock(&sequentialMutex);
  sequentialStack[sequentialDepth++] = depth;
  pthread_mutex_unlock(&sequentialMutex);
  sequentialOwn = depth;
}

static inline void sequentialPop(void) {
  pthread_mutex_lock(&sequentialMutex);
  --sequentialDepth;
  pthread_mutex_unlock(&sequentialMutex);
}

/// What every instance does first with each of its `in` pointers.
static inline void sequentialRequest(void *pointer) {
  pthread_mutex_lock(&sequentialMutex);
  unsigned i = 0;
  while (i < sequentialNumTracked && sequentialTable[i].pointer != pointer)
    ++i;
  if (i == sequentialNumTracked) {
    fprintf(stderr, "pointer %p is not tracked\n", pointer);
    exit(1);
  }
  pthread_mutex_unlock(&sequentialMutex);
}

static inline uint64_t sequentialAncestorInstance(unsigned level,
                                                  unsigned dim) {
  pthread_mutex_lock(&sequentialMutex);
  uint64_t id = sequentialStack[sequentialDepth - level - 1].instance[dim];
  pthread_mutex_unlock(&sequentialMutex);
  return id;
}

/// A node handle is the number of levels above the running leaf.
static inline void *__hpvm__getNode(void) { return 0; }

static inline void *__hpvm__getParentNode(void *node) {
  return (char *)node + 1;
}

static inline long sequentialInstance(void *node, unsigned dim) {
  unsigned level = (unsigned)(uintptr_t)node;
  return (long)(level == 0 ? sequentialOwn.instance[dim]
                           : sequentialAncestorInstance(level, dim));
}

static inline long __hpvm__getNodeInstanceID_x(void *node) {
  return sequentialInstance(node, 0);
}

static inline long __hpvm__getNodeInstanceID_y(void *node) {
  return sequentialInstance(node, 1);
}

static inline void llvm_hpvm_track_mem(void *pointer, size_t size) {
  if (sequentialNumTracked == sequentialMaxTracked)
    exit(1);
  sequentialTable[sequentialNumTracked++] = (SequentialTracked){pointer, size};
}

static inline void llvm_hpvm_untrack_mem(void *pointer) {
  unsigned i = 0;
  while (i < sequentialNumTracked && sequentialTable[i].pointer != pointer)
    ++i;
  if (i < sequentialNumTracked)
    sequentialTable[i] = sequentialTable[--sequentialNumTracked];
}

/// The root's body, lowered by hand in the program's file.
static void sequentialRoot(void *arguments);

static inline void *__hpvm__launch(unsigned isStream, void *root,
                                   void *arguments) {
  void *context = malloc(64);
  sequentialRoot(arguments);
  return context;
}

static inline void __hpvm__wait(void *context) { free(context); }
static inline void __hpvm__init(void) {}
static inline void __hpvm__cleanup(void) {}
static inline void __hpvm__hint(enum Target target) {}
static inline void __hpvm__attributes(unsigned numInputs, ...) {}

static inline void *__hpvm__createNodeND(unsigned dims, void *function, ...) {
  return 0;
}

static inline void __hpvm__bindIn(void *node, unsigned parentInput,
                                  unsigned childInput, unsigned isStream) {}

#endif // SLUICE_BENCH_SEQUENTIAL_HPVM_H
