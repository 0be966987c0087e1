//===- LegionEmitter.h - Writing programs for Legion ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program is written for readers who know Legion: elements of the IR keep
// their names and order, and features that Legion lacks are small functions at
// the head of the file, present only if used. docs/starpu-and-legion.md
// describes how each construct maps.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEGION_LEGIONEMITTER_H
#define SLUICE_LIB_CODEGEN_LEGION_LEGIONEMITTER_H

#include "../Regions/Source.h"
#include "LegionText.h"
#include "LoopTrace.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <set>

namespace sluice::codegen::legion {

/// Functions at the head of the program, in the order in which they are
/// written. Each depends only on earlier ones.
enum class Helper {
  Fail,
  Box,
  Positions,
  Task,
  RegionView,
  Rectangles,
  Blocks,
  Halo,
  Coloring,
  ColorAt,
  Projection,
  CheckPoints,
  FoldAtomically,
  ArrayReduction,
  FoldTask,
  Dependence,
  Mapper
};

/// Writes one program. Graphs are written first, into a separate text. The task
/// variants, projections, reductions and helpers that they use are collected on
/// the way and precede them in the file.
class LegionEmitter {
public:
  LegionEmitter(const RegionModel &program, const LegionOptions &options,
                llvm::raw_ostream &os);
  void run();

private:
  // LegionEmitter.cpp: the file as a whole.
  void writeHead();
  void writeIdentifiers();
  void writeEnum(llvm::StringRef head, llvm::ArrayRef<std::string> names);
  void writeProgram();
  void writeMembers();
  void writeTopLevel();
  void writeMain();
  void writeGraphs();

  // Names.cpp
  std::string unique(std::string name);
  void makeNames();

  // LegionRoots.cpp: regions, their fields, their initial values.
  void writeRoots(llvm::raw_ostream &out);
  void writeRoot(unsigned root, llvm::raw_ostream &out);

  // LegionPartitions.cpp
  void writePartitions(llvm::ArrayRef<unsigned> order, unsigned graph,
                       llvm::raw_ostream &out);
  void writePartition(unsigned partition, llvm::raw_ostream &out);
  void writeBlocks(unsigned partition, llvm::raw_ostream &out);
  void writeHalo(unsigned partition, llvm::raw_ostream &out);
  void writeColoring(unsigned partition, llvm::raw_ostream &out);
  // PartitionsByData.cpp
  void writeByField(unsigned partition, llvm::raw_ostream &out);
  void writeImage(unsigned partition, llvm::raw_ostream &out);
  void writePreimage(unsigned partition, llvm::raw_ostream &out);
  void writeCombined(unsigned partition, llvm::raw_ostream &out);
  std::string nameOf(const RegionPart &part) const;
  std::string handleOf(const RegionPart &part);
  void collectConstraints();
  std::string kindText(const RegionPartition &partition) const;
  std::string rankText(unsigned partition) const;
  std::string assignPartition(unsigned partition, llvm::StringRef head,
                              llvm::ArrayRef<std::string> words);
  std::string assignIndexPartition(unsigned partition, llvm::StringRef function,
                                   llvm::ArrayRef<std::string> words);

  // Requirements.cpp: the region and the privilege.
  std::string parentText(unsigned partition);
  std::string colorText(unsigned partition, int64_t color);
  std::string wholeText(unsigned partition);
  std::vector<std::string> handleWords(const RegionArgument &argument,
                                       unsigned rank, bool isPoint);
  std::string privilegeText(const RegionArgument &argument,
                            const Requirement &requirement, bool isHost);
  void writeRequirement(const Requirement &requirement, unsigned rank,
                        bool isPoint, bool isHost, llvm::StringRef head,
                        llvm::StringRef tail, unsigned indent,
                        llvm::raw_ostream &out);

  // LegionStatements.cpp
  void writeStatements(llvm::ArrayRef<RegionStatement> statements,
                       unsigned indent, llvm::raw_ostream &out,
                       const LoopTrace *trace = nullptr);
  void writeDependences(const TracedOperation *traced, unsigned indent,
                        llvm::raw_ostream &out);
  void writeLoopHead(const RegionStatement &statement, unsigned indent,
                     llvm::raw_ostream &out);
  void writeLoop(const RegionStatement &statement, unsigned indent,
                 llvm::raw_ostream &out);
  void writeHost(const RegionStatement &statement, unsigned indent,
                 llvm::raw_ostream &out);
  void writePointChecks(const RegionStatement &statement);

  // LegionLaunches.cpp
  void writeTask(const RegionStatement &statement, unsigned indent,
                 llvm::raw_ostream &out, const TracedOperation *traced);
  void writeArguments(const RegionStatement &statement, bool isPoint,
                      unsigned indent, llvm::raw_ostream &out);
  void writeExecution(const RegionStatement &statement, unsigned indent,
                      llvm::raw_ostream &out);
  void writeEpoch(const RegionStatement &statement, unsigned indent,
                  llvm::raw_ostream &out);
  void writeMember(const RegionStatement &member, unsigned indent,
                   llvm::raw_ostream &out);
  void writeMemberResult(const RegionStatement &member, unsigned indent,
                         llvm::raw_ostream &out);

  // Moves.cpp: copies and fills.
  void writeCopy(const RegionStatement &statement, unsigned indent,
                 llvm::raw_ostream &out, const TracedOperation *traced);
  void writeFill(const RegionStatement &statement, unsigned indent,
                 llvm::raw_ostream &out,
                 llvm::ArrayRef<TracedOperation> traced);
  void writeFieldFill(const RegionStatement &statement,
                      const Requirement &requirement, unsigned indent,
                      llvm::raw_ostream &out, const TracedOperation *traced);
  void writeScalarCopy(const RegionStatement &statement, unsigned indent,
                       llvm::raw_ostream &out);

  // Variants.cpp: the functions that Legion calls for a task.
  std::string variantOf(const RegionStatement &statement);
  std::vector<std::string> writeViews(const RegionStatement &statement,
                                      llvm::StringRef regions, unsigned indent,
                                      llvm::raw_ostream &out);

  // LegionProjections.cpp, LegionReductions.cpp
  std::string projectionOf(const RegionArgument &argument, unsigned rank);
  std::string reductionOf(unsigned reduction, unsigned count);
  std::string foldTaskOf(unsigned reduction);
  std::string foldText(unsigned indent, const RegionArgument &scalar,
                       llvm::StringRef value);

  // Helpers*.cpp
  void use(Helper helper);
  void writeHelpers();
  void writePartitionHelpers();

  std::string launchText(const RegionStatement &statement);
  const RegionRoot &rootOf(const RegionArgument &argument) const {
    return program.roots[argument.root];
  }

  const RegionModel &program;
  const LegionOptions &options;
  llvm::raw_ostream &os;
  /// The text of everything that the graphs use, in the order of the file.
  std::string graphs, partitions, roots;
  std::string variants, projections, reductions, checks, registrations;
  /// From the text of a definition to its name.
  llvm::StringMap<std::string> known;
  llvm::StringSet<> taken;
  std::vector<std::string> taskIds, projectionIds;
  std::vector<std::string> regionNames, partitionNames, graphNames;
  std::vector<std::vector<std::string>> fieldNames;
  /// Partitions that are used as a whole although they do not cover their
  /// parent: each has its own region.
  std::set<unsigned> wholes;
  std::set<Helper> helpers;
  /// "byField", "image", "preimage": partitions that read fields themselves.
  std::set<std::string> dataHelpers;
  /// By graph: the checks of constraints before it.
  std::vector<std::string> constraints;
  bool hasPromises = false, hasConstraints = false, hasHost = false;
  unsigned numReductions = 0, numLoops = 0, numTraces = 0;
};

/// "double" or "std::array<double, 4>".
std::string valueType(const RegionField &field);

} // namespace sluice::codegen::legion

#endif // SLUICE_LIB_CODEGEN_LEGION_LEGIONEMITTER_H
