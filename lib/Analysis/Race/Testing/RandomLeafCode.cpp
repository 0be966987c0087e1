//===- RandomLeafCode.cpp - Random leaves as LLVM IR ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written in the form that clang emits before any optimisation.
//
//===----------------------------------------------------------------------===//

#include "RandomLeaf.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/NoFolder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace sluice::races;
using Kind = Expression::Kind;

/// The arguments after the scalars: the table, and the locks.
static constexpr unsigned firstTable = 2 + numScalars;

namespace {
class LeafBuilder {
public:
  LeafBuilder(Function &leaf, const RandomNode &node)
      : leaf(leaf), node(node), module(*leaf.getParent()),
        builder(leaf.getContext()) {}

  void build();

private:
  using Statements = std::vector<Statement>;

  Type *type(IntType type) { return builder.getIntNTy(type.bits); }
  Value *call(const Twine &name, Type *result, ArrayRef<Value *> arguments);
  Value *handle(unsigned level);
  Value *value(const Expression &expression);
  Value *converted(const Expression &expression, IntType to);
  Value *binary(const Expression &expression);
  Value *truth(const Expression &expression);
  Value *merge(Value *first, BasicBlock *firstBlock, Value *second,
               BasicBlock *secondBlock);
  Value *choice(const Expression &expression);
  Value *pointer(const Statement &statement);
  void add(const Statements &body);
  void add(const Statement &statement);
  void addAccess(const Statement &statement);
  void addLoop(const Statement &statement);
  void addLocked(const Statement &statement);
  BasicBlock *block() {
    return BasicBlock::Create(leaf.getContext(), "", &leaf);
  }
  void go(BasicBlock *to) {
    builder.CreateBr(to);
    builder.SetInsertPoint(to);
  }

  Function &leaf;
  const RandomNode &node;
  Module &module;
  IRBuilder<NoFolder> builder;
  std::vector<AllocaInst *> counters;
};
} // namespace

Value *LeafBuilder::call(const Twine &name, Type *result,
                         ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  return builder.CreateCall(
      module.getOrInsertFunction(("llvm.hpvm." + name).str(),
                                 FunctionType::get(result, types, false)),
      arguments);
}

Value *LeafBuilder::handle(unsigned level) {
  Value *result = call("getNode", builder.getPtrTy(), {});
  if (level + 1 != node.levels.size())
    result = call("getParentNode", builder.getPtrTy(), {result});
  return result;
}

Value *LeafBuilder::converted(const Expression &expression, IntType to) {
  return builder.CreateIntCast(value(expression), type(to),
                               expression.type.isSigned);
}

static IntType operandType(const Expression &expression) {
  auto promote = [](IntType type) {
    return type.bits < 32 ? IntType{32, true} : type;
  };
  IntType a = promote(expression.operands[0]->type);
  IntType b = promote(expression.operands[1]->type);
  if (a.bits != b.bits)
    return a.bits > b.bits ? a : b;
  return {a.bits, a.isSigned && b.isSigned};
}

Value *LeafBuilder::binary(const Expression &expression) {
  const std::string &op = expression.op;
  IntType result = expression.type;
  Value *a = converted(*expression.operands[0], result);
  if (op == "<<" || op == ">>") {
    Value *amount = converted(*expression.operands[1], result);
    return op == "<<"        ? builder.CreateShl(a, amount)
           : result.isSigned ? builder.CreateAShr(a, amount)
                             : builder.CreateLShr(a, amount);
  }
  Value *b = converted(*expression.operands[1], result);
  bool isSigned = result.isSigned;
  switch (op[0]) {
  case '+':
    return builder.CreateAdd(a, b, "", false, isSigned);
  case '-':
    return builder.CreateSub(a, b, "", false, isSigned);
  case '*':
    return builder.CreateMul(a, b, "", false, isSigned);
  case '/':
    return isSigned ? builder.CreateSDiv(a, b) : builder.CreateUDiv(a, b);
  case '%':
    return isSigned ? builder.CreateSRem(a, b) : builder.CreateURem(a, b);
  case '&':
    return builder.CreateAnd(a, b);
  case '|':
    return builder.CreateOr(a, b);
  default:
    return builder.CreateXor(a, b);
  }
}

Value *LeafBuilder::merge(Value *first, BasicBlock *firstBlock, Value *second,
                          BasicBlock *secondBlock) {
  PHINode *phi = builder.CreatePHI(first->getType(), 2);
  phi->addIncoming(first, firstBlock);
  phi->addIncoming(second, secondBlock);
  return phi;
}

static bool isTruth(const Expression &expression) {
  return expression.kind == Kind::Binary &&
         (expression.op == "<" || expression.op == "<=" ||
          expression.op == "==" || expression.op == "!=" ||
          expression.op == "&&" || expression.op == "||");
}

Value *LeafBuilder::truth(const Expression &expression) {
  if (!isTruth(expression))
    return builder.CreateICmpNE(value(expression),
                                ConstantInt::get(type(expression.type), 0));
  const Expression &left = *expression.operands[0];
  const Expression &right = *expression.operands[1];
  if (expression.op == "&&" || expression.op == "||") {
    bool isAnd = expression.op == "&&";
    Value *first = truth(left);
    BasicBlock *before = builder.GetInsertBlock(), *more = block(),
               *after = block();
    builder.CreateCondBr(first, isAnd ? more : after, isAnd ? after : more);
    builder.SetInsertPoint(more);
    Value *second = truth(right);
    BasicBlock *end = builder.GetInsertBlock();
    go(after);
    return merge(builder.getInt1(!isAnd), before, second, end);
  }
  IntType common = operandType(expression);
  Value *a = converted(left, common), *b = converted(right, common);
  return expression.op == "=="   ? builder.CreateICmpEQ(a, b)
         : expression.op == "!=" ? builder.CreateICmpNE(a, b)
         : expression.op == "<"
             ? (common.isSigned ? builder.CreateICmpSLT(a, b)
                                : builder.CreateICmpULT(a, b))
             : (common.isSigned ? builder.CreateICmpSLE(a, b)
                                : builder.CreateICmpULE(a, b));
}

Value *LeafBuilder::choice(const Expression &expression) {
  Value *condition = truth(*expression.operands[0]);
  BasicBlock *yes = block(), *no = block(), *after = block();
  builder.CreateCondBr(condition, yes, no);
  builder.SetInsertPoint(yes);
  Value *first = converted(*expression.operands[1], expression.type);
  BasicBlock *firstEnd = builder.GetInsertBlock();
  builder.CreateBr(after);
  builder.SetInsertPoint(no);
  Value *second = converted(*expression.operands[2], expression.type);
  BasicBlock *secondEnd = builder.GetInsertBlock();
  go(after);
  return merge(first, firstEnd, second, secondEnd);
}

Value *LeafBuilder::value(const Expression &expression) {
  Type *result = type(expression.type);
  unsigned level = expression.index / 4, dimension = expression.index % 4;
  std::string suffix(1, "xyz"[dimension % 3]);
  switch (expression.kind) {
  case Kind::Constant:
    return ConstantInt::getSigned(result, expression.value);
  case Kind::Id:
    return call("getNodeInstanceID." + suffix, result, {handle(level)});
  case Kind::Extent:
    return call("getNumNodeInstances." + suffix, result, {handle(level)});
  case Kind::Argument:
    return leaf.getArg(2 + expression.index);
  case Kind::Counter:
    return builder.CreateLoad(result, counters[expression.index]);
  case Kind::Binary:
    if (isTruth(expression))
      return builder.CreateZExt(truth(expression), result);
    return binary(expression);
  case Kind::Cast:
    return converted(*expression.operands[0], expression.type);
  case Kind::Choice:
    return choice(expression);
  case Kind::Bits: {
    Value *operand = value(*expression.operands[0]);
    return builder.CreateIntCast(
        builder.CreateUnaryIntrinsic(Intrinsic::ctpop, operand), result, false);
  }
  case Kind::Loaded: {
    Value *index = builder.CreateAnd(
        converted(*expression.operands[0], {64, true}), builder.getInt64(63));
    return builder.CreateLoad(
        result,
        builder.CreateInBoundsGEP(result, leaf.getArg(firstTable), index));
  }
  }
  llvm_unreachable("unknown kind of expression");
}

Value *LeafBuilder::pointer(const Statement &statement) {
  Value *index = converted(*statement.first, {64, true});
  return builder.CreateInBoundsGEP(
      builder.getIntNTy(8 * statement.elementBytes),
      leaf.getArg(statement.array), index);
}

void LeafBuilder::addAccess(const Statement &statement) {
  Value *address = pointer(statement);
  if (statement.kind == Statement::Kind::Fill) {
    Value *length = converted(*statement.second, {64, true});
    builder.CreateMemSet(address, builder.getInt8(0), length, MaybeAlign());
    return;
  }
  Type *width = builder.getIntNTy(8 * statement.bytes);
  Align align(1);
  if (statement.isAtomic)
    builder.CreateAtomicRMW(AtomicRMWInst::Add, address,
                            ConstantInt::get(width, 1), Align(statement.bytes),
                            AtomicOrdering::Monotonic);
  else if (statement.isWrite)
    builder.CreateAlignedStore(
        statement.isUpdate ? builder.CreateAdd(builder.CreateAlignedLoad(
                                                   width, address, align),
                                               ConstantInt::get(width, 1))
                           : ConstantInt::get(width, 1),
        address, align);
  else
    // Unused values would be removed otherwise.
    builder.CreateAlignedLoad(width, address, align, /*isVolatile=*/true);
}

/// Computes the number once for each call, as C programs do.
void LeafBuilder::addLocked(const Statement &statement) {
  auto callWithLock = [&](StringRef name) {
    Value *index = converted(*statement.first, {64, true});
    Value *lock =
        builder.CreateInBoundsGEP(ArrayType::get(builder.getInt8Ty(), 40),
                                  leaf.getArg(firstTable + 1), index);
    builder.CreateCall(module.getOrInsertFunction(name, builder.getInt32Ty(),
                                                  builder.getPtrTy()),
                       {lock});
  };
  callWithLock("pthread_mutex_lock");
  add(statement.body);
  callWithLock("pthread_mutex_unlock");
}

void LeafBuilder::addLoop(const Statement &statement) {
  Type *counterType = type(statement.type);
  BasicBlock &entry = leaf.getEntryBlock();
  AllocaInst *counter =
      new AllocaInst(counterType, 0, "", entry.getFirstInsertionPt());
  counters.resize(statement.counter);
  builder.CreateStore(converted(*statement.first, statement.type), counter);
  counters.push_back(counter);
  BasicBlock *head = block(), *body = block(), *after = block();
  go(head);
  Expression current;
  current.kind = Kind::Counter;
  current.type = statement.type;
  current.index = statement.counter;
  Expression comparison;
  comparison.kind = Kind::Binary;
  comparison.op = "<";
  comparison.operands = {std::make_shared<Expression>(current),
                         statement.second};
  if (statement.step < 0)
    std::swap(comparison.operands[0], comparison.operands[1]);
  builder.CreateCondBr(truth(comparison), body, after);
  builder.SetInsertPoint(body);
  add(statement.body);
  Value *now = builder.CreateLoad(counterType, counter);
  builder.CreateStore(
      builder.CreateAdd(now,
                        ConstantInt::getSigned(counterType, statement.step), "",
                        false, statement.type.isSigned),
      counter);
  builder.CreateBr(head);
  builder.SetInsertPoint(after);
  counters.pop_back();
}

void LeafBuilder::add(const Statement &statement) {
  if (statement.kind == Statement::Kind::Loop)
    return addLoop(statement);
  if (statement.kind == Statement::Kind::Locked)
    return addLocked(statement);
  if (statement.kind == Statement::Kind::Barrier) {
    call("barrier", builder.getVoidTy(), {});
    return;
  }
  if (statement.kind == Statement::Kind::Assume) {
    builder.CreateAssumption(truth(*statement.first));
    return;
  }
  if (statement.kind != Statement::Kind::If)
    return addAccess(statement);
  Value *condition = truth(*statement.first);
  BasicBlock *yes = block(), *no = block(), *after = block();
  builder.CreateCondBr(condition, yes, no);
  builder.SetInsertPoint(yes);
  add(statement.body);
  builder.CreateBr(after);
  builder.SetInsertPoint(no);
  add(statement.otherwise);
  go(after);
}

void LeafBuilder::add(const Statements &body) {
  for (const Statement &statement : body)
    add(statement);
}

void LeafBuilder::build() {
  BasicBlock *entry = block(), *start = block();
  builder.SetInsertPoint(entry);
  go(start);
  add(node.body);
  builder.CreateRetVoid();
}

std::unique_ptr<Module> RandomProgram::code(LLVMContext &context) const {
  auto module = std::make_unique<Module>("random", context);
  module->setDataLayout("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128"
                        "-f80:128-n8:16:32:64-S128");
  Type *i64 = Type::getInt64Ty(context), *i32 = Type::getInt32Ty(context);
  Type *pointer = PointerType::getUnqual(context);
  auto *type = FunctionType::get(
      Type::getVoidTy(context),
      {pointer, pointer, i64, i64, i32, i32, i64, pointer, pointer}, false);
  for (auto [number, node] : enumerate(nodes)) {
    Function *leaf = Function::Create(type, Function::ExternalLinkage,
                                      "leaf" + Twine(number), *module);
    LeafBuilder(*leaf, node).build();
    if (verifyFunction(*leaf, &errs()))
      report_fatal_error("random leaf is not well-formed");
  }
  return module;
}
