//===- Regions.h - Programs over regions, run by Sluice -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What C++ that is generated from rdir programs calls. A program declares
// roots and partitions, then graphs: statements in an order that is proven to
// be a serial one. The runtime finds which of them touch the same elements,
// exactly, and runs them on all workers in a way that gives the results of
// that order, to the bit, however many workers there are.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_REGIONS_H
#define SLUICE_C_REGIONS_H

#include "sluice-c/Partitions.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a statement does with an argument.
typedef enum SluicePrivilege {
  SLUICE_PRIVILEGE_READ,
  SLUICE_PRIVILEGE_READ_WRITE,
  SLUICE_PRIVILEGE_WRITE_DISCARD,
  SLUICE_PRIVILEGE_REDUCE
} SluicePrivilege;

/// Which color of the partition point `task->point` uses, as a linear color
/// (row-major).
typedef int64_t (*SluiceProjection)(const SluiceTask *task);

/// One region argument of a statement. A single statement uses one color,
/// `color`. Which one each point of a launch uses, `projection` says, or
/// `matrix`, or `isFixed`; without all three it is the color with the
/// coordinates of the point.
typedef struct SluiceArgument {
  uint32_t root;               ///< its number
  uint32_t partition;          ///< or SLUICE_NO_PARTITION
  int64_t color;               ///< linear
  SluiceProjection projection; ///< or null
  /// For each dimension of the colors a row: a factor for each dimension of the
  /// launch, and what is added to the sum.
  const int64_t *matrix;
  int32_t isFixed; ///< Every point uses `color`.
  /// Every point uses all colors (a partition read as a whole).
  int32_t wholePartition;
  SluicePrivilege privilege; ///< what is done
  /// Points of a launch must change different colors of the partition through
  /// this argument, and none that another argument of the launch uses at
  /// another point: it is checked.
  int32_t mustBeApart;
  SluiceReduction reduction; ///< privilege REDUCE
  uint64_t fields;           ///< bit i: field i
} SluiceArgument;

/// One field of one argument, as a task body gets it: its address by the
/// convention of SluiceDomain.
typedef struct SluiceView {
  void *const *fields; ///< one pointer per field of the argument, ascending
  const SluiceDomain *domain; ///< the elements
} SluiceView;

/// The generated caller of a task function. An argument with privilege REDUCE
/// is folded into, `x[i] = x[i] (op) value`, be it the root's memory or a
/// private copy. Where the root has a single element (a scalar) it is always
/// private to the point and holds the identity, so the result may be stored
/// there; the runtime folds the points' results in their order.
typedef void (*SluiceTaskBody)(const SluiceTask *task, const SluiceView *views,
                               const void *closure);

/// A task, for each point of a launch, or a host statement.
typedef struct SluiceStatement {
  /// For traces and errors; must live until sluiceCleanup, or to the end.
  const char *name;
  SluiceTaskBody body; ///< what runs
  const void *closure; ///< must outlive the program
  int32_t rank;        ///< of the launch; 0: single
  /// Runs on the thread that calls sluiceEndGraph.
  int32_t isHost;
  int64_t extents[SLUICE_MAX_RANK]; ///< of the launch
  uint32_t numArguments;            ///< entries of `arguments`
  const SluiceArgument *arguments;  ///< copied
} SluiceStatement;

/// Statements are added to the innermost open graph or loop, in the proven
/// order. Launches without points are nothing. `name` as that of a statement.
///@{
SLUICE_EXPORT void sluiceBeginGraph(SluiceProgram *program, const char *name);
SLUICE_EXPORT void sluiceAddStatement(SluiceProgram *program,
                                      const SluiceStatement *statement);
///@}
/// Copies fields[i] of one argument to the same place in the other's
/// fields[i]; the domains must be equal, point by point.
SLUICE_EXPORT void sluiceAddCopy(SluiceProgram *program,
                                 const SluiceArgument *from,
                                 const SluiceArgument *to, int32_t rank,
                                 const int64_t *extents);
/// Sets all elements of one field.
SLUICE_EXPORT void sluiceAddFill(SluiceProgram *program,
                                 const SluiceArgument *to, const void *value,
                                 int32_t rank, const int64_t *extents);
/// Runs the statements up to sluiceEndLoop `count` times; with `whileRoot`
/// (a root of one element with one integer field, or SLUICE_NO_PARTITION) only
/// as long as it is not 0 before an iteration; the largest int64_t stands for
/// no other limit.
///@{
SLUICE_EXPORT void sluiceBeginLoop(SluiceProgram *program, int64_t count,
                                   uint32_t whileRoot);
SLUICE_EXPORT void sluiceEndLoop(SluiceProgram *program);
///@}
/// Closes the graph, runs it to its end and forgets it. What a task throws
/// ends the process with the task's name and point.
SLUICE_EXPORT void sluiceEndGraph(SluiceProgram *program);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_REGIONS_H */
