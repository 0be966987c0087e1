//===- OpenMPLowering.h - Graphs of a program in OpenMP ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the front end: what makes graphs, and what launches them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_OPENMP_OPENMPLOWERING_H
#define SLUICE_LIB_FRONTEND_OPENMP_OPENMPLOWERING_H

#include "sluice/Frontend/OpenMP/LowerOpenMP.h"

#include "../HPVM/Import/ImportProgram.h"
#include "../Hetero/HeteroGraph.h"
#include "OpenMPObjects.h"
#include "OpenMPRegions.h"

namespace sluice::openmp {

/// A loop of a team as a graph.
struct LoopGraph {
  llvm::Function *root = nullptr, *count = nullptr, *leaf = nullptr;
  /// Its code has become the leaf's; what follows is in its terms.
  llvm::Function *iteration = nullptr;
  /// What the leaf takes, in the code of the iteration that was: parameters of
  /// the team and what the host reads.
  llvm::SmallVector<llvm::Value *> taken;
  /// What the host reads, in its order; they are in no function.
  llvm::SmallVector<llvm::Instruction *> read;
  /// What the host reads from objects that it passes.
  llvm::DenseMap<const llvm::Value *, Member> members;
  /// Of those that are the memory of a vector: its number among objects.
  llvm::DenseMap<const llvm::Value *, unsigned> vectors;
  std::vector<Reduction> reductions;
  /// Of those in an inner loop, whose iterations are instances, too.
  llvm::Function *innerCount = nullptr;
  /// The leaf is right for so many iterations.
  std::optional<int64_t> most;
  OpenMPGraph summary;
};

/// A team that is taken over.
struct TakenTeam {
  llvm::CallInst *fork = nullptr;
  std::vector<LoopGraph> loops = {};
  /// What its loops call must run in threads of LLVM's library.
  bool needsThreads = false;
  /// Runs the code around the loops; null: there is none.
  llvm::Function *host = nullptr;
  /// Where it launches them.
  std::vector<llvm::CallInst *> launches = {};
  /// Iterations that wait for others do so in threads of LLVM's library.
  bool waitsInThreads = false;
};

/// Where a loop is launched, and what with.
struct LaunchPlace {
  llvm::CallInst *fork = nullptr;
  llvm::Value *iterations = nullptr;
  /// For the parameters of the function of an iteration.
  llvm::SmallVector<llvm::Value *> passed = {};
  /// Where to go on.
  llvm::BasicBlock *done = nullptr;
};

class Lowering {
public:
  Lowering(CompiledUnit &unit, bool hasRemarks, Diagnostics &diagnostics,
           bool isUnit)
      : module(*unit.module), hasRemarks(hasRemarks),
        isUnit(isUnit), context{unit, diagnostics}, calls(module, isUnit) {}

  void run();

  OpenMPSummary summary;

private:
  Reason take(llvm::CallInst &fork);
  Reason takeLoops(llvm::Function &work, TakenTeam &team);
  Reason takeRegion(llvm::Function &work, TakenTeam &team);
  /// `start`: of the shared loop.
  void addGraph(TakenTeam &team, Iterations &iterations,
                const llvm::CallInst &start);
  void makeGraph(llvm::CallInst &fork, Iterations &iterations,
                 LoopGraph &graph);
  llvm::Function *makeLeaf(Iterations &iterations, const std::string &name,
                           LoopGraph &graph);
  void launch(TakenTeam &team);
  /// Has the host run the code of a team that stays, where it is of one thread.
  /// Whether it can.
  bool runAlone(llvm::CallInst &fork);
  /// Lets the threads of a team that stays look for work while it runs.
  void wakeThreads(llvm::CallInst &fork);
  void prepareProgram();
  void launchLoops(llvm::IRBuilder<> &builder, TakenTeam &team,
                   llvm::BasicBlock &after);
  void launchRegion(llvm::IRBuilder<> &builder, TakenTeam &team,
                    llvm::BasicBlock &after);
  void launchLoop(llvm::IRBuilder<> &builder, const LaunchPlace &place,
                  LoopGraph &graph);
  void noteApart(const LaunchPlace &place,
                 llvm::ArrayRef<llvm::Value *> arguments, LoopGraph &graph);
  void leave(const llvm::Instruction &place, const std::string &what,
             const Reason &reason = {});
  void leaveVectors(const llvm::Function &function);
  void leaveLastValues();
  void leaveFirstValues();
  void leaveScans();
  void noteVectors(LoopGraph &graph);

  llvm::Module &module;
  bool hasRemarks, isUnit;
  hetero::HeteroContext context;
  CallCheck calls;
  HostVariables variables;
  PassAnalyses analyses;
  unsigned numGraphs = 0;
  /// Variables and blocks of memory, and the memory of vectors, by their place
  /// in objects.
  llvm::DenseMap<std::pair<const llvm::Value *, uint64_t>, unsigned> objects;
  /// The place of an object itself.
  static constexpr uint64_t ownMemory = uint64_t(1) << 62;
};

/// Whether the host of a team, or a caller of it, computes a number: it is no
/// constant, no parameter or input, and no variable that only gets such values.
bool isComputed(const llvm::Value &number, const llvm::CallBase &fork);
/// The same of what a pointer that the host passes leads to.
bool isContentComputed(const llvm::Value &place, const llvm::CallBase &fork);

/// Calls that say something about the team that a call starts.
llvm::SmallVector<llvm::CallInst *> wishesFor(llvm::CallInst &fork);
/// Has loops with dynamic schedule that have one chunk be shared as the code of
/// 'single' is. Whether there are some.
bool shareChunksAtOnce(llvm::Module &module);
/// Has the library give out chunks in order where it must say which thread gets
/// the last one. Whether there are such loops.
bool askForLast(llvm::Module &module);
/// Has a team start before the program has the library rest. Whether it does.
bool wakeBeforePauses(llvm::Module &module);

/// The name of a value for messages, which the source has given.
std::string nameOf(const llvm::Value &value);

} // namespace sluice::openmp

#endif // SLUICE_LIB_FRONTEND_OPENMP_OPENMPLOWERING_H
