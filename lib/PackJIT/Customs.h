//===- Customs.h - Code of user-defined datatypes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user's packCodegen is called in the middle of an emission and must continue
// it: it finds the current emitter of its thread through the interface in
// Codegen.h.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_CUSTOMS_H
#define SLUICE_PACKJIT_CUSTOMS_H

#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/Form.h"

namespace llvm {
class Value;
}

namespace sluice::pack::jit {

class Emitter;

/// Lets `type` emit the code for `count` instances with `emitter`.
void emitCustomCode(Emitter &emitter, const farc::Datatype &type,
                    llvm::Value *count, llvm::Value *in, llvm::Value *out);
/// Emits `type` with the emitter of this thread; throws farc::Error if no code
/// is being generated.
void emitNested(const farc::Datatype &type, bool isPack, llvm::Value *in,
                llvm::Value *count, llvm::Value *out);
/// Whether `form` contains a custom part.
bool hasCustom(const Form &form);

} // namespace sluice::pack::jit

#endif // SLUICE_PACKJIT_CUSTOMS_H
