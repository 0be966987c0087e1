//===- RegionModel.h - An rdir program, ready to be written out -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common input of all generators of source code (C++ for Sluice's own
// runtime, Legion, StarPU): the module's declarations as plain structures, and
// the statements of its graphs in a proven serial order, with the direct
// dependences within loop bodies on request. Opens and Closes have been
// removed; privileges are per argument.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_REGIONMODEL_H
#define SLUICE_CODEGEN_REGIONMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::codegen {

/// An invalid index.
inline constexpr unsigned noIndex = ~0u;

enum class ElementType { I8, I16, I32, I64, F32, F64 };

/// The bits of a value, right-aligned; its type is stored separately.
using ValueBits = uint64_t;
ValueBits bitsOf(int64_t value);
ValueBits bitsOf(float value);
ValueBits bitsOf(double value);
/// "3", "0.5", "2.5f": the value as a C literal.
std::string literalOf(ValueBits value, ElementType type);

/// A multiple of a parameter, or of the iteration of an enclosing loop.
struct ExtentTerm {
  int64_t factor = 1;
  unsigned parameter = noIndex;
  /// The number of loops with iterations around that loop.
  unsigned iteration = noIndex;
};

/// A compile-time number, or a parameter of the program, plus the terms.
struct Extent {
  int64_t constant = 0;
  unsigned parameter = noIndex;
  std::vector<ExtentTerm> terms = {};
};

/// rdir.parameter: a number that the command line may set (--NAME=VALUE).
struct RegionParameter {
  std::string name;
  ElementType type;
  ValueBits value;
};

/// The default value of an integer parameter.
int64_t defaultOf(const RegionParameter &parameter);

/// rdir.reduction, or a built-in operator ("+", "*", "min", "max", "and",
/// "or", "xor") at one type.
struct RegionReduction {
  std::string op;
  ElementType type;
  /// For user-defined operators, with `void fold(T *, const T *)`.
  ValueBits identity = 0;
  std::string foldFunction;
  std::optional<mlir::Location> location = std::nullopt;
};

struct RegionField {
  std::string name;
  ElementType type;
  /// Values per element; more than 1: an array in each element.
  unsigned count = 1;
};

/// rdir.root or rdir.variable (a scalar: one element, one field).
struct RegionRoot {
  std::string name;
  std::vector<Extent> extents;
  std::vector<RegionField> fields;
  bool isScalar = false;
  /// Scalars: the initial value.
  ValueBits initial = 0;
};

enum class PartitionKind {
  Abstract, ///< only for checks; generators refuse it
  Blocks,
  Halo,
  Coloring,
  ByField,
  Image,
  Preimage,
  Union,
  Intersection,
  Difference,
  BlocksOfEach,
  Cross,
  ByMap,
  MappedImage,
  MappedPreimage,
  ImageOfRanges,
  PreimageOfRanges
};

/// A coordinate that follows from those of an element; see
/// SluiceElementCoordinate.
struct ElementCoordinate {
  int64_t factors[3] = {0, 0, 0};
  Extent offset, divisor, modulus;
};

/// The right operand of sets of elements.
enum class RightSide { ByColor, Whole, Color };

/// rdir.partition.
struct RegionPartition {
  std::string name;
  PartitionKind kind = PartitionKind::Abstract;
  unsigned root = noIndex;
  /// Partition and color of the parent; noIndex: the root itself.
  unsigned parent = noIndex;
  int64_t parentColor = 0;
  std::vector<Extent> colors;
  bool isDisjoint = false, isComplete = false;
  /// Halo: the partition to extend. Images: the source. Preimages: the target.
  /// Union, Intersection, Difference, Cross: `left` and `right`. BlocksOfEach:
  /// what to divide.
  unsigned left = noIndex, right = noIndex;
  RightSide rightSide = RightSide::ByColor; ///< Union, Intersection, Difference
  int64_t rightColor = 0;                   ///< the same; linear
  std::vector<int64_t> width;               ///< Halo
  bool hasCorners = true;                   ///< Halo
  uint32_t periodic = 0;                    ///< Halo: a bit for each dimension
  /// ByField, preimages: of root. Images: of left's.
  unsigned field = noIndex;
  /// Ranges: the end of each; noIndex: the field's value in the next element.
  unsigned last = noIndex;
  std::vector<ElementCoordinate> map; ///< maps
  std::string function;               ///< Coloring
  std::optional<mlir::Location> location = std::nullopt;
};

/// A root, a partition as a whole, or a color.
struct RegionPart {
  unsigned root = noIndex;
  unsigned partition = noIndex;
  /// -1: all colors.
  int64_t color = -1;
};

/// An assumption of the proof besides the promises of partitions: the two parts
/// share no element, or all elements of the first are in the second. Comes from
/// rdir.constraint, or from partitions of a color with a rule that does not
/// keep them inside the color. Generated programs check it when both parts have
/// been made.
struct RegionConstraint {
  bool isDisjoint = false;
  RegionPart first, second;
};

enum class RegionPrivilege { Read, ReadWrite, WriteDiscard, Reduce };
enum class Coherence { Exclusive, Atomic, Simultaneous, Relaxed };

/// How points of a launch select colors.
struct RegionProjection {
  enum Kind { Whole, Identity, Affine, Function } kind = Whole;
  /// Affine: color[r] = sum of matrix[r * rank + d] * point[d] + offset[r].
  std::vector<int64_t> matrix, offset;
  /// Affine: by row, numbers to add that all points share, and, if not 0, the
  /// modulus. Both are empty if no row has any.
  std::vector<Extent> shifts = {}, moduli = {};
  /// Function: int64_t f(const SluiceTask *), the linear color.
  std::string function;
  /// For a written argument: the compiler could not prove that the points of
  /// the launch use disjoint colors. The generated program checks that no two
  /// points use the same color, and that no other argument of the statement
  /// uses at one point a color of the partition that another point writes.
  bool needsCheck = false;
};

/// One argument (port) of a statement: a region, a scalar, or a constant.
struct RegionArgument {
  enum Kind { Region, Scalar, Constant, Parameter, Iteration } kind = Region;
  unsigned root = noIndex;
  unsigned partition = noIndex;
  /// Linear color; -1: the whole partition (in a launch: see projection).
  int64_t color = -1;
  /// Indices of the root's fields, ascending.
  std::vector<unsigned> fields;
  RegionPrivilege privilege = RegionPrivilege::Read;
  /// For privilege Reduce, and for ReadWrite if a task reads the value into
  /// which it folds.
  unsigned reduction = noIndex;
  Coherence coherence = Coherence::Exclusive;
  RegionProjection projection;
  ValueBits constant = 0; ///< Constant
  ElementType constantType = ElementType::I64;
  unsigned parameter = noIndex;
  unsigned iteration = noIndex; ///< Iteration: see ExtentTerm
};

struct RegionStatement {
  explicit RegionStatement(mlir::Location location) : location(location) {}

  enum Kind { Task, Copy, Fill, Host, Loop, MustEpoch } kind = Task;
  /// The C function of Task and Host.
  std::string function;
  /// Unique in the program, for names in generated code and traces.
  std::string label;
  /// Points of a launch; empty: a single task.
  std::vector<Extent> domain;
  /// In the order of ports. Copy: source, then destination. Fill: destination.
  std::vector<RegionArgument> arguments;
  /// Fill: the value; fields of another type get it converted, as in C.
  ValueBits fillValue = 0;
  ElementType fillType = ElementType::F64;
  /// Loop: number of iterations; INT64_MAX if only `whileScalar` ends it.
  Extent count;
  unsigned whileScalar = noIndex; ///< a root
  bool isUnless = false;          ///< the body runs if the scalar is 0
  /// Loop: statements of the body depend on this number of the iteration, see
  /// ExtentTerm.
  unsigned iteration = noIndex;
  std::vector<RegionStatement> body; ///< Loop, MustEpoch
  /// Statements of the same list that must end first, ascending, without
  /// transitive ones. Does not include dependences between iterations of a
  /// loop. Set for statements of loop bodies if LoweringOptions request it.
  std::vector<unsigned> dependences;
  /// All regions of the statement are provably disjoint.
  bool hasIndependentRequirements = false;
  mlir::Location location;
};

struct RegionGraph {
  std::string name;
  std::vector<RegionStatement> statements; ///< in serial order
  /// It runs this often; before each run, its partitions are made anew if it
  /// changes fields from which they are made.
  std::optional<Extent> repeats = std::nullopt;
  unsigned whileScalar = noIndex; ///< a root, tested before each run
  std::optional<mlir::Location> location = std::nullopt;
};

/// A module of Python with a function of a task, and the module's folder.
struct PythonPlace {
  std::string folder, module;
};

struct RegionModel {
  std::string name;
  std::vector<RegionParameter> parameters;
  std::vector<RegionReduction> reductions;
  std::vector<RegionRoot> roots;
  std::vector<RegionPartition> partitions;
  std::vector<RegionConstraint> constraints;
  /// Run one after another.
  std::vector<RegionGraph> graphs;
  /// Functions of tasks and host statements that are written in Python.
  std::map<std::string, PythonPlace> pythonFunctions = {};
};

struct LoweringOptions {
  /// Compute the dependences between the statements of loop bodies, of which
  /// there may be as many as pairs of statements. Static traces need them.
  bool hasDependences = false;
  /// The program is only inspected: accept programs that may be checked but not
  /// run. No source may be generated from the result.
  bool isOnlyChecked = false;
};

/// The program of a module that passed the checks. Emits diagnostics and fails
/// for parts that cannot be executed: abstract partitions, tasks without
/// functions, values that nobody wrote.
mlir::FailureOr<RegionModel>
lowerRegionProgram(mlir::ModuleOp module, const LoweringOptions &options = {});

/// A C function that the user must write.
struct RegionFunction {
  std::string name;
  /// "task", "host statement", "projection", "coloring", "reduction operator".
  std::string role;
  /// Without the semicolon: "void update(const SluiceTask *task, ...)".
  std::string declaration;
  /// Where the program first uses its name.
  std::optional<mlir::Location> location;
  /// What the function gets if it is in Python.
  unsigned numArguments = 0;
};

/// All functions that the user must write in C, without duplicates.
std::vector<RegionFunction> functionsOf(const RegionModel &program);

/// The first statement that depends on the iteration of a loop, or on a sum;
/// only programs for Sluice's own runtime as a table can have such statements.
const RegionStatement *findSums(const RegionModel &program);

/// The first graph that is repeated, which only programs for Sluice's own
/// runtime as a table can have.
const RegionGraph *findRepeated(const RegionModel &program);

/// The first partition that Legion programs cannot make; null if there is none.
const RegionPartition *findBeyondLegion(const RegionModel &program);

/// Emits the declarations of all functions that the user must write, and of the
/// program's parameters (a C and C++ header).
void emitTaskHeader(const RegionModel &program, llvm::raw_ostream &os);
/// Emits a C++ program for Sluice's own runtime, with main().
void emitRegionCpp(const RegionModel &program, llvm::raw_ostream &os);

struct LegionOptions {
  bool hasStaticTraces = false;
  bool hasMustEpochs = true;
  bool hasIndependentRequirements = true;
};
void emitLegion(const RegionModel &program, const LegionOptions &options,
                llvm::raw_ostream &os);

struct StarPUOptions {
  /// Generate a program for several ranks, with StarPU-MPI.
  bool hasRanks = false;
};
/// Emits a C program for StarPU, with main().
void emitStarPU(const RegionModel &program, const StarPUOptions &options,
                llvm::raw_ostream &os);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_REGIONMODEL_H
