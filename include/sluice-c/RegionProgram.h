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
  int64_t constant;   ///< the number, or 0
  uint32_t parameter; ///< or SLUICE_NO_PARAMETER
  uint32_t reserved;  ///< 0
} SluiceExtent;

/// A number that the command line may set: --NAME=VALUE.
typedef struct SluiceRegionParameter {
  const char *name;        ///< without hyphens
  const char *defaultText; ///< for --help
  void *variable;          ///< where functions of the program read it
  int64_t min;             ///< integers: the least value that makes sense
  uint32_t type;           ///< SluiceElementType
  uint32_t reserved;       ///< 0
} SluiceRegionParameter;

/// A root.
typedef struct SluiceRegionRoot {
  const char *name;            ///< for messages
  const SluiceExtent *extents; ///< `rank` of them
  const SluiceField *fields;   ///< `numFields` of them
  /// The first element of the first field; null: zeros.
  const void *initial;
  uint32_t rank;      ///< 1 to 3
  uint32_t numFields; ///< entries of `fields`
} SluiceRegionRoot;

/// How a partition is made: by the functions of Partitions.h with such names.
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
  const char *name; ///< for messages
  uint32_t kind;    ///< SluicePartitionKind
  uint32_t root;    ///< of which it is
  /// BLOCKS, COLORING: divides this color, or SLUICE_NO_PARTITION: the root.
  uint32_t parent;
  uint32_t rank;              ///< of `colors`; HALOS: of `width`
  int64_t parentColor;        ///< linear; of `parent`
  const SluiceExtent *colors; ///< BLOCKS, COLORING, BY_FIELD
  const int64_t *width;       ///< HALOS
  /// COLORING: called once per color.
  void (*coloring)(const int64_t *color, SluiceColoring *elements);
  /// HALOS: of which. IMAGE: the source. PREIMAGE: the target. Sets: the left.
  uint32_t first;
  uint32_t second;      ///< Sets: the right
  uint32_t field;       ///< BY_FIELD, IMAGE, PREIMAGE
  uint32_t hasCorners;  ///< HALOS
  uint32_t checkApart;  ///< 1: what sluicePromise calls isDisjoint
  uint32_t checkCovers; ///< 1: what sluicePromise calls isComplete
} SluiceRegionPartition;

/// The arguments of sluiceConstrain.
typedef struct SluiceRegionConstraint {
  uint32_t isDisjoint; ///< 1: apart; 0: the first lies in the second
  uint32_t reserved;   ///< 0
  /// Which two parts.
  ///@{
  SluiceRegionPart first, second;
  ///@}
} SluiceRegionConstraint;

/// What a statement is.
typedef enum SluiceRegionStatementKind {
  SLUICE_STATEMENT_TASK,
  SLUICE_STATEMENT_HOST,
  SLUICE_STATEMENT_COPY, ///< from arguments[0] to arguments[1]
  SLUICE_STATEMENT_FILL, ///< of arguments[0], which has one field
  SLUICE_STATEMENT_LOOP
} SluiceRegionStatementKind;

typedef struct SluiceRegionStatement SluiceRegionStatement;
/// A statement of a graph or a loop.
struct SluiceRegionStatement {
  const char *name;                        ///< for messages
  uint32_t kind;                           ///< SluiceRegionStatementKind
  uint32_t rank;                           ///< of the launch; 0: single
  const SluiceExtent *extents;             ///< of the launch, `rank` of them
  const SluiceArgument *arguments;         ///< `numArguments` of them
  SluiceTaskBody body;                     ///< TASK, HOST
  const void *closure;                     ///< handed to `body`
  const void *value;                       ///< FILL: one element of the field
  SluiceExtent count;                      ///< LOOP: iterations at most
  const SluiceRegionStatement *statements; ///< LOOP: in serial order
  uint32_t numArguments;                   ///< entries of `arguments`
  uint32_t numStatements;                  ///< entries of `statements`
  uint32_t whileRoot;                      ///< LOOP: see sluiceBeginLoop
  uint32_t reserved;                       ///< 0
};

/// What a parameter has to be.
enum SluiceOrderConditionKind {
  SLUICE_ORDERS_EQUAL,    ///< the parameter is `value`
  SLUICE_ORDERS_AT_LEAST, ///< the parameter is `value` or more
  /// The parameter, a number of iterations, is `value`, or both are 2 or more.
  SLUICE_ORDERS_COUNT
};

/// A condition on a parameter.
typedef struct SluiceOrderCondition {
  uint32_t parameter; ///< its number
  uint32_t kind;      ///< SluiceOrderConditionKind
  int64_t value;      ///< see the kind
} SluiceOrderCondition;

/// Which points of a graph wait for which, as the compiler found it for one
/// choice of the parameters. It is so for all that fulfil the conditions; for
/// others the runtime finds it out. Tasks count from 0 in serial order, as the
/// runtime makes them of the statements: points, tests of loops, and what folds
/// reductions.
typedef struct SluiceRegionOrders {
  const SluiceOrderCondition *conditions; ///< all must hold
  /// The predecessors of task t begin at firstPredecessor[t]; `numTasks + 1`
  /// numbers.
  const uint32_t *firstPredecessor;
  /// Twice the task, plus 1 for its run in the previous iteration.
  const uint32_t *predecessors;
  uint32_t numConditions; ///< entries of `conditions`
  uint32_t numTasks;      ///< tasks of the graph
} SluiceRegionOrders;

/// A graph of statements.
typedef struct SluiceRegionGraph {
  const char *name;                        ///< for messages
  const SluiceRegionStatement *statements; ///< in a proven serial order
  const SluiceRegionOrders *orders;        ///< null: not known
  uint32_t numStatements;                  ///< entries of `statements`
  uint32_t reserved;                       ///< 0
} SluiceRegionGraph;

/// What the program does when all roots are there, in order. Partitions are
/// made in the order of their numbers.
typedef enum SluiceRegionStepKind {
  SLUICE_STEP_PARTITION,  ///< make partition `index`, check its promises
  SLUICE_STEP_CONSTRAINT, ///< check constraint `index`
  SLUICE_STEP_GRAPH       ///< run graph `index`
} SluiceRegionStepKind;

/// One of the steps.
typedef struct SluiceRegionStep {
  uint32_t kind;  ///< SluiceRegionStepKind
  uint32_t index; ///< of what the kind says
} SluiceRegionStep;

/// A program.
typedef struct SluiceRegionProgram {
  SluiceTableHead head; ///< of the kind SLUICE_REGION_PROGRAM_MAGIC
  const char *name;     ///< for messages
  const SluiceRegionParameter *parameters;   ///< by number
  const SluiceRegionRoot *roots;             ///< by number
  const SluiceRegionPartition *partitions;   ///< by number
  const SluiceRegionConstraint *constraints; ///< by number
  const SluiceRegionGraph *graphs;           ///< by number
  const SluiceRegionStep *steps;             ///< in order
  uint32_t numParameters;                    ///< entries of `parameters`
  uint32_t numRoots;                         ///< entries of `roots`
  uint32_t numPartitions;                    ///< entries of `partitions`
  uint32_t numConstraints;                   ///< entries of `constraints`
  uint32_t numGraphs;                        ///< entries of `graphs`
  uint32_t numSteps;                         ///< entries of `steps`
} SluiceRegionProgram;

/// main() of a region program: sets its parameters from the command line, which
/// may end the process, and runs it from sluiceInit to sluiceCleanup. Returns
/// the exit status.
SLUICE_EXPORT int sluiceRunRegions(const SluiceRegionProgram *program, int argc,
                                   char **argv);

/// The parts of it between sluiceInit and sluiceCleanup: a program with the
/// table's roots, and all that follows.
///@{
SLUICE_EXPORT SluiceProgram *
sluiceCreateRegions(const SluiceRegionProgram *table);
SLUICE_EXPORT void sluiceRunSteps(SluiceProgram *program,
                                  const SluiceRegionProgram *table);
///@}

/// Memory of the caller that a field has instead of the runtime's.
typedef struct SluiceRegionMemory {
  uint32_t root;       ///< its number
  uint32_t field;      ///< its number in the root
  void *memory;        ///< row-major, aligned to the field's values
  uint64_t bytes;      ///< of the whole field
  uint32_t isReadOnly; ///< 1: an error if the program writes the field
  uint32_t reserved;   ///< 0
} SluiceRegionMemory;

/// One run of a program in a process that goes on afterwards.
typedef struct SluiceRegionRun {
  uint64_t size;       ///< sizeof(SluiceRegionRun)
  uint32_t numWorkers; ///< 0: SLUICE_WORKERS says
  uint32_t numMemory;  ///< entries of `memory`
  /// For each parameter a value of its type, or null: as it was compiled.
  const void *const *parameters;
  const SluiceRegionMemory *memory; ///< in any order
} SluiceRegionRun;

/// Why this runtime cannot read a table, or null: it can. The text is the
/// runtime's, and valid until the thread's next call.
SLUICE_EXPORT const char *sluiceCheckRegions(const SluiceRegionProgram *table);

/// Runs a program as sluiceRunRegions does, without a command line, init and
/// cleanup; on this process alone, without checkpoints. Fields begin with what
/// their memory has, others with zeros or what the program says. Returns null,
/// or what went wrong: a wrong argument, or a task that failed; memory may have
/// been written then. The text is valid until the thread's next call. One
/// thread at a time; another one gets an error.
SLUICE_EXPORT const char *sluiceExecuteRegions(const SluiceRegionProgram *table,
                                               const SluiceRegionRun *run);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_REGIONPROGRAM_H */
