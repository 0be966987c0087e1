//===- TaskLeaf.h - The code of one task ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of kernel is called by a function
//   i32 @call(i32 variant, ptr <per dataset>, ptr run)
// that returns a status. Around this call are the calls that begin and end the
// task.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_TASKS_TASKLEAF_H
#define SLUICE_LIB_CODEGEN_TASKS_TASKLEAF_H

#include "../Tables/ConstantTables.h"
#include "TaskData.h"
#include "sluice/CodeGen/TaskNodes.h"
#include "llvm/IR/IRBuilder.h"

namespace sluice::codegen {

/// One task, and the module for its code.
struct TaskSite {
  unsigned index;
  dfg::TaskOp task;
  const TaskDataTable &data;
  const ResolvedTask &resolved;
  llvm::Module &code;
  Tables &tables;
  /// True if several tasks share the code: data specific to one task is passed
  /// as parameters.
  bool isShared = false;

  dfg::TaskOp op() const { return task; }
  llvm::ArrayRef<TaskView> views() const { return data.viewsOf(index); }
  /// True if the parameter for the dataset is the address of the part.
  bool takesFirst(const TaskView &view) const;
  /// Everything that shared code depends on; empty if the code cannot be
  /// shared.
  std::string codeKey() const;
};

/// A function of a task. Its parameters are the task's datasets, each once, and
/// the run.
class TaskFunction {
public:
  TaskFunction(const TaskSite &site, const llvm::Twine &name,
               llvm::Type *result, llvm::ArrayRef<llvm::Type *> before = {});

  llvm::Value *memory(unsigned datum) { return memories.lookup(datum); }
  /// The first element of an argument.
  llvm::Value *address(const TaskView &view);
  /// The scalar that is passed by value.
  llvm::Value *value(const TaskView &view);
  /// A slot of the stack.
  llvm::AllocaInst *slot(llvm::Type *type);
  /// Calls a function of the runtime.
  llvm::CallInst *callRuntime(llvm::StringRef name, llvm::Type *result,
                              llvm::ArrayRef<llvm::Value *> arguments);

  const TaskSite &site;
  llvm::Function *function;
  llvm::IRBuilder<> b;
  llvm::Value *run = nullptr;

private:
  llvm::DenseMap<unsigned, llvm::Value *> memories;
};

/// The arguments of a call that must have no gaps in memory: they are copied
/// before the call, and back after it.
class PackedArguments {
public:
  explicit PackedArguments(TaskFunction &code) : code(code) {}

  /// The address of a copy of the argument.
  llvm::Value *pack(const TaskView &view);
  /// After the call.
  void unpack();

private:
  struct Copy {
    llvm::Value *packed, *memory;
    llvm::Constant *view;
    bool isWritten;
  };
  TaskFunction &code;
  llvm::SmallVector<Copy> copies;
};

/// Returns false, after an error, if an argument that is copied shares elements
/// with another one and one of the two is written: the copy would miss the
/// writes.
bool checkPacking(const TaskSite &site,
                  llvm::function_ref<bool(unsigned argument)> isPacked);

/// The scalar's value as a parameter of type `type`; null if that type cannot
/// hold every possible value.
llvm::Value *convertScalar(llvm::IRBuilderBase &b, llvm::Value *value,
                           const TaskDatum &datum, llvm::Type *type);
/// signext or zeroext for integers that callers extend.
void addExtension(llvm::CallInst &call, unsigned argument, bool isSigned);

/// The calls of each kind; null after an error at the task.
llvm::Function *emitCCall(const TaskSite &site);
llvm::Function *emitHalideCall(const TaskSite &site);
llvm::Function *emitPythonCall(const TaskSite &site);

/// A function that begins the task whose number is its first argument, calls
/// `call` and ends the task.
llvm::Function *emitRunner(const TaskSite &site, const llvm::Twine &name,
                           llvm::Function *call);
/// A leaf that calls such a function.
llvm::Function *emitTaskLeaf(const TaskSite &site, llvm::StringRef name,
                             llvm::Function *runner);
/// A leaf that calls a runtime function with the run and the task.
llvm::Function *emitMarkLeaf(const TaskSite &site, llvm::StringRef name,
                             llvm::StringRef callee);
/// The leaf of one instance of a replicated C kernel; null after an error.
llvm::Function *emitInstanceLeaf(const TaskSite &site, llvm::StringRef name);
/// Makes the leaf itself declare the reductions and scans of its kernel.
/// Returns false, after an error, if that is impossible.
bool takeFolds(const TaskSite &site, llvm::Function &leaf);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_TASKS_TASKLEAF_H
