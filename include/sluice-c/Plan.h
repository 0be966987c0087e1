//===- Plan.h - Constant tables that the compiler hands the runtime -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wall between compiler and runtime. A plan is one graph, flattened to
// the nodes that are scheduled, as constant tables and function pointers. The
// compiler emits plans as constant data, the runtime reads nothing else. Both
// sides check `magic`, `version` and the structure sizes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_PLAN_H
#define SLUICE_C_PLAN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// "SLUICEPL" read as a little-endian integer.
#define SLUICE_PLAN_MAGIC UINT64_C(0x4c50454349554c53)
#define SLUICE_PLAN_VERSION 2u
/// No frame offset: the value is not stored.
#define SLUICE_NO_OFFSET UINT64_MAX
/// No index: the table entry refers to nothing.
#define SLUICE_NO_INDEX UINT32_MAX

/// What a kernel is told about the graph instance it runs in.
///
/// One graph instance (a launch, or one item of a stream) owns one *frame*: a
/// block of bytes that holds the graph's arguments and the nodes' outputs at
/// offsets fixed by the plan.
typedef struct SluiceInvocation {
  /// The graph instance's values; `SluicePlan::frameSize` bytes.
  unsigned char *frame;
  /// Evaluated extents of the node: `3 * numLevels` numbers, level by level
  /// from the outermost, x then y then z, 1 in unused dimensions.
  const int64_t *extents;
  /// The runtime's own; handed back to support functions.
  void *instance;
} SluiceInvocation;

/// Runs the units `begin <= u < end` of one node. Units are the instances of
/// the first `numUnitLevels` levels in linear order: x fastest, then y, then
/// z, then the next outer level.
typedef void (*SluiceKernel)(const SluiceInvocation *invocation, uint64_t begin,
                             uint64_t end);

/// Writes the `3 * numLevels` extents of a node, computed from the frame.
typedef void (*SluiceExtents)(const unsigned char *frame, int64_t *extents);

enum SluiceAccess { // bits
  SLUICE_ACCESS_NONE = 0,
  SLUICE_ACCESS_IN = 1,
  SLUICE_ACCESS_OUT = 2
};

enum SluicePortFlags { // bits
  SLUICE_PORT_POINTER = 1,
  SLUICE_PORT_STREAM = 2
};

/// One argument of the graph.
typedef struct SluicePlanArgument {
  const char *name;
  uint64_t size;        ///< bytes
  uint64_t frameOffset; ///< where kernels read it
  uint32_t flags;       ///< SluicePortFlags
  uint32_t access;      ///< SluiceAccess; pointers only
  /// Index of the 64-bit argument that holds the pointed-to size in bytes, or
  /// SLUICE_NO_INDEX.
  uint32_t sizeArgument;
  uint32_t reserved;
} SluicePlanArgument;

/// One result of the graph.
typedef struct SluicePlanResult {
  const char *name;
  uint64_t size;
  uint64_t frameOffset; ///< where the value stands when the graph has ended
  uint32_t flags;       ///< SluicePortFlags
  uint32_t reserved;
} SluicePlanResult;

enum SluiceReplication { SLUICE_ONE_TO_ONE = 0, SLUICE_ALL_TO_ALL = 1 };

/// Where a node's input comes from: for printing, drawing, tracing and
/// checks. (Kernels know the offsets themselves.)
typedef struct SluicePlanOperand {
  const char *name;
  /// Producing node, or SLUICE_NO_INDEX: `index` is an argument of the graph.
  uint32_t node;
  uint32_t index;       ///< output of that node, or argument of the graph
  uint32_t replication; ///< SluiceReplication
  uint32_t flags;       ///< SluicePortFlags
  /// SluiceAccess; pointers only. For an internal node, what its descendants
  /// do.
  uint32_t access;
  uint32_t reserved;
} SluicePlanOperand;

/// One output of a node. The kernel stores the value of the last instance at
/// `frameOffset`; if a one-to-one edge leaves the output, it also stores the
/// value of instance i at `array + i * size`, where `array` is a pointer at
/// `arrayOffset` in the frame that the runtime sets before the node starts
/// (room for as many values as the product of the extents of the first
/// `arrayLevels` levels). Without instances the frame holds zeros.
typedef struct SluicePlanOutput {
  const char *name;
  uint64_t size;        ///< bytes
  uint64_t frameOffset; ///< or SLUICE_NO_OFFSET
  uint64_t arrayOffset; ///< or SLUICE_NO_OFFSET
  uint32_t arrayLevels; ///< levels that the array spans; 0: one value
  uint32_t reserved;
} SluicePlanOutput;

/// Memory that nodes use without an argument: a dataset, or a mutable global
/// of leaf code.
typedef struct SluicePlanMemory {
  const char *name;
} SluicePlanMemory;

/// How a node uses an entry of `SluicePlan::memories`.
typedef struct SluicePlanUse {
  uint32_t memory;
  uint32_t access; ///< SluiceAccess, not 0
} SluicePlanUse;

/// An order between two nodes: `node` may start after this one. With
/// SLUICE_ONE_TO_ONE the instances (see `numIndexLevels`) of both nodes
/// correspond: instance i of `node` may start as soon as instance i of this
/// one ended; both must have the same extents, and equal `numIndexLevels`.
/// Between single instances both kinds mean the same.
typedef struct SluicePlanSuccessor {
  uint32_t node;
  uint32_t replication; ///< SluiceReplication
} SluicePlanSuccessor;

/// A value in the frame that shapes a kernel's loops: a candidate for
/// specialisation at launch.
typedef struct SluicePlanShape {
  uint64_t frameOffset;
  uint64_t size; ///< 1, 2, 4 or 8 bytes
} SluicePlanShape;

/// One node that is scheduled. Nodes stand in a topological order.
typedef struct SluicePlanNode {
  const char *name;     ///< path in the hierarchy, "root/blur/rows"
  const char *location; ///< "file.c:12:3", or ""
  SluiceKernel kernel;
  /// Computes the extents when all predecessors with SLUICE_ALL_TO_ALL ended;
  /// null: `constantExtents` holds them.
  SluiceExtents extents;
  const int64_t *constantExtents;
  /// Levels whose extents are evaluated.
  uint32_t numLevels;
  /// The product of the first `numIndexLevels` levels is the number of
  /// instances as edges see it; 0 stands for a single instance.
  uint32_t numIndexLevels;
  /// The product of the first `numUnitLevels` levels (>= numIndexLevels) is
  /// the number of units; a range of units may be split anywhere, except that
  /// a node with a one-to-one edge is split between instances only.
  uint32_t numUnitLevels;
  uint32_t target; ///< SluiceTarget
  /// Estimated cost of one unit in nanoseconds, at least 1; 0: unknown. Only
  /// for the first launches; later ones go by the time they took.
  uint64_t unitCost;
  const SluicePlanOperand *operands;
  const SluicePlanOutput *outputs;
  const SluicePlanSuccessor *successors;
  const SluicePlanShape *shape;
  const SluicePlanUse *uses;
  uint32_t numOperands;
  uint32_t numOutputs;
  uint32_t numSuccessors;
  uint32_t numShape;
  /// Number of successor entries that name this node, by replication.
  uint32_t numAllToAllPredecessors;
  uint32_t numOneToOnePredecessors;
  uint32_t numUses;
  uint32_t reserved;
} SluicePlanNode;

enum SluiceTarget {
  SLUICE_TARGET_NONE = 0,
  SLUICE_TARGET_CPU = 1,
  SLUICE_TARGET_GPU = 2,
  SLUICE_TARGET_CPU_OR_GPU = 3
};

/// Two pointer arguments of the graph that a proof assumed not to overlap.
typedef struct SluicePlanPair {
  uint32_t first;
  uint32_t second;
} SluicePlanPair;

/// What the specialisation helper needs to compile a node again with its
/// shape and extents as constants.
typedef struct SluicePlanSpecializer {
  const void *code;   ///< serialised module
  uint64_t codeSize;  ///< bytes
  const char *helper; ///< path of the helper program, may be absent at run time
  const char *options; ///< passed to it unchanged (target CPU, flags)
} SluicePlanSpecializer;

typedef struct SluicePlan {
  uint64_t magic;       ///< SLUICE_PLAN_MAGIC
  uint32_t version;     ///< SLUICE_PLAN_VERSION
  uint32_t planSize;    ///< sizeof(SluicePlan) of the compiler
  uint32_t nodeSize;    ///< sizeof(SluicePlanNode) of the compiler
  uint32_t isStreaming; ///< 1: the root has streaming binds
  const char *name;
  const char *location;
  uint64_t frameSize; ///< bytes; the runtime aligns frames to 64
  const SluicePlanArgument *arguments;
  const SluicePlanResult *results;
  const SluicePlanNode *nodes;
  const SluicePlanPair *disjointPairs;
  const SluicePlanSpecializer *specializer; ///< or null
  uint32_t numArguments;
  uint32_t numResults;
  uint32_t numNodes;
  uint32_t numDisjointPairs;
  /// Layout of the packed argument structure: arguments one after another
  /// without padding, then the results, likewise.
  uint64_t packedSize;
  const SluicePlanMemory *memories;
  uint32_t numMemories;
  /// 1: the kernels report every access to memory (SLUICE_CHECK=1).
  uint32_t isChecked;
} SluicePlan;

/// How one launch site lays out its argument structure. Null where it is
/// packed: every field at the end of the one before.
typedef struct SluiceLayout {
  uint64_t size;                   ///< bytes of the whole structure
  const uint64_t *argumentOffsets; ///< `numArguments` offsets
  const uint64_t *resultOffsets;   ///< `numResults` offsets
} SluiceLayout;

/// A root function and its plan; generated modules register tables of these.
typedef struct SluicePlanEntry {
  const void *root;
  const SluicePlan *plan;
} SluicePlanEntry;

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_PLAN_H
