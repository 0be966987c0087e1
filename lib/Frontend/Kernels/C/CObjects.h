//===- CObjects.h - Functions in objects, archives and libraries ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds functions in binaries without linking them, so that errors can be
// reported before the linker's.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_COBJECTS_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_COBJECTS_H

#include "CPrototype.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm::object {
class ObjectFile;
}

namespace sluice::driver {

/// A name that was searched for and found.
struct CSymbol {
  enum class Kind {
    Function,
    Variable,
    Hidden, ///< a static function, or one that a library does not export
    Mangled ///< a C++ function; `text` is its C++ spelling
  };
  std::string name;
  Kind kind = Kind::Function;
  std::string text = {};
  /// From debug information; none if there is none.
  std::optional<CPrototype> prototype = {};
};

struct ObjectContents {
  enum class Kind { Object, Archive, Library };
  Kind kind = Kind::Object;
  std::vector<CSymbol> symbols;
  /// A linked object that contains a program's main function.
  bool definesMain = false;
};

/// Searches for `wanted` in the ELF file or archive at `path`. An error tells
/// why the file cannot be linked. Never ends the process, whatever the file
/// contains. With `isProgram`, the file may be an executable, which counts as a
/// library.
llvm::Expected<ObjectContents>
readObject(llvm::StringRef path, const std::vector<std::string> &wanted,
           bool isProgram = false);

/// The prototype that the debug information of `file` gives for the function
/// `name`; `address` is known for libraries. Trusts the file.
std::optional<CPrototype>
prototypeFromDwarf(const llvm::object::ObjectFile &file, llvm::StringRef name,
                   std::optional<uint64_t> address);

/// "scale" of the mangled name of `scale(double *)`; empty for other names.
std::string baseNameOfMangled(llvm::StringRef symbol);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_COBJECTS_H
