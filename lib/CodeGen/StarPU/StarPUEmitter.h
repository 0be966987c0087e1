//===- StarPUEmitter.h - Writing C for StarPU -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/starpu-and-legion.md explains how a program maps to StarPU's tasks and
// handles.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_STARPU_STARPUEMITTER_H
#define SLUICE_LIB_CODEGEN_STARPU_STARPUEMITTER_H

#include "Source.h"
#include "StarPUSupport.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace sluice::codegen {

/// Writes one program, in this order:
///   1. includes, the user's functions, parameters;
///   2. the parts of Support/ that it needs;
///   3. roots, scalars, reductions, partitions;
///   4. a launch for each statement: the function that the worker calls, with
///      its regions and scalars;
///   5. a function for each graph, which submits the launches;
///   6. main.
class StarPUEmitter {
public:
  StarPUEmitter(const RegionModel &program, const StarPUOptions &options,
                llvm::raw_ostream &os);
  void run();

private:
  // StarPUEmitter.cpp
  void assignNames();
  void writeTitle(llvm::StringRef title);
  void writeHead();
  void writeConstraint(const RegionConstraint &constraint);
  void writeStart();
  void writeEnd();
  void writeMain();
  // StarPUDeclarations.cpp
  void writeRoots();
  void writeRoot(unsigned index);
  void writeScalar(unsigned index);
  void writeReductions();
  void writeReduction(unsigned index);
  void writeReductionCodelets(unsigned index);
  // StarPUPartitions.cpp
  void writePartitions();
  void writeSharedFields(const RegionPartition &partition);
  void writeCreation(unsigned index);
  // StarPULaunches.cpp
  void writeLaunches(llvm::ArrayRef<RegionStatement> statements);
  void writeLaunch(const RegionStatement &statement);
  void writeBody(const RegionStatement &statement);
  void writeMoveOfScalar(const RegionStatement &statement);
  std::string callText(const RegionStatement &statement);
  std::string pointerText(const RegionStatement &statement,
                          const RegionArgument &argument,
                          llvm::StringRef type = "void") const;
  unsigned writeScalarUses(const RegionStatement &statement);
  unsigned writeAccesses(const RegionStatement &statement);
  std::string accessText(const RegionArgument &argument, unsigned rank);
  std::string projectionOf(const RegionArgument &argument, unsigned rank);
  std::string scalarMode(const RegionStatement &statement,
                         const RegionArgument &argument) const;
  std::string scalarText(const RegionStatement &statement,
                         const RegionArgument &argument) const;
  // StarPUGraphs.cpp
  void writeGraph(const RegionGraph &graph);
  void writeStatements(llvm::ArrayRef<RegionStatement> statements,
                       unsigned indent);
  void writeLoop(const RegionStatement &statement, unsigned indent);

  /// `wanted`, with a number appended if the user's functions or other
  /// declarations have that name.
  std::string unique(const llvm::Twine &wanted);
  /// The suffix of the names of a statement's declarations.
  const std::string &labelOf(const RegionStatement &statement) const {
    return labels.find(statement.label)->second;
  }
  std::string launchOf(const RegionStatement &statement) const {
    return "launch_" + labelOf(statement);
  }
  /// `wanted`, with '_' appended if a user's function that the scope calls has
  /// that name.
  std::string local(llvm::StringRef wanted) const;
  /// The runtime's number of a partition, or the number for none.
  std::string numberOf(unsigned partition) const;
  /// The partition of a region argument's colors.
  std::string partitionOf(const RegionArgument &argument) const;

  const RegionModel &program;
  const StarPUOptions options;
  llvm::raw_ostream &os;
  llvm::StringSet<> taken;
  std::vector<std::string> roots, partitions, allColors, reductions, graphs;
  /// By partition: statements name single colors of it, whose elements are
  /// listed.
  std::vector<bool> usesColors;
  /// Scalars that statements reduce to, with the operator; none if there are
  /// several operators.
  std::map<unsigned, unsigned> reductionOfScalar;
  std::vector<std::vector<unsigned>> partitionOrder;
  llvm::StringMap<std::string> projections, labels;
  llvm::StringSet<> functions;
  unsigned numLoops = 0;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_STARPU_STARPUEMITTER_H
