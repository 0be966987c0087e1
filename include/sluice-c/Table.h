//===- Table.h - What each table for the runtime begins with --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that crosses from compiled code to the runtime is a constant table:
// plans, the layouts of what launches and streams are given, device modules,
// task programs and region programs. Programs outlive the compiler that made
// them, so each begins with a head that says what it is, and how large the
// structures of its kind were for that compiler. The runtime refuses what it
// does not know.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_TABLE_H
#define SLUICE_C_TABLE_H

#include <stdint.h>

/// Of all tables: goes up when the meaning of a field changes. A structure that
/// grows is noticed by its size.
#define SLUICE_TABLE_VERSION 6u

/// The kinds of tables: eight letters, read as a little-endian integer.
///@{
#define SLUICE_PLAN_MAGIC UINT64_C(0x4c50454349554c53)           // SLUICEPL
#define SLUICE_LAYOUT_MAGIC UINT64_C(0x594c454349554c53)         // SLUICELY
#define SLUICE_DEVICE_MODULE_MAGIC UINT64_C(0x4d44454349554c53)  // SLUICEDM
#define SLUICE_TASK_PROGRAM_MAGIC UINT64_C(0x4754454349554c53)   // SLUICETG
#define SLUICE_REGION_PROGRAM_MAGIC UINT64_C(0x4752454349554c53) // SLUICERG
#define SLUICE_CLUSTER_MAGIC UINT64_C(0x4c43454349554c53)        // SLUICECL
///@}

/// What each table begins with.
typedef struct SluiceTableHead {
  uint64_t magic;        ///< the kind
  uint32_t version;      ///< SLUICE_TABLE_VERSION
  uint32_t numSizes;     ///< entries of `sizes`
  const uint32_t *sizes; ///< sizeof of each structure of the kind, see below
} SluiceTableHead;

/// The structures of each kind, in the order of `sizes`.
///@{
#define SLUICE_PLAN_STRUCTURES(X)                                              \
  X(SluicePlan)                                                                \
  X(SluicePlanArgument)                                                        \
  X(SluicePlanResult)                                                          \
  X(SluicePlanNode)                                                            \
  X(SluicePlanOperand)                                                         \
  X(SluicePlanOutput)                                                          \
  X(SluicePlanSuccessor)                                                       \
  X(SluicePlanShape)                                                           \
  X(SluicePlanMemory)                                                          \
  X(SluicePlanUse)                                                             \
  X(SluicePlanPair)                                                            \
  X(SluicePlanSpecializer)                                                     \
  X(SluicePlanShare)                                                           \
  X(SluicePlanFold)                                                            \
  X(SluicePlanDeviceKernel)                                                    \
  X(SluiceDeviceParameter)                                                     \
  X(SluiceDeviceForward)                                                       \
  X(SluiceAccumulated)                                                         \
  X(SluiceDeviceRange)                                                         \
  X(SluiceInvocation)                                                          \
  X(SluiceCheckLeaf)                                                           \
  X(SluiceCheckStep)                                                           \
  X(SluiceCheckSite)

#define SLUICE_LAYOUT_STRUCTURES(X) X(SluiceLayout)

#define SLUICE_DEVICE_MODULE_STRUCTURES(X)                                     \
  X(SluiceDeviceModule)                                                        \
  X(SluiceDeviceImage)

#define SLUICE_TASK_PROGRAM_STRUCTURES(X)                                      \
  X(SluiceTaskProgram)                                                         \
  X(SluiceTaskData)                                                            \
  X(SluiceTaskRecord)                                                          \
  X(SluiceTaskUse)                                                             \
  X(SluiceTaskArgument)                                                        \
  X(SluiceTaskView)

#define SLUICE_REGION_PROGRAM_STRUCTURES(X)                                    \
  X(SluiceRegionProgram)                                                       \
  X(SluiceExtent)                                                              \
  X(SluiceRegionParameter)                                                     \
  X(SluiceField)                                                               \
  X(SluiceRegionRoot)                                                          \
  X(SluiceRegionPartition)                                                     \
  X(SluiceRegionPart)                                                          \
  X(SluiceRegionConstraint)                                                    \
  X(SluiceReduction)                                                           \
  X(SluiceArgument)                                                            \
  X(SluiceRegionStatement)                                                     \
  X(SluiceOrderCondition)                                                      \
  X(SluiceRegionOrders)                                                        \
  X(SluiceRegionGraph)                                                         \
  X(SluiceRegionStep)                                                          \
  X(SluiceView)

#define SLUICE_CLUSTER_STRUCTURES(X) X(SluiceCluster)
///@}

#endif // SLUICE_C_TABLE_H
