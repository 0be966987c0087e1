//===- ReadIR.cpp - LLVM IR with HPVM intrinsics --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's bitcode reader ends the process on some malformed files. So a child
// process reads the file first, and only what it survives is read here.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/HPVM/ReadIR.h"

#include "ReadIRCalls.h"
#include "ReadIRLegacy.h"
#include "ReadIRVerify.h"
#include "sluice/Base/TextLimits.h"
#include "sluice/Frontend/HPVM/ParseText.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice;

//===----------------------------------------------------------------------===//
// Bitcode
//===----------------------------------------------------------------------===//

/// Reads and verifies; the message says what is wrong.
static Expected<std::unique_ptr<Module>> parseBitcode(MemoryBufferRef buffer,
                                                      LLVMContext &context) {
  Expected<std::unique_ptr<Module>> module = parseBitcodeFile(buffer, context);
  if (!module)
    return module;
  if (std::string problems = verifyForeign(**module); !problems.empty())
    return createStringError(problems);
  return module;
}

/// What the child does; its exit code is 0 if the file can be read.
[[noreturn]] static void tryBitcode(MemoryBufferRef buffer, int messages) {
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
    std::signal(signal, SIG_DFL);
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDERR_FILENO);
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module = parseBitcode(buffer, context);
  if (!module) {
    std::string reason = toString(module.takeError());
    ssize_t written = write(messages, reason.data(), reason.size());
    (void)written;
    _exit(1);
  }
  // Its memory goes with the process.
  (void)module->release();
  _exit(0);
}

static std::string readAll(int file) {
  std::string text;
  char part[512];
  for (;;) {
    ssize_t count = read(file, part, sizeof part);
    if (count <= 0)
      return text;
    text.append(part, count);
  }
}

/// Reads the bitcode in a child process.
static Error checkInChild(MemoryBufferRef buffer, StringRef path) {
  int pipeEnds[2];
  if (pipe(pipeEnds) != 0)
    return createStringError("cannot make a pipe to read '" + path + "'");
  pid_t child = fork();
  if (child < 0)
    return createStringError("cannot start a process to read '" + path + "'");
  if (child == 0) {
    close(pipeEnds[0]);
    tryBitcode(buffer, pipeEnds[1]);
  }
  close(pipeEnds[1]);
  std::string reason = readAll(pipeEnds[0]);
  close(pipeEnds[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return Error::success();
  if (reason.empty())
    return createStringError("'" + path +
                             "' is malformed: LLVM's bitcode reader crashes "
                             "on it");
  return createStringError("'" + path + "' is malformed: " + reason);
}

static Expected<std::unique_ptr<Module>>
readBitcode(MemoryBufferRef buffer, StringRef path, LLVMContext &context) {
  if (Error error = checkInChild(buffer, path))
    return error;
  return parseBitcode(buffer, context);
}

//===----------------------------------------------------------------------===//
// Foreign spellings
//===----------------------------------------------------------------------===//

static void renameAttribute(Function &function, unsigned parameter,
                            StringRef from, StringRef to) {
  AttributeSet attributes = function.getAttributes().getParamAttrs(parameter);
  if (!attributes.hasAttribute(from))
    return;
  function.removeParamAttr(parameter, from);
  function.addParamAttr(parameter, Attribute::get(function.getContext(), to));
}

static void normalize(Module &module) {
  for (Function &function : module) {
    for (unsigned i = 0; i != function.arg_size(); ++i) {
      renameAttribute(function, i, "hpvm-in", "hpvm.in");
      renameAttribute(function, i, "hpvm-out", "hpvm.out");
    }
    // Marks of -O0; the code is to be optimised.
    if (function.hasFnAttribute(Attribute::OptimizeNone)) {
      function.removeFnAttr(Attribute::OptimizeNone);
      function.removeFnAttr(Attribute::NoInline);
    }
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static Expected<std::unique_ptr<Module>> readAssembly(MemoryBufferRef buffer,
                                                      LLVMContext &context) {
  if (Status status = checkTextLimits(
          std::string_view(buffer.getBuffer()),
          std::string_view(buffer.getBufferIdentifier()), TextLanguage::LLVM);
      !status.ok())
    return createStringError(status.message());
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseText(buffer, context, problem);
  if (module)
    return module;
  std::string text;
  raw_string_ostream os(text);
  problem.print(nullptr, os, /*ShowColors=*/false);
  return createStringError(StringRef(text).rtrim());
}

static Expected<std::unique_ptr<Module>>
readModule(MemoryBufferRef buffer, const ReadIROptions &options,
           LLVMContext &context) {
  StringRef path = buffer.getBufferIdentifier();
  if (identify_magic(buffer.getBuffer()) == file_magic::bitcode)
    return readBitcode(buffer, path, context);
  if (!options.isLegacy)
    return readAssembly(buffer, context);
  Expected<std::unique_ptr<MemoryBuffer>> bitcode =
      assembleLegacy(buffer.getBuffer(), path);
  if (!bitcode)
    return bitcode.takeError();
  return readBitcode((*bitcode)->getMemBufferRef(), path, context);
}

Expected<CompiledUnit> sluice::readIR(StringRef path,
                                      const ReadIROptions &options,
                                      LLVMContext &context,
                                      Diagnostics &diagnostics) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read '" + path +
                                 "': " + buffer.getError().message());
  Expected<std::unique_ptr<Module>> module =
      readModule((*buffer)->getMemBufferRef(), options, context);
  if (!module)
    return module.takeError();
  normalize(**module);
  CompiledUnit unit;
  unit.path = path.str();
  unit.module = std::move(*module);
  unit.dependencies.push_back(unit.path);
  diagnostics.spellFile(unit.path);
  recordCalls(unit, options.version, diagnostics);
  return unit;
}
