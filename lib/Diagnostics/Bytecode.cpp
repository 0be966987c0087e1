//===- Bytecode.cpp - Bytecode that a reader can take ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader does the same for the same bytes, so what a copy of the process
// has read to the end can be read.
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/Bytecode.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/Text.h"

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace sluice;

/// Bytes of addresses that this process has.
static uint64_t addressBytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

static void limit(__rlimit_resource resource, uint64_t most) {
  rlimit known = {};
  ::getrlimit(resource, &known);
  known.rlim_cur = std::min<uint64_t>(most, known.rlim_max);
  ::setrlimit(resource, &known);
}

static void readOnce(std::string_view content,
                     const mlir::DialectRegistry &registry) {
  const uint64_t size = content.size();
  limit(RLIMIT_CPU, (2 + (size >> 20)) * (isSanitized ? 20 : 1));
  if (!isSanitized)
    limit(RLIMIT_AS, addressBytes() + (uint64_t(1) << 30) + 256 * size);
  // Taking apart what was read takes time, so it stays.
  auto &context =
      *new mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  (void)mlir::parseSourceString<mlir::ModuleOp>(
      llvm::StringRef(content.data(), content.size()), &context)
      .release();
}

Status sluice::tryBytecode(std::string_view content, std::string_view path,
                           const mlir::DialectRegistry &registry) {
  Result<ForkResult> result =
      runInFork([&](int) { readOnce(content, registry); }, 0);
  // Where there can be no copy, there is no way to try.
  if (!result.ok() || result->isComplete)
    return {};
  const bool wasSlow = result->end.signal == SIGXCPU;
  return Status::invalidArgument(
      concat(quoted(path), " is bytecode that cannot be read: ",
             wasSlow ? "its reader does not come to an end"
                     : concat("its reader ends with ", result->end.text()),
             "; it is damaged, or not what MLIR wrote"));
}
