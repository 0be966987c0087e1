//===- CustomTest.cpp - Tests of code from user-defined datatypes ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests a type that swaps bytes, alone and inside built-in types; a type that
// nests another; and types with faulty code generation.
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include "sluice/PackJIT/Codegen.h"

#include "gtest/gtest.h"
#include <cstring>
#include <numeric>

using namespace sluice::pack;
using namespace sluice::pack::jit;
using namespace sluice::pack::jit::test;
using llvm::Value;

namespace {
/// The necessary overrides of a subclass with `size` bytes and no gaps.
class Compact : public farc::Datatype {
public:
  explicit Compact(int64_t size) : size(size) {}
  int64_t getSize() const override { return size; }
  int64_t getLowerBound() const override { return 0; }
  int64_t getUpperBound() const override { return size; }
  int64_t getTrueLowerBound() const override { return 0; }
  int64_t getTrueUpperBound() const override { return size; }
  std::string toString(bool) const override { return "compact"; }

private:
  int64_t size;
};

/// An int with the packed bytes in reverse order.
class Swapped : public Compact {
public:
  Swapped() : Compact(4) {}
  Datatype *clone() const override { return new Swapped; }
  void packCodegen(Value *in, Value *count, Value *out) const override {
    emit(in, count, out);
  }
  void unpackCodegen(Value *in, Value *count, Value *out) const override {
    emit(in, count, out);
  }

private:
  static void emit(Value *in, Value *count, Value *out) {
    farc::codegenLoop(count, [&](Value *index) {
      llvm::IRBuilder<> &builder = farc::codegenBuilder();
      Value *bytes = builder.CreateMul(index, builder.getInt64(4));
      Value *word = builder.CreateAlignedLoad(
          builder.getInt32Ty(), farc::codegenOffset(in, bytes), llvm::Align(1));
      word = builder.CreateUnaryIntrinsic(llvm::Intrinsic::bswap, word);
      builder.CreateAlignedStore(word, farc::codegenOffset(out, bytes),
                                 llvm::Align(1));
    });
  }
};

/// Leaves a block without a terminator, or worse.
class Broken : public Compact {
public:
  explicit Broken(int kind) : Compact(8), kind(kind) {}
  Datatype *clone() const override { return new Broken(kind); }
  void packCodegen(Value *in, Value *, Value *out) const override {
    llvm::IRBuilder<> &builder = farc::codegenBuilder();
    if (kind == 0) // two terminators in one block
      builder.CreateRetVoid();
    if (kind == 1)
      throw std::runtime_error("no idea how to pack this");
    if (kind == 2) { // a call of an undefined function
      auto callee = farc::codegenModule().getOrInsertFunction(
          "sluice_test_no_such_function", builder.getVoidTy());
      builder.CreateCall(callee);
    }
    if (kind == 3) // a use in another function than the definition
      builder.CreateStore(
          in, farc::codegenModule().getFunction("sluice_pack")->getArg(2));
  }
  void unpackCodegen(Value *, Value *, Value *) const override {
    if (kind == 3)
      farc::codegenBuilder().CreateLoad(
          llvm::Type::getInt8Ty(farc::codegenModule().getContext()),
          farc::codegenModule().getFunction("sluice_pack")->getArg(0));
  }

private:
  int kind;
};

/// Packs its child twice with two bytes in between, using the child's code.
class Twice : public Compact {
public:
  explicit Twice(std::shared_ptr<const Datatype> child)
      : Compact(2 * child->getSize()), child(std::move(child)) {}
  Datatype *clone() const override { return new Twice(child); }
  void packCodegen(Value *in, Value *count, Value *out) const override {
    emit(count, [&](Value *packed, Value *second, Value *one) {
      child->packCodegen(farc::codegenOffset(in, packed), one,
                         farc::codegenOffset(out, packed));
      child->packCodegen(farc::codegenOffset(in, second), one,
                         farc::codegenOffset(out, second));
    });
  }
  void unpackCodegen(Value *in, Value *count, Value *out) const override {
    emit(count, [&](Value *packed, Value *second, Value *one) {
      child->unpackCodegen(farc::codegenOffset(in, packed), one,
                           farc::codegenOffset(out, packed));
      child->unpackCodegen(farc::codegenOffset(in, second), one,
                           farc::codegenOffset(out, second));
    });
  }

private:
  template <typename Body> void emit(Value *count, Body body) const {
    farc::codegenLoop(count, [&](Value *index) {
      llvm::IRBuilder<> &builder = farc::codegenBuilder();
      Value *first = builder.CreateMul(index, builder.getInt64(getSize()));
      Value *second =
          builder.CreateAdd(first, builder.getInt64(child->getSize()));
      body(first, second, builder.getInt64(1));
    });
  }
  std::shared_ptr<const Datatype> child;
};
} // namespace

static Layout layoutOfType(const farc::Datatype &type) {
  PlacedForm placed = type.normalForm();
  return {placed.offset, type.getExtent(), placed.form};
}

/// Packs and unpacks ints `0, 1, ...`, and compares with `type` interpreted as
/// a list of offsets of swapped ints.
static void checkSwapped(const farc::Datatype &type, int64_t count,
                         const std::vector<int64_t> &offsets) {
  Layout layout = layoutOfType(type);
  Kernel kernel = compile(layout);
  auto words = static_cast<size_t>(count * layout.extent / 4 + 64);
  std::vector<uint32_t> data(words), back(words, 77), packed(offsets.size());
  std::iota(data.begin(), data.end(), 1);
  auto *in = reinterpret_cast<std::byte *>(data.data());
  auto *out = reinterpret_cast<std::byte *>(packed.data());
  kernel.pack(in, count, out, kernel.context.get());
  std::vector<uint32_t> expected(words, 77);
  for (size_t i = 0; i != offsets.size(); ++i) {
    auto at = static_cast<size_t>(offsets[i] / 4);
    EXPECT_EQ(packed[i], __builtin_bswap32(data[at])) << i;
    expected[at] = data[at];
  }
  kernel.unpack(out, count, reinterpret_cast<std::byte *>(back.data()),
                kernel.context.get());
  EXPECT_EQ(back, expected);
}

TEST(Custom, PacksWithCodeOfItsOwn) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i != 10; ++i)
    offsets.push_back(4 * i);
  checkSwapped(Swapped(), 10, offsets);
}

TEST(Custom, NestsInBuiltInTypes) {
  Swapped swapped;
  std::vector<int64_t> offsets;
  for (int64_t instance = 0; instance != 2; ++instance)
    for (int64_t block = 0; block != 3; ++block)
      for (int64_t i = 0; i != 2; ++i)
        offsets.push_back(instance * 48 + block * 20 + i * 4);
  checkSwapped(farc::VectorDatatype(3, 2, 5, &swapped), 2, offsets);

  int64_t places[] = {40, 0, 12};
  offsets = {40, 44, 0, 4, 12, 16};
  checkSwapped(farc::HIndexedBlockDatatype(3, 2, places, &swapped), 1, offsets);
}

TEST(Custom, EmitsItsChildrensCode) {
  auto swapped = std::make_shared<Swapped>();
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i != 6; ++i)
    offsets.push_back(4 * i);
  checkSwapped(Twice(swapped), 3, offsets);
}

TEST(Custom, EmitsBuiltInChildren) {
  farc::PrimitiveDatatype number(farc::PrimitiveDatatype::INT);
  auto pair = std::make_shared<farc::ContiguousDatatype>(3, &number);
  Twice twice(pair);
  Kernel kernel = compile(layoutOfType(twice));
  int data[12], packed[12] = {};
  std::iota(data, data + 12, 0);
  kernel.pack(reinterpret_cast<std::byte *>(data), 2,
              reinterpret_cast<std::byte *>(packed), kernel.context.get());
  EXPECT_EQ(std::memcmp(data, packed, sizeof(data)), 0);
}

static std::string errorOf(const farc::Datatype &type) {
  Layout layout = layoutOfType(type);
  auto kernel = compiler().compile({&layout, &thisProcessor(), true});
  return kernel.ok() ? "" : kernel.status().message();
}

TEST(Custom, ReportsWhatIsWrong) {
  EXPECT_NE(errorOf(Broken(0)).find("not valid LLVM IR"), std::string::npos);
  EXPECT_EQ(errorOf(Broken(1)),
            "code generation failed: no idea how to pack this");
  EXPECT_NE(errorOf(Broken(2)).find("'sluice_test_no_such_function'"),
            std::string::npos);
  EXPECT_NE(errorOf(Broken(3)).find("not valid LLVM IR"), std::string::npos);
}

TEST(Custom, SaysThatNoCodeIsGenerated) {
  EXPECT_THROW(farc::codegenBuilder(), farc::Error);
}
