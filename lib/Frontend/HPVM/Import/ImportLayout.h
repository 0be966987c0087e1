//===- ImportLayout.h - Layouts of argument structures --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HPVM specifies packed structures. Programs also pass others, and IR does not
// tell which, since the pointer is opaque. This file collects the evidence
// about the memory behind the pointer.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTLAYOUT_H
#define SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTLAYOUT_H

#include "sluice/Frontend/HPVM/ImportHPVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class DataLayout;
class Type;
class Value;
} // namespace llvm

namespace sluice::hpvm {

/// A field of a declared structure.
struct LayoutField {
  enum class Kind { Unknown, Integer, Float, Pointer, Aggregate };

  std::string name;
  uint64_t offset = 0, size = 0;
  Kind kind = Kind::Unknown;
  /// Fields of a member structure; offsets count from the outer one's start.
  std::vector<LayoutField> members;
};

/// A structure type that some evidence gives for the memory behind a pointer.
struct StructureEvidence {
  /// "struct RootArgs", or LLVM's spelling.
  std::string name;
  uint64_t size = 0;
  std::vector<LayoutField> fields;
  /// Where the variable or type is declared.
  SourcePlace place;
};

/// The evidence about the memory that an argument pointer names.
struct MemoryEvidence {
  /// Declared types, the most reliable first.
  std::vector<StructureEvidence> structures;
  /// The size in bytes, if an allocation of constant size gives it.
  std::optional<uint64_t> size;
  /// The pointer is null.
  bool isNull = false;
};

/// Collects the evidence of allocas, globals, debug information and address
/// arithmetic about the memory that `pointer` names.
MemoryEvidence findEvidence(llvm::Value *pointer,
                            const llvm::DataLayout &layout);

/// The ports of a root, in the order of the structure's fields.
struct RootPorts {
  llvm::SmallVector<llvm::Type *> arguments, results;
  /// For messages.
  llvm::SmallVector<std::string> argumentNames, resultNames;
};

/// Offsets without padding, results after arguments.
ArgumentLayout packedLayout(const RootPorts &ports,
                            const llvm::DataLayout &layout);
/// Offsets in C's layout of a structure with the arguments, and a structure
/// with the results as its last member.
ArgumentLayout naturalLayout(const RootPorts &ports,
                             const llvm::DataLayout &layout);

/// Maps the ports to the fields of a declared structure. Fails with the reason
/// if they do not match.
struct LayoutMatch {
  std::optional<ArgumentLayout> layout;
  std::string mismatch;
};
LayoutMatch matchFields(const RootPorts &ports,
                        const StructureEvidence &structure,
                        const llvm::DataLayout &layout);

} // namespace sluice::hpvm

#endif // SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTLAYOUT_H
