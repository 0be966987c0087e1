//===- HeteroValues.cpp - Values computed between nodes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are expressions of the graph's inputs. Each member of a structure is
// tracked separately. References and pointers to variables are addresses and
// are followed. Calls of functions that only compute are followed too, such as
// `std::min` and members like `size()`.
//
//===----------------------------------------------------------------------===//

#include "HeteroWalk.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// The position of a value of type `part`, which starts at a given byte, in a
/// value of type `whole`.
static std::optional<SmallVector<unsigned>>
pathTo(Type *whole, int64_t offset, Type *part, const DataLayout &layout) {
  SmallVector<unsigned> path;
  while (whole != part || offset != 0) {
    if (offset < 0 || uint64_t(offset) >= layout.getTypeAllocSize(whole))
      return std::nullopt;
    if (auto *structure = dyn_cast<StructType>(whole)) {
      const StructLayout *members = layout.getStructLayout(structure);
      unsigned index = members->getElementContainingOffset(offset);
      offset -= members->getElementOffset(index);
      path.push_back(index);
      whole = structure->getElementType(index);
    } else if (auto *array = dyn_cast<ArrayType>(whole)) {
      int64_t size = layout.getTypeAllocSize(array->getElementType());
      path.push_back(offset / size);
      offset %= size;
      whole = array->getElementType();
    } else {
      return std::nullopt;
    }
  }
  return path;
}

/// Variables are allocas, and parameters that are copies of structures made by
/// calls.
static Type *typeOfVariable(const Value &variable) {
  if (const auto *parameter = dyn_cast<Argument>(&variable))
    return parameter->getParamByValType();
  return cast<AllocaInst>(variable).getAllocatedType();
}

static const Function *functionOf(const Value &variable) {
  if (const auto *parameter = dyn_cast<Argument>(&variable))
    return parameter->getParent();
  return cast<AllocaInst>(variable).getFunction();
}

/// The contents at a constant address; null if unknown.
const Expr *Walker::readConstant(Constant &address, Type *type) {
  const DataLayout &layout = function.getDataLayout();
  APInt offset(64, 0);
  auto *global =
      dyn_cast<GlobalVariable>(address.stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true));
  if (!global || !global->isConstant() || !global->hasDefinitiveInitializer())
    return nullptr;
  auto path =
      pathTo(global->getValueType(), offset.getSExtValue(), type, layout);
  if (!path)
    return nullptr;
  return context.expressions.member(
      context.expressions.constant(global->getInitializer()), *path);
}

/// The contents at an address; unknown, with the reason, if they are not known.
const Expr *Walker::read(const Expr *address, Type *type) {
  if (!spend())
    return unknown(type, "takes too long to follow");
  if (address->kind == Expr::Kind::Select)
    return context.expressions.select(address->operands[0],
                                      read(address->operands[1], type),
                                      read(address->operands[2], type));
  if (address->kind == Expr::Kind::Unknown)
    return unknown(type, address->reason);
  if (address->kind == Expr::Kind::Constant)
    if (const Expr *known = readConstant(*address->constant, type))
      return known;
  if (address->kind != Expr::Kind::Address)
    return unknown(type, "is read from memory");
  Value *variable = address->variable;
  auto found = graph.variables.find(variable);
  if (found == graph.variables.end())
    return unknown(type, region.begin && !isDeclaredIn(*variable, region)
                             ? "is in neither list of the region around it"
                             : "has no value");
  const Expr *whole = found->second;
  if (auto path =
          pathTo(whole->type, address->offset, type, function.getDataLayout()))
    return context.expressions.member(whole, *path);
  return unknown(type, "is read in parts");
}

/// Returns false if the address is not a variable.
bool Walker::write(const Expr *address, const Expr *value) {
  if (address->kind != Expr::Kind::Address)
    return false;
  Value *variable = address->variable;
  Type *type = typeOfVariable(*variable);
  const Expr *&held = graph.variables[variable];
  auto path =
      pathTo(type, address->offset, value->type, function.getDataLayout());
  if (!path) {
    held = unknown(type, "is set in parts between the nodes of a section");
    return true;
  }
  if (!held || held->type != type)
    held = context.expressions.constant(PoisonValue::get(type));
  held = context.expressions.insert(held, value, *path);
  return true;
}

/// Returns false if it is not between variables.
bool Walker::transfer(MemIntrinsic &transfer) {
  const Expr *to = evaluate(transfer.getRawDest());
  if (to->kind != Expr::Kind::Address)
    return false;
  Value *variable = to->variable;
  Type *type = typeOfVariable(*variable);
  auto *size = dyn_cast<ConstantInt>(transfer.getLength());
  bool isWhole =
      to->offset == 0 && size &&
      size->getZExtValue() >=
          function.getDataLayout().getTypeStoreSize(type).getFixedValue();
  if (auto *copy = dyn_cast<MemTransferInst>(&transfer); copy && isWhole)
    return write(to, read(evaluate(copy->getRawSource()), type));
  auto *set = dyn_cast<MemSetInst>(&transfer);
  auto *byte = set ? dyn_cast<ConstantInt>(set->getValue()) : nullptr;
  if (isWhole && byte && byte->isZero())
    return write(to,
                 context.expressions.constant(Constant::getNullValue(type)));
  return write(context.expressions.address(to->type, variable, 0),
               unknown(type, "is set as a whole between the nodes of a "
                             "section"));
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

const Expr *Walker::evaluateLoad(LoadInst &load) {
  if (auto *variable = dyn_cast<AllocaInst>(load.getPointerOperand());
      variable && graph.memory.contains(variable))
    return unknown(load.getType(), "is read from a buffer");
  return read(evaluate(load.getPointerOperand()), load.getType());
}

const Expr *Walker::evaluateAddress(GetElementPtrInst &address) {
  const Expr *base = evaluate(address.getPointerOperand());
  APInt offset(64, 0);
  SmallMapVector<Value *, APInt, 4> indices;
  if (base->kind != Expr::Kind::Address ||
      !cast<GEPOperator>(address).collectOffset(function.getDataLayout(), 64,
                                                indices, offset))
    return nullptr;
  for (const auto &[index, stride] : indices) {
    const Expr *known = evaluate(index);
    auto *number = known->kind == Expr::Kind::Constant
                       ? dyn_cast<ConstantInt>(known->constant)
                       : nullptr;
    if (!number)
      return nullptr;
    offset += number->getValue().sextOrTrunc(64) * stride;
  }
  return context.expressions.address(address.getType(), base->variable,
                                     base->offset + offset.getSExtValue());
}

/// The result of arithmetic on constants; null if unknown.
static Constant *foldConstants(const Instruction &instruction,
                               ArrayRef<const Expr *> operands) {
  SmallVector<Constant *> constants;
  for (const Expr *operand : operands) {
    if (operand->kind != Expr::Kind::Constant)
      return nullptr;
    constants.push_back(operand->constant);
  }
  const DataLayout &layout = instruction.getDataLayout();
  if (auto *compare = dyn_cast<CmpInst>(&instruction))
    return ConstantFoldCompareInstOperands(compare->getPredicate(),
                                           constants[0], constants[1], layout);
  return ConstantFoldInstOperands(const_cast<Instruction *>(&instruction),
                                  constants, layout);
}

const Expr *Walker::evaluate(Value *value) {
  if (auto found = values.find(value); found != values.end())
    return found->second;
  if (auto *constant = dyn_cast<Constant>(value))
    return context.expressions.constant(constant);
  if (auto *load = dyn_cast<LoadInst>(value))
    return evaluateLoad(*load);
  if (auto *variable = dyn_cast<AllocaInst>(value)) {
    auto found = graph.memory.find(variable);
    return found != graph.memory.end()
               ? found->second
               : context.expressions.address(value->getType(), variable, 0);
  }
  if (!spend())
    return unknown(value->getType(), "takes too long to follow");
  if (auto *address = dyn_cast<GetElementPtrInst>(value))
    if (const Expr *known = evaluateAddress(*address))
      return known;
  auto *instruction = dyn_cast<Instruction>(value);
  auto *call = dyn_cast<IntrinsicInst>(value);
  if (!instruction ||
      (!isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst,
            GetElementPtrInst, FreezeInst>(instruction) &&
       !(call && call->doesNotAccessMemory())))
    return unknown(value->getType(), "is computed by more than arithmetic");
  SmallVector<const Expr *> operands;
  for (Value *operand : instruction->operands())
    operands.push_back(evaluate(operand));
  if (isa<SelectInst>(instruction))
    return context.expressions.select(operands[0], operands[1], operands[2]);
  for (const Expr *operand : operands)
    if (const Expr *reason = findUnknown(operand))
      return unknown(value->getType(), reason->reason);
  if (Constant *known = foldConstants(*instruction, operands))
    return context.expressions.constant(known);
  return context.expressions.operation(
      *instruction, operands, numChoices != 0 && instruction->isIntDivRem());
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// True if an operation is harmless where the program does not execute it;
/// divisions by integers are emitted in a harmless form.
static bool isHarmless(const Instruction &instruction) {
  if (instruction.isIntDivRem())
    return instruction.getType()->isIntegerTy();
  return !isa<IntrinsicInst>(instruction) ||
         isSafeToSpeculativelyExecute(&instruction);
}

bool Walker::spend(size_t work) {
  constexpr size_t budget = 100000;
  spent += work;
  return spent <= budget;
}

/// Follows one instruction; false if it has effects beyond computing a value.
bool Walker::compute(Instruction &instruction) {
  if (!spend())
    return false;
  if (isa<AllocaInst, PHINode>(instruction) ||
      instruction.isLifetimeStartOrEnd() ||
      isa<DbgInfoIntrinsic>(instruction) || instruction.isDebugOrPseudoInst() ||
      instruction.isTerminator())
    return true;
  if (auto *written = dyn_cast<StoreInst>(&instruction))
    return write(evaluate(written->getPointerOperand()),
                 evaluate(written->getValueOperand()));
  if (auto *moved = dyn_cast<MemIntrinsic>(&instruction))
    return transfer(*moved);
  if (auto *call = dyn_cast<CallBase>(&instruction);
      call && !call->doesNotAccessMemory()) {
    const Expr *result = evaluateCall(*call);
    if (result)
      values[call] = result;
    return result;
  }
  if (instruction.mayWriteToMemory() ||
      (numChoices != 0 && !isHarmless(instruction)))
    return false;
  values.erase(&instruction);
  values[&instruction] = evaluate(&instruction);
  return true;
}

bool Walker::enter(BasicBlock &block, const BasicBlock *before) {
  // All phis change at once.
  SmallVector<std::pair<PHINode *, const Expr *>> entered;
  for (PHINode &phi : block.phis()) {
    if (phi.getBasicBlockIndex(before) < 0)
      return false;
    entered.push_back({&phi, evaluate(phi.getIncomingValueForBlock(before))});
  }
  for (auto [phi, known] : entered)
    values[phi] = known;
  return true;
}

/// Follows code from the start of a block to the start of `end`, or to the
/// return. Returns the last block, or null if the code has effects beyond
/// computing values.
BasicBlock *Walker::follow(BasicBlock *block, BasicBlock *before,
                           const BasicBlock *end) {
  constexpr unsigned maxBlocks = 50;
  for (unsigned count = 0; block != end; ++count) {
    if (count == maxBlocks)
      return nullptr;
    for (Instruction &instruction : *block)
      if (!compute(instruction))
        return nullptr;
    before = block;
    if (isa<ReturnInst>(block->getTerminator()))
      return end ? nullptr : block;
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch)
      return nullptr;
    block = takeBranch(*branch);
    if (!block)
      return nullptr;
  }
  return before;
}

BasicBlock *Walker::takeBranch(BranchInst &branch) {
  BasicBlock *next = branch.getSuccessor(0);
  if (branch.isConditional()) {
    const Expr *condition = evaluate(branch.getCondition());
    if (condition->kind != Expr::Kind::Constant)
      return choose(branch, condition);
    next = branch.getSuccessor(condition->constant->isZeroValue());
  }
  return enter(*next, branch.getParent()) ? next : nullptr;
}

/// Follows both sides of a branch to where they join; values that differ there
/// depend on the condition. Null if the sides have effects beyond computing
/// values.
BasicBlock *Walker::choose(BranchInst &branch, const Expr *condition) {
  constexpr unsigned maxChoices = 8;
  BasicBlock *start = branch.getParent();
  const PostDominatorTree after(*start->getParent());
  const auto *node = after.getNode(start);
  BasicBlock *join =
      node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  if (!join || findUnknown(condition) || numChoices == maxChoices ||
      !spend((start->getParent()->size() + values.size()) / 8))
    return nullptr;
  ++numChoices;
  const auto valuesBefore = values;
  const Environment variablesBefore = graph.variables;
  Environment variables[2];
  BasicBlock *last[2];
  decltype(values) ends[2];
  for (unsigned way : {0, 1}) {
    values = valuesBefore;
    graph.variables = variablesBefore;
    BasicBlock *next = branch.getSuccessor(way);
    last[way] = enter(*next, start) ? follow(next, start, join) : nullptr;
    variables[way] = graph.variables;
    ends[way] = values;
  }
  --numChoices;
  values = valuesBefore;
  graph.variables = variablesBefore;
  if (!last[0] || !last[1])
    return nullptr;
  auto either = [&](const Expr *one, const Expr *other) {
    return one == other ? one
                        : context.expressions.select(condition, one, other);
  };
  for (PHINode &phi : join->phis())
    values[&phi] = either(ends[0].lookup(&phi), ends[1].lookup(&phi));
  // A variable set on only one side has no value on the other side; but a
  // variable from outside has an unknown one.
  auto alone = [&](const Value &variable, const Expr *known) {
    return region.begin && functionOf(variable) == &function &&
                   !isDeclaredIn(variable, region)
               ? unknown(known->type,
                         "is in neither list of the region around it")
               : known;
  };
  for (auto [variable, one] : variables[0]) {
    const Expr *other = variables[1].lookup(variable);
    graph.variables[variable] =
        !other ? alone(*variable, one)
        : other->type == one->type
            ? either(one, other)
            : unknown(typeOfVariable(*variable), "depends on a choice");
  }
  for (auto [variable, other] : variables[1])
    if (!variables[0].contains(variable))
      graph.variables[variable] = alone(*variable, other);
  return join;
}

const Expr *Walker::evaluateCall(CallBase &call) {
  constexpr unsigned maxCalls = 8;
  Function *callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration() || callee->isVarArg() ||
      callee->isInterposable() || is_contained(followed, callee) ||
      followed.size() > maxCalls || !spend(values.size() / 8))
    return nullptr;
  auto valuesBefore = values;
  Environment variablesBefore = graph.variables;
  for (auto [parameter, argument] : zip(callee->args(), call.args())) {
    const Expr *given = evaluate(argument);
    values[&parameter] = given;
    if (!parameter.hasByValAttr())
      continue;
    // The callee's own copy.
    values[&parameter] =
        context.expressions.address(parameter.getType(), &parameter, 0);
    write(values[&parameter], read(given, parameter.getParamByValType()));
  }
  followed.push_back(callee);
  const BasicBlock *last =
      follow(&callee->getEntryBlock(), /*before=*/nullptr, /*end=*/nullptr);
  followed.pop_back();
  const Expr *result = nullptr;
  if (last) {
    Value *returned = cast<ReturnInst>(last->getTerminator())->getReturnValue();
    result = returned ? evaluate(returned) : unknown(call.getType(), "");
  }
  values = std::move(valuesBefore);
  if (!result) {
    graph.variables = std::move(variablesBefore);
    return nullptr;
  }
  graph.variables.remove_if(
      [&](const auto &entry) { return functionOf(*entry.first) == callee; });
  return result;
}
