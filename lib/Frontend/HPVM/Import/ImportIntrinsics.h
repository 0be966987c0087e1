//===- ImportIntrinsics.h - The intrinsics of HPVM ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM does not know llvm.hpvm.*. This table defines which of these intrinsics
// exist, their signatures, and who may call them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTINTRINSICS_H
#define SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTINTRINSICS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Function;
class FunctionType;
} // namespace llvm

namespace sluice::hpvm {

enum class IntrinsicKind {
  CreateNode,
  CreateEdge,
  BindInput,
  BindOutput,
  Ordered,
  Temporary,
  GetNode,
  GetParentNode,
  GetNumDims,
  GetNodeInstanceID,
  GetNumNodeInstances,
  Barrier,
  Malloc,
  AssumeDisjoint,
  AssumeOrdered,
  /// The beginning and end of the part of an instance that waits for others.
  Order,
  Reduce,
  Atomic,
  Init,
  Cleanup,
  Launch,
  Wait,
  Push,
  Pop,
  TrackMemory,
  UntrackMemory,
  RequestMemory,
};

/// The code that may call an intrinsic.
enum class IntrinsicPlace { Internal, Leaf, Host };

struct HPVMIntrinsic {
  llvm::StringRef name;
  IntrinsicKind kind;
  IntrinsicPlace place;
  /// CreateNode: number of dimensions; queries: the dimension, 0 to 2.
  unsigned dimension;
  /// The type, result first: v void, p ptr, b i1, i i32, l i64, f float,
  /// d double.
  llvm::StringRef signature;
};

/// The intrinsic with that name; null if HPVM has none.
const HPVMIntrinsic *lookUpIntrinsic(llvm::StringRef name);
/// True for names that HPVM reserves, whether known or not.
bool isReservedName(llvm::StringRef name);
/// True if `type` is the intrinsic's.
bool hasSignature(const HPVMIntrinsic &intrinsic,
                  const llvm::FunctionType *type);
/// "ptr (ptr, i64)".
std::string spellSignature(const HPVMIntrinsic &intrinsic);

/// The function that a call names, through casts and aliases; null if unknown.
llvm::Function *calledFunction(const llvm::CallBase &call);
/// The intrinsic that a call names, if the call has the right type.
const HPVMIntrinsic *calledIntrinsic(const llvm::CallBase &call);

} // namespace sluice::hpvm

#endif // SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTINTRINSICS_H
