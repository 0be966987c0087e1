//===- LspCommand.cpp - sluice lsp ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the server. The command line is for users who configure an editor.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "sluice/Base/Progress.h"
#include "sluice/Driver/LanguageServer.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace sluice::driver;

int lspCommand(const CommandLine &line) {
  if (!line.files.empty())
    return usage("'sluice lsp' takes no files; editors send them");
  ServerOptions options;
  options.compileCommands = line.value(OPT_compile_commands_dir);
  options.isVerbose = line.has(OPT_log);
  if (!options.compileCommands.empty() &&
      !sys::fs::is_directory(options.compileCommands))
    return problem("'" + options.compileCommands + "' is no folder");
  // Standard error is the editor's log.
  sluice::setVerbosity(sluice::Verbosity::Quiet);
  return serveEditor(options) ? exitFine : exitProblems;
}
