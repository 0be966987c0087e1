//===- FoldTask.cpp - Reductions and scans of replicated C kernels --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves are queried for whether their instances fold into memory. So a kernel
// that declares this is inlined into its leaf immediately; the names in its
// declaration become parameters and constants there. No front end has checked
// it there, so it is checked here.
//
//===----------------------------------------------------------------------===//

#include "TaskLeaf.h"
#include "sluice/Analysis/ReductionUses.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using Op = LeafReduction::Op;

static bool isDefined(const Function *function) {
  return function && !function->isDeclaration();
}

/// The operation that the operator lacks, or an empty text.
static std::string findOperatorProblem(const LeafReduction &reduction) {
  if (!reduction.op)
    return "by an operator that is no constant of the code; name one of "
           "SLUICE_SUM to SLUICE_XOR";
  if (*reduction.op == Op::User) {
    if (reduction.elementBytes == 0)
      return "of elements whose size is no constant, or 0";
    return isDefined(reduction.identity) && isDefined(reduction.combine)
               ? ""
               : "without naming two functions of its source, of which one "
                 "writes what changes nothing and one joins two elements";
  }
  bool isBitwise = *reduction.op == Op::And || *reduction.op == Op::Or ||
                   *reduction.op == Op::Xor;
  if (isBitwise && reduction.type->isFloatingPointTy())
    return "of floating-point numbers by '" +
           spellReduction(*reduction.op).str() + "', which is for integers";
  return "";
}

/// The error in a declaration of a leaf, or an empty text. `bytes`: the size of
/// each parameter's memory.
static std::string findProblem(const LeafReduction &reduction,
                               ArrayRef<uint64_t> bytes,
                               ArrayRef<SluiceTaskUse> uses) {
  if (!reduction.memory || reduction.memory->getArgNo() >= uses.size())
    return "of something else than an array from its first element on; pass "
           "the task all of it";
  if (!isBeforeBranches(*reduction.call))
    return "behind a branch, but it holds for all instances; do so first";
  if (std::string problem = findOperatorProblem(reduction); !problem.empty())
    return problem;
  unsigned index = reduction.memory->getArgNo();
  if (uses[index].access != static_cast<uint32_t>(dfg::Access::InOut))
    return "of memory that the task does not read and write; mark it in and "
           "out";
  auto *size = dyn_cast<ConstantInt>(reduction.bytes);
  if (!size)
    return "of a size that is not known here; compute it from extents and "
           "constants";
  if (size->getZExtValue() % reduction.elementBytes != 0)
    return "of " + std::to_string(size->getZExtValue()) +
           " bytes, which is no multiple of the " +
           std::to_string(reduction.elementBytes) + " bytes of an element";
  if (size->getZExtValue() > bytes[index])
    return "of " + std::to_string(size->getZExtValue()) +
           " bytes, but the memory has " + std::to_string(bytes[index]);
  return "";
}

static bool inlineKernel(Function &leaf, const Function &kernel) {
  for (Instruction &instruction : instructions(leaf))
    if (auto *call = dyn_cast<CallInst>(&instruction);
        call && call->getCalledFunction() == &kernel) {
      InlineFunctionInfo info;
      return InlineFunction(*call, info).isSuccess();
    }
  return false;
}

bool codegen::takeFolds(const TaskSite &site, Function &leaf) {
  dfg::TaskOp task = site.op();
  const Function &kernel = *site.code.getFunction(task.getCallee());
  if (!hasReductions(kernel))
    return true;
  bool isInlined = inlineKernel(leaf, kernel);
  assert(isInlined && "a plain call of a definition is inlinable");
  (void)isInlined;
  inlineUpdates(leaf);
  std::vector<SluiceTaskUse> uses = site.data.usesOf(site.index);
  SmallVector<uint64_t> bytes;
  for (const SluiceTaskUse &use : uses)
    bytes.push_back(site.data[use.data].size);
  SmallPtrSet<const Argument *, 4> seen;
  bool isGood = true;
  for (const LeafReduction &reduction : reductionsOf(leaf)) {
    std::string noun = spellNoun(reduction.kind).str();
    std::string problem = findProblem(reduction, bytes, uses);
    if (problem.empty() && !seen.insert(reduction.memory).second)
      problem = "of memory for which it has declared one before";
    if (!problem.empty()) {
      task.emitError("'") << task.getCallee() << "' declares a " << noun << " "
                          << problem;
      isGood = false;
      continue;
    }
    for (const ReductionMisuse &misuse : findReductionMisuses(reduction)) {
      task.emitError("'") << task.getCallee() << "' declares a " << noun
                          << " of '" << misuse.memory->getName() << "', but "
                          << misuse.what;
      isGood = false;
    }
  }
  return isGood;
}
