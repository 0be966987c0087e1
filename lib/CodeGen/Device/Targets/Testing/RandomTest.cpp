//===- RandomTest.cpp - Random kernels on OpenCL and the host -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with random arithmetic on integers and reals, branches, loops, local
// memory and barriers compute the same on both. SLUICE_TEST_SEED selects other
// kernels.
//
//===----------------------------------------------------------------------===//

#include "AllRounds.h"
#include "DeviceTest.h"
#include "llvm/IR/IRBuilder.h"

#include <cstdlib>
#include <random>

using namespace llvm;
using namespace sluice;
using namespace sluice::testing;

namespace {

constexpr unsigned itemsPerGroup = 8, groups = 2, wordsPerItem = 4;

/// Builds the kernel "k" of one seed.
class RandomKernel {
public:
  RandomKernel(Module &module, uint64_t seed)
      : module(module), b(module.getContext()), random(seed) {}

  void build() {
    LLVMContext &context = module.getContext();
    auto *type = FunctionType::get(
        b.getVoidTy(),
        {PointerType::get(context, 1), PointerType::get(context, 3)}, false);
    kernel = Function::Create(type, Function::ExternalLinkage, "k", module);
    kernel->addFnAttr("sluice-kernel");
    b.SetInsertPoint(BasicBlock::Create(context, "", kernel));
    readInputs();
    for (unsigned i = 0, n = 2 + pick(4); i < n; ++i)
      addStatement();
    writeOutputs();
    b.CreateRetVoid();
  }

private:
  unsigned pick(unsigned n) { return unsigned(random() % n); }

  Value *call(const char *name, unsigned dimension = 0) {
    return b.CreateCall(module.getFunction(name), b.getInt32(dimension));
  }

  Value *word(Value *base, Value *index) {
    return b.CreateGEP(b.getInt64Ty(), base, index);
  }

  void readInputs() {
    item = call("sluice.device.item");
    Value *all =
        b.CreateMul(call("sluice.device.group"), call("sluice.device.items"));
    first = b.CreateMul(b.CreateAdd(all, item), b.getInt64(wordsPerItem));
    for (unsigned i = 0; i < wordsPerItem; ++i)
      integers.push_back(b.CreateLoad(
          b.getInt64Ty(),
          word(kernel->getArg(0), b.CreateAdd(first, b.getInt64(i)))));
    integers.push_back(item);
    for (unsigned i = 0; i < 2; ++i)
      doubles.push_back(b.CreateSIToFP(
          b.CreateAShr(integers[i], b.getInt64(40)), b.getDoubleTy()));
    floats.push_back(b.CreateFPTrunc(doubles[0], b.getFloatTy()));
  }

  void writeOutputs() {
    Value *parts[wordsPerItem] = {
        integer(), integer(), bitsOf(real()),
        b.CreateZExt(bitsOf(single()), b.getInt64Ty())};
    for (unsigned i = 0; i < wordsPerItem; ++i)
      b.CreateStore(parts[i],
                    word(kernel->getArg(0), b.CreateAdd(first, b.getInt64(i))));
  }

  /// NaNs have many bit patterns: all of them count as zero.
  Value *bitsOf(Value *x) {
    Value *clean = b.CreateSelect(b.CreateFCmpUNO(x, x),
                                  Constant::getNullValue(x->getType()), x);
    return b.CreateBitCast(clean,
                           b.getIntNTy(x->getType()->getPrimitiveSizeInBits()));
  }

  Value *integer() { return integers[pick(unsigned(integers.size()))]; }
  Value *real() { return doubles[pick(unsigned(doubles.size()))]; }
  Value *single() { return floats[pick(unsigned(floats.size()))]; }

  void addStatement() {
    for (unsigned i = 0, n = 3 + pick(8); i < n; ++i)
      addValue();
    switch (pick(4)) {
    case 0:
      return addExchange();
    case 1:
      return addLoop();
    default:
      return addBranch();
    }
  }

  void addValue() {
    switch (pick(6)) {
    case 0:
      doubles.push_back(arithmetic(real(), real()));
      break;
    case 1:
      floats.push_back(arithmetic(single(), single()));
      break;
    case 2:
      doubles.push_back(b.CreateSIToFP(b.CreateTrunc(integer(), b.getInt16Ty()),
                                       b.getDoubleTy()));
      break;
    default:
      integers.push_back(addInteger());
    }
  }

  Value *arithmetic(Value *x, Value *y) {
    switch (pick(7)) {
    case 0:
      return b.CreateFAdd(x, y);
    case 1:
      return b.CreateFSub(x, y);
    case 2:
      return b.CreateFMul(x, y);
    case 3:
      return b.CreateFDiv(x, y);
    case 4:
      return b.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, x});
    case 5:
      return b.CreateFAdd(b.CreateFMul(x, y), x);
    default:
      return b.CreateUnaryIntrinsic(Intrinsic::sqrt,
                                    b.CreateUnaryIntrinsic(Intrinsic::fabs, x));
    }
  }

  Value *addInteger() {
    static const unsigned widths[] = {64, 32, 16, 8, 1, 5, 24, 33};
    Type *type = b.getIntNTy(widths[pick(std::size(widths))]);
    Value *x = b.CreateTrunc(integer(), type),
          *y = b.CreateTrunc(integer(), type);
    Value *value = operation(x, y);
    return pick(2) ? b.CreateSExt(value, b.getInt64Ty())
                   : b.CreateZExt(value, b.getInt64Ty());
  }

  Value *operation(Value *x, Value *y) {
    static const Intrinsic::ID binary[] = {
        Intrinsic::smin,     Intrinsic::smax,     Intrinsic::umin,
        Intrinsic::umax,     Intrinsic::sadd_sat, Intrinsic::uadd_sat,
        Intrinsic::ssub_sat, Intrinsic::usub_sat};
    Type *type = x->getType();
    Value *one = ConstantInt::get(type, 1);
    switch (pick(12)) {
    case 0:
      return b.CreateAdd(x, y);
    case 1:
      return b.CreateSub(x, y);
    case 2:
      return b.CreateMul(x, y);
    case 3:
      return b.CreateXor(x, y);
    case 4:
      return b.CreateUDiv(x, b.CreateOr(y, one));
    case 5:
      return b.CreateURem(x, b.CreateOr(y, one));
    case 6:
      return b.CreateAShr(x,
                          b.CreateURem(y, ConstantInt::get(type, width(type))));
    case 7:
      return b.CreateSelect(b.CreateICmpSLT(x, y), x, y);
    case 8:
      return b.CreateIntrinsic(Intrinsic::fshl, {type}, {x, y, x});
    case 9:
      return b.CreateUnaryIntrinsic(Intrinsic::ctpop, x);
    default:
      return b.CreateBinaryIntrinsic(binary[pick(std::size(binary))], x, y);
    }
  }

  /// A bound for shifts, as a number of the type.
  static uint64_t width(Type *type) { return type->getIntegerBitWidth(); }

  /// Passes a value through local memory to another item.
  void addExchange() {
    Value *local = kernel->getArg(1);
    Function *barrier = module.getFunction("sluice.device.barrier");
    b.CreateStore(integer(), word(local, item));
    b.CreateCall(barrier);
    Value *other = b.CreateURem(b.CreateAdd(item, b.getInt64(1 + pick(7))),
                                b.getInt64(itemsPerGroup));
    integers.push_back(b.CreateLoad(b.getInt64Ty(), word(local, other)));
    b.CreateCall(barrier);
  }

  /// A loop of up to 15 rounds; the item determines the number.
  void addLoop() {
    LLVMContext &context = module.getContext();
    Value *count = b.CreateAnd(integer(), b.getInt64(15));
    Value *startInteger = integer(), *startReal = real();
    BasicBlock *before = b.GetInsertBlock();
    BasicBlock *body = BasicBlock::Create(context, "body", kernel);
    BasicBlock *exit = BasicBlock::Create(context, "exit", kernel);
    b.CreateBr(body);
    b.SetInsertPoint(body);
    PHINode *i = b.CreatePHI(b.getInt64Ty(), 2);
    PHINode *x = b.CreatePHI(b.getInt64Ty(), 2);
    PHINode *y = b.CreatePHI(b.getDoubleTy(), 2);
    size_t numIntegers = integers.size(), numDoubles = doubles.size();
    integers.push_back(x);
    integers.push_back(i);
    doubles.push_back(y);
    Value *nextX = b.CreateXor(addInteger(), x);
    Value *nextY = arithmetic(y, real());
    Value *next = b.CreateAdd(i, b.getInt64(1));
    b.CreateCondBr(b.CreateICmpULT(next, count), body, exit);
    BasicBlock *end = b.GetInsertBlock();
    i->addIncoming(b.getInt64(0), before);
    i->addIncoming(next, end);
    x->addIncoming(startInteger, before);
    x->addIncoming(nextX, end);
    y->addIncoming(startReal, before);
    y->addIncoming(nextY, end);
    integers.resize(numIntegers);
    doubles.resize(numDoubles);
    b.SetInsertPoint(exit);
    integers.push_back(nextX);
    doubles.push_back(nextY);
  }

  void addBranch() {
    LLVMContext &context = module.getContext();
    BasicBlock *sides[] = {BasicBlock::Create(context, "then", kernel),
                           BasicBlock::Create(context, "else", kernel)};
    BasicBlock *join = BasicBlock::Create(context, "join", kernel);
    b.CreateCondBr(b.CreateICmpSLT(integer(), integer()), sides[0], sides[1]);
    Value *values[2], *singles[2];
    for (unsigned i = 0; i < 2; ++i) {
      b.SetInsertPoint(sides[i]);
      values[i] = addInteger();
      singles[i] = arithmetic(single(), single());
      b.CreateBr(join);
    }
    b.SetInsertPoint(join);
    PHINode *x = b.CreatePHI(b.getInt64Ty(), 2);
    PHINode *y = b.CreatePHI(b.getFloatTy(), 2);
    for (unsigned i = 0; i < 2; ++i) {
      x->addIncoming(values[i], sides[i]);
      y->addIncoming(singles[i], sides[i]);
    }
    integers.push_back(x);
    floats.push_back(y);
  }

  Module &module;
  IRBuilder<> b;
  std::mt19937_64 random;
  Function *kernel = nullptr;
  Value *item = nullptr, *first = nullptr;
  std::vector<Value *> integers, doubles, floats;
};

class RandomTest : public DeviceTest {};

TEST_F(RandomTest, SameOnHostAndDevice) {
  const char *text = getenv("SLUICE_TEST_SEED");
  uint64_t start = text ? strtoull(text, nullptr, 10) : 1;
  uint64_t end = start + sluice::test::allRounds(15, 40);
  for (uint64_t seed = start; seed < end; ++seed) {
    SCOPED_TRACE("SLUICE_TEST_SEED=" + std::to_string(seed));
    std::unique_ptr<Module> module = parse("");
    ASSERT_TRUE(module);
    RandomKernel(*module, seed).build();
    std::vector<uint64_t> data(itemsPerGroup * groups * wordsPerItem);
    std::mt19937_64 random(seed);
    for (uint64_t &word : data)
      word = random() >> random() % 60;
    compareModule(*module, data.data(), data.size() * 8, itemsPerGroup, groups,
                  {local(itemsPerGroup * 8)});
    if (HasFailure())
      return;
  }
}

} // namespace
