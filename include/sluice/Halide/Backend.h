//===- Backend.h - Halide generators as the compiler sees them --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libSluiceHalide.so is the only part of Sluice that is linked with Halide. It
// is opened when a task graph has Halide tasks, and sees the generators of the
// process, which register themselves in Halide's own library. Neither side's
// LLVM shows in this interface.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_HALIDE_BACKEND_H
#define SLUICE_HALIDE_BACKEND_H

#include <map>
#include <string>
#include <vector>

namespace sluice::halide {

/// Settings of a generator, by name.
using Parameters = std::map<std::string, std::string>;

/// What a compiled generator takes, in the order of its inputs, then outputs.
struct ArgumentInfo {
  enum class Kind { InputBuffer, OutputBuffer, Scalar };
  enum class Code { Int, UInt, Float };
  std::string name;
  Kind kind = Kind::Scalar;
  Code code = Code::Int;
  unsigned bits = 0;
  unsigned dimensions = 0;
  /// What the stride of the innermost dimension must be; 0: anything.
  int innermostStride = 1;
};

struct ParameterInfo {
  std::string name;
  std::string value; ///< default
  bool isTunable = false;
  bool isInput = false;
};

struct GeneratorInfo {
  std::vector<ArgumentInfo> arguments;
  std::vector<ParameterInfo> parameters;
};

struct CompileRequest {
  std::string generator;
  Parameters parameters;
  /// Name of the function in the object.
  std::string symbol;
  /// As Halide spells targets: "x86-64-linux-sse41-avx-avx2-no_runtime".
  std::string target;
  std::string objectPath;
};

/// One thread at a time. Functions that fail return false and say why.
class Backend {
public:
  virtual ~Backend() = default;
  /// Halide's version.
  virtual std::string version() = 0;
  /// Names of all generators of the process.
  virtual std::vector<std::string> generators() = 0;
  /// Halide's name for this machine, or for an x86-64 CPU that clang knows.
  virtual std::string targetFor(const std::string &cpu) = 0;
  virtual bool describe(const std::string &generator,
                        const Parameters &parameters, GeneratorInfo &info,
                        std::string &problem) = 0;
  virtual bool compile(const CompileRequest &request, std::string &problem) = 0;
  /// Halide's own runtime, an object that programs link once.
  virtual bool compileRuntime(const std::string &target,
                              const std::string &objectPath,
                              std::string &problem) = 0;
};

} // namespace sluice::halide

/// The one entry point of libSluiceHalide.so.
extern "C" sluice::halide::Backend *sluiceHalideBackend();

#endif // SLUICE_HALIDE_BACKEND_H
