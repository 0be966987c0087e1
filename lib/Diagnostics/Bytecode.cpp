//===- Bytecode.cpp - Checking bytecode before it is read -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader is deterministic: if a copy of the process can read the bytes
// completely, this process can, too.
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/Bytecode.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace sluice;

/// The size of this process's address space in bytes.
static uint64_t addressBytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

static void limitMemory(uint64_t most) {
  rlimit known = {};
  ::getrlimit(RLIMIT_AS, &known);
  known.rlim_cur = std::min<uint64_t>(most, known.rlim_max);
  ::setrlimit(RLIMIT_AS, &known);
}

/// The limit of processor time.
static uint64_t secondsFor(uint64_t size) {
  return (2 + (size >> 20)) * (isSanitized ? 20 : 1);
}

/// A second later, the system kills a process that ignores the signal.
static void limitTime(uint64_t seconds) {
  // The parent process may have ignored or blocked the signal.
  ::signal(SIGXCPU, SIG_DFL);
  sigset_t unblocked;
  ::sigemptyset(&unblocked);
  ::sigaddset(&unblocked, SIGXCPU);
  ::pthread_sigmask(SIG_UNBLOCK, &unblocked, nullptr);
  rlimit known = {};
  ::getrlimit(RLIMIT_CPU, &known);
  known.rlim_max = std::min<uint64_t>(seconds + 1, known.rlim_max);
  known.rlim_cur = std::min<uint64_t>(seconds, known.rlim_max);
  ::setrlimit(RLIMIT_CPU, &known);
}

/// Writes why the bytes cannot be read, if so. Reading such bytes again would
/// be a risk: whether MLIR notices what its reader damages is a matter of
/// chance.
static void readOnce(std::string_view content,
                     const mlir::DialectRegistry &registry, int output) {
  const uint64_t size = content.size();
  limitTime(secondsFor(size));
  if (!isSanitized)
    limitMemory(addressBytes() + (uint64_t(1) << 30) + 256 * size);
  // Both are destroyed here: this fails, too, after what a reader has damaged.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  std::string reason;
  mlir::ScopedDiagnosticHandler keeper(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (reason.empty() &&
            diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          reason = diagnostic.str();
      });
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (auto module = mlir::parseSourceString<mlir::ModuleOp>(
          llvm::StringRef(content.data(), content.size()), config))
    (void)mlir::verify(*module);
  else
    writeAll(output, reason.empty() ? "its reader fails" : reason);
}

Status sluice::tryBytecode(std::string_view content, std::string_view path,
                           const mlir::DialectRegistry &registry) {
  // The copy may wait forever for a lock that another thread of this process
  // held.
  const double secondsAtMost =
      std::max(60.0, 10.0 * static_cast<double>(secondsFor(content.size())));
  Result<ForkResult> result = runInFork(
      [&](int output) { readOnce(content, registry, output); }, secondsAtMost);
  // If the process cannot be copied, the bytes cannot be tried.
  if (!result.ok() || (result->isComplete && result->text.empty()))
    return {};
  if (result->isComplete)
    return Status::invalidArgument(concat(
        quoted(path), " is bytecode that cannot be read: ", result->text));
  // A process killed for lack of memory or time proves nothing about the bytes.
  if (result->end.signal == SIGKILL)
    return Status::error(
        StatusCode::Exhausted,
        concat(quoted(path), " is bytecode that was not read: its reader was ",
               result->end.wasStopped
                   ? concat("not done after ", uint64_t(secondsAtMost), " s")
                   : std::string("killed, as where memory runs out")));
  const bool wasSlow = result->end.signal == SIGXCPU;
  return Status::invalidArgument(
      concat(quoted(path), " is bytecode that cannot be read: ",
             wasSlow ? "its reader does not come to an end"
                     : concat("its reader ends with ", result->end.text()),
             "; it is damaged, or not what MLIR wrote"));
}
