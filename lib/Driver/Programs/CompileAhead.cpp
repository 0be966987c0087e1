//===- CompileAhead.cpp - Compiling sources in advance --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each LLVM context belongs to one thread. A module moves between threads as
// bitcode, which takes a hundredth of the time that clang needed. Records of
// HPVM's calls refer to types, so units with records are not handled here.
//
//===----------------------------------------------------------------------===//

#include "CompileAhead.h"
#include "sluice/Diagnostics/SourceTexts.h"
#include "sluice/Frontend/Sources/Sources.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// Expressions may be nested as deeply as in sequential compilation.
static constexpr unsigned stackSize = 512u << 20;

static bool mayHaveGraphs(const std::string &path) {
  std::string problem;
  std::unique_ptr<MemoryBuffer> text = readSourceFile(path, problem);
  return !text || text->getBuffer().contains("hpvm") ||
         text->getBuffer().contains("hetero");
}

CompileAhead::CompileAhead(ArrayRef<std::string> given,
                           const CompileOptions &options)
    : options(options) {
  for (const std::string &path : given)
    if (!mayHaveGraphs(path) && works.try_emplace(path).second)
      paths.push_back(path);
  if (!paths.empty())
    thread.emplace(std::optional<unsigned>(stackSize), [this] { run(); });
}

CompileAhead::~CompileAhead() {
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  if (thread)
    thread->join();
}

bool CompileAhead::compile(const std::string &path, Work &work) const {
  LLVMContext context;
  Diagnostics diagnostics;
  CompileOptions compiling = options;
  compiling.collectsMessages = true;
  Expected<CompiledUnit> unit =
      compileSource(path, compiling, context, diagnostics);
  if (!unit) {
    consumeError(unit.takeError());
    return false;
  }
  if (!unit->calls.empty() || !unit->nodes.empty() ||
      !unit->heteroCalls.empty())
    return false;
  for (const Diagnostic &message : diagnostics.all()) {
    if (!message.isFromClang)
      return false;
    work.warnings.push_back(message);
  }
  raw_svector_ostream os(work.bitcode);
  WriteBitcodeToFile(*unit->module, os, /*ShouldPreserveUseListOrder=*/true);
  unit->module = nullptr; // before its context
  work.unit = std::move(*unit);
  return true;
}

void CompileAhead::run() {
  for (size_t i = paths.size(); i-- > 0;) {
    Work &work = works.at(paths[i]);
    {
      std::lock_guard lock(mutex);
      if (isOver)
        return;
      if (work.state != Work::Waiting)
        continue;
      work.state = Work::Running;
    }
    bool isGood = compile(paths[i], work);
    std::lock_guard lock(mutex);
    work.state = isGood ? Work::Done : Work::Refused;
    changed.notify_all();
  }
}

std::optional<CompiledUnit>
CompileAhead::take(const std::string &path, LLVMContext &context,
                   std::vector<Diagnostic> &warnings) {
  auto found = works.find(path);
  if (found == works.end())
    return std::nullopt;
  Work &work = found->second;
  {
    std::unique_lock lock(mutex);
    if (work.state == Work::Waiting)
      work.state = Work::Refused;
    changed.wait(lock, [&] { return work.state != Work::Running; });
    if (work.state == Work::Refused)
      return std::nullopt;
    // If a source is named twice, only one is taken; the caller compiles the
    // other.
    work.state = Work::Refused;
  }
  Expected<std::unique_ptr<Module>> module = parseBitcodeFile(
      MemoryBufferRef(StringRef(work.bitcode.data(), work.bitcode.size()),
                      path),
      context);
  if (!module) {
    consumeError(module.takeError());
    return std::nullopt;
  }
  CompiledUnit unit = std::move(work.unit);
  unit.module = std::move(*module);
  warnings = std::move(work.warnings);
  return unit;
}
