//===- CodeGenerator.cpp - From layouts to modules ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds both functions of a layout. If user-defined code generation throws or
// generates invalid IR, this is reported as an error.
//
//===----------------------------------------------------------------------===//

#include "CodeGenerator.h"

#include "Customs.h"
#include "Emitter.h"

#include "sluice/Base/Text.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::pack;
using namespace sluice::pack::jit;

//===-- Size -------------------------------------------------------------===//

/// The number of straight-line steps and other pieces of code for `form`.
static int64_t codeSize(const Form &form) {
  int64_t own = 1;
  switch (form.kind) {
  case FormKind::Empty:
  case FormKind::Block:
    return 1;
  case FormKind::Custom:
    return 8;
  case FormKind::Runs:
    return static_cast<int64_t>(std::min<size_t>(form.offsets.size(), 512));
  case FormKind::Strided:
    own = 32;
    break;
  case FormKind::Indexed:
    if (int64_t runs = countRuns(form, 512); runs <= 512)
      return runs;
    own = 8 * codeSize(*form.children[0]);
    break;
  case FormKind::Sequence:
    break;
  }
  for (const FormRef &child : form.children)
    own += codeSize(*child);
  return own;
}

/// The number of entries of the largest table that the code would read.
static size_t tableSize(const Form &form) {
  size_t size = form.kind == FormKind::Sequence ? 0 : form.offsets.size();
  for (const FormRef &child : form.children)
    size = std::max(size, tableSize(*child));
  return size;
}

/// Whether there are too many runs of different lengths for a straight line.
static bool hasRunsTable(const Form &form) {
  if (form.kind == FormKind::Runs)
    return form.offsets.size() > 512;
  return llvm::any_of(
      form.children, [](const FormRef &child) { return hasRunsTable(*child); });
}

Status jit::checkCodeSize(const Form &form, const CodeTarget &target) {
  if (!target.hasMasks && hasRunsTable(form))
    return Status::error(
        StatusCode::Exhausted,
        "a long list of runs is compiled for processors with AVX-512 only; "
        "elsewhere its ready-made kernel is as fast");
  constexpr int64_t maxCode = 1 << 14;
  constexpr size_t maxEntries = 1 << 18;
  if (size_t size = tableSize(form); size > maxEntries)
    return Status::error(StatusCode::Exhausted,
                         concat("a layout of ", size,
                                " places is not compiled, at most ", maxEntries,
                                " are; its ready-made kernel is as fast"));
  if (int64_t size = codeSize(form); size > maxCode)
    return Status::error(StatusCode::Exhausted,
                         concat("a layout that needs about ", size,
                                " moves in a line is not compiled, at most ",
                                maxCode, " are"));
  return {};
}

//===-- Building ---------------------------------------------------------===//

static void emitFunction(Module &module, const Layout &layout,
                         const CodeTarget &target, bool isPack) {
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(context);
  Type *pointer = builder.getPtrTy();
  auto *type = FunctionType::get(
      builder.getVoidTy(), {pointer, builder.getInt64Ty(), pointer, pointer},
      false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage,
                                    isPack ? packName : unpackName, module);
  static constexpr const char *names[] = {"in", "count", "out", "context"};
  for (unsigned i = 0; i != 4; ++i)
    function->getArg(i)->setName(names[i]);
  function->addParamAttr(0, Attribute::NoAlias);
  function->addParamAttr(2, Attribute::NoAlias);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr("prefer-vector-width",
                      std::to_string(target.vectorBytes * 8));
  builder.SetInsertPoint(BasicBlock::Create(context, "entry", function));
  Value *in = function->getArg(0), *out = function->getArg(2);
  Emitter emitter(builder, target, isPack, function->getArg(3));
  if (layout.size() > 0 && !hasCustom(*layout.form))
    emitter.emitLargeCall(layout.size());
  emitter.emitLayout(layout, isPack ? in : out, function->getArg(1),
                     isPack ? out : in);
  builder.CreateRetVoid();
}

static Status verify(Module &module) {
  std::string problems;
  raw_string_ostream stream(problems);
  if (!verifyModule(module, &stream))
    return {};
  return Status::error(
      StatusCode::NodeFailed,
      concat("the code that a user's datatype generated is not valid LLVM IR: ",
             StringRef(problems).trim().str()));
}

static Status emitBoth(Module &module, const Layout &layout,
                       const CodeTarget &target) {
  try {
    emitFunction(module, layout, target, true);
    emitFunction(module, layout, target, false);
  } catch (const std::exception &error) {
    return Status::error(StatusCode::NodeFailed,
                         concat("code generation failed: ", error.what()));
  }
  return {};
}

Result<std::unique_ptr<Module>> jit::buildModule(const Layout &layout,
                                                 const Processor &processor,
                                                 LLVMContext &context) {
  Layout even = layout;
  even.form = cutIntoEqualBlocks(layout.form);
  CodeTarget target = targetFor(processor);
  if (Status status = checkCodeSize(*even.form, target); !status.ok())
    return status;
  auto module = std::make_unique<Module>("pack", context);
  if (Status status = prepareModule(*module, processor); !status.ok())
    return status;
  if (Status status = emitBoth(*module, even, target); !status.ok())
    return status;
  if (!hasCustom(*layout.form))
    return std::move(module);
  if (Status status = verify(*module); !status.ok())
    return status;
  optimizeUserCode(*module, processor);
  return std::move(module);
}
