//===- HostRunner.cpp - Running neutral kernels on the host ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the same kernel on the host to get the reference for a device's result.
//
//===----------------------------------------------------------------------===//

#include "HostRunner.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <barrier>
#include <mutex>
#include <thread>

using namespace llvm;
using namespace sluice::testing;

namespace {

/// The position of a thread; the functions of neutral modules read it.
struct Position {
  uint64_t group = 0, item = 0, items = 1;
  std::barrier<> *barrier = nullptr;
};
thread_local Position position;

uint64_t group(uint32_t dimension) { return dimension ? 0 : position.group; }
uint64_t item(uint32_t dimension) { return dimension ? 0 : position.item; }
uint64_t items(uint32_t dimension) { return dimension ? 1 : position.items; }
void barrier() { position.barrier->arrive_and_wait(); }

/// Devices compute exactly the written operations, whatever the flags allow.
void removeFlags(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isa<FPMathOperator>(instruction))
        instruction.copyFastMathFlags(FastMathFlags());
}

/// Adds `void sluice.call(ptr words)`, which calls the kernel with parameters
/// of 64 bits each.
void addCaller(Module &module, const std::string &entry) {
  Function *kernel = module.getFunction(entry);
  IRBuilder<> builder(module.getContext());
  auto *type =
      FunctionType::get(builder.getVoidTy(), builder.getPtrTy(), false);
  Function *caller = Function::Create(type, GlobalValue::ExternalLinkage,
                                      "sluice.call", &module);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", caller));
  SmallVector<Value *> values;
  for (Argument &argument : kernel->args()) {
    Value *word = builder.CreateConstGEP1_64(
        builder.getInt64Ty(), caller->getArg(0), argument.getArgNo());
    values.push_back(builder.CreateLoad(argument.getType(), word));
  }
  builder.CreateCall(kernel, values);
  builder.CreateRetVoid();
}

Expected<std::unique_ptr<orc::LLJIT>> compile(const Module &module,
                                              const std::string &entry) {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
  std::string bitcode;
  raw_string_ostream os(bitcode);
  WriteBitcodeToFile(module, os);
  auto context = std::make_unique<LLVMContext>();
  Expected<std::unique_ptr<Module>> copy =
      parseBitcodeFile(MemoryBufferRef(bitcode, "kernel"), *context);
  if (!copy)
    return copy.takeError();
  removeFlags(**copy);
  addCaller(**copy, entry);
  auto machine = orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  // Never fuse operations that are separate in the module.
  machine->getOptions().AllowFPOpFusion = FPOpFusion::Strict;
  (*copy)->setTargetTriple(machine->getTargetTriple());
  auto jit = orc::LLJITBuilder().setJITTargetMachineBuilder(*machine).create();
  if (!jit)
    return jit.takeError();
  (*copy)->setDataLayout((*jit)->getDataLayout());
  orc::SymbolMap symbols;
  auto add = [&](const char *name, auto *function) {
    symbols[(*jit)->mangleAndIntern(name)] = {
        orc::ExecutorAddr::fromPtr(function), JITSymbolFlags::Exported};
  };
  add("sluice.device.group", &group);
  add("sluice.device.item", &item);
  add("sluice.device.items", &items);
  add("sluice.device.barrier", &barrier);
  if (Error error = (*jit)->getMainJITDylib().define(
          orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  if (Error error = (*jit)->addIRModule(
          orc::ThreadSafeModule(std::move(*copy), std::move(context))))
    return std::move(error);
  return jit;
}

/// Parameters as words; LOCAL ones point to memory of one group.
struct Words {
  std::vector<uint64_t> words;
  std::vector<std::unique_ptr<unsigned char[]>> locals;

  explicit Words(const std::vector<Parameter> &parameters) {
    for (const Parameter &parameter : parameters) {
      if (parameter.kind == Parameter::Kind::Local)
        locals.push_back(std::make_unique<unsigned char[]>(parameter.size));
      words.push_back(parameter.kind == Parameter::Kind::Value ? parameter.value
                      : parameter.kind == Parameter::Kind::Local
                          ? reinterpret_cast<uint64_t>(locals.back().get())
                          : reinterpret_cast<uint64_t>(parameter.data));
    }
  }
};

} // namespace

std::string sluice::testing::runOnHost(const Module &module,
                                       const std::string &entry,
                                       const std::vector<Parameter> &parameters,
                                       size_t groups, size_t items) {
  auto jit = compile(module, entry);
  if (!jit)
    return toString(jit.takeError());
  auto symbol = (*jit)->lookup("sluice.call");
  if (!symbol)
    return toString(symbol.takeError());
  auto *call = symbol->toPtr<void (*)(const uint64_t *)>();
  bool waits = module.getFunction("sluice.device.barrier")->hasNUsesOrMore(1);
  for (size_t g = 0; g < groups; ++g) {
    Words words(parameters);
    std::barrier<> all(static_cast<std::ptrdiff_t>(items));
    auto runItem = [&](size_t i) {
      position = {g, i, items, &all};
      call(words.words.data());
    };
    if (!waits) {
      for (size_t i = 0; i < items; ++i)
        runItem(i);
      continue;
    }
    std::vector<std::thread> threads;
    for (size_t i = 0; i < items; ++i)
      threads.emplace_back(runItem, i);
    for (std::thread &thread : threads)
      thread.join();
  }
  return "";
}
