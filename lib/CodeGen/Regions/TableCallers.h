//===- TableCallers.h - Adapters from runtime to user code ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime passes views to a task; the user's function takes pointers and
// values. A caller unpacks them, and stores or folds the function's result. One
// of a function in Python describes them to libSluicePython.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REGIONS_TABLECALLERS_H
#define SLUICE_LIB_CODEGEN_REGIONS_TABLECALLERS_H

#include "../Tables/ConstantTables.h"
#include "Source.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sluice::codegen {

llvm::Type *typeOf(ElementType type, llvm::LLVMContext &context);
/// A value of a type as a constant.
llvm::Constant *constantOf(ValueBits value, ElementType type,
                           llvm::LLVMContext &context);

/// Makes the functions of a program that the runtime calls, each once.
class TableCallers {
public:
  TableCallers(const RegionModel &program, llvm::Module &module,
               Tables &tables);

  /// A SluiceTaskBody for a task or host statement.
  llvm::Function *callerOf(const RegionStatement &statement);
  /// SluiceReduction::fold for a user's operator.
  llvm::Function *folderOf(const std::string &foldFunction);
  /// Functions that the runtime calls directly, unless they are in Python.
  llvm::Function *projection(const std::string &name);
  llvm::Function *coloring(const std::string &name);

private:
  struct Call;
  llvm::Function *begin(const std::string &name, unsigned numParameters,
                        llvm::IRBuilder<> &builder,
                        llvm::Type *result = nullptr);
  void addArgument(const RegionArgument &argument, Call &call);
  /// Void for null.
  llvm::Type *typeOfResult(const RegionArgument *result) const;
  llvm::Value *callFunction(const RegionStatement &statement,
                            const RegionArgument *result, Call &call);
  void addPort(const RegionArgument &argument, Call &call);
  llvm::Constant *portOf(const RegionArgument &argument);
  llvm::Constant *kernelOf(const std::string &name,
                           llvm::ArrayRef<llvm::Constant *> ports,
                           uint32_t resultType);
  llvm::Function *pythonCaller(const std::string &name, const char *callee,
                               unsigned numParameters, llvm::Type *result);
  llvm::Value *callPython(const RegionStatement &statement,
                          const RegionArgument *result, Call &call);
  void addResult(const RegionArgument &result, Call &call, llvm::Value *value);
  llvm::Value *fold(const RegionReduction &reduction, llvm::Value *into,
                    llvm::Value *value, llvm::IRBuilder<> &builder);
  llvm::Function *declareFold(const std::string &name);

  const RegionModel &program;
  llvm::Module &module;
  Tables &tables;
  llvm::PointerType *pointer;
  llvm::StringMap<llvm::Function *> callers, folders;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_REGIONS_TABLECALLERS_H
