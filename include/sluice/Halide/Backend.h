//===- Backend.h - Halide generators as the compiler sees them --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libSluiceHalide.so is the only part of Sluice that is linked with Halide. It
// is opened when a task graph has Halide tasks whose code is not in the cache,
// and sees the generators of the process, which register themselves in Halide's
// own library. Neither side's LLVM shows in this interface.
//
// Generators are programs of the user, so each runs in a process of its own, a
// forked copy of this one: its errors, including crashes, become messages.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_HALIDE_BACKEND_H
#define SLUICE_HALIDE_BACKEND_H

#include "sluice/Base/Store.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sluice::halide {

/// Settings of a generator, by name. `autoscheduler` names one of Halide's
/// ("Adams2019", "Li2018", "Mullapudi2016") and is none of the generator's own.
using Parameters = std::map<std::string, std::string>;

/// What a generated function takes, in the order of inputs, then outputs.
struct ArgumentInfo {
  enum class Kind { InputBuffer, OutputBuffer, Scalar };
  enum class Code { Int, UInt, Float, Other };
  std::string name;
  Kind kind = Kind::Scalar;
  Code code = Code::Int;
  unsigned bits = 0;
  unsigned dimensions = 0;
  /// What the stride of the innermost dimension must be; 0: anything.
  int innermostStride = 0;
};

struct ParameterInfo {
  std::string name;
  std::string value; ///< default, as C++ spells it
  bool isTunable = false;
  bool isInput = false;
};

/// An argument of a call as far as it is known before the call. Dimensions are
/// Halide's, innermost first, and strides are in elements.
struct KnownArgument {
  std::vector<int64_t> extents, strides; ///< of a buffer
  std::string value;                     ///< of a scalar; empty: unknown
};
using KnownCall = std::vector<KnownArgument>;

/// The check with which a function would refuse a call: the name of Halide's
/// function without "halide_error_", and what it is called with. Empty: none.
struct Violation {
  std::string error;
  std::vector<std::string> details;
};

struct Description {
  std::vector<ArgumentInfo> arguments;
  std::vector<ParameterInfo> parameters;
  /// One per call of the request.
  std::vector<Violation> violations;
  /// Files that the generator read, absolute, and "env:NAME" for variables of
  /// the environment; what it made of them holds while they do not change.
  std::vector<std::string> inputs;
};

struct Request {
  std::string generator;
  Parameters parameters;
  /// Name of the function in the object.
  std::string symbol;
  /// As Halide spells targets: "x86-64-linux-sse41-no_runtime".
  std::string target;
  /// Where objects are kept, named by what they are made from after lowering,
  /// and by `version`: what else their code depends on.
  Store objects{StoreKind::Halide};
  std::string version;
  std::vector<KnownCall> calls;
};

/// Why a request failed.
struct Problem {
  /// The parameter that is wrong; empty: something else is.
  std::string parameter;
  std::string text;
};

/// A generator at work. Destroying it ends it.
class Job {
public:
  virtual ~Job() = default;
  /// Waits until the generator has run. If that fails, the description has
  /// the parameters still, as far as the generator got.
  virtual bool describe(Description &description, Problem &problem) = 0;
  /// Starts to compile the object, if it does not exist; only `finish` waits
  /// for it.
  virtual void compile() = 0;
  /// The name is that of the object in its store.
  virtual bool finish(std::string &objectName, Problem &problem) = 0;
};

/// One thread at a time.
class Backend {
public:
  virtual ~Backend() = default;
  /// Names of all generators of the process, sorted.
  virtual std::vector<std::string> generators() = 0;
  /// Starts a generator of the process.
  virtual std::unique_ptr<Job> start(const Request &request) = 0;
  /// Starts to compile Halide's own runtime, an object that programs link once;
  /// such a job is only to be finished.
  virtual std::unique_ptr<Job> startRuntime(const std::string &target,
                                            const Store &objects,
                                            const std::string &name) = 0;
};

} // namespace sluice::halide

/// The one entry point of libSluiceHalide.so.
extern "C" sluice::halide::Backend *sluiceHalideBackend();

#endif // SLUICE_HALIDE_BACKEND_H
