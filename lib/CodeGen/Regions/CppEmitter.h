//===- CppEmitter.h - Writing C++ for Sluice's own runtime ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program is written for readers: elements of the IR keep their names and
// order, with one block for each declaration and statement.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REGIONS_CPPEMITTER_H
#define SLUICE_LIB_CODEGEN_REGIONS_CPPEMITTER_H

#include "Source.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::codegen {

/// Writes one program, in this order:
///   1. includes, parameters;
///   2. roots and partitions, the functions that add them;
///   3. callers of the user's functions, projections, reductions:
///      collected while 4 is written;
///   4. a function for each graph;
///   5. main.
class CppEmitter {
public:
  CppEmitter(const RegionModel &program, llvm::raw_ostream &os);
  void run();

private:
  // CppEmitter.cpp
  void assignNames();
  void writeHead();
  void writeRoots();
  void writeConstraint(const RegionConstraint &constraint);
  void writeMain();
  // CppPartitions.cpp
  void writePartitions();
  void writePartition(const RegionPartition &partition);
  // CppStatements.cpp: indented text of a graph's function.
  void writeGraph(const RegionGraph &graph, llvm::raw_ostream &out);
  void writeStatements(llvm::ArrayRef<RegionStatement> statements,
                       unsigned indent, llvm::raw_ostream &out);
  void writeParts(llvm::ArrayRef<RegionStatement> statements, unsigned indent,
                  llvm::raw_ostream &out);
  void writeTask(const RegionStatement &statement, unsigned indent,
                 llvm::raw_ostream &out);
  void writeCopy(const RegionStatement &statement, unsigned indent,
                 llvm::raw_ostream &out);
  void writeFill(const RegionStatement &statement, unsigned indent,
                 llvm::raw_ostream &out);
  void writeLoop(const RegionStatement &statement, unsigned indent,
                 llvm::raw_ostream &out);
  std::string argumentText(const RegionStatement &statement,
                           const RegionArgument &argument);
  // CppCallers.cpp: functions of the program, each written once.
  std::string callerOf(const RegionStatement &statement);
  std::string matrixOf(const RegionArgument &argument, unsigned rank);
  std::string reductionText(unsigned reduction);
  std::string foldText(unsigned reduction, llvm::StringRef value);
  std::string callText(const RegionStatement &statement);
  std::string uniqueName(const std::string &wanted);

  const std::string &rootName(unsigned root) const { return roots[root]; }
  std::string partitionName(unsigned partition) const {
    return partition == noIndex ? "SLUICE_NO_PARTITION" : partitions[partition];
  }

  const RegionModel &program;
  llvm::raw_ostream &os;
  /// The text of the functions that graphs use, and the helpers that they need.
  std::string functions;
  llvm::StringMap<std::string> callers, matrices;
  /// The names in use, those of the user's functions first.
  llvm::StringSet<> names;
  std::vector<std::string> roots, partitions, adders, graphNames;
  /// The suffixes of the operators' names that are written.
  std::vector<std::string> reductions;
  bool hasTasks = false;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_REGIONS_CPPEMITTER_H
