//===- LanguageServer.h - Sluice in editors ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A server of the language server protocol: reports problems of programs during
// editing, offers fixes, describes nodes and partitions, and finds their
// definitions (docs/commands/sluice-lsp.md).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_LANGUAGESERVER_H
#define SLUICE_DRIVER_LANGUAGESERVER_H

#include <string>

namespace sluice::driver {

struct ServerOptions {
  /// The folder of compile_commands.json; empty: searched above each source.
  std::string compileCommands;
  /// Print received and sent messages to stderr.
  bool isVerbose = false;
};

/// Serves one editor on standard input and output until the editor exits.
/// Requires a process with a single running thread. Returns whether the editor
/// ended according to the protocol.
bool serveEditor(const ServerOptions &options);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_LANGUAGESERVER_H
