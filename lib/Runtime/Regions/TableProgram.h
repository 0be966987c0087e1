//===- TableProgram.h - Programs over regions from constant tables --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the table that the compiler made from an rdir program
// (sluice-c/RegionProgram.h) and makes the calls that a hand-written program
// would make.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_TABLEPROGRAM_H
#define SLUICE_RUNTIME_REGIONS_TABLEPROGRAM_H

#include "ProgramOverRegions.h"

#include "sluice-c/RegionProgram.h"

namespace sluice::regions {

/// Sets the program's parameters from "--NAME=VALUE". Ends the process with
/// status 0 after --help, and with status 2 and a message for a wrong argument.
void setParameters(const SluiceRegionProgram &table, int argc, char **argv);

/// Whether to check a program while it runs: as SLUICE_CHECK says, or else as
/// it was built. `table`: null for a program without one.
bool wantsCheck(const SluiceRegionProgram *table);
/// Whether to check what its tasks access as well. Only functions that report
/// it can be checked; others would also seem to write nothing.
bool checksElements(const SluiceRegionProgram *table);
/// Prints, once in a process, what the settings ask for but a program cannot
/// do: be checked without its reports, or be recorded while it is checked.
void sayWhatIsNotDone(const SluiceRegionProgram &table);

inline bool isLoop(const SluiceRegionStatement &statement) {
  return statement.kind == SLUICE_STATEMENT_LOOP ||
         statement.kind == SLUICE_STATEMENT_UNLESS;
}

class TableProgram {
public:
  /// The variables of the parameters must have been set.
  TableProgram(const SluiceRegionProgram &table, RegionProgram &program)
      : table(table), program(program) {}
  /// For inspecting the orders of a program that does not run: variables and
  /// functions do not exist yet.
  TableProgram(const SluiceRegionProgram &table, RegionProgram &program,
               std::vector<int64_t> parameters)
      : table(table), program(program), parameters(std::move(parameters)) {}

  Status addRoots();
  Status run(const SluiceRegionStep &step);
  /// All steps, with repetitions.
  Status runAll();
  /// Adds the statements of a graph, which stays open.
  Status beginGraph(uint32_t graph);
  /// The number plus `offset`; none if it does not fit.
  std::optional<int64_t> numberOf(const SluiceExtent &extent,
                                  int64_t offset = 0) const;

private:
  int64_t valueOf(uint32_t parameter) const;
  int64_t valueIn(const int64_t *term) const;
  int64_t remainderOf(const SluiceExtent &extent, int64_t offset,
                      int64_t modulus) const;
  bool holds(const SluiceOrderCondition &condition) const;
  /// The orders of a graph that were computed at compile time, or null.
  const SluiceRegionOrders *ordersOf(const SluiceRegionGraph &graph) const;
  /// `name`: what has the extents, for messages.
  Result<std::vector<int64_t>> numbersOf(const char *name,
                                         const SluiceExtent *extents,
                                         uint32_t count) const;
  std::string colorsText(const SluiceRegionPartition &partition) const;
  Status makePartition(uint32_t index);
  Status tryToMake(uint32_t index);
  Status repeat(uint32_t begin, uint32_t end);
  Result<uint32_t> addPartition(const SluiceRegionPartition &partition);
  Result<uint32_t> addMapped(const SluiceRegionPartition &partition,
                             const std::vector<int64_t> &colors);
  Result<uint32_t> addSets(const SluiceRegionPartition &partition,
                           SluiceSetOperation operation);
  Status addStatements(const SluiceRegionStatement *statements, uint32_t count);
  Status add(const SluiceRegionStatement &statement);
  /// Arguments of one iteration, and the numbers to which they refer.
  struct Shifted {
    std::vector<SluiceArgument> arguments;
    std::deque<std::vector<int64_t>> numbers;
  };
  Result<int64_t> shiftRow(const SluiceRegionStatement &statement,
                           const SluiceExtent &shift,
                           const SluiceExtent &modulus, int64_t &offset) const;
  Result<Shifted> shift(const SluiceRegionStatement &statement,
                        bool hasPoints) const;
  Status addTask(const SluiceRegionStatement &statement,
                 const std::vector<int64_t> &extents, const Shifted &shifted);
  Status addLoop(const SluiceRegionStatement &statement);
  Status addIterations(const SluiceRegionStatement &statement, int64_t count);

  const SluiceRegionProgram &table;
  RegionProgram &program;
  /// Replaces the variables.
  std::optional<std::vector<int64_t>> parameters;
  /// The iterations of the open loops, by number, and those that tasks refer
  /// to.
  std::vector<int64_t> iterations;
  std::deque<std::vector<int64_t>> keptIterations;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_TABLEPROGRAM_H
