//===- RegionTableBuilder.h - Filling in the runtime's table ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure of sluice-c/RegionProgram.h.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REGIONS_REGIONTABLEBUILDER_H
#define SLUICE_LIB_CODEGEN_REGIONS_REGIONTABLEBUILDER_H

#include "sluice/CodeGen/RegionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace sluice::codegen {

class RegionTableBuilder {
public:
  RegionTableBuilder(const RegionModel &program, RegionTable &table)
      : program(program), table(table) {}
  void run();

private:
  template <typename T> llvm::MutableArrayRef<T> array(size_t size) {
    auto *memory = table.memory.Allocate<T>(size);
    std::uninitialized_value_construct_n(memory, size);
    return {memory, size};
  }
  const char *text(llvm::StringRef text) {
    llvm::MutableArrayRef<char> copy = array<char>(text.size() + 1);
    llvm::copy(text, copy.begin());
    return copy.data();
  }
  const int64_t *numbers(llvm::ArrayRef<int64_t> values) {
    llvm::MutableArrayRef<int64_t> copy = array<int64_t>(values.size());
    llvm::copy(values, copy.begin());
    return copy.data();
  }
  SluiceExtent extentOf(const Extent &extent);
  const SluiceExtent *extents(llvm::ArrayRef<Extent> values);
  void setShifts(llvm::ArrayRef<const RegionArgument *> arguments,
                 SluiceRegionStatement &to);
  /// `count` values of a type, one after another.
  const void *values(ValueBits value, ElementType type, unsigned count = 1);
  /// An address that is specific to this symbol.
  template <typename Pointer>
  void refer(Pointer &place, llvm::StringRef symbol) {
    table.symbols[&place] = symbol.str();
    char *&address = addresses[symbol];
    if (!address)
      address = array<char>(1).data();
    place = reinterpret_cast<Pointer>(address);
  }

  void setParameters();
  void setRoots();
  void setPartitions();
  void setPartition(const RegionPartition &from, SluiceRegionPartition &to);
  const SluiceExtent *mapOf(llvm::ArrayRef<ElementCoordinate> map);
  void setConstraints();
  SluiceRegionPart partOf(const RegionPart &part) const;
  llvm::ArrayRef<SluiceRegionStatement>
  statementsOf(llvm::ArrayRef<RegionStatement> statements);
  void setStatement(const RegionStatement &from, SluiceRegionStatement &to);
  void setFill(const RegionStatement &from, unsigned field,
               SluiceRegionStatement &to);
  void setLaunch(const RegionStatement &from, SluiceRegionStatement &to);
  void setArguments(const RegionStatement &from,
                    llvm::ArrayRef<RegionArgument> arguments,
                    SluiceRegionStatement &to);
  void setArgument(const RegionStatement &statement, const RegionArgument &from,
                   SluiceArgument &to);
  void setProjection(const RegionStatement &statement,
                     const RegionArgument &from, SluiceArgument &to);
  void setReduction(const RegionReduction &from, SluiceReduction &to);

  const RegionModel &program;
  RegionTable &table;
  /// By index in the program: the runtime's number of a partition.
  std::vector<uint32_t> numberOf;
  llvm::StringMap<char *> addresses;
  std::vector<SluiceRegionStep> steps;
  std::vector<const RegionPartition *> made;
  std::vector<RegionConstraint> constraints;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_REGIONS_REGIONTABLEBUILDER_H
