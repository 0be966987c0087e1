//===- ImportLayout.h - Layouts of argument structures --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HPVM specifies packed structures, programs also pass others, and IR hardly
// says which: the pointer is opaque. What is known about the memory behind it
// is collected here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTLAYOUT_H
#define SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTLAYOUT_H

#include "sluice/Frontend/HPVM/Import.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class DataLayout;
class Type;
class Value;
} // namespace llvm

namespace sluice::hpvm {

/// A field of a structure that somebody declared.
struct Field {
  enum class Kind { Unknown, Integer, Float, Pointer, Aggregate };

  std::string name;
  uint64_t offset = 0, size = 0;
  Kind kind = Kind::Unknown;
  /// Fields of a member structure; offsets count from the outer one's start.
  std::vector<Field> members;
};

/// A structure type that the memory behind a pointer is said to have.
struct StructureEvidence {
  /// "struct RootArgs" or LLVM's spelling.
  std::string name;
  uint64_t size = 0;
  std::vector<Field> fields;
  /// Where the variable or type is declared.
  SourcePlace place;
};

/// What is known about the memory that an argument pointer names.
struct MemoryEvidence {
  /// Types it was declared with, the most reliable first.
  std::vector<StructureEvidence> structures;
  /// Its size in bytes where an allocation of constant size states it.
  std::optional<uint64_t> size;
  /// The pointer is null.
  bool isNull = false;
};

/// Collects what allocas, globals, debug information and address arithmetic
/// say about the memory that `pointer` names.
MemoryEvidence findEvidence(llvm::Value *pointer,
                            const llvm::DataLayout &layout);

/// The ports of a root, in the order of the structure's fields.
struct RootPorts {
  llvm::SmallVector<llvm::Type *> arguments, results;
  /// For messages.
  llvm::SmallVector<std::string> argumentNames, resultNames;
};

/// Offsets without padding, results after arguments.
Layout packedLayout(const RootPorts &ports, const llvm::DataLayout &layout);
/// Offsets as C lays out a structure of the arguments and a structure of the
/// results as its last member.
Layout naturalLayout(const RootPorts &ports, const llvm::DataLayout &layout);

/// Maps the ports to the fields of a declared structure. Fails with the reason
/// if they do not match.
struct LayoutMatch {
  std::optional<Layout> layout;
  std::string mismatch;
};
LayoutMatch matchFields(const RootPorts &ports,
                        const StructureEvidence &structure,
                        const llvm::DataLayout &layout);

} // namespace sluice::hpvm

#endif // SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTLAYOUT_H
