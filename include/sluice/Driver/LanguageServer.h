//===- LanguageServer.h - Sluice in editors ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A server of the language server protocol: problems of programs while they are
// typed, changes that put them right, what a node or a partition is, and where
// it is defined (docs/commands/sluice-lsp.md).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_LANGUAGESERVER_H
#define SLUICE_DRIVER_LANGUAGESERVER_H

#include <string>

namespace sluice::driver {

struct ServerOptions {
  /// The folder of compile_commands.json; empty: looked for above each source.
  std::string compileCommands;
  /// Say on stderr what is received and sent.
  bool isVerbose = false;
};

/// Serves one editor on standard input and output until it says that it ends.
/// For a process with one thread that runs. Returns whether the editor has
/// ended as the protocol wants it.
bool serveEditor(const ServerOptions &options);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_LANGUAGESERVER_H
