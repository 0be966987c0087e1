//===- EntryTables.h - Tables that say where instances go -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In `out[table[i]] = i`, instances meet if the table names a place twice. A
// graph that is free of races but for that has its tables tested by each
// launch.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_ENTRYTABLES_H
#define SLUICE_RUNTIME_PLAN_ENTRYTABLES_H

#include "InstanceRows.h"

#include "sluice-c/Plan.h"
#include "sluice/Base/Status.h"

#include <mutex>
#include <string>
#include <vector>

namespace sluice {

/// Whether the steps of a table of a plan may be followed.
Status checkTableSteps(const SluicePlan &plan, const SluicePlanTable &table);

/// What is known of one table of a plan.
class EntryTable {
public:
  EntryTable(const SluicePlan &plan, const SluicePlanTable &table)
      : plan(plan), table(table) {}

  /// The pointers that it reads through.
  std::vector<uint32_t> arguments() const;
  /// Tests the entries that a launch with these arguments uses. They are
  /// compared with those of the last test first, which costs less.
  Status test(const unsigned char *frame);

private:
  Status testEntries(const unsigned char *frame);
  Status testRows(const unsigned char *frame);
  bool isKnown(const std::vector<LoadedMemory> &memories) const;
  void keep(const std::vector<LoadedMemory> &memories,
            const std::vector<LoadedPart> &parts);
  void warn(const std::string &what);

  const SluicePlan &plan;
  const SluicePlanTable &table;
  std::mutex mutex;
  /// Of the last test that went well: the values of all formulas, the size of
  /// the table, and the entries in the order of their use. No entries: nothing
  /// is known.
  std::vector<int64_t> knownValues;
  uint64_t knownSize = 0;
  std::vector<unsigned char> knownEntries;
  /// With SLUICE_TABLE_ROWS: the memory of all loads, and copies of what was
  /// read.
  struct KnownPart {
    LoadedPart part;
    uint64_t size = 0;
    std::vector<unsigned char> bytes;
  };
  std::vector<KnownPart> knownParts;
  /// With SLUICE_TABLE_WARNS: launches that are tested still, and none after a
  /// warning. The program runs as it is, and is not to take longer.
  unsigned testsLeft = 16;
  /// And numbers that all tests of rows may take, which are some 50 ms.
  uint64_t numbersLeft = uint64_t(1) << 22;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_ENTRYTABLES_H
