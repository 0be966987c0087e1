//===- Check.h - Reports from instrumented leaf code to the runtime -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With `--check` the compiler inserts a call before every memory access in leaf
// code. The runtime tracks which instance accesses which bytes and reports
// accesses that the graph does not allow (SLUICE_CHECK=1). Only generated code
// calls these functions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_CHECK_H
#define SLUICE_C_CHECK_H

#include "sluice-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of accesses.
enum SluiceCheckKind { // bits
  SLUICE_CHECK_READ = 1,
  SLUICE_CHECK_WRITE = 2,
  SLUICE_CHECK_ATOMIC = 4, ///< one indivisible operation; with the other bits
  SLUICE_CHECK_COPY = 8    ///< of a block, which may contain padding
};

/// Origin of an accessed address.
enum SluiceCheckObject {
  SLUICE_CHECK_UNKNOWN = 0,   ///< a loaded pointer, for example
  SLUICE_CHECK_ARGUMENT = 1,  ///< a pointer argument of the leaf
  SLUICE_CHECK_GLOBAL = 2,    ///< a global variable
  SLUICE_CHECK_ALLOCATION = 3 ///< memory that the leaf allocated
};

/// One place in the code of a leaf that accesses memory.
typedef struct SluiceCheckSite {
  const char *location; ///< "file.c:12:3", or what is known instead
  const char *object;   ///< name of the argument or global, or ""
  uint32_t kind;        ///< SluiceCheckKind
  uint32_t objectKind;  ///< SluiceCheckObject
  uint32_t access;      ///< SluiceAccess; arguments only
  uint32_t reserved;    ///< 0
} SluiceCheckSite;

/// How a graph orders instances of two nodes.
enum SluiceCheckOrder { // one byte each
  SLUICE_CHECK_UNORDERED = 0,
  SLUICE_CHECK_ONE_TO_ONE = 1, ///< equal indices only
  SLUICE_CHECK_ORDERED = 2
};

/// One step from an internal node down to a leaf.
typedef struct SluiceCheckStep {
  uint32_t child;       ///< position among the children of the internal node
  uint32_t numChildren; ///< of the internal node
  /// SluiceCheckOrder of child i before child j at `i * numChildren + j`.
  const uint8_t *order;
} SluiceCheckStep;

/// A leaf as it stands below a node of the plan. The levels of replication
/// are those of the plan's node, then one for each step.
typedef struct SluiceCheckLeaf {
  const char *name;       ///< path in the hierarchy
  const char *location;   ///< "file.c:12:3", or ""
  uint32_t numNodeLevels; ///< levels of the plan's node
  uint32_t numSteps;      ///< 0: the leaf is the plan's node itself
  /// Levels whose instance is known when the leaf starts.
  uint32_t numFixedLevels;
  uint32_t numLevels;           ///< all levels
  const uint32_t *dimensions;   ///< 0 to 3, of each level
  const SluiceCheckStep *steps; ///< from the node down
} SluiceCheckLeaf;

/// An instance that is the one last named by sluiceCheckInstance.
#define SLUICE_CHECK_CURRENT UINT64_MAX

/// Says that instances of `leaf` run from now on. `numbers` are the ids of the
/// fixed levels and then the extents of all levels, 3 each.
SLUICE_EXPORT void sluiceCheckLeaf(const SluiceInvocation *invocation,
                                   const SluiceCheckLeaf *leaf,
                                   const int64_t *numbers);

/// Names the instance for accesses of functions that do not know theirs, and
/// says how many barriers it has passed. Leaves with barriers call it at their
/// end as well.
SLUICE_EXPORT void sluiceCheckInstance(uint64_t instance, uint64_t phase);

/// An access to `size` bytes at `address` by the instance with linear index
/// `instance` over the levels that are not fixed (x fastest, then y, z, then
/// the next outer level), after it passed `phase` barriers. The address was
/// computed from the start `base` of an object of `extent` bytes; null and
/// UINT64_MAX where that is not known. Ends the kernel (throws through it) if
/// the access lies outside of the object.
SLUICE_EXPORT void sluiceCheckAccess(const SluiceCheckSite *site,
                                     const void *address, uint64_t size,
                                     uint64_t instance, uint64_t phase,
                                     const void *base, uint64_t extent);

/// These bytes belong to a new object: what was there before is gone.
SLUICE_EXPORT void sluiceCheckNewMemory(const void *address, uint64_t size);

/// sluice_assume_disjoint at `site`, by an instance as above: no other instance
/// of the node has memory in `[b, b + bSize)` that is in `[a, a + aSize)`.
SLUICE_EXPORT void sluiceCheckDisjoint(const SluiceCheckSite *site,
                                       uint64_t instance, uint64_t phase,
                                       const void *a, uint64_t aSize,
                                       const void *b, uint64_t bSize);

/// sluice_assume_ordered at `site`, by an instance as above: the order in which
/// instances of the node use these bytes does not matter.
SLUICE_EXPORT void sluiceCheckOrdered(const SluiceCheckSite *site,
                                      uint64_t instance, const void *memory,
                                      uint64_t size);

/// What is done to a lock or a guard.
enum SluiceCheckTurn {
  SLUICE_CHECK_LOCKED = 1,
  SLUICE_CHECK_UNLOCKED = 2,
  SLUICE_CHECK_INITIALIZES = 3, ///< a static, as the only one
  SLUICE_CHECK_INITIALIZED = 4  ///< it has done so, or given up
};

/// What an instance as above (or SLUICE_CHECK_CURRENT) did to a lock, or to the
/// guard of a static.
SLUICE_EXPORT void sluiceCheckTurn(const void *lock, uint32_t turn,
                                   uint64_t instance);

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_CHECK_H
