//===- RegionProgram.h - Programs over regions, as constant tables --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler makes of an rdir program: constant data that says what a
// generated C++ program would do by calls (Regions.h, whose structures it
// shares), and the functions of its tasks. The runtime reads it: sets the
// parameters, makes roots and partitions, runs the graphs. The program has a
// head by which it is known (Table.h).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_REGIONPROGRAM_H
#define SLUICE_C_REGIONPROGRAM_H

#include "sluice-c/Regions.h"
#include "sluice-c/Table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Extents: the number is `constant`.
#define SLUICE_NO_PARAMETER UINT32_MAX

/// A number that is known when the program is compiled, or a parameter of an
/// integer type.
typedef struct SluiceExtent {
  int64_t constant;
  uint32_t parameter; ///< or SLUICE_NO_PARAMETER
  uint32_t reserved;
} SluiceExtent;

/// A number that the command line may set: --NAME=VALUE.
typedef struct SluiceRegionParameter {
  const char *name;
  const char *defaultText; ///< for --help
  void *variable;          ///< where functions of the program read it
  int64_t min;             ///< integers: the least value that makes sense
  uint32_t type;           ///< SluiceElementType
  uint32_t reserved;
} SluiceRegionParameter;

typedef struct SluiceRegionRoot {
  const char *name;
  const SluiceExtent *extents;
  const SluiceField *fields;
  /// The first element of the first field; null: zeros.
  const void *initial;
  uint32_t rank;
  uint32_t numFields;
} SluiceRegionRoot;

typedef enum SluicePartitionKind {
  SLUICE_PARTITION_BLOCKS,
  SLUICE_PARTITION_HALOS,
  SLUICE_PARTITION_COLORING,
  SLUICE_PARTITION_BY_FIELD,
  SLUICE_PARTITION_IMAGE,
  SLUICE_PARTITION_PREIMAGE,
  SLUICE_PARTITION_UNION,
  SLUICE_PARTITION_INTERSECTION,
  SLUICE_PARTITION_DIFFERENCE
} SluicePartitionKind;

/// The arguments of the function of Regions.h that makes the kind.
typedef struct SluiceRegionPartition {
  const char *name;
  uint32_t kind; ///< SluicePartitionKind
  uint32_t root;
  /// BLOCKS, COLORING: divides this color, or SLUICE_NO_PARTITION: the root.
  uint32_t parent;
  uint32_t rank; ///< of `colors`; HALOS: of `width`
  int64_t parentColor;
  const SluiceExtent *colors; ///< BLOCKS, COLORING, BY_FIELD
  const int64_t *width;       ///< HALOS
  void (*coloring)(const int64_t *color, SluiceColoring *elements);
  /// HALOS: of which. IMAGE: the source. PREIMAGE: the target. Sets: the left.
  uint32_t first;
  uint32_t second; ///< Sets: the right
  uint32_t field;
  uint32_t hasCorners;  ///< HALOS
  uint32_t checkApart;  ///< 1: what sluicePromise calls isDisjoint
  uint32_t checkCovers; ///< 1: what sluicePromise calls isComplete
} SluiceRegionPartition;

/// The arguments of sluiceConstrain.
typedef struct SluiceRegionConstraint {
  uint32_t isDisjoint;
  uint32_t reserved;
  SluiceRegionPart first, second;
} SluiceRegionConstraint;

typedef enum SluiceRegionStatementKind {
  SLUICE_STATEMENT_TASK,
  SLUICE_STATEMENT_HOST,
  SLUICE_STATEMENT_COPY, ///< from arguments[0] to arguments[1]
  SLUICE_STATEMENT_FILL, ///< of arguments[0], which has one field
  SLUICE_STATEMENT_LOOP
} SluiceRegionStatementKind;

typedef struct SluiceRegionStatement SluiceRegionStatement;
struct SluiceRegionStatement {
  const char *name;
  uint32_t kind; ///< SluiceRegionStatementKind
  uint32_t rank; ///< of the launch; 0: single
  const SluiceExtent *extents;
  const SluiceArgument *arguments;
  SluiceTaskBody body;                     ///< TASK, HOST
  const void *closure;                     ///< handed to `body`
  const void *value;                       ///< FILL: one element of the field
  SluiceExtent count;                      ///< LOOP: iterations at most
  const SluiceRegionStatement *statements; ///< LOOP: in serial order
  uint32_t numArguments;
  uint32_t numStatements;
  uint32_t whileRoot; ///< LOOP: see sluiceBeginLoop
  uint32_t reserved;
};

enum SluiceOrderConditionKind {
  SLUICE_ORDERS_EQUAL,    ///< the parameter is `value`
  SLUICE_ORDERS_AT_LEAST, ///< the parameter is `value` or more
  /// The parameter, a number of iterations, is `value`, or both are 2 or more.
  SLUICE_ORDERS_COUNT
};

typedef struct SluiceOrderCondition {
  uint32_t parameter;
  uint32_t kind; ///< SluiceOrderConditionKind
  int64_t value;
} SluiceOrderCondition;

/// Which points of a graph wait for which, as the compiler found it for one
/// choice of the parameters. It is so for all that fulfil the conditions; for
/// others the runtime finds it out. Tasks count from 0 in serial order, as the
/// runtime makes them of the statements: points, tests of loops, and what folds
/// reductions.
typedef struct SluiceRegionOrders {
  const SluiceOrderCondition *conditions;
  /// The predecessors of task t begin at firstPredecessor[t]; `numTasks + 1`
  /// numbers.
  const uint32_t *firstPredecessor;
  /// Twice the task, plus 1 for its run in the previous iteration.
  const uint32_t *predecessors;
  uint32_t numConditions;
  uint32_t numTasks;
} SluiceRegionOrders;

typedef struct SluiceRegionGraph {
  const char *name;
  const SluiceRegionStatement *statements; ///< in a proven serial order
  const SluiceRegionOrders *orders;        ///< null: not known
  uint32_t numStatements;
  uint32_t reserved;
} SluiceRegionGraph;

/// What the program does when all roots are there, in order. Partitions are
/// made in the order of their numbers.
typedef enum SluiceRegionStepKind {
  SLUICE_STEP_PARTITION,  ///< make partition `index`, check its promises
  SLUICE_STEP_CONSTRAINT, ///< check constraint `index`
  SLUICE_STEP_GRAPH       ///< run graph `index`
} SluiceRegionStepKind;

typedef struct SluiceRegionStep {
  uint32_t kind; ///< SluiceRegionStepKind
  uint32_t index;
} SluiceRegionStep;

typedef struct SluiceRegionProgram {
  SluiceTableHead head;
  const char *name;
  const SluiceRegionParameter *parameters;
  const SluiceRegionRoot *roots;
  const SluiceRegionPartition *partitions;
  const SluiceRegionConstraint *constraints;
  const SluiceRegionGraph *graphs;
  const SluiceRegionStep *steps;
  uint32_t numParameters;
  uint32_t numRoots;
  uint32_t numPartitions;
  uint32_t numConstraints;
  uint32_t numGraphs;
  uint32_t numSteps;
} SluiceRegionProgram;

/// main() of a region program: sets its parameters from the command line, which
/// may end the process, and runs it from sluiceInit to sluiceCleanup. Returns
/// the exit status.
SLUICE_EXPORT int sluiceRunRegions(const SluiceRegionProgram *program, int argc,
                                   char **argv);

/// The parts of it between sluiceInit and sluiceCleanup: a program with the
/// table's roots, and all that follows.
SLUICE_EXPORT SluiceProgram *
sluiceCreateRegions(const SluiceRegionProgram *table);
SLUICE_EXPORT void sluiceRunSteps(SluiceProgram *program,
                                  const SluiceRegionProgram *table);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_REGIONPROGRAM_H */
