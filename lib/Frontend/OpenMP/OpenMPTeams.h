//===- OpenMPTeams.h - What the threads of a team do ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the front end. Clang writes the code of a parallel region as a
// function that each thread of a team runs. Private copies, bounds, steps,
// collapsed loops, iterators and reductions are in it, as OpenMP wants them; of
// a loop that the team shares, a thread asks the runtime library which
// iterations are its own, numbered from zero.
//
// So the code of one iteration is that of a thread which gets that iteration
// and no other, in a team of as many threads as there are iterations: a team
// that OpenMP allows. This is the leaf of a graph, and its instances are the
// iterations.
//   0. OpenMPLastAssigned.cpp  mends what clang makes of conditional variables
//   1. OpenMPTeams.cpp      find the teams and their loops
//      OpenMPReductions.cpp how threads join their copies
//      OpenMPOperators.cpp  by which operators
//      OpenMPShown.cpp      whether these show before
//   2. OpenMPCopies.cpp     copies of the code
//   3. OpenMPIterations.cpp the code of one iteration; how many there are
//      OpenMPArrays.cpp     arrays that are reduced
//      OpenMPCounters.cpp   variables of small types that count them
//      OpenMPBounds.cpp     what the bounds of loops say of iterations
//      OpenMPCarried.cpp    what iterations may not count on
//      OpenMPContents.cpp   whether they set what they read
//   4. OpenMPCalls.cpp      whether code may run outside of a team, and uses
//                           only what is its own
//      OpenMPLocks.cpp      critical sections
//      OpenMPOrder.cpp      iterations that wait for earlier ones
//      OpenMPWaits.cpp      whether iterations wait for each other
//   5. OpenMPValues.cpp     what is the same for all iterations, read by the
//                           host
//   6. LowerOpenMP.cpp      teams that are taken over
//      OpenMPGraphs.cpp     graphs of their loops
//      OpenMPLaunches.cpp   launches in place of the team
//
// A team whose loops stand one after the other needs no more. Of others, whose
// loops stand in loops or have code between them, all threads compute the same
// around the loops: one thread of the host does it, and launches a graph where
// it meets a shared loop.
// Where a league of teams is started, one team is enough (OpenMPLeagues.cpp);
// where a team only runs loops whose iterations are tasks, each is a team's
// (OpenMPTaskTeams.cpp).
//   1. OpenMPRegions.cpp    the parts of a region, and what runs at once
//      OpenMPPartials.cpp   what threads sum up, and join in the end
//      OpenMPUpdates.cpp    how iterations do so
//   2. OpenMPParts.cpp      the code of one iteration of a part
//      OpenMPHosts.cpp      the code around the parts, which the host runs
//
// What stays with the library costs less there (OpenMPLeft.cpp), and what
// graphs do not show is no proof (OpenMPUnproven.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_OPENMP_OPENMPTEAMS_H
#define SLUICE_LIB_FRONTEND_OPENMP_OPENMPTEAMS_H

#include "sluice/Analysis/Leaf/PassAnalyses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class AAResults;
class DominatorTree;
} // namespace llvm

namespace sluice::openmp {

/// Why something stays with LLVM's runtime library: "calls 'f', whose ...".
/// Empty: it does not.
using Reason = std::string;

/// The function of OpenMP's runtime library that is called; empty if none.
llvm::StringRef calledRuntime(const llvm::Instruction &instruction);
/// Whether a call starts a loop that a team shares; asks if this thread is the
/// one that runs what follows; or joins the threads' copies.
bool startsLoop(const llvm::Instruction &instruction);
bool startsSolo(const llvm::Instruction &instruction);
bool isReduction(const llvm::Instruction &instruction);
/// Those of a function that join copies.
llvm::SmallVector<llvm::CallInst *> reductionCalls(llvm::Function &work);
/// The name of the function that is called directly; empty: there is none.
llvm::StringRef calledName(const llvm::Value &value);
/// Whether an instruction only tells the compiler something.
bool isAssumption(const llvm::Instruction &instruction);
/// The branch whose condition decides whether a block with a single predecessor
/// is reached; null: there is none.
llvm::BranchInst *branchBefore(const llvm::BasicBlock &block);
/// The branch behind a call that asks if this thread runs what follows: its
/// first way is that code, which nothing else leads to. Null: there is none.
llvm::BranchInst *branchOfSolo(const llvm::CallInst &call);
/// Visits the code that follows an instruction, or leads to it, itself first:
/// on each way up to where `goesOn` says no.
void walk(llvm::Instruction &from, bool isForward,
          llvm::function_ref<bool(llvm::Instruction &)> goesOn);
/// What comes next, or before, if there is only one way there; or null.
llvm::Instruction *nextOnWay(const llvm::Instruction &at, bool isForward);
/// What is stored in a variable of a function, if that is done in one place and
/// nobody else gets its address; null: not known.
const llvm::Value *onlyStored(const llvm::Value &pointer);
/// The only value that is stored at an address, which nothing else computes;
/// null: there are others.
const llvm::Value *onlyAssigned(const llvm::Value &pointer);
/// The uses of a pointer, and of places in the object that it leads to.
llvm::SmallVector<llvm::Use *> usesOfObject(llvm::Value &pointer);
/// Whether an instruction may change what another one reads.
bool mayChange(const llvm::Instruction &write, const llvm::Instruction &read,
               llvm::AAResults &aliases);
/// Calls a function with parameters as its arguments are.
llvm::CallInst *callByName(llvm::IRBuilder<> &builder, llvm::StringRef name,
                           llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments);
/// Puts the code of a function in the place of a call. Whether it could.
bool inlineCall(llvm::CallBase &call);
/// Erases questions for the thread's number that nobody needs any more.
void dropNumbers(llvm::Function &function);

//===----------------------------------------------------------------------===//
// Loops and reductions
//===----------------------------------------------------------------------===//

/// Where a loop goes on or ends.
struct LoopExit {
  llvm::BranchInst *branch = nullptr;
  llvm::BasicBlock *inside = nullptr, *outside = nullptr;
  llvm::BasicBlock *header = nullptr;
  llvm::SmallVector<llvm::BasicBlock *, 2> latches = {};
};

/// A loop that the threads of a team share. Its iterations are numbered from 0
/// to some last one.
struct SharedLoop {
  /// Asks for iterations.
  llvm::CallInst *start = nullptr;
  /// Asks for more; null: the first answer has all.
  llvm::CallInst *next = nullptr;
  /// Variables that the answer is written to: the first and the last iteration,
  /// how far the next ones are away, and whether the last one of all is among
  /// them.
  llvm::Value *first = nullptr, *end = nullptr, *stride = nullptr,
              *hasLast = nullptr;
  llvm::Type *type = nullptr;
  bool isUnsigned = false;
  /// Of the loop over iterations, and of the one that asks for more.
  llvm::SmallVector<LoopExit, 2> exits = {};
  /// It stands in another loop.
  bool isRepeated = false;
  /// All blocks of these loops.
  llvm::SmallVector<llvm::BasicBlock *> blocks = {};
};

/// How the threads' copies of a variable are joined.
struct Reduction {
  /// As sluice_reduce names it.
  unsigned op = 0;
  bool isUnsigned = false;
  /// && and ||: the variable is to be 0 or 1 before.
  bool isLogical = false;
  llvm::Type *type = nullptr;
  /// The variable: a parameter of the team's function.
  llvm::Value *variable = nullptr;
  /// Of an array; null: it is a single number.
  llvm::Value *bytes = nullptr;
};

/// How sluice_reduce names what joins the operand at `index` with the other
/// one; none: nothing does.
std::optional<unsigned> joinOf(const llvm::BinaryOperator &operation,
                               unsigned index);
/// Which of two numbers is better, if the first one is: 2 for the smaller one,
/// 3 for the greater one.
std::optional<unsigned> betterBy(llvm::CmpInst::Predicate predicate,
                                 bool &isUnsigned);
/// The greater or smaller one of two numbers, by a function of C.
std::optional<unsigned> choiceOf(const llvm::Instruction &instruction);
/// Whether joining the same again changes nothing.
inline bool isRepeatableJoin(unsigned op) { return op >= 2 && op <= 5; }
/// Numbers of which elements of arrays and sums of threads may be.
bool isPlainNumber(const llvm::Type &type);
/// What changes nothing when it is joined, and whether a value is such.
llvm::Constant *neutralFor(const Reduction &how);
bool isNeutralValue(const llvm::Value &value, const Reduction &how);
/// `held` joined with `value`.
llvm::Value *joinValues(llvm::IRBuilder<> &builder, const Reduction &how,
                        llvm::Value *held, llvm::Value *value);

/// The loops of a function that a team runs, in the order of the code.
/// `hasRegisters`: what the code computes with need not be in memory.
std::vector<SharedLoop> findSharedLoops(llvm::Function &work, Reason &reason,
                                        bool hasRegisters = false);

/// Has the threads' copies joined by plain code, as sluice_reduce wants it.
std::vector<Reduction> rewriteReductions(llvm::Function &work, Reason &reason);
/// Has the copies of one call joined by plain code, which is marked: there is
/// one thread.
Reason joinPlainly(llvm::CallInst &call);
inline constexpr llvm::StringLiteral joinedMetadata = "openmp.joined";
/// Whether something but the thread's copy depends on what is in it before the
/// copies are joined.
bool isShown(const Reduction &reduction, const llvm::Value &own,
             const llvm::CallInst &join, const llvm::DominatorTree &dominators);
/// Finds the variables of the code here that a pointer may lead to. Returns
/// whether it leads nowhere else, but for constants.
bool findOwnPlaces(const llvm::Value *pointer,
                   llvm::SmallPtrSetImpl<const llvm::Value *> &variables);
/// Whether it leads nowhere else.
bool isOwnPlace(const llvm::Value *pointer);
/// What is passed for the parameter to whose object a function always returns a
/// pointer, or null. `isSame`: just that pointer.
const llvm::Use *returnedArgument(const llvm::CallBase &called, bool &isSame,
                                  unsigned depth = 0);
/// Whether a call changes nothing that is in memory, and reads nothing.
bool isQuietCall(const llvm::CallBase &called);
/// Whether a call passes pointers.
bool hasPointers(const llvm::CallBase &called);
/// Whether a function of the library only computes a number, apart from what it
/// does with pointers that it gets.
bool isCalculation(const llvm::CallBase &called,
                   const llvm::TargetLibraryInfoImpl &library);
/// Whether a function only uses its own variables and those that its caller
/// passes, of which it finds those that it changes, and reads of others only
/// what it reads each time.
bool staysInside(const llvm::CallBase &called,
                 const llvm::TargetLibraryInfoImpl &library,
                 llvm::SmallPtrSetImpl<const llvm::Value *> &changed);
/// The variable that a pointer of the team's code is.
const llvm::Value *variableBehind(const llvm::Value *pointer);
/// The copies that a thread passes to have them joined.
llvm::SmallVector<llvm::Value *> copiesIn(const llvm::CallInst &call);
/// Has the code update arrays that are reduced, instead of copies.
Reason reduceArraysInPlace(llvm::Function &work);
/// Finds such arrays in the code of an iteration.
void takeArrays(llvm::Function &iteration, std::vector<Reduction> &reductions,
                Reason &reason);
/// Removes what joins them.
void dropReductions(llvm::Function &work);
/// Why the threads' copies depend on the number of threads: code around the
/// loops changes them.
Reason findReducedAround(llvm::Function &work,
                         llvm::ArrayRef<SharedLoop> loops);
/// Erases a list of copies that nobody gets any more.
void dropList(llvm::AllocaInst &list);
/// Whether a variable is a list of copies, which the runtime library gets; and
/// whether something is put into such a list.
bool isReductionList(const llvm::Value &variable);
bool isListed(const llvm::StoreInst &store);
/// Whether all that is done with a reduction's copy, apart from what is known
/// otherwise, is to add it to a list of copies, and to store a constant in one
/// place, as clang begins with.
bool isBegunOnce(const llvm::Value &copy,
                 llvm::function_ref<bool(const llvm::Instruction &)> isKnown);
/// The start of the loop that a thread has run before it joins its copies.
llvm::CallInst *startBefore(const llvm::CallInst &call,
                            const llvm::DominatorTree &dominators);

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

/// The code of a team, with what clang has put into other functions.
llvm::Function *copyTeam(llvm::Function &outlined);
/// Makes registers of the variables that hold parameters.
void promoteParameters(llvm::Function &work);
/// References to variables of a thread, as those that functions get, become the
/// variables. Whether there were some.
bool promoteReferences(llvm::Function &work);
/// Brings small functions into the code around shared loops; and with
/// `entersLoops`, also into loops there, and functions with directives.
void inlineSmallCalls(llvm::Function &work, bool entersLoops);
/// Has leagues of teams be one team each, where nobody sees the difference.
void joinLeagues(llvm::Module &module);
/// With debug information, clang makes two functions of one: the one with the
/// parameters that the runtime library passes calls the one with those of the
/// source. Joins them.
void joinDebugged(llvm::Function &function);
/// Has the host run the code of a league or team that `start` would start.
void runInHost(llvm::CallInst &start, llvm::Function &code);
/// A copy of a team's code with another type of result, and further parameters.
llvm::Function *copyWork(llvm::Function &work, llvm::Type *result,
                         const llvm::Twine &name,
                         llvm::ArrayRef<llvm::Type *> further = {},
                         llvm::ValueToValueMapTy *known = nullptr);
/// Brings functions into the code of an iteration whose code is here: what they
/// read is known to be the same for all iterations then. `mayThrow`: also those
/// that are called where exceptions are caught.
void inlineCalled(llvm::Function &iteration, bool mayThrow);
/// A name without what copying it has added.
llvm::StringRef plainName(llvm::StringRef name);
/// Whether only direct accesses name a variable of this file's.
bool isOnlyNamed(const llvm::GlobalVariable &variable);
/// Erases a function that proved to be of no use.
void discard(llvm::Function *&function);

/// The last iteration of a loop, where the library is asked.
llvm::Value *lastIteration(const SharedLoop &loop, llvm::IRBuilder<> &builder);
/// How many there are.
llvm::Value *countIterations(const SharedLoop &loop,
                             llvm::IRBuilder<> &builder);
/// States what the bound of a loop says of an iteration: guards may contradict
/// it. Asked before the loop's iteration is run.
void stateBound(const SharedLoop &loop, llvm::Value &id);
/// When an iteration is simplified: takes back what says nothing of its code.
void settleBounds(llvm::Function &iteration);
/// Whether something is stated.
bool hasBound(llvm::Function &iteration);
/// For a part of a region, whose bound only the host knows: states what its
/// launch says of the number of iterations.
void stateCount(llvm::Function &iteration, const llvm::CallInst &launch);
/// Runs the iteration that the instance's id says: into each loop once, and out
/// of it behind that. Returns its number.
llvm::Value *runIteration(SharedLoop &loop);
/// The number of loops whose iterations wait for single earlier ones, if there
/// are some; 0: it is not known.
std::optional<unsigned> loopsWithSinks(const llvm::Function &work);
/// How many iterations the inner one of two such loops has, asked at the start
/// of the outer one; null: that is not known.
llvm::Value *innerIterations(const SharedLoop &loop,
                             llvm::IRBuilder<> &builder);
/// Has marks in an iteration say what waits for earlier iterations. With two
/// loops, it becomes an iteration of both.
Reason takeOrder(llvm::Function &iteration, unsigned loops,
                 PassAnalyses &analyses);
/// Whether a leaf with such marks needs threads to run as fast as it can.
/// `start`: of the shared loop.
bool gainsFromThreads(llvm::Function &leaf, const llvm::CallInst &start);
/// What follows the loops means nothing to an iteration.
void eraseEnds(llvm::Function &work);
/// The number of the instance, at the start of the code of a node.
llvm::Value *askForInstance(llvm::Function &iteration);
/// Whether an instruction matters to others than the function that it is in.
bool hasEffect(const llvm::Instruction &instruction);
/// Why code needs the thread that runs it.
Reason findThread(llvm::Function &function);

/// A loop's variable never wraps around, so one of a small type has the number
/// that it was computed from. Names it.
void noteCounter(const SharedLoop &loop);
void noteCounter(llvm::BasicBlock &iteration);
/// Uses the numbers that named variables were computed from. Of an int, whose
/// numbers may be too many only in theory, the host asks before the launch:
/// returned is how many are right.
std::optional<int64_t> widenCounters(llvm::Function &iteration,
                                     llvm::Value &number, bool isUnsigned,
                                     std::optional<int64_t> count);

/// Between two loops, all threads must have waited for each other: what the
/// loops do at the same time is not looked at.
bool haveBarriers(llvm::Function &work, llvm::ArrayRef<SharedLoop> loops);
/// Whether threads wait for each other before the first loop: what they read
/// before that is as it was.
bool hasEarlyBarrier(llvm::Function &work, const SharedLoop &loop);
/// Whether code reads what is not the thread's own.
bool readsShared(const llvm::Instruction &instruction);
/// Every iteration runs the code around its loop anew. With several loops, that
/// must give what it gave before the first one, and nothing may go from loop to
/// loop through the threads' own variables.
Reason findExchange(llvm::Function &work, PassAnalyses &analyses);
/// Iterations of one thread may count on what earlier ones have left in its
/// variables, as a generator of random numbers does. Iterations that are
/// threads of their own cannot.
Reason findCarried(llvm::Function &work, PassAnalyses &analyses);

/// Whether a variable is one of clang's for a value that an expression has made
/// just before.
bool isTemporary(const llvm::AllocaInst &variable);
/// Whether code sets all that it reads of a variable before, apart from what
/// `first` sets.
bool setsBeforeReading(llvm::AllocaInst &variable,
                       const llvm::Instruction &first, PassAnalyses &analyses);

/// One loop of a team as the code of a node.
struct Iterations {
  /// Takes the arguments of the team, and runs the iteration that the
  /// instance's id in x says.
  llvm::Function *iteration = nullptr;
  /// Takes the same, and returns the number of iterations.
  llvm::Function *count = nullptr;
  /// If each iteration is one of an inner loop, too: the number of its
  /// iterations.
  llvm::Function *innerCount = nullptr;
  /// How many there are, if that is known.
  std::optional<int64_t> known = {};
  /// The code is right for so many iterations.
  std::optional<int64_t> most = {};
  std::vector<Reduction> reductions = {};
  /// A thread without an iteration may read around the loop what the only
  /// iteration writes.
  bool meetsIdle = false;
  /// The directive, if it is not the team's.
  const llvm::Instruction *place = nullptr;
  /// Parameters whose pointers may be in others, too.
  std::vector<unsigned> passedTwice = {};
  /// Some wait for single others.
  bool hasSinks = false;
};

/// Erases its functions.
void discard(Iterations &iterations);
/// Why iterations that wait for others cannot reduce.
Reason findReducedInOrder(const Iterations &iterations);
/// The code of loop `index` of a team, one of `loops`.
Iterations makeIterations(llvm::Function &work,
                          llvm::ArrayRef<SharedLoop> loops, unsigned index,
                          PassAnalyses &analyses, Reason &reason);
/// What a function without effects always returns, if that is known.
std::optional<int64_t> knownResult(const llvm::Function &function);
/// Why the code around the loops of a team cannot be left out.
Reason findWorkAround(llvm::Function &work, PassAnalyses &analyses);
/// Runs passes that make registers of variables, and remove what is not needed:
/// with `keepsStores`, no stores to memory of others.
void simplify(llvm::Function &function, PassAnalyses &analyses,
              bool keepsStores = false);
/// The same, but what an iteration reads and writes in memory of others stays,
/// needed or not: it may meet other iterations there. Of what is reduced, each
/// has its own.
void simplifyIteration(llvm::Function &function, PassAnalyses &analyses,
                       llvm::ArrayRef<Reduction> reductions);
/// Of accesses around a loop that meet none of its iterations.
inline constexpr llvm::StringLiteral apartMetadata = "openmp.apart";

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Whether a function is one of LLVM's, of C or of C++, which asks for no
/// thread.
bool isKnownFunction(const llvm::Function &function,
                     const llvm::TargetLibraryInfoImpl &library);

/// Knows which functions ask about threads, or may do so.
class CallCheck {
public:
  /// `isUnit`: the program has code that is not in `module`.
  CallCheck(llvm::Module &module, bool isUnit);

  /// Why a function must run in a team of LLVM's library.
  Reason check(const llvm::Function &function);

private:
  /// What a function does itself, and what it may call.
  struct Calls {
    Reason reason;
    llvm::SmallSetVector<const llvm::Function *, 8> callees;
    /// It may call what is known at run time only.
    bool isIndirect = false;
  };
  Calls read(const llvm::Function &function) const;
  Reason readCall(const llvm::CallBase &call, Calls &calls) const;
  Reason checkDeclaration(const llvm::Function &callee) const;

  llvm::TargetLibraryInfoImpl library;
  bool isUnit;
  /// Of functions of the program, which stay; copies of teams go.
  llvm::DenseMap<const llvm::Function *, Calls> known;
  /// Functions of which it is settled that they ask for nothing, like all that
  /// they may call.
  llvm::DenseSet<const llvm::Function *> harmless;
  /// What indirect calls may lead to.
  std::vector<const llvm::Function *> taken;
};

/// Has variables that are last by a condition keep what the last iteration that
/// assigns to them has assigned. Whether there are such variables.
bool keepLastAssigned(llvm::Module &module);

/// Has loops be parallel loops whose iterations are tasks, where one thread of
/// a team makes the tasks and waits for them, and the others only run them.
void joinTaskLoops(llvm::Module &module, CallCheck &calls);

/// Has critical sections use locks that anybody may hold, not only threads of
/// LLVM's library.
void useMutexes(llvm::Module &module);
/// Whether a variable is such a lock, which nobody else uses.
bool isMutex(const llvm::GlobalVariable &variable);

/// Whether a function waits in a loop until somebody else has written an atomic
/// or volatile variable. Iterations that wait for each other need threads of
/// their own. What takes a lock waits for those only that hold it.
bool waitsForOthers(llvm::Function &function);

//===----------------------------------------------------------------------===//
// Values of the host
//===----------------------------------------------------------------------===//

/// Moves loads of what no iteration writes to the start of `iteration`, with
/// the addresses they need, and returns them in their order: the host can do
/// the same before a launch.
llvm::SmallVector<llvm::WeakVH> moveLoadsToHost(llvm::Function &iteration,
                                                PassAnalyses &analyses);

/// Of a parameter of a team's code, what the call that starts the team passes;
/// otherwise the value itself.
const llvm::Value &inHost(const llvm::Value &value, const llvm::CallBase &fork);

/// Knows who else uses the variables of functions that start teams, before any
/// of the functions is changed.
class HostVariables {
public:
  void read(const llvm::Function &host);

  /// The variable or block of memory of the host that a pointer leads to, if it
  /// is known: the variable itself, or what reserved it.
  /// Arguments are what `fork` passes to a team.
  const llvm::Value *objectOf(const llvm::Value &pointer,
                              const llvm::CallBase *fork = nullptr) const;
  /// Whether two pointers never lead to the same variable or block of memory.
  bool areApart(const llvm::Value &one, const llvm::Value &other,
                const llvm::CallBase &fork, unsigned depth = 0) const;

  /// Whether a pointer leads to memory that the host was passed, or was read
  /// from such, which nobody changes as long as the host runs: it holds what
  /// the host's caller wants.
  bool isPassedIn(const llvm::Value &pointer, const llvm::CallBase &fork) const;

  /// Marks the parameters of a team's function that no other pointer may point
  /// to, by what the host passes.
  void noteDistinct(llvm::Function &iteration,
                    const llvm::CallBase &fork) const;
  /// Has a team's function compute what it is passed from the variable that the
  /// host computes it from: the length of the rows of an array is then known to
  /// be the bound of a loop.
  void noteLengths(llvm::Function &work, const llvm::CallBase &fork) const;

  /// States what an iteration reads from variables of the host that start with
  /// a constant and only grow, as counters of loops around the team do.
  void stateLeast(llvm::Function &iteration, const llvm::CallBase &fork) const;

private:
  struct Variable {
    /// Nobody gets to know its address who keeps it.
    bool isKept = false;
    /// Of the only assignment to it, wherever that is; null: not known.
    const llvm::Value *onlyValue = nullptr;
    /// What it holds is never less, wherever it was assigned; none: not known.
    std::optional<int64_t> least;
  };
  Variable lookUp(const llvm::Value &pointer) const;
  const llvm::Value *followed(const llvm::Value &pointer,
                              const llvm::CallBase *fork) const;

  llvm::DenseMap<const llvm::AllocaInst *, Variable> variables;
  /// Of hosts, those whose memory nobody changes.
  llvm::DenseSet<const llvm::Argument *> unchanged;
};

} // namespace sluice::openmp

#endif // SLUICE_LIB_FRONTEND_OPENMP_OPENMPTEAMS_H
