//===- CPrototype.h - What a C function takes, as its debug info says -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR and symbol tables no longer say which types a function was written
// with. Debug information does: DISubprogram in IR, DWARF in object files. Both
// become the prototype here, which tasks are checked against.
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

/// A type of C, without the names that typedefs give it.
struct CType {
  enum class Kind {
    Void,
    Integer, ///< bool, char and enumerations, too
    Float,
    Pointer,
    Reference, ///< of C++
    Other,     ///< a struct, a function, `long double`, ...
    Unknown    ///< IR without debug information: what a pointer points to
  };
  Kind kind = Kind::Void;
  unsigned bits = 0;
  bool isSigned = false;
  /// The sign is a guess: integers of IR without debug information have none.
  bool hasAnySign = false;
  bool isBool = false;
  /// Plain `char`, which `char *` is for bytes of anything.
  bool isChar = false;
  bool isConst = false;
  /// As written: "const double *".
  std::string spelling = "void";
  /// Of what a pointer or reference points to, that is one type; arrays are
  /// looked through, `extents` says how long they are (-1: unknown).
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

/// Fills in a type of a name of its own; `encoding` is a DW_ATE of DWARF.
void setBasicType(CType &type, unsigned encoding, uint64_t bytes,
                  llvm::StringRef name);
/// "double" -> "double *", "double **", "double &".
std::string spellPointer(const std::string &target, char mark);

/// "int save(const double *image, int n)".
std::string spell(const CPrototype &prototype);

/// The type that clang gives such a parameter in IR; null for those that have
/// none of their own.
llvm::Type *irType(const CType &type, llvm::LLVMContext &context);

/// The prototype of a function that is defined in IR.
CPrototype prototypeOf(const llvm::Function &function);

/// For crossing from one process to another.
llvm::json::Value toJSON(const CPrototype &prototype);
std::optional<CPrototype> prototypeFromJSON(const llvm::json::Value &value);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CPROTOTYPE_H
