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

#include "sluice-c/Runtime.h"
#include "sluice-c/Tasks.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A program; owns its roots' memory. One thread at a time may use it.
typedef struct SluiceProgram SluiceProgram;

typedef enum SluiceElementType {
  SLUICE_I8,
  SLUICE_I16,
  SLUICE_I32,
  SLUICE_I64,
  SLUICE_F32,
  SLUICE_F64
} SluiceElementType;

/// Reduction operators on element types; CUSTOM has functions of its own.
typedef enum SluiceReductionKind {
  SLUICE_REDUCE_SUM,
  SLUICE_REDUCE_PRODUCT,
  SLUICE_REDUCE_MIN,
  SLUICE_REDUCE_MAX,
  SLUICE_REDUCE_AND,
  SLUICE_REDUCE_OR,
  SLUICE_REDUCE_XOR,
  SLUICE_REDUCE_CUSTOM
} SluiceReductionKind;

typedef struct SluiceReduction {
  SluiceReductionKind kind;
  /// CUSTOM: one value; and `into = into (op) value` for one value of the
  /// field. Arrays in elements are reduced value by value.
  const void *identity;
  void (*fold)(void *into, const void *value);
} SluiceReduction;

/// One field of a root: `count` values of `type` per element (an array in each
/// element where count > 1).
typedef struct SluiceField {
  const char *name;
  SluiceElementType type;
  uint32_t count;
} SluiceField;

/// No partition: a whole root. No projection: the identity.
#define SLUICE_NO_PARTITION UINT32_MAX

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
  uint32_t root;
  uint32_t partition; ///< or SLUICE_NO_PARTITION
  int64_t color;      ///< linear
  SluiceProjection projection;
  /// For each dimension of the colors a row: a factor for each dimension of the
  /// launch, and what is added to the sum.
  const int64_t *matrix;
  int32_t isFixed; ///< Every point uses `color`.
  /// Every point uses all colors (a partition read as a whole).
  int32_t wholePartition;
  SluicePrivilege privilege;
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
  const SluiceDomain *domain;
} SluiceView;

/// The generated caller of a task function. An argument with privilege REDUCE
/// is folded into, `x[i] = x[i] (op) value`, be it the root's memory or a
/// private copy. Where the root has a single element (a scalar) it is always
/// private to the point and holds the identity, so the result may be stored
/// there; the runtime folds the points' results in their order.
typedef void (*SluiceTaskBody)(const SluiceTask *task, const SluiceView *views,
                               const void *closure);

typedef struct SluiceStatement {
  /// For traces and errors; must live until sluiceCleanup, or to the end.
  const char *name;
  SluiceTaskBody body;
  const void *closure; ///< must outlive the program
  int32_t rank;        ///< of the launch; 0: single
  /// Runs on the thread that calls sluiceEndGraph.
  int32_t isHost;
  int64_t extents[SLUICE_MAX_RANK];
  uint32_t numArguments;
  const SluiceArgument *arguments; ///< copied
} SluiceStatement;

/// Never null; ends the process with a message when memory is out, as all
/// functions below do on misuse, naming the root, field and sizes.
SLUICE_EXPORT SluiceProgram *sluiceProgramCreate(const char *name);
SLUICE_EXPORT void sluiceProgramDestroy(SluiceProgram *program);

/// Adds a root with `rank` extents; its memory is zero at first. Returns its
/// number: roots count from 0.
SLUICE_EXPORT uint32_t sluiceAddRoot(SluiceProgram *program, const char *name,
                                     int32_t rank, const int64_t *extents,
                                     uint32_t numFields,
                                     const SluiceField *fields);
/// The memory of a field; row-major, lives as long as the program.
SLUICE_EXPORT void *sluiceRootField(SluiceProgram *program, uint32_t root,
                                    uint32_t field);

/// Partitions of a root, or of a color of another partition (`parent` may be
/// SLUICE_NO_PARTITION). Colors have `rank` extents. Return their numbers:
/// partitions count from 0 over the whole program.
/// Equal blocks: color c has the elements c*n/colors .. (c+1)*n/colors of each
/// dimension of the parent's box.
SLUICE_EXPORT uint32_t sluiceAddBlocks(SluiceProgram *program, const char *name,
                                       uint32_t root, uint32_t parent,
                                       int64_t parentColor, int32_t rank,
                                       const int64_t *colors);
/// Each color of `partition` with `width[d]` more elements on both sides of
/// each dimension, as far as the root reaches. `corners` 0: only along the
/// axes (a cross), else the box.
SLUICE_EXPORT uint32_t sluiceAddHalos(SluiceProgram *program, const char *name,
                                      uint32_t partition, const int64_t *width,
                                      int32_t corners);
SLUICE_EXPORT uint32_t sluiceAddColoring(
    SluiceProgram *program, const char *name, uint32_t root, uint32_t parent,
    int64_t parentColor, int32_t rank, const int64_t *colors,
    void (*coloring)(const int64_t *color, SluiceColoring *elements));
/// Element e has color field[e], an integer; other values: no color.
SLUICE_EXPORT uint32_t sluiceAddByField(SluiceProgram *program,
                                        const char *name, uint32_t root,
                                        uint32_t field, int32_t rank,
                                        const int64_t *colors);
/// Color c: the elements of `root` that `field` of the elements in color c of
/// `source` names (linear positions).
SLUICE_EXPORT uint32_t sluiceAddImage(SluiceProgram *program, const char *name,
                                      uint32_t root, uint32_t source,
                                      uint32_t field);
/// Color c: the elements of `root` whose `field` names an element in color c
/// of `target`.
SLUICE_EXPORT uint32_t sluiceAddPreimage(SluiceProgram *program,
                                         const char *name, uint32_t root,
                                         uint32_t field, uint32_t target);
typedef enum SluiceSetOperation {
  SLUICE_UNION,
  SLUICE_INTERSECTION,
  SLUICE_DIFFERENCE
} SluiceSetOperation;
/// Color by color.
SLUICE_EXPORT uint32_t sluiceAddCombined(SluiceProgram *program,
                                         const char *name,
                                         SluiceSetOperation operation,
                                         uint32_t left, uint32_t right);
/// Checks what was promised of a partition, on the elements it has; ends the
/// process with two colors and an element that contradict it.
SLUICE_EXPORT void sluicePromise(SluiceProgram *program, uint32_t partition,
                                 int32_t isDisjoint, int32_t isComplete);

/// A root, a partition as a whole (color -1), or a color.
typedef struct SluiceRegionPart {
  uint32_t root;
  uint32_t partition; ///< or SLUICE_NO_PARTITION
  int64_t color;
} SluiceRegionPart;
/// Checks that two parts of one root share no element or, with `isDisjoint` 0,
/// that all elements of the first are in the second; ends the process with an
/// element that contradicts it.
SLUICE_EXPORT void sluiceConstrain(SluiceProgram *program, int32_t isDisjoint,
                                   SluiceRegionPart first,
                                   SluiceRegionPart second);

/// Statements are added to the innermost open graph or loop, in the proven
/// order. Launches without points are nothing. `name` as that of a statement.
SLUICE_EXPORT void sluiceBeginGraph(SluiceProgram *program, const char *name);
SLUICE_EXPORT void sluiceAddStatement(SluiceProgram *program,
                                      const SluiceStatement *statement);
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
SLUICE_EXPORT void sluiceBeginLoop(SluiceProgram *program, int64_t count,
                                   uint32_t whileRoot);
SLUICE_EXPORT void sluiceEndLoop(SluiceProgram *program);
/// Closes the graph, runs it to its end and forgets it. What a task throws
/// ends the process with the task's name and point.
SLUICE_EXPORT void sluiceEndGraph(SluiceProgram *program);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_REGIONS_H */
