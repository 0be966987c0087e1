//===- Compile.h - Compiling sources with clang ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR does not contain the types that a program used: variadic calls
// promote, and the C ABI splits and merges parameters. So the calls of HPVM-C
// and Hetero-C++ are read from the AST, and their contents are kept next to the
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

/// The version that defines the integers of target hints.
enum class HPVMVersion { V0_5, V1_0 };

/// A file that only clang sees; it is not on disk.
struct MemoryFile {
  /// An absolute path.
  std::string path;
  std::string text;
};

/// How sources are compiled.
struct CompileOptions {
  /// As for clang: -I -D -U -std= -f... -m... -W... -x; paths are relative to
  /// the working directory. Optimisation levels are ignored here.
  std::vector<std::string> arguments;
  /// If not empty, a whole line for clang's front end (see ObjectJob), which is
  /// read in place of `arguments` and `version`.
  std::vector<std::string> frontendWords = {};
  HPVMVersion version = HPVMVersion::V1_0;
  /// The folder of hpvm.h; empty: searched next to the running tool or in the
  /// source tree.
  std::string headerFolder;
  /// They replace files on disk with the same paths.
  std::vector<MemoryFile> memoryFiles = {};
  /// Clang's own messages become diagnostics; else it prints them to stderr.
  bool collectsMessages = false;
};

/// A call of a variadic HPVM-C function. In the IR its first argument is
/// `firstNumber` plus the record's index, followed only by the arguments listed
/// here.
struct CallRecord {
  /// Larger than the number of dimensions, outputs or inputs in any program, to
  /// distinguish recorded calls from others.
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
  /// Return: the outputs themselves are the arguments; the call came from IR.
  bool passesValues = false;
};

/// A function that may be a node: it calls node-side HPVM-C functions, or is
/// named as a node or root.
struct NodeRecord {
  /// Its name in the module, and in the source.
  std::string symbol;
  std::string name;
  SourcePlace place;
  /// A function `void(ptr...)` of the module that takes a pointer to every
  /// parameter and calls the node function with the values. It contains clang's
  /// own implementation of the ABI. Empty for a function from IR: its
  /// parameters are the ports.
  std::string adapter;
  std::vector<PortRecord> parameters;
  /// The named metadata with the nodes of its target; empty: no hint.
  std::string hint;
  SourcePlace hintPlace;
  std::optional<SourcePlace> attributesPlace;
  /// The source declares it as a node: it has a hint or attributes, or
  /// createNodeND or launch names it.
  bool isCertain = false;
};

/// A source file, compiled.
struct CompiledUnit {
  std::string path;
  std::unique_ptr<llvm::Module> module;
  std::vector<CallRecord> calls;
  std::vector<NodeRecord> nodes;
  std::vector<HeteroCall> heteroCalls;
  /// The source requests Hetero-C++ without its graphs.
  bool isSequential = false;
  /// Every path that the compilation looked at, whether or not it exists: the
  /// file, its headers, and earlier search locations of the headers. Also
  /// includes dependencies of the code that are not files, see below.
  std::vector<std::string> dependencies;
};

/// A function of a source that was not compiled.
struct LeftOut {
  std::string name;
  std::string file;
  unsigned firstLine = 0, lastLine = 0;
};

/// The folder of hpvm.h: in the installation of the running tool, or else in
/// the source tree.
std::string findHeaderFolder();

/// Whether the sources of a program are to be compiled with -fopenmp: one has
/// directives, and no argument says what to do. All are then, since headers may
/// declare types otherwise.
bool needOpenMPFlag(llvm::ArrayRef<std::string> paths,
                    const CompileOptions &options);

} // namespace sluice

#endif // SLUICE_FRONTEND_CLANG_COMPILE_H
