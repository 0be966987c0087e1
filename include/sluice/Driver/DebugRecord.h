//===- DebugRecord.h - Stepping through a recorded run ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The terminal form of 'sluice debug': a position in a record, and commands
// that move it and query it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_DEBUGRECORD_H
#define SLUICE_DRIVER_DEBUGRECORD_H

#include "sluice/Runtime/Record/ReadRecord.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace sluice::driver {

class RecordDebugger {
public:
  /// Starts at the first step.
  RecordDebugger(const Record &record, llvm::raw_ostream &os)
      : record(record), os(os) {}

  /// Prints which parts of the run were recorded.
  void printHead() const;
  /// Executes a command line. The error describes an invalid line.
  llvm::Error run(llvm::StringRef line);
  bool hasQuit() const { return isQuitting; }

  /// Steps count from 1 in text.
  uint32_t step() const { return current; }
  llvm::Error go(llvm::StringRef where);
  /// Prints which step last changed "NAME+OFFSET" or "NAME[INDEX]", followed by
  /// "as TYPE" for elements.
  llvm::Error who(llvm::StringRef place);

private:
  struct Place {
    std::string name;
    uint64_t address;
    /// The number of bytes to the end of its block.
    uint64_t room;
    /// The type of its elements, "f64"; empty: not known.
    std::string type;
    /// The requested range in bytes.
    uint64_t offset = 0, size = 0;
  };
  llvm::Expected<Place> find(llvm::StringRef name) const;
  llvm::Expected<Place> parse(llvm::StringRef text,
                              uint64_t defaultCount) const;
  llvm::Error move(llvm::StringRef words, int direction);
  llvm::Error memory(llvm::StringRef place);
  llvm::Error differs();
  void printStep() const;
  void printValues() const;
  void list(llvm::StringRef part) const;
  void printLine(uint32_t step) const;
  std::string writerText(uint32_t step) const;

  const Record &record;
  llvm::raw_ostream &os;
  uint32_t current = 0;
  bool isQuitting = false;
};

/// Reads command lines to the end of the input, with a prompt if `isTerminal`.
/// Returns false if any line was invalid.
bool debugRecord(RecordDebugger &debugger, bool isTerminal,
                 llvm::raw_ostream &os);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_DEBUGRECORD_H
