//===- ThreadLocalUses.h - Who uses which thread-local ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of a module do with thread-local variables, themselves
// and through the functions that they call.
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
  /// Drops the variables that only stand for something.
  ~ThreadLocalUses();

  bool isEmpty() const { return direct.empty(); }
  /// What the function and those it calls use.
  const Variables &of(const llvm::Function &function) const;
  /// A use of `variable` in the function itself; null if there is none.
  llvm::Instruction *useIn(const llvm::Function &function,
                           const llvm::GlobalVariable &variable) const;
  /// True if the function itself does more with the variable than read it.
  bool writes(const llvm::Function &function,
              const llvm::GlobalVariable &variable) const;
  /// True unless the function certainly gives the variable a value before it
  /// looks at it.
  bool mayReadFirst(const llvm::Function &function,
                    const llvm::GlobalVariable &variable);

  /// What a leaf may run.
  struct Closure {
    /// The leaf and what it calls by name.
    llvm::SetVector<llvm::Function *> functions;
    /// Functions whose code is elsewhere and that may use variables that other
    /// files see.
    llvm::SmallVector<const llvm::CallBase *> unknown;
    /// Functions that use thread-local variables and are called through a
    /// pointer, perhaps, with the place.
    llvm::SmallVector<std::pair<const llvm::Instruction *, llvm::Function *>>
        throughPointers;
  };
  Closure closureOf(llvm::Function &leaf,
                    llvm::ArrayRef<llvm::Function *> leaves) const;

  /// A destructor that a thread runs when it ends.
  struct Exit {
    llvm::Function *destructor;
    /// What it destroys; null if it knows that itself.
    llvm::GlobalVariable *object;
    /// Stands for a number: how many were registered when this one was, itself
    /// included; 0: it was not.
    llvm::GlobalVariable *turn;
  };
  const std::vector<Exit> &getExits() const { return exits; }
  /// The destructor that `call` registers; null if it does not.
  const Exit *exitOf(const llvm::CallBase &call) const;
  /// Stands for the number of destructors that were registered.
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
