//===- OpenMPTaskLoops.h - Loops whose iterations are tasks -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the front end. A 'taskloop' makes tasks of the iterations of a
// loop, which the threads of a team run. Often one thread of the team makes
// them, waits for them and does all that is done around them: then this thread
// may as well be the host's, and the loop a parallel loop that it starts.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_OPENMP_OPENMPTASKLOOPS_H
#define SLUICE_LIB_FRONTEND_OPENMP_OPENMPTASKLOOPS_H

#include "OpenMPTeams.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sluice::openmp {

/// A loop whose iterations are tasks, in the code of the thread that makes
/// them.
class TaskLoop {
public:
  explicit TaskLoop(llvm::CallInst &start) : start(start) {}

  /// Whether a parallel loop does the same.
  bool read(const llvm::DominatorTree &dominators);
  /// Erases what makes tasks; `start` is the place of the loop then.
  void dropTasks();
  /// Makes the code of the team, and starts it.
  void startTeam();
  /// Asks for as many threads as the region has asked for.
  void repeatWish(llvm::CallInst &wish);
  void discardCode() { discard(body); }

  llvm::CallInst &start;
  /// Has the memory of the tasks.
  llvm::CallInst *task = nullptr;

private:
  /// What the runtime library gives the function of a task.
  enum Parameter : unsigned {
    Thread,
    Part,
    Privates,
    Map,
    Task,
    First,
    Last,
    Step,
    IsLast,
    Reductions,
    Shared,
    NumParameters
  };
  bool readBounds();
  bool readShared(const llvm::DominatorTree &dominators);
  bool readCode();
  std::optional<unsigned> memberAt(const llvm::Value &pointer,
                                   const llvm::Value &list) const;
  bool readsListOnly() const;
  bool narrow();
  llvm::Function *makeQuestion();
  llvm::SmallVector<llvm::Value *> argumentsFor(llvm::IRBuilder<> &builder,
                                                llvm::Value *thread,
                                                llvm::Value *privates,
                                                llvm::Value *iteration) const;
  llvm::Value *allPrivates(llvm::IRBuilder<> &builder) const;
  void makeTeam();
  void fillIteration(llvm::IRBuilder<> &builder, llvm::Value *thread,
                     llvm::Value *iteration);

  /// Runs iterations from one to another; a copy.
  llvm::Function *body = nullptr;
  /// Finds the variables of a task in its memory.
  llvm::Function *map = nullptr;
  uint64_t privatesBegin = 0, bytes = 0;
  llvm::Value *last = nullptr;
  /// The type of the number of an iteration.
  llvm::Type *type = nullptr;
  /// What iterations share, as members of this type.
  llvm::StructType *sharedType = nullptr;
  llvm::SmallVector<llvm::Value *> shared;
  llvm::AllocaInst *captured = nullptr;
  llvm::MemCpyInst *capture = nullptr;
  llvm::Function *team = nullptr;
  /// The team's list of what it shares.
  llvm::AllocaInst *context = nullptr;
};

/// Whether a value is this constant; null: it is not.
bool isNumber(const llvm::Value *value, uint64_t number);

} // namespace sluice::openmp

#endif // SLUICE_LIB_FRONTEND_OPENMP_OPENMPTASKLOOPS_H
