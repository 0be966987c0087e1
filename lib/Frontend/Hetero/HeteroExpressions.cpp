//===- HeteroExpressions.cpp - Expressions of a graph's inputs ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes and simplifies expressions, and emits them as code.
//
//===----------------------------------------------------------------------===//

#include "HeteroWalk.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

const Expr *Expressions::add(Expr expr) {
  storage.push_back(std::move(expr));
  Expr &added = storage.back();
  bool isUnknown =
      is_contained({Expr::Kind::Unknown, Expr::Kind::Address}, added.kind);
  added.firstUnknown = isUnknown ? &added : nullptr;
  added.firstOutput = added.kind == Expr::Kind::Output ? &added : nullptr;
  for (const Expr *operand : added.operands) {
    if (!added.firstUnknown)
      added.firstUnknown = operand->firstUnknown;
    if (!added.firstOutput)
      added.firstOutput = operand->firstOutput;
  }
  return &added;
}

const Expr *sluice::hetero::findUnknown(const Expr *expr) {
  return expr->firstUnknown;
}

const Expr *sluice::hetero::findOutput(const Expr *expr) {
  return expr->firstOutput;
}

const Expr *sluice::hetero::baseOf(const Expr *pointer) {
  while (pointer->kind == Expr::Kind::Operation &&
         isa<GetElementPtrInst>(pointer->operation))
    pointer = pointer->operands.front();
  return pointer->kind == Expr::Kind::Input && pointer->type->isPointerTy()
             ? pointer
             : nullptr;
}

namespace {
/// Emits an expression, each part of it once.
class ExprEmitter {
public:
  ExprEmitter(IRBuilder<> &builder, ArrayRef<Value *> inputs)
      : builder(builder), inputs(inputs) {}

  Value *get(const Expr *expr) {
    if (Value *known = written.lookup(expr))
      return known;
    Value *value = write(*expr);
    written[expr] = value;
    return value;
  }

private:
  Value *write(const Expr &expr);
  Value *harmlessDivisor(Value *dividend, Value *divisor, bool isSigned);

  IRBuilder<> &builder;
  ArrayRef<Value *> inputs;
  DenseMap<const Expr *, Value *> written;
};
} // namespace

/// The divisor, or 1 if the division would trap.
Value *ExprEmitter::harmlessDivisor(Value *dividend, Value *divisor,
                                    bool isSigned) {
  auto *type = cast<IntegerType>(divisor->getType());
  Value *traps = builder.CreateICmpEQ(divisor, ConstantInt::get(type, 0));
  if (isSigned) {
    auto *least =
        ConstantInt::get(type, APInt::getSignedMinValue(type->getBitWidth()));
    Value *overflows = builder.CreateAnd(
        builder.CreateICmpEQ(divisor, ConstantInt::getAllOnesValue(type)),
        builder.CreateICmpEQ(dividend, least));
    traps = builder.CreateOr(traps, overflows);
  }
  return builder.CreateSelect(traps, ConstantInt::get(type, 1), divisor);
}

Value *ExprEmitter::write(const Expr &expr) {
  auto operand = [&](unsigned index) { return get(expr.operands[index]); };
  switch (expr.kind) {
  case Expr::Kind::Input:
    return inputs[expr.index];
  case Expr::Kind::Constant:
    return expr.constant;
  case Expr::Kind::Cast:
    return builder.CreateIntCast(operand(0), expr.type, expr.isSigned);
  case Expr::Kind::Operation: {
    Instruction *copy = expr.operation->clone();
    for (unsigned index = 0; index != expr.operands.size(); ++index)
      copy->setOperand(index, operand(index));
    if (expr.isConditional)
      copy->setOperand(
          1, harmlessDivisor(copy->getOperand(0), copy->getOperand(1),
                             copy->getOpcode() == Instruction::SDiv ||
                                 copy->getOpcode() == Instruction::SRem));
    copy->setDebugLoc(DebugLoc());
    copy->dropUnknownNonDebugMetadata();
    return builder.Insert(copy);
  }
  case Expr::Kind::Member:
    return builder.CreateExtractValue(operand(0), expr.path);
  case Expr::Kind::Insert: {
    Value *whole = operand(0);
    return builder.CreateInsertValue(whole, operand(1), expr.path);
  }
  case Expr::Kind::Select: {
    Value *condition = operand(0), *one = operand(1);
    return builder.CreateSelect(condition, one, operand(2));
  }
  case Expr::Kind::Output:
  case Expr::Kind::Unknown:
  case Expr::Kind::Address:
    break;
  }
  return PoisonValue::get(expr.type);
}

Value *sluice::hetero::emit(const Expr *expr, IRBuilder<> &builder,
                            ArrayRef<Value *> inputs) {
  return ExprEmitter(builder, inputs).get(expr);
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
  std::pair key(whole, path.vec());
  if (auto found = members.find(key); found != members.end())
    return found->second;
  const Expr *result = findMember(whole, path);
  members.emplace(std::move(key), result);
  return result;
}

const Expr *Expressions::findMember(const Expr *whole,
                                    ArrayRef<unsigned> path) {
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
