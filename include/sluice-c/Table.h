//===- Table.h - The head of each table for the runtime -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code passes everything to the runtime as constant tables: plans, the
// layouts of arguments of launches and streams, device modules, task programs
// and region programs. Programs outlive the compiler that made them. So each
// table begins with a head that names its kind and gives the sizes of the
// structures of that kind in that compiler. The runtime refuses tables that it
// does not know.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_TABLE_H
#define SLUICE_C_TABLE_H

#include <stdint.h>

/// The version of all tables; incremented when the meaning of a field changes.
/// The sizes show when a structure has grown.
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

/// The head of each table.
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
  X(SluicePlanTable)                                                           \
  X(SluicePlanLoad)                                                            \
  X(SluicePlanStep)                                                            \
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
