//===- OpenMPLocks.cpp - Critical sections --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's library knows which of its threads is in a critical section; instances
// of nodes run on none. So the sections of a name get a mutex of the C library,
// in all of the program: loops that stay with LLVM's library have to keep out,
// too.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"
#include "sluice/Frontend/OpenMP/LowerOpenMP.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

bool openmp::isMutex(const GlobalVariable &variable) {
  return variable.getName().starts_with(criticalLock);
}

/// The mutex for a name, which all files of a program share.
static GlobalVariable *mutexOf(Value &lock, Module &module) {
  StringRef name = lock.getName();
  name.consume_front(".gomp_critical_user_");
  name.consume_back(".var");
  std::string symbol = (criticalLock + name).str();
  if (GlobalVariable *known = module.getGlobalVariable(symbol))
    return known;
  // All zeros is a mutex that nobody holds; it has 40 or 48 bytes.
  Type *type = ArrayType::get(Type::getInt64Ty(module.getContext()), 8);
  auto *mutex = new GlobalVariable(module, type, /*isConstant=*/false,
                                   GlobalValue::CommonLinkage,
                                   Constant::getNullValue(type), symbol);
  mutex->setAlignment(Align(64));
  return mutex;
}

void openmp::useMutexes(Module &module) {
  SmallVector<CallInst *> numbers;
  for (StringRef name : {"__kmpc_critical", "__kmpc_critical_with_hint",
                         "__kmpc_end_critical"}) {
    Function *function = module.getFunction(name);
    if (!function || !function->isDeclaration())
      continue;
    bool isEnd = name.starts_with("__kmpc_end");
    for (User *user : make_early_inc_range(function->users())) {
      auto *call = dyn_cast<CallInst>(user);
      auto *lock = call && call->arg_size() >= 3
                       ? dyn_cast<GlobalVariable>(call->getArgOperand(2))
                       : nullptr;
      // Clang's own are for variables that are last by a condition: barriers in
      // them are more than locks.
      if (!lock || call->getCalledOperand() != function ||
          lock->getName().contains("pl_cond"))
        continue;
      if (auto *number = dyn_cast<CallInst>(call->getArgOperand(1)))
        numbers.push_back(number);
      IRBuilder<> builder(call);
      callByName(builder, isEnd ? "pthread_mutex_unlock" : "pthread_mutex_lock",
                 builder.getInt32Ty(), {mutexOf(*lock, module)});
      call->eraseFromParent();
    }
  }
  SmallPtrSet<CallInst *, 8> seen;
  for (CallInst *number : numbers)
    if (seen.insert(number).second && number->use_empty() &&
        calledRuntime(*number) == "__kmpc_global_thread_num")
      number->eraseFromParent();
}
