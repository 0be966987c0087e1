//===- CKernelFiles.h - Files in which C kernels are searched -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All files that a task graph names, in the order in which they are searched:
// sources and IR, which become one module, and objects, archives and libraries,
// which are passed to the linker.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_CKERNELFILES_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_CKERNELFILES_H

#include "CObjects.h"
#include "sluice/Frontend/Clang/Compile.h"
#include "sluice/Frontend/Kernels/ResolveKernels.h"
#include "llvm/ADT/StringSet.h"

#include <memory>

namespace sluice::driver {

/// The file that `written` refers to: in the folder of the options, the working
/// directory, or the folder of the file that `place` names; `written` itself if
/// there is none. Candidates that are tried before are recorded as
/// dependencies: a file that appears there makes another program.
std::string findKernelFile(llvm::StringRef written, Resolution &resolution,
                           mlir::Location place);
/// True for .c, .cc, .cpp, .cxx and .C.
bool isSourceFile(llvm::StringRef path);
/// The flags of a kernel source, as words.
std::vector<std::string> flagsOf(std::optional<mlir::ArrayAttr> flags);
/// Compiles a source or reads IR; an error at `place` if that fails.
std::optional<CompiledUnit> readUnit(llvm::StringRef path,
                                     const std::vector<std::string> &flags,
                                     Resolution &resolution,
                                     Diagnostics &diagnostics,
                                     mlir::Location place);
/// Emits the messages of the front end. Returns false if there was an error.
bool emitAll(const Diagnostics &diagnostics, mlir::MLIRContext *context,
             bool hasRemarks);

struct KernelFile {
  enum class Kind { Code, Binary, Flag, Program };
  Kind kind = Kind::Code;
  /// The path as written, and the actual path.
  std::string written, path;
  std::vector<std::string> flags = {};
  /// The place that names it.
  mlir::Location place;
  /// The linker already has it.
  bool isLinked = false;

  /// For code: the functions that it defines, including static ones.
  std::vector<std::string> functions = {}, locals = {};
  ObjectContents contents = {};
};

/// A function of a file, or a similar symbol.
struct KernelDefinition {
  const KernelFile *file = nullptr;
  /// The function, if the file contains code.
  llvm::Function *function = nullptr;
  /// The symbol, if the file is a binary.
  const CSymbol *symbol = nullptr;
};

class KernelFiles {
public:
  KernelFiles(Resolution &resolution, std::vector<dfg::TaskOp> tasks)
      : resolution(resolution), tasks(std::move(tasks)) {}

  /// Reads everything, links code into the code of the resolution, and adds the
  /// rest to the linker's inputs. False after errors.
  bool read();

  /// The function that `task` calls; none after an error.
  std::optional<KernelDefinition> find(dfg::TaskOp task);

private:
  void collect();
  KernelFile *add(llvm::StringRef written, std::vector<std::string> flags,
                  mlir::Location place, bool isLinked = false);
  void addLibrary(KernelFile &file);
  bool readCode();
  void readBinaries();
  void readBinary(KernelFile &file);
  void noteDefinitions(KernelFile &file, const llvm::Module &module);
  bool checkDuplicates();
  bool linkCode();

  std::vector<const KernelFile *> order(dfg::TaskOp task) const;
  std::optional<KernelDefinition> findIn(const KernelFile &file,
                                         llvm::StringRef name);
  void refuse(dfg::TaskOp task);

  Resolution &resolution;
  std::vector<dfg::TaskOp> tasks;
  std::vector<std::string> wanted;
  std::vector<std::unique_ptr<KernelFile>> files;
  /// The files of tasks, by their sources.
  llvm::DenseMap<mlir::Operation *, KernelFile *> ownFiles;
  std::vector<std::string> folders;
  std::vector<CompiledUnit> units;
  Diagnostics diagnostics;
  bool hasErrors = false;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CKERNELFILES_H
