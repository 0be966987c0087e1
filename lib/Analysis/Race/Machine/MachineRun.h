//===- MachineRun.h - One instance that is executed -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the machine: what it knows of values and of memory while one
// instance runs. Three sources share it, for control, values and memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_MACHINE_MACHINERUN_H
#define SLUICE_LIB_ANALYSIS_RACE_MACHINE_MACHINERUN_H

#include "Machine.h"
#include "sluice/Analysis/LibraryCalls.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

namespace sluice::races {

/// What a value follows from: the ids of the instance among others.
/// Of what is Unknown nothing can be said, not even that it may be any number,
/// which arguments and memory may. What an atomic operation gave also says what
/// other instances have done before.
enum ValueOrigin : uint8_t {
  Nothing = 0,
  Arguments = 1,
  Memory = 2,
  Unknown = 4,
  Atomic = 8,
  /// Ids in x, and in y and z at the next bits.
  Ids = 16,
  AllIds = 7 * Ids
};

/// A value: a constant, a pointer into an object, or unknown.
struct Datum {
  llvm::Constant *constant = nullptr;
  int object = -1;
  int64_t offset = 0;
  uint8_t origin = Nothing;
  /// The result of an overflow, say: must not be used.
  bool isPoison = false;

  bool isPointer() const { return object >= 0; }
  bool isKnown() const { return constant || isPointer(); }
};

struct Byte {
  uint8_t value = 0, origin = Nothing;
  bool isKnown = false;
};

/// Memory that an instance can reach.
struct ReachableMemory {
  std::optional<MemoryObject> shared;
  const llvm::GlobalVariable *constant = nullptr;
  /// Bytes, where they are known whatever the arguments are.
  std::optional<int64_t> size = std::nullopt;
  /// Touch::pointer.
  std::optional<int64_t> pointer = std::nullopt;
};

class Machine::Run {
public:
  Run(const Machine &machine, const InstanceNumbers &numbers, unsigned maxSteps)
      : machine(machine), numbers(numbers), maxSteps(maxSteps),
        layout(machine.code.getDataLayout()) {}

  Execution execute();

private:
  /// The block after which it no longer matters how a branch on memory went, or
  /// one on something unknown.
  struct Join {
    const llvm::BasicBlock *block;
    uint8_t origin;
  };
  uint8_t joined() const {
    uint8_t origin = Nothing;
    for (const Join &join : joins)
      origin |= join.origin;
    return origin;
  }

  Datum valueOf(const llvm::Value *value);
  Datum argument(const llvm::Argument &argument);
  Datum query(const Symbol &symbol, llvm::Type *type);
  Datum address(const llvm::GEPOperator &address);
  Datum fold(const llvm::Instruction &instruction);
  void touchLibrary(const llvm::CallBase &call, const LibraryCall &known);
  Datum call(const llvm::CallBase &call);
  bool step(const llvm::Instruction &instruction);
  const llvm::BasicBlock *branch(const llvm::Instruction &terminator);
  void enter(const llvm::BasicBlock &from, const llvm::BasicBlock &to);
  void turn(const llvm::BasicBlock &to);
  void openLoops(const llvm::Instruction &terminator);
  void touch(const llvm::Instruction &origin, const Datum &pointer,
             int64_t size, bool isWrite, bool isSizeOpen = false);
  bool isOutside(const Datum &pointer, int64_t size) const;
  bool transfer(const llvm::MemIntrinsic &transfer);
  void lock(const llvm::CallBase &call, bool isShared);
  void unlock(const llvm::CallBase &call);
  Datum load(const Datum &pointer, llvm::Type *type);
  Datum followPointer(const Datum &pointer);
  void store(const Datum &pointer, const Datum &value, llvm::Type *type);
  Byte byteAt(int object, int64_t offset) const;
  llvm::Constant *smallNumber(const Datum &pointer, llvm::Type *type) const;
  const llvm::BasicBlock *goSomeWay(const llvm::Instruction &terminator,
                                    const Datum &condition);
  void forget(const Datum &pointer, int64_t size);
  /// Of what others may have written since, only private memory is known.
  void forgetShared();
  int addObject(ReachableMemory object) {
    objects.push_back(std::move(object));
    return objects.size() - 1;
  }
  int objectFor(const llvm::Value *key, ReachableMemory object) {
    auto [found, isNew] = named.try_emplace(key, 0);
    if (isNew)
      found->second = addObject(std::move(object));
    return found->second;
  }
  void depend(uint8_t origin) {
    result.isAlways &= (origin & ~AllIds) == Nothing;
    result.dependsOnMemory |= (origin & Memory) != 0;
  }
  /// What follows from `origin` is undefined.
  void stop(uint8_t origin) {
    depend(origin);
    result.isUndefined = true;
    result.isAlways = false;
  }
  static uint64_t key(int object, int64_t offset) {
    // Offsets have less bits, so no key is one of those that maps reserve.
    return (uint64_t(object) << 48) ^
           (uint64_t(offset) & llvm::maskTrailingOnes<uint64_t>(47));
  }

  const Machine &machine;
  const InstanceNumbers &numbers;
  const unsigned maxSteps;
  const llvm::DataLayout &layout;
  Execution result;
  llvm::DenseMap<const llvm::Value *, Datum> values;
  llvm::DenseMap<const llvm::Value *, int> named;
  std::vector<ReachableMemory> objects;
  llvm::DenseMap<uint64_t, Byte> bytes;
  llvm::DenseMap<uint64_t, Datum> pointers;
  std::vector<Join> joins;
  /// The loops around what is executed; whether `result` has them.
  std::vector<LoopTurn> turns;
  bool areTurnsKept = false;
  /// The ids that a branch has compared with what arguments say.
  uint8_t openIds = Nothing;
  /// Locks that are held.
  std::vector<Lock> locks;
  /// Others may be kept from running at the same time, in a way that is not
  /// known: by what unknown code does, or by waiting for an atomic value.
  bool mayBeOrdered = false;
  /// For earlier instances.
  bool hasWaited = false;
  unsigned barriers = 0, guesses = 0;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_MACHINE_MACHINERUN_H
