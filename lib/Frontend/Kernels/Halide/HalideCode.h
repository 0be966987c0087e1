//===- HalideCode.h - Code of generators, cached by content ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There are two levels, so that an unchanged program runs no generator, and an
// edit elsewhere in the meta-program recompiles nothing:
//   1. program, generator, parameters, target -> description and object
//   2. lowered code -> object (made by libSluiceHalide)
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDECODE_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDECODE_H

#include "sluice/Halide/Backend.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace sluice::driver {

/// A generator with its settings: compiled once, for any number of tasks.
struct HalideCode {
  std::string generator;
  halide::Parameters parameters;
  std::string target;
  std::string symbol;

  /// Known, once isDescribed.
  std::vector<halide::ArgumentInfo> arguments;
  std::vector<halide::ParameterInfo> declared;
  /// See halide::Description::inputs.
  std::vector<std::string> inputs;
  bool isDescribed = false;
  /// The object is compiled, and pinned while this process runs; empty until
  /// then. The hash is SHA-256.
  std::string object, objectHash;

  /// "p1=4 p2=8".
  std::string text() const;
};

/// A name for the function that depends on everything it is made from.
std::string halideSymbol(const HalideCode &code);

/// Halide's library as loaded by this process; empty if it is not loaded.
std::string loadedHalide();

class HalideCache {
public:
  /// Prepares the store; `problem` receives the error.
  bool open(std::string &problem);

  /// Fills in the cached data of the code.
  void read(HalideCode &code);
  void write(const HalideCode &code);
  /// The cached result of checking a call.
  std::optional<halide::Violation> readCall(const HalideCode &code,
                                            const halide::KnownCall &call);
  void writeCall(const HalideCode &code, const halide::KnownCall &call,
                 const halide::Violation &violation);

  const Store &getObjects() const { return store; }
  /// Everything that objects depend on besides their code.
  const std::string &getVersion() const { return version; }
  /// The name of the object of Halide's runtime, whether or not it is compiled.
  std::string runtimeName(llvm::StringRef target) const;

private:
  std::string entryName(const HalideCode &code) const;
  std::string callName(const HalideCode &code,
                       const halide::KnownCall &call) const;

  Store store{StoreKind::Halide};
  std::string version;
  /// A hash of everything that the generators of this process depend on.
  std::string program;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDECODE_H
