//===- Regions.h - Programs over regions, run by Sluice -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface for C++ that is generated from rdir programs. A program
// declares roots and partitions, then graphs: statements in a proven serial
// order. The runtime determines exactly which statements access the same
// elements, and runs them on all workers. The results are bitwise those of the
// serial order, for any number of workers.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_REGIONS_H
#define SLUICE_C_REGIONS_H

#include "sluice-c/Partitions.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a statement accesses an argument.
typedef enum SluicePrivilege {
  SLUICE_PRIVILEGE_READ,
  SLUICE_PRIVILEGE_READ_WRITE,
  SLUICE_PRIVILEGE_WRITE_DISCARD,
  SLUICE_PRIVILEGE_REDUCE
} SluicePrivilege;

/// Returns the color of the partition that point `task->point` uses, as a
/// linear color (row-major).
typedef int64_t (*SluiceProjection)(const SluiceTask *task);

/// One region argument of a statement. A single statement uses one color,
/// `color`. For a launch, `projection`, `matrix` or `isFixed` selects the color
/// of each point; without any of them, the color has the coordinates of the
/// point.
typedef struct SluiceArgument {
  uint32_t root;               ///< its number
  uint32_t partition;          ///< or SLUICE_NO_PARTITION
  int64_t color;               ///< linear
  SluiceProjection projection; ///< or null
  /// A row for each dimension of the colors: a factor for each dimension of the
  /// launch, and a constant that is added to the sum.
  const int64_t *matrix;
  /// Null, or for each row, if not 0, the number by which the sum is divided:
  /// the remainder, which is not negative, counts.
  const int64_t *moduli;
  int32_t isFixed; ///< Every point uses `color`.
  /// Every point uses all colors (a partition read as a whole).
  int32_t wholePartition;
  SluicePrivilege privilege; ///< kind of access
  /// Points of a launch must change different colors of the partition through
  /// this argument, and none that another argument of the launch uses at
  /// another point. The runtime checks this.
  int32_t mustBeApart;
  SluiceReduction reduction; ///< privilege REDUCE
  uint64_t fields;           ///< bit i: field i
} SluiceArgument;

/// One field of one argument as a task body sees it; addresses follow the
/// convention of SluiceDomain.
typedef struct SluiceView {
  void *const *fields; ///< one pointer per field of the argument, ascending
  const SluiceDomain *domain; ///< the elements
} SluiceView;

/// The generated caller of a task function. For an argument with privilege
/// REDUCE it computes `x[i] = x[i] (op) value` on the root's memory or on a
/// private copy. If the root has a single element (a scalar), the memory is
/// always private to the point and holds the identity, so the result may be
/// stored there. The runtime folds the points' results in their order.
typedef void (*SluiceTaskBody)(const SluiceTask *task, const SluiceView *views,
                               const void *closure);

/// A task, for each point of a launch, or a host statement.
typedef struct SluiceStatement {
  /// For traces and errors; must live until sluiceCleanup, or until the process
  /// ends.
  const char *name;
  SluiceTaskBody body; ///< the function to run
  const void *closure; ///< must outlive the program
  int32_t rank;        ///< of the launch; 0: single
  /// Runs on the thread that calls sluiceEndGraph.
  int32_t isHost;
  int64_t extents[SLUICE_MAX_RANK]; ///< of the launch
  uint32_t numArguments;            ///< entries of `arguments`
  const SluiceArgument *arguments;  ///< copied
} SluiceStatement;

/// These functions add statements to the innermost open graph or loop, in the
/// proven order. Launches without points are ignored. `name` is as in
/// SluiceStatement.
///@{
SLUICE_EXPORT void sluiceBeginGraph(SluiceProgram *program, const char *name);
SLUICE_EXPORT void sluiceAddStatement(SluiceProgram *program,
                                      const SluiceStatement *statement);
///@}
/// Copies fields[i] of one argument to the same elements of fields[i] of the
/// other; the domains must be equal, point by point.
SLUICE_EXPORT void sluiceAddCopy(SluiceProgram *program,
                                 const SluiceArgument *from,
                                 const SluiceArgument *to, int32_t rank,
                                 const int64_t *extents);
/// Sets all elements of one field.
SLUICE_EXPORT void sluiceAddFill(SluiceProgram *program,
                                 const SluiceArgument *to, const void *value,
                                 int32_t rank, const int64_t *extents);
/// Runs the statements up to sluiceEndLoop at most `count` times; the largest
/// int64_t means no limit. `whileRoot` is a root of one element with one
/// integer field, or SLUICE_NO_PARTITION. With it, the loop ends before the
/// first iteration at which the field is 0.
///@{
SLUICE_EXPORT void sluiceBeginLoop(SluiceProgram *program, int64_t count,
                                   uint32_t whileRoot);
SLUICE_EXPORT void sluiceEndLoop(SluiceProgram *program);
///@}
/// Runs the statements up to sluiceEndLoop once if the field is 0. `root` is as
/// `whileRoot` of sluiceBeginLoop.
SLUICE_EXPORT void sluiceBeginUnless(SluiceProgram *program, uint32_t root);
/// Closes the graph, runs it to completion and destroys it. An exception in a
/// task ends the process with a message that names the task and its point.
SLUICE_EXPORT void sluiceEndGraph(SluiceProgram *program);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_REGIONS_H */
