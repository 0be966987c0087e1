//===- TaskCode.h - Simplified code of tasks --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the code of tasks, in which loads of bounds show as such.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REGIONS_ACCESSES_TASKCODE_H
#define SLUICE_LIB_CODEGEN_REGIONS_ACCESSES_TASKCODE_H

#include "sluice/CodeGen/RegionModel.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// A field that a task is given, with its domain.
struct GivenField {
  const RegionArgument *argument;
  unsigned field;
  llvm::Argument *domain;
};

/// By parameter.
using GivenFields = llvm::DenseMap<const llvm::Value *, GivenField>;

/// Empty if the function has other parameters than the statement states.
GivenFields givenFields(const RegionStatement &statement,
                        const llvm::Function &function);

/// The parameters of the program that a task is given, as 64-bit integers.
llvm::DenseMap<unsigned, llvm::Value *>
givenParameters(const RegionStatement &statement, llvm::Function &function);

/// The parameter and the offset of what may be a member of a domain.
std::optional<std::pair<llvm::Argument *, uint64_t>>
placeOfMember(const llvm::LoadInst &load);

/// Which bound of which dimension a member at this offset is, if it is one of
/// an array that begins at `begin`.
std::optional<unsigned> dimensionAt(uint64_t offset, size_t begin);

/// The extent, if it is a number.
std::optional<int64_t> knownExtent(const RegionRoot &root, unsigned d);

/// Keeps only the tasks and what they need, and inlines all calls. Domains do
/// not change, and no field lies in them.
void inlineTasks(llvm::Module &code,
                 const llvm::SmallPtrSetImpl<llvm::Function *> &tasks,
                 llvm::ModuleAnalysisManager &analyses);

/// Simplifies a task as the statement calls it. Leaves one load of each bound,
/// with numbers for those that the program states, and strides as products of
/// extents.
void simplifyTask(const RegionModel &program, const RegionStatement &statement,
                  const GivenFields &fields, llvm::Function &function,
                  llvm::FunctionAnalysisManager &analyses);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_REGIONS_ACCESSES_TASKCODE_H
