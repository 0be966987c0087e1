//===- AccessCheck.h - Accesses of instrumented kernels -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of programs that were compiled for checks report each memory access.
// This class compares it with the arguments of their task: read-only elements
// must not be written, write-only elements must not be read before they are
// written, and others must not be accessed. The address identifies the dataset:
// each dataset is surrounded by unused memory (DatasetMemory::margin).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_CHECKS_ACCESSCHECK_H
#define SLUICE_RUNTIME_TASKS_CHECKS_ACCESSCHECK_H

#include "../../Regions/Checks/UnwrittenBytes.h"
#include "../../Scheduling/CodeOwner.h"
#include "../Datasets.h"

#include <deque>
#include <span>
#include <string>

namespace sluice::tasks {

/// For each dataset, SluiceAccess of each element; empty: not an argument of
/// the task.
using ElementAccess = std::vector<std::vector<uint8_t>>;

/// The check of one run. Its tasks run one after another, but a task may use
/// its own threads.
class AccessCheck {
public:
  AccessCheck(const SluiceTaskProgram &program, const Datasets &datasets)
      : program(program), datasets(datasets) {}
  ~AccessCheck();

  /// Starts the check of `task`; `access` is what its arguments allow. A
  /// violation becomes the task's message.
  void begin(CodeOwner &task, const SluiceTaskRecord &record,
             const ElementAccess &access);
  void end();
  /// `copy` contains the elements of `view`, densely, between two margins.
  void addCopy(const void *copy, const void *dataset,
               const SluiceTaskView &view);
  void removeCopy(const void *copy);

  /// Number of unused bytes before and after a copy.
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
    /// SluiceAccess of each element; empty: no access is allowed.
    std::span<const uint8_t> access;
    /// For each byte, whether the task has written it.
    std::vector<bool> isWritten;
    /// For each element of a copy, its element of the dataset and the allowed
    /// access.
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
  /// Sorted by address.
  std::vector<Block> blocks;
  std::deque<Block> copies;
};

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_CHECKS_ACCESSCHECK_H
