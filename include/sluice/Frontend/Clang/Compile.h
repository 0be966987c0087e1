//===- Compile.h - What clang makes of a source ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR no longer says which types a program wrote: variadic calls promote,
// and the C ABI splits and merges parameters. So the calls of HPVM-C and
// Hetero-C++ are read from the AST, and what they say travels beside the
// module, in records.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_CLANG_COMPILE_H
#define SLUICE_FRONTEND_CLANG_COMPILE_H

#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Frontend/Clang/HeteroRecords.h"

#include "llvm/Support/Alignment.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
class Type;
} // namespace llvm

namespace sluice {

/// Whose integers a target hint means.
enum class HPVMVersion { V0_5, V1_0 };

/// A file that clang sees although no disk has it.
struct MemoryFile {
  /// Absolute.
  std::string path;
  std::string text;
};

/// How sources are compiled.
struct CompileOptions {
  /// As for clang: -I -D -U -std= -f... -m... -W... -x; paths are relative to
  /// the working directory. Levels of optimisation are ignored here.
  std::vector<std::string> arguments;
  HPVMVersion version = HPVMVersion::V1_0;
  /// The folder of hpvm.h; empty: found beside the running tool or in the
  /// source tree.
  std::string headerFolder;
  /// They hide files on disk with the same paths.
  std::vector<MemoryFile> memoryFiles = {};
  /// Clang's own messages become diagnostics; else it prints them to stderr.
  bool collectsMessages = false;
};

/// A call of a variadic HPVM-C function. In the IR its first argument is
/// `firstNumber` plus the record's index, and only the arguments stated here
/// follow.
struct CallRecord {
  /// No program has as many dimensions, outputs or inputs: a call that was not
  /// recorded is told from one that was.
  static constexpr unsigned firstNumber = 0x40000000;

  enum class Kind {
    /// A pointer to a temporary for every output.
    Return,
    /// The function, then an i64 for every extent.
    CreateNode,
    /// The root function, then the arguments.
    Launch,
    /// Nothing.
    Attributes
  };
  Kind kind = Kind::Return;
  SourcePlace place = {};
  /// Return: the outputs.
  std::vector<PortRecord> outputs = {};
  /// Launch: streaming or not.
  bool isStream = false;
  /// Return: the outputs themselves are the arguments; the call was in IR.
  bool passesValues = false;
};

/// A function that may be a node: one that calls node-side HPVM-C functions,
/// or that is named as a node or root.
struct NodeRecord {
  /// Its name in the module, and in the source.
  std::string symbol;
  std::string name;
  SourcePlace place;
  /// A function `void(ptr...)` of the module that takes a pointer to every
  /// parameter and calls the node function with the values: clang's own
  /// rendering of the ABI. Empty for a function that was in IR: its parameters
  /// are the ports.
  std::string adapter;
  std::vector<PortRecord> parameters;
  /// The named metadata that lists nodes of its target; empty: no hint.
  std::string hint;
  SourcePlace hintPlace;
  std::optional<SourcePlace> attributesPlace;
  /// The source says that it is a node: it has a hint or attributes, or is
  /// named by createNodeND or launch.
  bool isCertain = false;
};

/// A source file, compiled.
struct CompiledUnit {
  std::string path;
  std::unique_ptr<llvm::Module> module;
  std::vector<CallRecord> calls;
  std::vector<NodeRecord> nodes;
  std::vector<HeteroCall> heteroCalls;
  /// The source asks for Hetero-C++ without its graphs.
  bool isSequential = false;
  /// Every path that was looked at, whether there is something or not: the
  /// file, its headers, and where they were looked for before; and what the
  /// code depends on beside files, see below.
  std::vector<std::string> dependencies;
};

/// A function of a source that is not compiled.
struct LeftOut {
  std::string name;
  std::string file;
  unsigned firstLine = 0, lastLine = 0;
};

/// The folder that holds hpvm.h: that of the installation the running tool
/// belongs to, else that of the source tree.
std::string findHeaderFolder();

} // namespace sluice

#endif // SLUICE_FRONTEND_CLANG_COMPILE_H
