//===- OpenMPRegions.h - Regions that the host runs -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the front end. Around the loops that they share, all threads of a
// team compute the same values if their code does not ask which thread runs it,
// reads only data that no thread writes at the same time, and writes only the
// thread's own variables. One thread of the host then runs this code for all of
// them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_OPENMP_OPENMPREGIONS_H
#define SLUICE_LIB_FRONTEND_OPENMP_OPENMPREGIONS_H

#include "OpenMPTeams.h"

#include "llvm/ADT/MapVector.h"

namespace sluice::openmp {

using BlockSet = llvm::SetVector<llvm::BasicBlock *>;

/// A shared loop with all that belongs to its construct: from where threads ask
/// for iterations to where they go on.
struct LoopConstruct {
  SharedLoop loop;
  llvm::BasicBlock *begin = nullptr;
  /// Where the team goes on, which is not in the part.
  llvm::BasicBlock *end = nullptr;
  BlockSet blocks = {};
};

/// Code that one of the threads runs: 'single', 'master' and 'masked'.
struct Solo {
  llvm::CallInst *begin = nullptr;
  /// Always the same thread.
  bool isOfMaster = false;
  BlockSet blocks = {};
};

/// A variable that each thread has, and who uses it.
struct OwnVariable {
  llvm::SmallVector<llvm::Instruction *> reads = {}, writes = {}, starts = {};
  /// The only constant that it is set to at once; where lists name it.
  llvm::SmallVector<llvm::StoreInst *> stores = {}, lists = {};
  /// Somebody may keep the address.
  bool isCaptured = false;
};

/// Where each thread adds what it has in a variable to another one.
struct Joining {
  llvm::Instruction *instruction = nullptr;
  llvm::AllocaInst *own = nullptr;
  /// The other variable, if it is the thread's, too.
  llvm::AllocaInst *into = nullptr;
  Reduction how = {};
  /// What is read for that.
  llvm::SmallVector<llvm::Instruction *, 4> reads = {};
  /// What keeps others out.
  const void *lock = nullptr;
};

class ParallelRegion {
public:
  ParallelRegion(llvm::Function &work, const llvm::CallBase &fork,
                 const HostVariables &variables, PassAnalyses &analyses)
      : work(work), fork(fork), variables(variables), analyses(analyses) {}

  /// Finds out what the code is made of; the reason why it is no such region.
  Reason read();

  /// The part or the code of one thread that a block is in: the parts' numbers
  /// first. None: all threads run it.
  std::optional<unsigned> itemOf(const llvm::BasicBlock *block) const {
    auto found = items.find(block);
    return found == items.end() ? std::nullopt : std::optional(found->second);
  }

  llvm::Function &work;
  std::vector<LoopConstruct> parts;
  std::vector<Solo> solos;
  llvm::MapVector<llvm::AllocaInst *, OwnVariable> own;
  /// Of those, the ones that the host has for all threads.
  llvm::MapVector<llvm::AllocaInst *, Reduction> partials;

private:
  struct Accesses {
    llvm::SmallVector<llvm::Instruction *> all, writes;
  };

  Reason findParts();
  Reason readPart(LoopConstruct &part);
  Reason findSolos();
  void findOwn();
  Reason joinRegion();
  std::vector<Joining> readJoinings();
  bool isPartial(const llvm::AllocaInst &variable, const Reduction &how,
                 llvm::ArrayRef<Joining> found) const;
  void findPartials();
  bool isJoined(const llvm::Instruction &instruction) const;
  bool isDisturbed(const Joining &join);
  Reason readAround();
  Reason findConflict();
  Accesses accessesIn(llvm::ArrayRef<llvm::BasicBlock *> blocks) const;
  BlockSet reachableFrom(llvm::ArrayRef<llvm::BasicBlock *> blocks) const;
  bool mayMeet(const Accesses &one, const Accesses &other);
  bool mayMeet(const llvm::Instruction &one, const llvm::Instruction &other);
  bool mayCallMeet(const llvm::CallBase &call, const llvm::Instruction &access);

  const llvm::CallBase &fork;
  const HostVariables &variables;
  PassAnalyses &analyses;
  std::vector<Joining> joinings;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> items;
  unsigned numCompared = 0;
};

/// What an iteration gets from the host.
struct CapturedValue {
  enum class Kind {
    /// What a variable of the thread holds.
    Content,
    /// Where a variable of the thread is.
    Place,
    /// What the code has computed, or a global variable's address.
    Value
  };
  Kind kind = Kind::Value;
  llvm::Value *value = nullptr;
  /// The part writes the variable, so no iteration may count on it.
  bool isWritten = false;
  llvm::Type *type = nullptr;
};

/// A region as functions.
struct HostRegion {
  /// The iterations of each part; they have no functions that count.
  std::vector<Iterations> parts = {};
  /// Takes the arguments of the team.
  llvm::Function *host = nullptr;
  /// What stands in the host's code for the launch of each part: a call that
  /// gets the number of iterations, and what the part's function gets. Null:
  /// the host never gets there.
  std::vector<llvm::WeakVH> launches = {};
};

/// Makes the code of the host. `taken`: what each part gets.
void makeHost(ParallelRegion &region,
              llvm::ArrayRef<llvm::SmallVector<CapturedValue>> taken,
              HostRegion &made, PassAnalyses &analyses, Reason &reason);
/// Takes a region apart. Leaves no function behind where that fails.
HostRegion makeHostRegion(ParallelRegion &region, PassAnalyses &analyses,
                          Reason &reason);

/// Whether all that depends on a branch to a block is what the block does
/// there: nobody else may learn which number was better.
bool isAllOfWay(const llvm::BasicBlock &block, const llvm::Instruction *effect);

/// Whether a call takes or gives back the lock of a critical section.
bool usesMutex(const llvm::Instruction &instruction);
/// Says in the code of an iteration that a variable of the host sums up.
void declarePartial(llvm::IRBuilder<> &builder, llvm::Value *place,
                    const Reduction &how);
/// Has an iteration sum up for itself, and join what it has in the end.
void takePartials(llvm::Function &iteration, PassAnalyses &analyses,
                  std::vector<Reduction> &reductions, Reason &reason);

/// Erases what stood for something else, and stands no more.
void eraseStandIns(llvm::Module &module);
/// What the names of functions begin with that stand for something else until
/// a region is complete.
inline constexpr llvm::StringLiteral standInName = "openmp.";

} // namespace sluice::openmp

#endif // SLUICE_LIB_FRONTEND_OPENMP_OPENMPREGIONS_H
