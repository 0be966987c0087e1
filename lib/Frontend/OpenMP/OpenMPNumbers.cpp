//===- OpenMPNumbers.cpp - Numbers that the host computes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop gets numbers from its host as if each might be any. What the host
// computes from others is not free, such as the number of tiles in a row, nor
// is what the library says of itself.
//
//===----------------------------------------------------------------------===//

#include "OpenMPLowering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

namespace {
class NumberSource {
public:
  explicit NumberSource(const CallBase &fork) : fork(&fork) {}

  bool isComputed(const Value &number);
  bool isVariableComputed(const Value &variable);
  /// Of the code around loops, what the host passes to it.
  const Value &inHost(const Value &value) const {
    return fork ? openmp::inHost(value, *fork) : value;
  }

private:
  bool isPassedComputed(const Argument &parameter);

  /// Of the team; null for values of its host's callers.
  const CallBase *fork;
  /// Looked at before, or being looked at.
  SmallPtrSet<const Value *, 8> known;
};
} // namespace

/// Whether one of a function's callers computes what it passes.
bool NumberSource::isPassedComputed(const Argument &parameter) {
  const SaveAndRestore<const CallBase *> outside(fork, nullptr);
  return any_of(parameter.getParent()->uses(), [&](const Use &use) {
    const auto *call = dyn_cast<CallBase>(use.getUser());
    return call && call->isCallee(&use) &&
           parameter.getArgNo() < call->arg_size() &&
           isComputed(*call->getArgOperand(parameter.getArgNo()));
  });
}

bool NumberSource::isVariableComputed(const Value &variable) {
  if (!isa<AllocaInst, GlobalVariable>(variable))
    return true;
  return any_of(variable.users(), [&](const User *user) {
    const auto *store = dyn_cast<StoreInst>(user);
    return store && store->getPointerOperand() == &variable &&
           isComputed(*store->getValueOperand());
  });
}

bool NumberSource::isComputed(const Value &number) {
  const Value &value = inHost(number);
  if (isa<Constant>(value) || !known.insert(&value).second)
    return false;
  if (const auto *parameter = dyn_cast<Argument>(&value))
    return isPassedComputed(*parameter);
  if (const auto *cast = dyn_cast<CastInst>(&value))
    return isComputed(*cast->getOperand(0));
  if (const auto *merge = dyn_cast<PHINode>(&value))
    return any_of(merge->incoming_values(),
                  [&](const Use &one) { return isComputed(*one); });
  if (const auto *load = dyn_cast<LoadInst>(&value))
    return isVariableComputed(inHost(*load->getPointerOperand()));
  // What comes from outside may be anything.
  if (const auto *call = dyn_cast<CallBase>(&value)) {
    const Function *callee = call->getCalledFunction();
    return !callee || !callee->isDeclarationForLinker() ||
           callee->isIntrinsic() || callee->getName().starts_with("omp_");
  }
  return true;
}

bool openmp::isComputed(const Value &number, const CallBase &fork) {
  return NumberSource(fork).isComputed(number);
}

bool openmp::isContentComputed(const Value &place, const CallBase &fork) {
  NumberSource source(fork);
  return source.isVariableComputed(source.inHost(place));
}
