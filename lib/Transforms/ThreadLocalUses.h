//===- ThreadLocalUses.h - Uses of thread-local variables -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The uses of thread-local variables by the functions of a module, directly and
// through the functions they call.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_THREADLOCALUSES_H
#define SLUICE_LIB_TRANSFORMS_THREADLOCALUSES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <vector>

namespace sluice::transforms {

/// The function that `call` calls, also through an alias; null if not known.
llvm::Function *calledFunction(const llvm::CallBase &call);

/// True for the address of `errno`.
bool isErrnoAddress(const llvm::Value &value);

class ThreadLocalUses {
public:
  using Variables = llvm::SetVector<llvm::GlobalVariable *>;

  explicit ThreadLocalUses(llvm::Module &code);
  /// Removes the global variables that were added as placeholders.
  ~ThreadLocalUses();

  bool isEmpty() const { return direct.empty(); }
  /// The variables that the function and those it calls use.
  const Variables &of(const llvm::Function &function) const;
  /// A use of `variable` in the function itself; null if there is none.
  llvm::Instruction *useIn(const llvm::Function &function,
                           const llvm::GlobalVariable &variable) const;
  /// True if the function itself does more than read the variable.
  bool writes(const llvm::Function &function,
              const llvm::GlobalVariable &variable) const;
  /// True unless the function always writes the variable before it reads it.
  bool mayReadFirst(const llvm::Function &function,
                    const llvm::GlobalVariable &variable);

  /// The functions that a leaf may run.
  struct Closure {
    /// The leaf and what it calls by name.
    llvm::SetVector<llvm::Function *> functions;
    /// Calls of functions whose code is not in this module and that may use
    /// variables visible to other files.
    llvm::SmallVector<const llvm::CallBase *> unknown;
    /// Functions that use thread-local variables and may be called through a
    /// pointer. Each has an instruction that takes its address.
    llvm::SmallVector<std::pair<const llvm::Instruction *, llvm::Function *>>
        throughPointers;
  };
  Closure closureOf(llvm::Function &leaf,
                    llvm::ArrayRef<llvm::Function *> leaves) const;

  /// A destructor that a thread runs when it ends.
  struct Exit {
    llvm::Function *destructor;
    /// The object it destroys; null if the destructor takes none.
    llvm::GlobalVariable *object;
    /// Placeholder for a number: the count of registered destructors right
    /// after this one was registered; 0 if it was not registered.
    llvm::GlobalVariable *turn;
  };
  const std::vector<Exit> &getExits() const { return exits; }
  /// The destructor that `call` registers; null if it does not.
  const Exit *exitOf(const llvm::CallBase &call) const;
  /// Placeholder for the number of registered destructors.
  llvm::GlobalVariable *getExitCount() const { return exitCount; }

private:
  enum class First { Nothing, Write, Read };
  First firstUse(const llvm::Function &function,
                 const llvm::GlobalVariable &variable);
  First firstUse(const llvm::Instruction &instruction,
                 const llvm::GlobalVariable &variable);
  void findExits();
  bool isOutside(const llvm::Function &function) const;

  llvm::Module &code;
  llvm::TargetLibraryInfoImpl libraryImpl;
  llvm::TargetLibraryInfo library;
  llvm::DenseMap<const llvm::Function *, Variables> direct, reached;
  llvm::DenseMap<
      std::pair<const llvm::Function *, const llvm::GlobalVariable *>, First>
      known;
  std::vector<Exit> exits;
  llvm::DenseMap<const llvm::CallBase *, unsigned> exitCalls;
  llvm::GlobalVariable *exitCount = nullptr;
};

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_THREADLOCALUSES_H
