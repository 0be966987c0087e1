//===- InputFiles.cpp - The files of a command ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks for problems that every command would run into, before any of them
// starts.
//
//===----------------------------------------------------------------------===//

#include "InputFiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "sluice/Base/TextLimits.h"
#include "sluice/DFG/DFG.h"
#include "sluice/Diagnostics/Bytecode.h"
#include "sluice/Diagnostics/SourceTexts.h"
#include "sluice/RDIR/RDIR.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

bool isLinkerInput(StringRef file) {
  return StringSwitch<bool>(sys::path::extension(file))
      .Cases({".o", ".a", ".so"}, true)
      .Default(false);
}

static bool fail(const Twine &message) {
  sluice::printError(message);
  return false;
}

/// Reports an error in a text without showing its lines.
static bool refuseText(const Diagnostic &problem) {
  if (areDiagnosticsRedirected())
    printDiagnostic(problem);
  else
    errs() << textOf(problem);
  return false;
}

static bool checkText(const std::string &file) {
  StringRef ending = sys::path::extension(file);
  bool isSource = StringSwitch<bool>(ending)
                      .Cases({".c", ".cc", ".cpp", ".cxx", ".C"}, true)
                      .Default(false);
  if (!isSource && ending != ".mlir" && ending != ".mlirbc")
    return true;
  auto buffer = MemoryBuffer::getFile(file);
  if (!buffer) // its reader says so
    return true;
  StringRef text = (*buffer)->getBuffer();
  if (isSource) {
    size_t zero = text.find('\0');
    if (zero == StringRef::npos)
      return true;
    SourcePlace place = {file, unsigned(1 + text.take_front(zero).count('\n'))};
    return refuseText(
        {.message = "a zero byte; this is no text", .place = std::move(place)});
  }
  if (isBytecode(text)) {
    mlir::DialectRegistry dialects;
    dialects.insert<dfg::DFGDialect, rdir::RDIRDialect, mlir::LLVM::LLVMDialect,
                    mlir::arith::ArithDialect>();
    Status status = tryBytecode(text, file, dialects);
    return status.ok() || fail(status.message());
  }
  Status status =
      checkTextLimits(std::string_view(text), file, TextLanguage::MLIR);
  return status.ok() || refuseText(readMessage(status.message(), file));
}

bool checkInputs(ArrayRef<std::string> files) {
  bool isGood = true;
  for (const std::string &file : files) {
    sys::fs::file_status status;
    if (!sys::fs::status(file, status) && sys::fs::is_directory(status))
      isGood = fail("'" + file + "' is a folder");
    else if (isLinkerInput(file) && !sys::fs::exists(status))
      isGood = fail("'" + file + "' does not exist");
  }
  if (isGood && !files.empty() && all_of(files, isLinkerInput))
    isGood = fail("'" + files.front() +
                  "' is only linked; a program needs a source, LLVM IR or a "
                  ".mlir file, too");
  return isGood && all_of(files, checkText);
}
