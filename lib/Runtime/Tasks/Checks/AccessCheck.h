//===- AccessCheck.h - What instrumented kernels access ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of programs that were compiled to be checked report each access to
// memory. It is compared with the arguments of their task: elements that are
// only read must not be written, those that are only written must not be read
// before, others must not be accessed. The address tells which dataset is
// meant: each dataset is surrounded by memory that is not used
// (Memory::margin).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_CHECKS_ACCESSCHECK_H
#define SLUICE_RUNTIME_TASKS_CHECKS_ACCESSCHECK_H

#include "../../Scheduling/CodeOwner.h"
#include "../Datasets.h"

#include <deque>
#include <span>
#include <string>

namespace sluice::tasks {

/// The pattern of the byte at `offset` of a dataset that a task declares as
/// written only, before the task writes it; an unlikely value.
char unwrittenByte(uint64_t offset);

/// By dataset, SluiceAccess of each element; empty: the task was not given it.
using ElementAccess = std::vector<std::vector<uint8_t>>;

/// The check of one run. Its tasks run one after another, but a task may use
/// threads of its own.
class AccessCheck {
public:
  AccessCheck(const SluiceTaskProgram &program, const Datasets &datasets)
      : program(program), datasets(datasets) {}
  ~AccessCheck();

  /// `task` runs from now on; `access` is what its arguments allow. A violation
  /// becomes the task's message.
  void begin(CodeOwner &task, const SluiceTaskRecord &record,
             const ElementAccess &access);
  void end();
  /// `copy` holds the elements of `view`, densely, between two margins.
  void addCopy(const void *copy, const void *dataset,
               const SluiceTaskView &view);
  void removeCopy(const void *copy);

  /// Number of unused bytes before and behind a copy.
  static constexpr uint64_t copyMargin = 4096;

  /// An access by a task of any run.
  static void accessed(const SluiceCheckSite &site, const void *address,
                       uint64_t size);

private:
  /// The memory of a dataset, or of a copy of a part.
  struct Block {
    uintptr_t start;
    uint64_t size;
    uint32_t data;
    uint32_t elementSize;
    uint64_t margin;
    /// SluiceAccess of each element; empty: nothing is allowed.
    std::span<const uint8_t> access;
    /// Of each byte: the task has written it.
    std::vector<bool> isWritten;
    /// Of each element of a copy: which one of the dataset it is, and what is
    /// allowed.
    std::vector<uint64_t> elements;
    std::vector<uint8_t> ownAccess;

    uint64_t elementAt(uint64_t offset) const {
      uint64_t element = offset / elementSize;
      return elements.empty() ? element : elements[element];
    }
    uint8_t accessAt(uint64_t offset) const {
      return access.empty() ? 0 : access[offset / elementSize];
    }
    bool isUnwritten(uint64_t offset) const;
    bool isUnwrittenWord(uint64_t offset, bool isCopied) const;
  };

  bool check(const SluiceCheckSite &site, uintptr_t address, uint64_t size);
  Block *findBlock(uintptr_t address);
  std::string problem(Block &block, const SluiceCheckSite &site,
                      uintptr_t address, uint64_t size) const;
  std::string outside(const Block &block, uintptr_t address,
                      uint64_t size) const;
  std::string refused(const Block &block, uint64_t offset, bool isWrite) const;

  const SluiceTaskProgram &program;
  const Datasets &datasets;
  CodeOwner *task = nullptr;
  const SluiceTaskRecord *record = nullptr;
  bool hasMessage = false;
  /// In the order of their addresses.
  std::vector<Block> blocks;
  std::deque<Block> copies;
};

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_CHECKS_ACCESSCHECK_H
