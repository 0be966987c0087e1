//===- InitialValues.h - Initial values of datasets -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datasets are initialised with values from the module. Most begin with zeros,
// which need no space in the file.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_TASKS_INITIALVALUES_H
#define SLUICE_LIB_CODEGEN_TASKS_INITIALVALUES_H

#include "../Tables/ConstantTables.h"
#include "TaskData.h"

namespace sluice::codegen {

/// The datum's `size` bytes as constant data; a null pointer for zeros. Null
/// after an error.
llvm::Constant *emitInitial(const TaskDatum &datum, Tables &tables,
                            llvm::LLVMContext &context);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_TASKS_INITIALVALUES_H
