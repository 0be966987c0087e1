//===- Backend.h - The compiler's interface to Halide generators ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libSluiceHalide.so is the only part of Sluice that is linked with Halide. It
// is opened when a task graph has Halide tasks whose code is not in the cache.
// It accesses the generators of the process, which register themselves in
// Halide's own library. This interface exposes neither side's LLVM.
//
// Generators are user code, so each runs in a forked copy of this process: its
// errors, including crashes, become messages.
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

/// Settings of a generator, by name. `autoscheduler` selects one of Halide's
/// ("Adams2019", "Li2018", "Mullapudi2016") and is not a parameter of the
/// generator itself.
using Parameters = std::map<std::string, std::string>;

/// A parameter of a generated function; inputs come before outputs.
struct ArgumentInfo {
  enum class Kind { InputBuffer, OutputBuffer, Scalar };
  enum class Code { Int, UInt, Float, Other };
  std::string name;
  Kind kind = Kind::Scalar;
  Code code = Code::Int;
  unsigned bits = 0;
  unsigned dimensions = 0;
  /// The required stride of the innermost dimension; 0: any.
  int innermostStride = 0;
};

struct ParameterInfo {
  std::string name;
  std::string value; ///< default, in C++ syntax
  bool isTunable = false;
  bool isInput = false;
};

/// The part of a call's argument that is known before the call. Dimensions are
/// Halide's, innermost first; strides are in elements.
struct KnownArgument {
  std::vector<int64_t> extents, strides; ///< of a buffer
  std::string value;                     ///< of a scalar; empty: unknown
};
using KnownCall = std::vector<KnownArgument>;

/// The check by which a function would refuse a call: the name of Halide's
/// function without "halide_error_", and its arguments. Empty: none.
struct Violation {
  std::string error;
  std::vector<std::string> details;
};

struct Description {
  std::vector<ArgumentInfo> arguments;
  std::vector<ParameterInfo> parameters;
  /// One per call of the request.
  std::vector<Violation> violations;
  /// Absolute paths of files that the generator read, and "env:NAME" for
  /// environment variables; its results are valid as long as these do not
  /// change.
  std::vector<std::string> inputs;
};

struct Request {
  std::string generator;
  Parameters parameters;
  /// Name of the function in the object.
  std::string symbol;
  /// In Halide's form of targets: "x86-64-linux-sse41-no_runtime".
  std::string target;
  /// Where objects are kept. Their names depend on the lowered code and on
  /// `version`, which covers all else that their code depends on.
  Store objects{StoreKind::Halide};
  std::string version;
  std::vector<KnownCall> calls;
};

/// Why a request failed.
struct RequestError {
  /// The wrong parameter; empty: another problem.
  std::string parameter;
  std::string text;
};

/// A running generator. Destroying the object ends it.
class Job {
public:
  virtual ~Job() = default;
  /// Waits until the generator has run. If that fails, the description still
  /// contains the parameters, as far as the generator got.
  virtual bool describe(Description &description, RequestError &problem) = 0;
  /// Starts to compile the object, if it does not exist; only `finish` waits
  /// for it.
  virtual void compile() = 0;
  /// The name of the object in its store.
  virtual bool finish(std::string &objectName, RequestError &problem) = 0;
};

/// Used by one thread at a time.
class Backend {
public:
  virtual ~Backend() = default;
  /// Names of all generators of the process, sorted.
  virtual std::vector<std::string> generators() = 0;
  /// Starts a generator of the process.
  virtual std::unique_ptr<Job> start(const Request &request) = 0;
  /// Starts to compile Halide's own runtime, an object that programs link once;
  /// call only `finish` for this job.
  virtual std::unique_ptr<Job> startRuntime(const std::string &target,
                                            const Store &objects,
                                            const std::string &name) = 0;
};

} // namespace sluice::halide

/// The one entry point of libSluiceHalide.so.
extern "C" sluice::halide::Backend *sluiceHalideBackend();

#endif // SLUICE_HALIDE_BACKEND_H
