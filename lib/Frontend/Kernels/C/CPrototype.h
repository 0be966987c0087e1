//===- CPrototype.h - C prototypes from debug information -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR and symbol tables do not contain the types with which a function was
// declared. Debug information does: DISubprogram in IR, DWARF in object files.
// Both are converted to the prototype here, which tasks are checked against.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_CPROTOTYPE_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_CPROTOTYPE_H

#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Function;
}

namespace sluice::driver {

/// A C type, without typedef names.
struct CType {
  enum class Kind {
    Void,
    Integer, ///< also bool, char and enumerations
    Float,
    Pointer,
    Reference, ///< of C++
    Other,     ///< a struct, a function, `long double`, ...
    Unknown    ///< in IR without debug information: the pointee of a pointer
  };
  Kind kind = Kind::Void;
  unsigned bits = 0;
  bool isSigned = false;
  /// The sign is a guess: integers of IR without debug information have no
  /// sign.
  bool hasAnySign = false;
  bool isBool = false;
  /// Plain `char`; `char *` may point to bytes of anything.
  bool isChar = false;
  bool isConst = false;
  /// As written: "const double *".
  std::string spelling = "void";
  /// The pointee of a pointer or reference, a single type. Arrays are replaced
  /// by their elements, with the lengths in `extents` (-1: unknown).
  std::vector<CType> target = {};
  std::vector<int64_t> extents = {};
};

struct CParameter {
  std::string name;
  CType type;
};

struct CPrototype {
  std::string function;
  /// Where it is defined.
  SourcePlace place;
  CType result;
  bool isVariadic = false;
  std::vector<CParameter> parameters = {};
};

/// Sets a basic type; `encoding` is a DW_ATE of DWARF.
void setBasicType(CType &type, unsigned encoding, uint64_t bytes,
                  llvm::StringRef name);
/// "double" -> "double *", "double **", "double &".
std::string spellPointer(const std::string &target, char mark);

/// "int save(const double *image, int n)".
std::string spell(const CPrototype &prototype);

/// The type that clang gives such a parameter in IR; null if it has no IR type
/// of its own.
llvm::Type *irType(const CType &type, llvm::LLVMContext &context);

/// The prototype of a function that is defined in IR.
CPrototype prototypeOf(const llvm::Function &function);

/// For passing prototypes from one process to another.
llvm::json::Value toJSON(const CPrototype &prototype);
std::optional<CPrototype> prototypeFromJSON(const llvm::json::Value &value);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CPROTOTYPE_H
