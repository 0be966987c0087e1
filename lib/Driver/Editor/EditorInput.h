//===- EditorInput.h - Messages of an editor --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's reader of messages blocks. This reader handles checks that end while
// it waits.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_EDITORINPUT_H
#define SLUICE_LIB_DRIVER_EDITOR_EDITORINPUT_H

#include "EventLoop.h"
#include "llvm/Support/LSP/Transport.h"

#include <optional>

namespace sluice::driver {

/// Reads messages, each a header and JSON, from a file that an event loop
/// waits for.
class EditorInput : public llvm::lsp::JSONTransportInput {
public:
  EditorInput(int file, EventLoop &loop) : file(file), loop(loop) {}

  bool hasError() const override { return false; }
  bool isEndOfInput() const override { return isAtEnd; }
  llvm::LogicalResult readStandardMessage(std::string &json) override;
  llvm::LogicalResult readDelimitedMessage(std::string &) override {
    return llvm::failure();
  }

private:
  /// Waits for more input; false at the end.
  bool fill();
  /// A line without its terminator; none at the end of the input.
  std::optional<std::string> readLine();

  int file;
  EventLoop &loop;
  std::string buffer;
  bool isAtEnd = false;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_EDITORINPUT_H
