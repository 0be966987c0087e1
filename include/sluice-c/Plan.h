//===- Plan.h - Constant tables that the compiler hands the runtime -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wall between compiler and runtime. A plan is one graph, flattened to
// the nodes that are scheduled, as constant tables and function pointers. The
// compiler emits plans as constant data, the runtime reads nothing else. Each
// table has a head by which it is known (Table.h).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_PLAN_H
#define SLUICE_C_PLAN_H

#include "sluice-c/Table.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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
  /// 1: no other kernel runs in this process while this one does, so relaxed
  /// atomics meet nothing and may be plain; 0: that is not known.
  uint32_t isAlone;
  uint32_t reserved; ///< 0
} SluiceInvocation;

/// Runs the units `begin <= u < end` of one node. Units are the instances of
/// the first `numUnitLevels` levels in linear order: x fastest, then y, then
/// z, then the next outer level.
typedef void (*SluiceKernel)(const SluiceInvocation *invocation, uint64_t begin,
                             uint64_t end);

/// Writes the `3 * numLevels` extents of a node, computed from the frame.
typedef void (*SluiceExtents)(const unsigned char *frame, int64_t *extents);

/// What memory is used for.
enum SluiceAccess { // bits
  SLUICE_ACCESS_NONE = 0,
  SLUICE_ACCESS_IN = 1,
  SLUICE_ACCESS_OUT = 2
};

/// What a port carries.
enum SluicePortFlags { // bits
  SLUICE_PORT_POINTER = 1,
  SLUICE_PORT_STREAM = 2,
  /// A pointer argument of the graph to memory that serves its nodes alone:
  /// nobody uses what it holds before the graph has begun, or after its end.
  SLUICE_PORT_TEMPORARY = 4
};

/// One argument of the graph.
typedef struct SluicePlanArgument {
  const char *name;     ///< for messages and pictures
  uint64_t size;        ///< bytes
  uint64_t frameOffset; ///< where kernels read it
  uint32_t flags;       ///< SluicePortFlags
  uint32_t access;      ///< SluiceAccess; pointers only
  /// Index of the 64-bit argument that holds the pointed-to size in bytes, or
  /// SLUICE_NO_INDEX.
  uint32_t sizeArgument;
  uint32_t reserved; ///< 0
} SluicePlanArgument;

/// One result of the graph.
typedef struct SluicePlanResult {
  const char *name;     ///< for messages and pictures
  uint64_t size;        ///< bytes
  uint64_t frameOffset; ///< where the value stands when the graph has ended
  uint32_t flags;       ///< SluicePortFlags
  uint32_t reserved;    ///< 0
} SluicePlanResult;

/// Which instances an edge joins: equal ones, or all with all.
enum SluiceReplication {
  SLUICE_ONE_TO_ONE = 0,
  SLUICE_ALL_TO_ALL = 1,
  /// For orders. A number of levels is added: the plan orders all instances,
  /// but the graph orders only instances with equal ids in this many levels.
  SLUICE_MORE_THAN_GRAPH = 2
};

/// Where a node's input comes from: for printing, drawing, tracing and
/// checks. (Kernels know the offsets themselves.)
typedef struct SluicePlanOperand {
  const char *name; ///< for messages and pictures
  /// Producing node, or SLUICE_NO_INDEX: `index` is an argument of the graph.
  uint32_t node;
  uint32_t index;       ///< output of that node, or argument of the graph
  uint32_t replication; ///< SluiceReplication
  uint32_t flags;       ///< SluicePortFlags
  /// SluiceAccess; pointers only. For an internal node, what its descendants
  /// do.
  uint32_t access;
  uint32_t reserved; ///< 0
} SluicePlanOperand;

/// One output of a node. The kernel stores the value of the last instance at
/// `frameOffset`; if a one-to-one edge leaves the output, it also stores the
/// value of instance i at `array + i * size`, where `array` is a pointer at
/// `arrayOffset` in the frame that the runtime sets before the node starts
/// (room for as many values as the product of the extents of the first
/// `arrayLevels` levels). Without instances the frame holds zeros.
typedef struct SluicePlanOutput {
  const char *name;     ///< for messages and pictures
  uint64_t size;        ///< bytes
  uint64_t frameOffset; ///< or SLUICE_NO_OFFSET
  uint64_t arrayOffset; ///< or SLUICE_NO_OFFSET
  uint32_t arrayLevels; ///< levels that the array spans; 0: one value
  uint32_t reserved;    ///< 0
} SluicePlanOutput;

/// Memory that nodes use without an argument: a dataset, or a mutable global
/// of leaf code.
typedef struct SluicePlanMemory {
  const char *name; ///< for messages
} SluicePlanMemory;

/// How a node uses an entry of `SluicePlan::memories`.
typedef struct SluicePlanUse {
  uint32_t memory; ///< index of the entry
  uint32_t access; ///< SluiceAccess, not 0
} SluicePlanUse;

/// An order between two nodes: `node` may start after this one. With
/// SLUICE_ONE_TO_ONE the instances (see `numIndexLevels`) of both nodes
/// correspond: instance i of `node` may start as soon as instance i of this
/// one ended; both must have the same extents, and equal `numIndexLevels`.
/// Between single instances both kinds mean the same.
typedef struct SluicePlanSuccessor {
  uint32_t node;        ///< index of the node that waits
  uint32_t replication; ///< SluiceReplication
} SluicePlanSuccessor;

/// A value in the frame that shapes a kernel's loops: a candidate for
/// specialisation at launch.
typedef struct SluicePlanShape {
  uint64_t frameOffset; ///< where it stands
  uint64_t size;        ///< 1, 2, 4 or 8 bytes
} SluicePlanShape;

//===----------------------------------------------------------------------===//
// Code for devices
//===----------------------------------------------------------------------===//

/// Forms of code for devices.
enum SluiceDeviceFormat {
  SLUICE_DEVICE_SPIRV = 1, ///< SPIR-V 1.0 to 1.2, flavour of OpenCL
  SLUICE_DEVICE_SPIR = 2,  ///< SPIR 1.2: bitcode, made from the SPIR-V
  SLUICE_DEVICE_PTX = 3    ///< text, ended by a zero byte that `size` counts
};

/// All device kernels of a program in one format.
typedef struct SluiceDeviceImage {
  uint32_t format;    ///< SluiceDeviceFormat
  uint32_t reserved;  ///< 0
  const char *target; ///< PTX: the least chip, "sm_75"; else ""
  const void *code;   ///< the image
  uint64_t size;      ///< bytes
} SluiceDeviceImage;

/// The device kernels of a program, shared by its plans.
typedef struct SluiceDeviceModule {
  SluiceTableHead head; ///< of the kind SLUICE_DEVICE_MODULE_MAGIC
  const char *name;     ///< for messages
  /// Names what drivers made of it in caches: equal for equal images only.
  const char *hash;
  const SluiceDeviceImage *images; ///< in any order
  uint32_t numImages;              ///< entries of `images`
  uint32_t reserved;               ///< 0
} SluiceDeviceModule;

/// What the runtime hands a device kernel for one entry of
/// SluicePlanDeviceKernel::parameters.
enum SluiceDeviceParameterKind {
  /// `size` bytes of the frame at `frameOffset`, by value.
  SLUICE_DEVICE_VALUE = 0,
  /// Memory of the host whose address stands in the frame at `frameOffset`.
  /// Two kernel parameters: the start of the device's buffer (global memory)
  /// and an i64, the bytes from there to the copy of the address.
  SLUICE_DEVICE_POINTER = 1,
  /// The device's copy of the frame (global memory): where operands stand that
  /// come from other nodes' outputs, and where outputs go.
  SLUICE_DEVICE_FRAME = 2,
  /// The array of a one-to-one edge whose host address stands in the frame at
  /// `frameOffset`; two kernel parameters, as POINTER. `size` is that of one
  /// element, `index` the number of levels that the array spans.
  SLUICE_DEVICE_ARRAY = 3,
  /// i64: SluiceInvocation::extents[index].
  SLUICE_DEVICE_EXTENT = 4,
  /// i64: the linear index of this launch over the launch levels, or its phase.
  SLUICE_DEVICE_LAUNCH = 5,
  /// Memory of each work-group: as many bytes as SluiceDeviceGroup computes
  /// for `index`. OpenCL: a pointer to local memory. PTX: an i64, the offset
  /// into the kernel's dynamic shared memory, aligned to 16.
  SLUICE_DEVICE_LOCAL = 6,
  /// i64: first slab of the share of the instances that this launch runs (see
  /// SluicePlanDeviceKernel::touch), 0 if it runs all.
  SLUICE_DEVICE_FIRST = 7,
  /// i64: the slab behind the last of that share; the number of slabs if the
  /// launch runs all.
  SLUICE_DEVICE_END = 8
};

/// One entry of SluicePlanDeviceKernel::parameters.
typedef struct SluiceDeviceParameter {
  uint32_t kind;        ///< SluiceDeviceParameterKind
  uint32_t access;      ///< SluiceAccess; POINTER and ARRAY only
  uint64_t frameOffset; ///< as the kind says
  uint64_t size;        ///< bytes, as the kind says
  uint32_t index;       ///< as the kind says
  /// POINTER: index of the argument of the graph that the address comes from,
  /// or SLUICE_NO_INDEX.
  uint32_t argument;
  /// POINTER: where the size in bytes of the memory stands in the frame (64
  /// bits), or SLUICE_NO_OFFSET: what the tracker knows of it.
  uint64_t sizeOffset;
  /// POINTER: not null: this memory of `size` bytes, a dataset; no address
  /// stands in the frame then (`frameOffset` is SLUICE_NO_OFFSET).
  const void *memory;
} SluiceDeviceParameter;

/// An output that is, in every instance, the value of an input: the host knows
/// it without asking the device, and the kernel does not store it.
typedef struct SluiceDeviceForward {
  uint64_t from; ///< frame offset
  uint64_t to;   ///< frame offset
  uint64_t size; ///< bytes
} SluiceDeviceForward;

/// Computes the work-items per group (x, y, z) and the bytes of each LOCAL
/// parameter, by `index`.
typedef void (*SluiceDeviceGroup)(const unsigned char *frame,
                                  const int64_t *extents, uint64_t *items,
                                  uint64_t *localBytes);

/// Bytes, relative to the address of a POINTER parameter; empty: first == end.
typedef struct SluiceDeviceRange {
  /// The bytes that are read.
  ///@{
  int64_t readFirst, readEnd;
  ///@}
  /// The bytes that are written.
  ///@{
  int64_t writtenFirst, writtenEnd;
  ///@}
} SluiceDeviceRange;

/// Computes what the instances of the slabs `begin <= s < end` touch, one
/// range per POINTER parameter in their order: all bytes that are read lie in
/// the read range, all that are written in the written range. Memory that is
/// SLUICE_ACCESS_OUT is in a read range where it is written only in part. A
/// slab is one
/// value of the last dimension of the grid level (numGridDims).
typedef void (*SluiceDeviceTouch)(const unsigned char *frame,
                                  const int64_t *extents, uint64_t begin,
                                  uint64_t end, SluiceDeviceRange *ranges);

/// How a node runs on a device. The kernel's parameters are those listed, in
/// that order. Levels `0 <= l < numLaunchLevels` become launches one after
/// another, in linear order.
typedef struct SluicePlanDeviceKernel {
  const char *entry;                       ///< name in the module
  const SluiceDeviceParameter *parameters; ///< in the order of the kernel's
  const SluiceDeviceForward *forwards;     ///< outputs that are inputs
  /// 1: work-groups of `group(...)` items; the grid level's extents are the
  /// numbers of groups. 0: the grid level's extents are the numbers of
  /// instances and the runtime chooses the groups: the kernel returns at once
  /// in items beyond the extents.
  uint32_t isGrouped;
  uint32_t numLaunchLevels; ///< levels that are launches
  /// The level of the grid, or SLUICE_NO_INDEX: one group, or one instance.
  uint32_t gridLevel;
  uint32_t numParameters; ///< entries of `parameters`
  uint32_t numForwards;   ///< entries of `forwards`
  uint32_t numLocals;     ///< LOCAL parameters
  /// Dimensions of the grid level; the last is the slowest.
  uint32_t numGridDims;
  /// Bytes of an instance's own variables that are not in registers; devices
  /// that run groups on a stack have little room.
  uint32_t privateBytes;
  /// The kernel is launched as often, one after the other, if it is not 0, and
  /// LAUNCH counts that; there are no launch levels then.
  uint32_t numPhases;
  uint32_t reserved;       ///< 0
  SluiceDeviceGroup group; ///< null if not grouped
  SluiceDeviceTouch touch; ///< null if not known
} SluicePlanDeviceKernel;

struct SluiceCopies;

/// What processes that share a node need to join its copies; all fields are 0
/// in a node that neither reduces nor scans. Its units are chunks, and its last
/// output has their copies (Reductions.h).
typedef struct SluicePlanFold {
  /// Joins two copies, as SluiceCombine; null: there are scans only.
  void (*combine)(const unsigned char *frame, void *into, const void *from);
  /// Folds a copy into the memory that is reduced; null with `combine`.
  void (*store)(const unsigned char *frame, const void *copy);
  /// A SluiceJoin; null: nothing is scanned.
  void (*join)(const unsigned char *frame, const struct SluiceCopies *copies,
               uint64_t chunk, uint32_t part);
  const uint32_t *reduced; ///< arguments of the graph whose memory is reduced
  uint32_t numReduced;     ///< entries of `reduced`
  /// Chunks are made of the instances of as many levels, which stand behind the
  /// first two.
  uint32_t numLevels;
} SluicePlanFold;

/// Operations whose result does not depend on their order, on whole numbers.
enum {
  SLUICE_ACCUMULATE_ADD,
  SLUICE_ACCUMULATE_AND,
  SLUICE_ACCUMULATE_OR,
  SLUICE_ACCUMULATE_XOR,
  SLUICE_ACCUMULATE_MIN, ///< signed
  SLUICE_ACCUMULATE_MAX, ///< signed
  SLUICE_ACCUMULATE_UMIN,
  SLUICE_ACCUMULATE_UMAX
};

/// Memory that a node changes by one atomic operation only, and does not look
/// at. So processes may each begin with elements that change nothing, and what
/// they come to is joined by the operation.
typedef struct SluiceAccumulated {
  uint32_t argument;     ///< of the graph; all of its memory is meant
  uint32_t operation;    ///< SLUICE_ACCUMULATE_ADD and so on
  uint32_t elementBytes; ///< 1, 2, 4 or 8
  uint32_t reserved;     ///< 0
} SluiceAccumulated;

/// How processes share a node; only in programs that are built for several.
typedef struct SluicePlanShare {
  /// Computes the bytes that slabs of the node touch, a range for each entry of
  /// `touched`; the ranges of one argument are consecutive. Memory that is only
  /// written in part is in a read range as well. Reduced memory is left out.
  /// Slabs are ranges of the node's units, or of the instances in its chunks.
  /// The node's outputs are those of `forwards`, and values without addresses,
  /// which the kernel for the last slab stores. Null: the node cannot be
  /// shared, for the reason in `problem`.
  SluiceDeviceTouch touch;
  const uint32_t *touched; ///< arguments of the graph
  /// "file.c:12:3" of the accesses of each of `touched`; "" where not known.
  const char *const *places;
  /// Memory that is accumulated, which is left out of `touched`.
  const SluiceAccumulated *accumulated;
  /// Outputs that are inputs, wherever the node runs.
  const SluiceDeviceForward *forwards;
  const char *problem;  ///< or null
  uint32_t numTouched;  ///< entries of `touched`
  uint32_t numForwards; ///< entries of `forwards`
  /// Of SluiceInvocation::extents: the number of slabs.
  uint32_t slabExtent;
  /// 1: the node uses no memory of the program but what its inputs point to.
  uint32_t reachesInputsOnly;
  uint32_t numAccumulated; ///< entries of `accumulated`
  /// 1: no access to arguments is atomic or volatile, but those of
  /// `accumulated`. So instances that run at the same time share no bytes that
  /// one of them writes, and what a process has written can be told by a
  /// comparison with what was there before.
  uint32_t canCompare;
  SluicePlanFold fold; ///< how copies are joined
} SluicePlanShare;

/// One node that is scheduled. Nodes stand in a topological order.
typedef struct SluicePlanNode {
  const char *name;     ///< path in the hierarchy, "root/blur/rows"
  const char *location; ///< "file.c:12:3", or ""
  SluiceKernel kernel;  ///< runs its units
  /// Computes the extents when all predecessors with SLUICE_ALL_TO_ALL ended;
  /// null: `constantExtents` holds them.
  SluiceExtents extents;
  const int64_t *constantExtents; ///< if `extents` is null
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
  const SluicePlanOperand *operands;     ///< its inputs
  const SluicePlanOutput *outputs;       ///< its results
  const SluicePlanSuccessor *successors; ///< who waits for it
  const SluicePlanShape *shape;          ///< what variants are made for
  const SluicePlanUse *uses;             ///< memory without an argument
  uint32_t numOperands;                  ///< entries of `operands`
  uint32_t numOutputs;                   ///< entries of `outputs`
  uint32_t numSuccessors;                ///< entries of `successors`
  uint32_t numShape;                     ///< entries of `shape`
  /// Number of successor entries that name this node, by replication.
  uint32_t numAllToAllPredecessors; ///< with SLUICE_ALL_TO_ALL
  uint32_t numOneToOnePredecessors; ///< with SLUICE_ONE_TO_ONE
  uint32_t numUses;                 ///< entries of `uses`
  /// Bit `3 * level + dimension` for each dimension that is ordered; all of one
  /// level, a unit level, in a node without one-to-one orders. Instances of
  /// different ids in ordered dimensions, none of them less, run one after the
  /// other, those of the lesser ids first, if the levels outside are equal. So
  /// a kernel is called for units of equal ids in these dimensions only.
  uint32_t orderedDims;
  uint32_t tiling; ///< SluiceTiling
  /// With SLUICE_TILED, the node and the one before it in the plan may run row
  /// by row on these cores, whatever orders them. A row is all units with one
  /// value of the last id of the first level. Row r of this node may run when
  /// the rows up to r + `tileAhead` of the node before have ended, and the rows
  /// from r - `tileBehind` on; so for all nodes that are joined one to the
  /// next, with the sums of these numbers. Different pointer arguments that are
  /// operands of such nodes were taken as disjoint. Extents follow from
  /// arguments of the graph; one-to-one orders do not reach such nodes.
  uint32_t tileAhead;
  uint32_t tileBehind; ///< see `tileAhead`
  uint32_t numTouched; ///< entries of `touched`
  /// How the node runs on a device; null: on the host only.
  const SluicePlanDeviceKernel *device;
  /// Why there is no device kernel though the target asks for one, with its
  /// place; else "".
  const char *deviceProblem;
  /// Computes the bytes that rows of the node touch, with slabs as in
  /// SluicePlanDeviceKernel, and one range for each of these arguments of the
  /// graph; null: not known. Only for nodes that may run row by row and use
  /// memory of SLUICE_PORT_TEMPORARY.
  SluiceDeviceTouch touch;
  const uint32_t *touched;      ///< arguments of the graph, see `touch`
  const SluicePlanShare *share; ///< or null
  /// The kernel runs so many consecutive units at once, so ranges of other
  /// lengths take longer than their number of units says; null: one by one.
  const uint32_t *unitsAtOnce;
} SluicePlanNode;

/// Where a node may run.
enum SluiceTarget {
  SLUICE_TARGET_NONE = 0,
  SLUICE_TARGET_CPU = 1,
  SLUICE_TARGET_GPU = 2,
  SLUICE_TARGET_CPU_OR_GPU = 3
};

/// Whether a node may run row by row.
enum SluiceTiling { // bits
  SLUICE_TILED = 1,
  /// Proven for extents below 65536 only.
  SLUICE_TILED_USUAL = 2,
  /// The dimension of the rows, 0 to 2, of any node: two bits from this one on.
  SLUICE_TILED_DIMENSION = 4,
  /// Each call of the kernel copies what its rows of units share, so calls for
  /// few rows take longer.
  SLUICE_COPIES_SHARED = 16
};

/// Two pointer arguments of the graph that a proof assumed not to overlap.
typedef struct SluicePlanPair {
  uint32_t first;  ///< index of an argument
  uint32_t second; ///< index of the other
} SluicePlanPair;

/// What an entry of SluicePlanTable::steps does with a stack of 64-bit numbers,
/// which is empty at first.
enum SluicePlanStepKind {
  SLUICE_STEP_CONSTANT = 0, ///< pushes `value`
  SLUICE_STEP_ARGUMENT = 1, ///< pushes integer argument `value` of the graph
  SLUICE_STEP_ADD = 2,      ///< replaces the last two by their sum
  SLUICE_STEP_MULTIPLY = 3, ///< the same by their product
  SLUICE_STEP_MAXIMUM = 4,  ///< the same by the larger one
  SLUICE_STEP_DIVIDE = 5,   ///< divides the last one by `value`, rounded down
  SLUICE_STEP_SIGNED = 6,   ///< keeps its lowest `value` bits, as signed
  SLUICE_STEP_UNSIGNED = 7, ///< keeps its lowest `value` bits, as unsigned
  SLUICE_STEP_END = 8       ///< takes the only one: the value of a formula
};

/// One step of a formula.
typedef struct SluicePlanStep {
  uint32_t kind;     ///< SluicePlanStepKind
  uint32_t reserved; ///< 0
  int64_t value;     ///< as the kind says
} SluicePlanStep;

/// What a proof took for granted of a table, and launches test.
enum SluiceTableRule {
  /// No two entries at different places are equal.
  SLUICE_TABLE_DIFFERENT = 0,
  /// Where this bit is set as well, a launch with another table only warns, and
  /// only the first launches are tested.
  SLUICE_TABLE_WARNS = 1,
  /// The rows of places that different instances use do not overlap.
  SLUICE_TABLE_ROWS = 2
};

/// A number that instances load to find their way.
typedef struct SluicePlanLoad {
  uint32_t argument;   ///< a pointer
  uint32_t entryBytes; ///< 1, 2, 4 or 8
  uint32_t isUnsigned; ///< 1: the number has no sign
  uint32_t reserved;   ///< 0
} SluicePlanLoad;

/// The entries of a table that a graph reads to find its way. Variables count
/// from 0 to below their extents, which are the first `numVariables` formulas.
/// Each of the sums that follow is one formula, plus one for each variable
/// times that variable. The first sum is the place of an entry in bytes from
/// the argument; the others are not positive where the entry is used.
///
/// With SLUICE_TABLE_ROWS, sums contain loads as well: each is one formula,
/// plus one for each variable times that variable, plus one for each load times
/// that load. The places of the loads are the first sums, in bytes from their
/// arguments, and depend on earlier loads only. Then come the first number of
/// the row, `numEnds` sums of which the least is its last one, `numNonZeros`
/// that are not zero where the row is used, and those that are not positive
/// there. A number may be loaded only where all sums that depend on earlier
/// variables and loads allow it. The first `numIds` variables tell instances
/// apart. `argument` is the memory with the rows, and `entryBytes` the size of
/// what a number of a row stands for, or 0.
typedef struct SluicePlanTable {
  uint32_t argument;           ///< a pointer
  uint32_t entryBytes;         ///< 1, 2, 4 or 8
  uint32_t rule;               ///< bits of SluiceTableRule
  uint32_t numVariables;       ///< at most SLUICE_TABLE_VARIABLES
  uint32_t numSums;            ///< at least 1
  uint32_t numSteps;           ///< entries of `steps`
  const SluicePlanStep *steps; ///< of all formulas, one after the other
  const SluicePlanLoad *loads; ///< SLUICE_TABLE_ROWS only
  uint32_t numLoads;           ///< at most SLUICE_TABLE_VARIABLES
  uint32_t numIds;             ///< at most numVariables
  uint32_t numEnds;            ///< at least 1
  uint32_t numNonZeros;        ///< sums that are not zero
} SluicePlanTable;

/// The most variables of a table.
#define SLUICE_TABLE_VARIABLES 6u

/// What the specialisation helper needs to compile a node again with its
/// shape and extents as constants.
typedef struct SluicePlanSpecializer {
  const void *code;   ///< serialised module
  uint64_t codeSize;  ///< bytes
  const char *helper; ///< path of the helper program, may be absent at run time
  const char *options; ///< passed to it unchanged (target CPU, flags)
} SluicePlanSpecializer;

/// A graph, ready to run.
typedef struct SluicePlan {
  SluiceTableHead head; ///< of the kind SLUICE_PLAN_MAGIC
  const char *name;     ///< of the root
  const char *location; ///< "file.c:12:3", or ""
  uint64_t frameSize;   ///< bytes; the runtime aligns frames to 64
  const SluicePlanArgument *arguments;      ///< of the root
  const SluicePlanResult *results;          ///< of the root
  const SluicePlanNode *nodes;              ///< in a topological order
  const SluicePlanPair *disjointPairs;      ///< what launches check
  const SluicePlanTable *tables;            ///< what launches check as well
  const SluicePlanSpecializer *specializer; ///< or null
  uint32_t numArguments;                    ///< entries of `arguments`
  uint32_t numResults;                      ///< entries of `results`
  uint32_t numNodes;                        ///< entries of `nodes`
  uint32_t numDisjointPairs;                ///< entries of `disjointPairs`
  /// Layout of the packed argument structure: arguments one after another
  /// without padding, then the results, likewise.
  uint64_t packedSize;
  const SluicePlanMemory *memories; ///< used without an argument
  uint32_t numMemories;             ///< entries of `memories`
  /// 1: the kernels report every access to memory (SLUICE_CHECK=1).
  uint32_t isChecked;
  uint32_t isStreaming; ///< 1: the root has streaming binds
  uint32_t numTables;   ///< entries of `tables`
  /// Holds the nodes' device kernels; null: there are none.
  const SluiceDeviceModule *deviceModule;
} SluicePlan;

/// How one launch site lays out its argument structure. Null where it is
/// packed: every field at the end of the one before.
typedef struct SluiceLayout {
  SluiceTableHead head;            ///< of the kind SLUICE_LAYOUT_MAGIC
  uint64_t size;                   ///< bytes of the whole structure
  const uint64_t *argumentOffsets; ///< `numArguments` offsets
  const uint64_t *resultOffsets;   ///< `numResults` offsets
} SluiceLayout;

/// A root function and its plan; generated modules register tables of these.
typedef struct SluicePlanEntry {
  const void *root;       ///< address of the function
  const SluicePlan *plan; ///< its plan
} SluicePlanEntry;

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_PLAN_H
