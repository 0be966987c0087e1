//===- HalideCode.h - What a generator becomes, kept by content -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two levels, so that a program that did not change runs no generator, and an
// edit elsewhere in the meta-program compiles nothing:
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

/// A generator with its settings: compiled once, used by any number of tasks.
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
  /// Compiled, and pinned while this process runs; empty until then. The hash
  /// is SHA-256.
  std::string object, objectHash;

  /// "p1=4 p2=8".
  std::string text() const;
};

/// Names the function after all that makes it.
std::string halideSymbol(const HalideCode &code);

/// Halide's library as this process has loaded it; empty if it has not.
std::string loadedHalide();

class HalideCache {
public:
  /// Prepares the store; what is wrong with it is `problem`.
  bool open(std::string &problem);

  /// Fills in what is known of the code.
  void read(HalideCode &code);
  void write(const HalideCode &code);
  /// What is known of a call.
  std::optional<halide::Violation> readCall(const HalideCode &code,
                                            const halide::KnownCall &call);
  void writeCall(const HalideCode &code, const halide::KnownCall &call,
                 const halide::Violation &violation);

  const Store &getObjects() const { return store; }
  /// What objects depend on besides their code.
  const std::string &getVersion() const { return version; }
  /// The name of the object of Halide's runtime, compiled or not.
  std::string runtimeName(llvm::StringRef target) const;

private:
  std::string entryName(const HalideCode &code) const;
  std::string callName(const HalideCode &code,
                       const halide::KnownCall &call) const;

  Store store{StoreKind::Halide};
  std::string version;
  /// Hash of everything behind the generators of this process.
  std::string program;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDECODE_H
