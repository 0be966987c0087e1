//===- Emitter.h - Writes C for StarPU --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/starpu-and-legion.md explains how a program maps to StarPU's tasks and
// handles.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_STARPU_EMITTER_H
#define SLUICE_LIB_CODEGEN_STARPU_EMITTER_H

#include "Source.h"
#include "Support.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace sluice::codegen {

/// Writes one program, in this order:
///   1. includes, the user's functions, parameters;
///   2. the parts of Support/ that it needs;
///   3. roots, scalars, reductions, partitions;
///   4. a launch for each statement: what the worker calls, with which regions
///      and scalars;
///   5. a function for each graph, which submits the launches;
///   6. main.
class StarPUEmitter {
public:
  StarPUEmitter(const RegionProgram &program, const StarPUOptions &options,
                llvm::raw_ostream &os);
  void run();

private:
  // Emitter.cpp
  void assignNames();
  void writeTitle(llvm::StringRef title);
  void writeHead();
  void writeConstraint(const RegionConstraint &constraint);
  void writeStart();
  void writeEnd();
  void writeMain();
  // Declarations.cpp
  void writeRoots();
  void writeRoot(unsigned index);
  void writeScalar(unsigned index);
  void writeReductions();
  void writeReduction(unsigned index);
  void writeReductionCodelets(unsigned index);
  // Partitions.cpp
  void writePartitions();
  void writeSharedFields(const RegionPartition &partition);
  void writeCreation(unsigned index);
  // Launches.cpp
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
  // Graphs.cpp
  void writeGraph(const RegionGraph &graph);
  void writeStatements(llvm::ArrayRef<RegionStatement> statements,
                       unsigned indent);
  void writeLoop(const RegionStatement &statement, unsigned indent);

  /// `wanted`, or with a number behind it where the user's functions or other
  /// declarations have that name.
  std::string unique(const llvm::Twine &wanted);
  /// What the names of a statement's declarations end with.
  const std::string &labelOf(const RegionStatement &statement) const {
    return labels.find(statement.label)->second;
  }
  std::string launchOf(const RegionStatement &statement) const {
    return "launch_" + labelOf(statement);
  }
  /// `wanted`, or with '_' behind it where a function of the user's that the
  /// scope calls has that name.
  std::string local(llvm::StringRef wanted) const;
  /// The number that the runtime gives a partition, or that of none.
  std::string numberOf(unsigned partition) const;
  /// The partition that a region argument's colors are of.
  std::string partitionOf(const RegionArgument &argument) const;

  const RegionProgram &program;
  const StarPUOptions options;
  llvm::raw_ostream &os;
  llvm::StringSet<> taken;
  std::vector<std::string> roots, partitions, allColors, reductions, graphs;
  /// Of partitions: statements name colors of it, whose elements are listed.
  std::vector<bool> usesColors;
  /// Scalars that statements reduce to: by which operator; by several: none.
  std::map<unsigned, unsigned> reductionOfScalar;
  std::vector<std::vector<unsigned>> partitionOrder;
  llvm::StringMap<std::string> projections, labels;
  llvm::StringSet<> functions;
  unsigned numLoops = 0;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_STARPU_EMITTER_H
