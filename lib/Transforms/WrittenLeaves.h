//===- WrittenLeaves.h - Leaf code written as llvm.func ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's leaf code is an LLVM module next to its graphs. In a .mlir file
// that a pass processes, the leaf code is a set of LLVM dialect operations
// among the graphs. This class translates in both directions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_WRITTENLEAVES_H
#define SLUICE_LIB_TRANSFORMS_WRITTENLEAVES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace sluice::transforms {

class WrittenLeaves {
public:
  /// Translates the operations of the LLVM dialect in `graphs`, which stay.
  explicit WrittenLeaves(mlir::ModuleOp graphs);

  /// Null if they cannot be translated.
  llvm::Module *get() { return module.get(); }

  /// Replaces the operations by the module's functions if the module has
  /// changed. The module no longer exists afterwards.
  mlir::LogicalResult writeBack();

private:
  mlir::ModuleOp graphs;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::string namesBefore;
};

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_WRITTENLEAVES_H
