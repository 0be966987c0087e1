//===- RegionProgram.h - Programs over regions, as constant tables --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler translates an rdir program to constant data and the functions of
// its tasks. The data describes the calls that a generated C++ program would
// make (it shares the structures of Regions.h). The runtime reads it, sets the
// parameters, makes roots and partitions, and runs the graphs. Table.h
// describes the head that identifies the program.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_REGIONPROGRAM_H
#define SLUICE_C_REGIONPROGRAM_H

#include "sluice-c/Regions.h"
#include "sluice-c/Table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As `parameter` of an extent: the number is `constant`.
#define SLUICE_NO_PARAMETER UINT32_MAX

/// A compile-time number, or a parameter of an integer type, plus terms.
typedef struct SluiceExtent {
  int64_t constant;   ///< the number, or 0
  uint32_t parameter; ///< or SLUICE_NO_PARAMETER
  uint32_t numTerms;  ///< a third of the entries of `terms`
  /// For each term, a factor, a parameter and the number of an iteration (see
  /// SluiceRegionStatement), of which one is -1.
  const int64_t *terms;
} SluiceExtent;

/// A number that the command line may set: --NAME=VALUE.
typedef struct SluiceRegionParameter {
  const char *name;        ///< without hyphens
  const char *defaultText; ///< for --help
  void *variable;    ///< variable from which functions of the program read it
  int64_t min;       ///< integers: the smallest valid value
  uint32_t type;     ///< SluiceElementType
  uint32_t reserved; ///< 0
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

/// How a partition is made: each kind has a function in Partitions.h.
typedef enum SluicePartitionKind {
  SLUICE_PARTITION_BLOCKS,
  SLUICE_PARTITION_HALOS,
  SLUICE_PARTITION_COLORING,
  SLUICE_PARTITION_BY_FIELD,
  SLUICE_PARTITION_IMAGE,
  SLUICE_PARTITION_PREIMAGE,
  SLUICE_PARTITION_UNION,
  SLUICE_PARTITION_INTERSECTION,
  SLUICE_PARTITION_DIFFERENCE,
  SLUICE_PARTITION_BLOCKS_OF_EACH,
  SLUICE_PARTITION_CROSS,
  SLUICE_PARTITION_BY_MAP,
  SLUICE_PARTITION_MAPPED_IMAGE,
  SLUICE_PARTITION_MAPPED_PREIMAGE,
  SLUICE_PARTITION_IMAGE_OF_RANGES,
  SLUICE_PARTITION_PREIMAGE_OF_RANGES
} SluicePartitionKind;

/// The right operand of sets.
enum SluiceRightSide {
  SLUICE_RIGHT_BY_COLOR, ///< the same color of the partition
  SLUICE_RIGHT_WHOLE,    ///< all of its colors
  SLUICE_RIGHT_COLOR     ///< one color for all
};

/// Numbers of an SluiceElementCoordinate, in its order.
#define SLUICE_NUMBERS_OF_COORDINATE (SLUICE_MAX_RANK + 3)

/// The arguments of the function in Partitions.h for the kind.
typedef struct SluiceRegionPartition {
  const char *name; ///< for messages
  uint32_t kind;    ///< SluicePartitionKind
  uint32_t root;    ///< the root that it divides
  /// BLOCKS, COLORING: the partition with the color to divide, or
  /// SLUICE_NO_PARTITION to divide the root.
  uint32_t parent;
  uint32_t rank;              ///< of `colors`; HALOS: of `width`
  int64_t parentColor;        ///< linear; of `parent`
  const SluiceExtent *colors; ///< all but HALOS
  const int64_t *width;       ///< HALOS
  /// COLORING: called once per color.
  void (*coloring)(const int64_t *color, SluiceColoring *elements);
  /// HALOS: the partition to extend. Images: the source. Preimages: the target.
  /// Sets, CROSS: the left operand. BLOCKS_OF_EACH: what to divide.
  uint32_t first;
  uint32_t second;      ///< Sets, CROSS: the right operand
  uint32_t field;       ///< BY_FIELD, and images and preimages by fields
  uint32_t hasCorners;  ///< HALOS
  uint32_t checkApart;  ///< isDisjoint of sluicePromise
  uint32_t checkCovers; ///< isComplete of sluicePromise
  /// Maps: SLUICE_NUMBERS_OF_COORDINATE numbers for each coordinate.
  const SluiceExtent *map;
  uint32_t numMap;     ///< Maps: coordinates
  uint32_t last;       ///< Ranges
  uint32_t periodic;   ///< HALOS
  uint32_t rightSide;  ///< Sets: SluiceRightSide
  int64_t secondColor; ///< Sets: the color of `second`, linear
} SluiceRegionPartition;

/// The arguments of sluiceConstrain.
typedef struct SluiceRegionConstraint {
  uint32_t isDisjoint; ///< 1: disjoint; 0: the first lies in the second
  uint32_t reserved;   ///< 0
  /// The two parts.
  ///@{
  SluiceRegionPart first, second;
  ///@}
} SluiceRegionConstraint;

/// Kinds of statements.
typedef enum SluiceRegionStatementKind {
  SLUICE_STATEMENT_TASK,
  SLUICE_STATEMENT_HOST,
  SLUICE_STATEMENT_COPY, ///< from arguments[0] to arguments[1]
  SLUICE_STATEMENT_FILL, ///< of arguments[0], which has one field
  SLUICE_STATEMENT_LOOP,
  SLUICE_STATEMENT_UNLESS ///< a LOOP, see sluiceBeginUnless
} SluiceRegionStatementKind;

typedef struct SluiceRegionStatement SluiceRegionStatement;
/// A statement of a graph or a loop.
struct SluiceRegionStatement {
  const char *name;                ///< for messages
  uint32_t kind;                   ///< SluiceRegionStatementKind
  uint32_t rank;                   ///< of the launch; 0: single
  const SluiceExtent *extents;     ///< of the launch, `rank` of them
  const SluiceArgument *arguments; ///< `numArguments` of them
  SluiceTaskBody body;             ///< TASK, HOST
  const void *closure;             ///< passed to `body`
  const void *value;               ///< FILL: one element of the field
  SluiceExtent count;              ///< LOOP: maximum number of iterations
  const SluiceRegionStatement *statements; ///< LOOP: in serial order
  /// Arguments whose matrix gets numbers that all points share, ascending.
  const uint32_t *shifted;
  /// For each of them, and for each row of its matrix, a number to add and a
  /// modulus, or 0.
  const SluiceExtent *shifts;
  uint32_t numArguments;  ///< entries of `arguments`
  uint32_t numStatements; ///< entries of `statements`
  uint32_t whileRoot;     ///< LOOP: see sluiceBeginLoop
  uint32_t numShifted;    ///< entries of `shifted`
  /// LOOP: 1 plus the number of its iteration, on which its statements depend,
  /// or 0. Such a loop adds its statements once for each iteration. A task
  /// finds the iterations, an int64_t for each number, at its closure.
  uint32_t iteration;
  uint32_t numShifts; ///< entries of `shifts`
};

/// Kinds of conditions on a parameter.
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

/// The dependences between the tasks of a graph, as the compiler computed them
/// for one choice of the parameters. They hold for all parameters that fulfil
/// the conditions; for others, the runtime computes the dependences. Tasks
/// count from 0 in serial order, in the order in which the runtime makes them
/// from the statements: points, tests of loops, and tasks that fold reductions.
typedef struct SluiceRegionOrders {
  const SluiceOrderCondition *conditions; ///< all must hold
  /// The predecessors of task t begin at firstPredecessor[t]; the array has
  /// `numTasks + 1` entries.
  const uint32_t *firstPredecessor;
  /// Twice the number of the task, plus 1 for its run in the previous
  /// iteration.
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
  uint32_t whileRoot;                      ///< see `repeats`
  /// SLUICE_STEP_REPEAT: how often the graph runs at most; each time only if
  /// the integer in `whileRoot` is not 0, unless that is SLUICE_NO_PARTITION.
  SluiceExtent repeats;
} SluiceRegionGraph;

/// The steps of a program after it has made all roots, in order. Partitions are
/// made in the order of their numbers; in a repetition, they are made anew.
typedef enum SluiceRegionStepKind {
  SLUICE_STEP_PARTITION,  ///< make partition `index`, check its promises
  SLUICE_STEP_CONSTRAINT, ///< check constraint `index`
  SLUICE_STEP_GRAPH,      ///< run graph `index`
  /// Repeat the steps behind this one, up to that of graph `index`.
  SLUICE_STEP_REPEAT
} SluiceRegionStepKind;

/// A step.
typedef struct SluiceRegionStep {
  uint32_t kind;  ///< SluiceRegionStepKind
  uint32_t index; ///< number of the partition, constraint or graph
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
  uint32_t isChecked; ///< 1: its functions report what they access
  uint32_t reserved;  ///< 0
} SluiceRegionProgram;

/// main() of a region program: sets its parameters from the command line, which
/// may end the process, and runs the program, including sluiceInit and
/// sluiceCleanup. Returns the exit status.
SLUICE_EXPORT int sluiceRunRegions(const SluiceRegionProgram *program, int argc,
                                   char **argv);

/// The parts of sluiceRunRegions between sluiceInit and sluiceCleanup: create a
/// program with the table's roots, and run its steps.
///@{
SLUICE_EXPORT SluiceProgram *
sluiceCreateRegions(const SluiceRegionProgram *table);
SLUICE_EXPORT void sluiceRunSteps(SluiceProgram *program,
                                  const SluiceRegionProgram *table);
///@}

/// The caller's memory for a field, which replaces the runtime's.
typedef struct SluiceRegionMemory {
  uint32_t root;       ///< its number
  uint32_t field;      ///< its number in the root
  void *memory;        ///< row-major, aligned to the field's values
  uint64_t bytes;      ///< of the whole field
  uint32_t isReadOnly; ///< 1: an error if the program writes the field
  uint32_t reserved;   ///< 0
} SluiceRegionMemory;

/// One run of a program in a process that continues afterwards.
typedef struct SluiceRegionRun {
  uint64_t size;       ///< sizeof(SluiceRegionRun)
  uint32_t numWorkers; ///< 0: as SLUICE_WORKERS specifies
  uint32_t numMemory;  ///< entries of `memory`
  /// For each parameter a value of its type, or null for the compiled-in value.
  const void *const *parameters;
  const SluiceRegionMemory *memory; ///< in any order
} SluiceRegionRun;

/// Returns why this runtime cannot read a table, or null if it can. The runtime
/// owns the text, which is valid until this thread's next call.
SLUICE_EXPORT const char *sluiceCheckRegions(const SluiceRegionProgram *table);

/// Runs a program as sluiceRunRegions does, without a command line, init and
/// cleanup, in this process alone and without checkpoints. Fields start with
/// the contents of their memory, or else with zeros or the program's initial
/// values. Returns null, or an error: a wrong argument, or a task that failed;
/// memory may already have been written then. The text is valid until this
/// thread's next call. Only one thread at a time may run programs; another
/// thread gets an error.
SLUICE_EXPORT const char *sluiceExecuteRegions(const SluiceRegionProgram *table,
                                               const SluiceRegionRun *run);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_REGIONPROGRAM_H */
