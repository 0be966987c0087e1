//===- Codegen.cpp - Code generation by user-defined datatypes ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitter of each thread that is executing a user's packCodegen.
//
//===----------------------------------------------------------------------===//

#include "sluice/PackJIT/Codegen.h"

#include "Customs.h"
#include "Emitter.h"

using namespace llvm;
using namespace sluice::pack;
using namespace sluice::pack::jit;

static thread_local Emitter *currentEmitter = nullptr;

static Emitter &emitterOfThread(const char *caller) {
  if (!currentEmitter)
    throw farc::Error(farc::Error::NO_COMPILER,
                      std::string("'") + caller +
                          "' was called while no code is generated; it is "
                          "for packCodegen and unpackCodegen only");
  return *currentEmitter;
}

namespace {
/// Makes an emitter the thread's current one for a scope.
struct CurrentEmitter {
  explicit CurrentEmitter(Emitter &emitter) : outer(currentEmitter) {
    currentEmitter = &emitter;
  }
  ~CurrentEmitter() { currentEmitter = outer; }
  Emitter *outer;
};
} // namespace

void jit::emitCustomCode(Emitter &emitter, const farc::Datatype &type,
                         Value *count, Value *in, Value *out) {
  CurrentEmitter current(emitter);
  if (emitter.packs())
    type.packCodegen(in, count, out);
  else
    type.unpackCodegen(in, count, out);
}

void jit::emitNested(const farc::Datatype &type, bool isPack, Value *in,
                     Value *count, Value *out) {
  Emitter &emitter = emitterOfThread("packCodegen");
  if (isPack != emitter.packs())
    throw farc::Error(farc::Error::ARGUMENT,
                      isPack ? "packCodegen was called while unpacking code is "
                               "generated; call unpackCodegen"
                             : "unpackCodegen was called while packing code "
                               "is generated; call packCodegen");
  PlacedForm placed = type.normalForm();
  Layout layout{placed.offset, type.getExtent(), placed.form};
  emitter.emitLayout(layout, isPack ? in : out, count, isPack ? out : in);
}

bool jit::hasCustom(const Form &form) {
  return form.kind == FormKind::Custom ||
         llvm::any_of(form.children,
                      [](const FormRef &child) { return hasCustom(*child); });
}

IRBuilder<> &farc::codegenBuilder() {
  return emitterOfThread("codegenBuilder").getBuilder();
}

Function &farc::codegenFunction() {
  return *emitterOfThread("codegenFunction")
              .getBuilder()
              .GetInsertBlock()
              ->getParent();
}

Module &farc::codegenModule() { return *codegenFunction().getParent(); }

void farc::codegenLoop(Value *count,
                       const std::function<void(Value *index)> &body) {
  IRBuilder<> &builder = codegenBuilder();
  Function &function = codegenFunction();
  BasicBlock *before = builder.GetInsertBlock();
  auto *loop = BasicBlock::Create(builder.getContext(), "loop", &function);
  auto *after = BasicBlock::Create(builder.getContext(), "done", &function);
  Value *zero = builder.getInt64(0);
  builder.CreateCondBr(builder.CreateICmpSGT(count, zero), loop, after);
  builder.SetInsertPoint(loop);
  PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2, "index");
  body(index);
  Value *next = builder.CreateAdd(index, builder.getInt64(1));
  index->addIncoming(zero, before);
  index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpSLT(next, count), loop, after);
  builder.SetInsertPoint(after);
}

Value *farc::codegenOffset(Value *pointer, Value *bytes) {
  IRBuilder<> &builder = codegenBuilder();
  return builder.CreateGEP(builder.getInt8Ty(), pointer, bytes);
}

Value *farc::codegenOffset(Value *pointer, int64_t bytes) {
  return codegenOffset(pointer, codegenBuilder().getInt64(bytes));
}
