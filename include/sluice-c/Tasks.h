//===- Tasks.h - Types in the signatures of region task functions ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types in the signatures of task functions (rdir.task @name). They are the
// same whether the program runs on Sluice, Legion or StarPU, so a task function
// is written once. The first parameter is `const SluiceTask *`. The arguments
// of the task follow, in the order of its ports:
//   - a region: a pointer per field, in the order in which the root declares
//     them (const where the task only reads), then `const SluiceDomain *`;
//   - a scalar that is read: its value;
//   - a constant or parameter: its value.
// The function returns the scalar that it writes or reduces to, or nothing.
// `sluice build X.mlir --emit=header` prints the declarations.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_TASKS_H
#define SLUICE_C_TASKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of dimensions of roots, colors and launches.
#define SLUICE_MAX_RANK 3

/// The linear positions begin <= p < end; see SluiceDomain.
typedef struct SluiceRun {
  /// In elements.
  ///@{
  int64_t begin, end;
  ///@}
} SluiceRun;

/// The elements of one region argument. The element with coordinates (i, j, k)
/// is pointer[i * stride[0] + j * stride[1] + k * stride[2]]. Coordinates are
/// those of the root, so pointers of a part point before its first element. On
/// several ranks, memory may contain only a part of the root. Then strides are
/// less than the products of the root's extents, and differ between roots.
typedef struct SluiceDomain {
  int32_t rank;                    ///< 1 to 3
  int32_t reserved;                ///< 0
  int64_t lower[SLUICE_MAX_RANK];  ///< bounding box; unused dimensions: 0
  int64_t upper[SLUICE_MAX_RANK];  ///< exclusive; unused dimensions: 1
  int64_t stride[SLUICE_MAX_RANK]; ///< elements; the last dimension's is 1
  int64_t count;                   ///< number of elements
  /// The elements as runs of linear positions, in ascending order with gaps
  /// between the runs. For rank 1, position p is coordinate p; for higher ranks
  /// it is i * extent(j) * extent(k) + j * extent(k) + k with the root's
  /// extents. Null: the whole box.
  const SluiceRun *runs;
  int64_t numRuns;                 ///< entries of `runs`
  int64_t extent[SLUICE_MAX_RANK]; ///< of the root; unused dimensions: 1
} SluiceDomain;

/// The task of a launch that runs.
typedef struct SluiceTask {
  int32_t rank;                    ///< of the launch; 0: a single task
  int32_t reserved;                ///< 0
  int64_t point[SLUICE_MAX_RANK];  ///< 0 in unused dimensions
  int64_t extent[SLUICE_MAX_RANK]; ///< of the launch; 1 in unused dimensions
} SluiceTask;

/// Collects the elements of one color of a partition `by coloring(@name)`:
///   void name(const int64_t *color, SluiceColoring *elements);
/// The function is called once per color, in any order; it may be called again
/// with the same result.
typedef struct SluiceColoring SluiceColoring;
/// Collects the elements of a color.
struct SluiceColoring {
  /// Adds the linear positions begin <= p < end, in any order; duplicates count
  /// once.
  void (*add)(SluiceColoring *self, int64_t begin, int64_t end);
};

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_TASKS_H */
