//===- HeteroValues.cpp - What code between nodes computes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are expressions of the graph's inputs. Of structures each member is
// known by itself; references and pointers to variables are addresses, which
// are followed; so are calls of functions that do nothing but compute, such as
// `std::min` and members like `size()`.
//
//===----------------------------------------------------------------------===//

#include "HeteroWalk.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

const Expr *sluice::hetero::findUnknown(const Expr *expr) {
  if (expr->kind == Expr::Kind::Unknown || expr->kind == Expr::Kind::Address)
    return expr;
  for (const Expr *operand : expr->operands)
    if (const Expr *unknown = findUnknown(operand))
      return unknown;
  return nullptr;
}

const Expr *sluice::hetero::findOutput(const Expr *expr) {
  if (expr->kind == Expr::Kind::Output)
    return expr;
  for (const Expr *operand : expr->operands)
    if (const Expr *output = findOutput(operand))
      return output;
  return nullptr;
}

const Expr *sluice::hetero::baseOf(const Expr *pointer) {
  while (pointer->kind == Expr::Kind::Operation &&
         isa<GetElementPtrInst>(pointer->operation))
    pointer = pointer->operands.front();
  return pointer->kind == Expr::Kind::Input && pointer->type->isPointerTy()
             ? pointer
             : nullptr;
}

Value *sluice::hetero::emit(const Expr *expr, IRBuilder<> &builder,
                            ArrayRef<Value *> inputs) {
  switch (expr->kind) {
  case Expr::Kind::Input:
    return inputs[expr->index];
  case Expr::Kind::Constant:
    return expr->constant;
  case Expr::Kind::Cast:
    return builder.CreateIntCast(emit(expr->operands[0], builder, inputs),
                                 expr->type, expr->isSigned);
  case Expr::Kind::Operation: {
    Instruction *copy = expr->operation->clone();
    for (auto [index, operand] : enumerate(expr->operands))
      copy->setOperand(index, emit(operand, builder, inputs));
    copy->setDebugLoc(DebugLoc());
    copy->dropUnknownNonDebugMetadata();
    return builder.Insert(copy);
  }
  case Expr::Kind::Member:
    return builder.CreateExtractValue(emit(expr->operands[0], builder, inputs),
                                      expr->path);
  case Expr::Kind::Insert:
    return builder.CreateInsertValue(emit(expr->operands[0], builder, inputs),
                                     emit(expr->operands[1], builder, inputs),
                                     expr->path);
  case Expr::Kind::Select:
    return builder.CreateSelect(emit(expr->operands[0], builder, inputs),
                                emit(expr->operands[1], builder, inputs),
                                emit(expr->operands[2], builder, inputs));
  case Expr::Kind::Output:
  case Expr::Kind::Unknown:
  case Expr::Kind::Address:
    break;
  }
  return PoisonValue::get(expr->type);
}

static bool isPrefix(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
  return a.size() <= b.size() && a == b.take_front(a.size());
}

static Type *typeAt(Type *whole, ArrayRef<unsigned> path) {
  return ExtractValueInst::getIndexedType(whole, path);
}

const Expr *Expressions::member(const Expr *whole, ArrayRef<unsigned> path) {
  if (path.empty())
    return whole;
  switch (whole->kind) {
  case Expr::Kind::Insert:
    if (isPrefix(whole->path, path))
      return member(whole->operands[1], path.drop_front(whole->path.size()));
    if (isPrefix(path, whole->path))
      return insert(member(whole->operands[0], path), whole->operands[1],
                    ArrayRef(whole->path).drop_front(path.size()));
    return member(whole->operands[0], path);
  case Expr::Kind::Member: {
    SmallVector<unsigned, 4> longer(ArrayRef<unsigned>(whole->path));
    append_range(longer, path);
    return member(whole->operands[0], longer);
  }
  case Expr::Kind::Select:
    return select(whole->operands[0], member(whole->operands[1], path),
                  member(whole->operands[2], path));
  case Expr::Kind::Constant: {
    Constant *part = whole->constant;
    for (unsigned index : path)
      part = part ? part->getAggregateElement(index) : nullptr;
    if (part && !isa<PoisonValue>(part))
      return constant(part);
    return unknown(typeAt(whole->type, path), "has no value");
  }
  case Expr::Kind::Unknown:
    return unknown(typeAt(whole->type, path), whole->reason);
  default:
    break;
  }
  return add({.kind = Expr::Kind::Member,
              .type = typeAt(whole->type, path),
              .operands = {whole},
              .path = SmallVector<unsigned, 2>(path)});
}

const Expr *Expressions::insert(const Expr *whole, const Expr *value,
                                ArrayRef<unsigned> path) {
  if (path.empty())
    return value;
  return add({.kind = Expr::Kind::Insert,
              .type = whole->type,
              .operands = {whole, value},
              .path = SmallVector<unsigned, 2>(path)});
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Where in a value of type `whole` one of type `part` starts at a byte.
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

/// What stands at the address of something constant; null if that is not known.
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

/// What stands at an address; unknown, with the reason, if that is not known.
const Expr *Walker::read(const Expr *address, Type *type) {
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
  auto *variable = cast<AllocaInst>(address->variable);
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

/// False if that is no variable.
bool Walker::write(const Expr *address, const Expr *value) {
  if (address->kind != Expr::Kind::Address)
    return false;
  auto *variable = cast<AllocaInst>(address->variable);
  Type *type = variable->getAllocatedType();
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

/// False if it is not between variables.
bool Walker::transfer(MemIntrinsic &transfer) {
  const Expr *to = evaluate(transfer.getRawDest());
  if (to->kind != Expr::Kind::Address)
    return false;
  auto *variable = cast<AllocaInst>(to->variable);
  Type *type = variable->getAllocatedType();
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

/// The result of arithmetic on constants; null if it is not known.
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
  return context.expressions.operation(*instruction, operands);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Follows one instruction; false if it does more than compute.
bool Walker::compute(Instruction &instruction, const BasicBlock *before) {
  if (isa<AllocaInst>(instruction) || instruction.isLifetimeStartOrEnd() ||
      isa<DbgInfoIntrinsic>(instruction) || instruction.isDebugOrPseudoInst() ||
      instruction.isTerminator())
    return true;
  if (auto *phi = dyn_cast<PHINode>(&instruction)) {
    if (values.contains(phi)) // of a choice
      return true;
    if (!before || phi->getBasicBlockIndex(before) < 0)
      return false;
    values[phi] = evaluate(phi->getIncomingValueForBlock(before));
    return true;
  }
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
  if (instruction.mayWriteToMemory())
    return false;
  values.erase(&instruction);
  values[&instruction] = evaluate(&instruction);
  return true;
}

/// Follows code from the start of a block to the start of `end`, or to the
/// return; the last block, or null if the code does more than compute.
BasicBlock *Walker::follow(BasicBlock *block, BasicBlock *before,
                           const BasicBlock *end) {
  constexpr unsigned maxBlocks = 50;
  for (unsigned count = 0; block != end; ++count) {
    if (count == maxBlocks)
      return nullptr;
    for (Instruction &instruction : *block)
      if (!compute(instruction, before))
        return nullptr;
    before = block;
    if (isa<ReturnInst>(block->getTerminator()))
      return end ? nullptr : block;
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch)
      return nullptr;
    block = branch->isConditional() ? choose(*branch) : branch->getSuccessor(0);
    if (!block)
      return nullptr;
  }
  return before;
}

/// Follows both ways of a branch to where they meet again; what differs there
/// depends on the condition. Null if they do more than compute.
BasicBlock *Walker::choose(BranchInst &branch) {
  constexpr unsigned maxChoices = 8;
  const Expr *condition = evaluate(branch.getCondition());
  if (condition->kind == Expr::Kind::Constant)
    return branch.getSuccessor(condition->constant->isZeroValue());
  BasicBlock *start = branch.getParent();
  const PostDominatorTree after(*start->getParent());
  const auto *node = after.getNode(start);
  BasicBlock *join =
      node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  if (!join || findUnknown(condition) || numChoices == maxChoices)
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
    last[way] = follow(branch.getSuccessor(way), start, join);
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
  for (PHINode &phi : join->phis()) {
    const Expr *held[2];
    for (unsigned way : {0, 1}) {
      Value *incoming = phi.getIncomingValueForBlock(last[way]);
      const Expr *known = ends[way].lookup(incoming);
      held[way] = known ? known : evaluate(incoming);
    }
    values[&phi] = either(held[0], held[1]);
  }
  for (auto [variable, one] : variables[0]) {
    const Expr *other = variables[1].lookup(variable);
    graph.variables[variable] =
        other && other->type == one->type ? either(one, other) : one;
  }
  for (auto [variable, other] : variables[1])
    if (!variables[0].contains(variable))
      graph.variables[variable] = other;
  return join;
}

const Expr *Walker::evaluateCall(CallBase &call) {
  constexpr unsigned maxCalls = 8;
  Function *callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration() || callee->isVarArg() ||
      is_contained(followed, callee) || followed.size() > maxCalls)
    return nullptr;
  auto valuesBefore = values;
  Environment variablesBefore = graph.variables;
  for (auto [parameter, argument] : zip(callee->args(), call.args()))
    values[&parameter] = evaluate(argument);
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
  graph.variables.remove_if([&](const auto &entry) {
    return cast<AllocaInst>(entry.first)->getFunction() == callee;
  });
  return result;
}
