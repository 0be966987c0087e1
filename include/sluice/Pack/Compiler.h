//===- Compiler.h - The interface to the kernel compiler ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This library contains no LLVM. If libSluicePackJIT.so exists in the same
// folder (or is named by SLUICE_PACK_JIT), it is opened on first use and asked
// for this interface; both must come from the same version. Programs that link
// libSluicePackJIT use the same copy.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_COMPILER_H
#define SLUICE_PACK_COMPILER_H

#include "sluice/Base/Status.h"
#include "sluice/Pack/Kernel.h"

namespace llvm {
class Value;
} // namespace llvm

namespace sluice::pack {

/// Changes whenever this interface, Form or Kernel does.
inline constexpr uint32_t compilerInterfaceVersion = 1;

/// The input of a compilation.
struct CompilerInput {
  /// The layout that the functions pack and unpack.
  const Layout *layout;
  /// The processor for which to compile.
  const Processor *processor;
  /// Look in the cache on disk, and store the object there.
  bool useDiskCache;
};

/// The interface of `libSluicePackJIT.so`. Thread-safe.
class Compiler {
public:
  virtual ~Compiler() = default;
  /// Machine code for the layout. The kernel's context keeps it loaded.
  virtual Result<Kernel> compile(const CompilerInput &input) = 0;
  /// The LLVM IR, or the assembly, of the functions for the layout.
  ///@{
  virtual Result<std::string> printIR(const CompilerInput &input) = 0;
  virtual Result<std::string> printAssembly(const CompilerInput &input) = 0;
  ///@}
  /// Emits code for `type` at the place where a user's packCodegen is currently
  /// emitting code; see sluice/PackJIT/Codegen.h. Packs if `isPack`, else
  /// unpacks.
  virtual void emit(const farc::Datatype &type, bool isPack, llvm::Value *in,
                    llvm::Value *count, llvm::Value *out) = 0;
};

/// The compiler, opened on first use; null with the reason if there is none.
Result<Compiler *> kernelCompiler();

} // namespace sluice::pack

/// The entry point of libSluicePackJIT.so: the compiler, which lives until the
/// process ends, or null if the versions differ.
extern "C" sluice::pack::Compiler *sluicePackCompiler(uint32_t version);

#endif // SLUICE_PACK_COMPILER_H
