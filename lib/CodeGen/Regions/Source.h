//===- Source.h - Pieces of C that every generator writes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for Sluice, Legion and StarPU call the same functions of the user,
// take the same parameters from the command line and make their partitions in
// the same order. What they share of their text stands here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REGIONS_SOURCE_H
#define SLUICE_LIB_CODEGEN_REGIONS_SOURCE_H

#include "sluice/CodeGen/RegionModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace sluice::codegen {

/// "int8_t" to "int64_t", "float", "double".
llvm::StringRef cTypeName(ElementType type);
bool isInteger(ElementType type);
/// Bytes of one value.
unsigned sizeOf(ElementType type);
/// `name` with '_' for what C does not allow in names.
std::string identifier(llvm::StringRef name);
/// `identifier` in capitals, for include guards.
std::string macroName(llvm::StringRef name);
/// The name within a comment of C, which it cannot end.
std::string commentText(llvm::StringRef name);
/// The text as a literal of C; a format that prints it.
std::string stringLiteral(llvm::StringRef text);
std::string formatText(llvm::StringRef text);
/// The macro that guards the task header.
std::string headerGuard(const RegionModel &program);
/// The variable of a parameter: "parameter_n".
std::string parameterVariable(const RegionParameter &parameter);
/// "16" or "parameter_n".
std::string extentText(const RegionModel &program, const Extent &extent);
/// "{4, parameter_n}".
std::string extentsText(const RegionModel &program,
                        llvm::ArrayRef<Extent> extents);
/// A row of an affine projection over `rank` dimensions: "2 * task->point[0] +
/// 1".
std::string projectionRowText(const RegionProjection &projection, unsigned rank,
                              size_t row);
bool isConstant(llvm::ArrayRef<Extent> extents);
/// "file.mlir:12", without folders; empty where the place is not known.
std::string placeText(mlir::Location location);

/// Writes `head`, the words with commas between them, and `tail`; lines that
/// would be longer than 80 columns are broken and aligned with the first word.
void writeList(llvm::raw_ostream &os, llvm::StringRef head,
               llvm::ArrayRef<std::string> words, llvm::StringRef tail);

/// A parameter of a C function; '@' in `type` stands for the name, as in
/// "const double *@" and "double (*@)[4]".
struct DeclaredParameter {
  std::string type, name;
};
struct CDeclaration {
  std::string result;
  std::vector<DeclaredParameter> parameters;
};
/// The function of a Task or Host statement.
CDeclaration signatureOf(const RegionModel &program,
                         const RegionStatement &statement);
/// True if a caller of one may call the other.
bool haveEqualTypes(const CDeclaration &a, const CDeclaration &b);
/// Writes "void update(const SluiceTask *task, ...)", broken into lines.
void writeDeclaration(llvm::raw_ostream &os, llvm::StringRef name,
                      const CDeclaration &signature);

/// True if the task's function is handed a view of the argument.
bool isView(const RegionArgument &argument);
/// True if the argument is the function's result: a scalar that is written or
/// reduced to. One that is read and written is a parameter as well.
bool isResult(const RegionArgument &argument);
/// True for a result that is folded into the scalar, not stored there.
bool isFolded(const RegionArgument &argument);
/// True if the function has a parameter for the argument.
bool isParameter(const RegionArgument &argument);

/// The least value that each parameter may have: a root has elements, a
/// partition colors; a launch may have no points, and a loop no iterations.
std::vector<int64_t> minValues(const RegionModel &program);

/// Writes the variables of all parameters, and
///   static void parseParameters(int argc, char **argv);
/// which sets them from --NAME=VALUE, prints --help, and ends the program with
/// status 2 and a message where it must. C and C++; the file includes
/// <errno.h>, <stdio.h>, <stdlib.h>, <string.h> and the task header before it.
void writeParameters(const RegionModel &program, llvm::raw_ostream &os);

/// The partitions to make before each graph, in order: those that do not depend
/// on what fields hold before the first graph, the others before the first one
/// that uses them. Partitions by data that no graph uses are left out.
std::vector<std::vector<unsigned>>
partitionsBeforeGraphs(const RegionModel &program);

/// Those to make anew before each run of a graph: what it uses, if it changes,
/// or a graph since changed, fields from which they are made. In order.
std::vector<unsigned> remadePartitions(const RegionModel &program,
                                       unsigned graph);

/// How a check of points calls what an argument does: 0 reads, 1 writes, and
/// each reduction has a number of its own.
std::string accessNumber(const RegionArgument &argument);

/// The constraints to check before each graph, as soon as what they name is
/// made; those with a partition that is never made are left out.
std::vector<std::vector<const RegionConstraint *>>
constraintsBeforeGraphs(const RegionModel &program);

/// Calls of sluice-c/Partitions.h: what makes a partition, "sluiceAddBlocks",
/// with the arrays that stand before, `colors`, `width` or `map`; its
/// arguments, with `numberOf` for other partitions; the types of values,
/// "SLUICE_F64"; operators, "SLUICE_REDUCE_SUM".
std::string partitionMaker(const RegionPartition &partition);
void writeMakerArray(const RegionModel &program,
                     const RegionPartition &partition, llvm::raw_ostream &os);
std::vector<std::string>
makerWords(const RegionPartition &partition, llvm::StringRef program,
           llvm::StringRef root,
           llvm::function_ref<std::string(unsigned)> numberOf);
llvm::StringRef elementTypeName(ElementType type);
llvm::StringRef reductionKind(const RegionReduction &reduction);
/// True if the program must check the promises of the partition. Blocks need no
/// check: they are disjoint and cover their parent.
bool isPromiseNeeded(const RegionPartition &partition);

/// The root of the fields by which a partition goes.
unsigned rootOfFields(const RegionModel &program,
                      const RegionPartition &partition);

/// True if Sluice's runtime knows the parent of the partition. It treats other
/// partitions as partitions of the root, so their completeness becomes a
/// constraint.
bool knowsParent(const RegionPartition &partition);
/// The constraint that the parent lies in the union of all colors.
RegionConstraint completeness(const RegionModel &program, unsigned partition);

/// The arguments of a launch whose points must be shown to be apart when the
/// program runs: for each field of a partition that one of them writes, those
/// that use the field through that partition.
std::vector<std::vector<const RegionArgument *>>
argumentsToCheck(const RegionStatement &statement);
/// True for arguments of which no two points may use one color; others may,
/// unless a third one writes it.
bool isWritten(const RegionArgument &argument);

/// Calls `visit` for every statement, bodies included, in order.
void forEachStatement(llvm::ArrayRef<RegionStatement> statements,
                      llvm::function_ref<void(const RegionStatement &)> visit);
void forEachStatement(const RegionModel &program,
                      llvm::function_ref<void(const RegionStatement &)> visit);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_REGIONS_SOURCE_H
