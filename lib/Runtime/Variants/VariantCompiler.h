//===- VariantCompiler.h - Compiling variants in a helper process ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime contains no compiler. It starts a helper process for every
// variant, one at a time, and opens the shared object that the helper leaves in
// the cache directory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_VARIANTS_VARIANTCOMPILER_H
#define SLUICE_RUNTIME_VARIANTS_VARIANTCOMPILER_H

#include "sluice-c/Plan.h"
#include "sluice/Base/Store.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace sluice {

struct VariantOptions {
  /// Equal launches before a node is compiled for its extents; 0: never.
  unsigned specializeAfter = 3;
  /// The helper program that compiles; empty: the one named in the plan.
  std::string helper;
  /// Where variants are kept; empty: there are no variants.
  std::string cacheDirectory;
  /// The maximum number of variants per node.
  unsigned maxVariants = 24;
};

/// A kernel from a shared object, which is open as long as the object exists.
class SharedKernel {
public:
  SharedKernel() = default;
  SharedKernel(SharedKernel &&other) noexcept;
  SharedKernel &operator=(SharedKernel &&other) noexcept;
  ~SharedKernel();
  /// Opens the symbol `sluice_variant` of the file; empty if that fails or if
  /// others could have written the file.
  static SharedKernel open(const Store &store, const std::string &name);

  SluiceKernel get() const { return kernel; }
  /// The number of units that it runs at once.
  uint32_t unitsAtOnce() const { return numAtOnce; }
  explicit operator bool() const { return kernel != nullptr; }

private:
  void *library = nullptr;
  SluiceKernel kernel = nullptr;
  uint32_t numAtOnce = 1;
};

/// A request to the helper.
struct VariantRequest {
  const SluicePlanSpecializer *specializer = nullptr;
  std::string node;
  std::string extents; ///< "4,1,1,16,1,1"
  std::string shape;   ///< "100,?,7"; `?`: no constant
};

/// The file of a variant is named by a hash of everything on which it depends:
///
///   <hash of code>.bc                                the code, written once
///   <hash of helper, code, node, extents, ...>.so    a variant
///
/// so that a file with the right name has the right content.
class VariantCompiler {
public:
  explicit VariantCompiler(const VariantOptions &options);
  /// Does not wait: a running helper completes its file.
  ~VariantCompiler();

  /// False if variants can neither be compiled nor found.
  bool isEnabled() const { return enabled; }
  /// A variant that already exists in the cache, or nothing.
  SharedKernel find(const VariantRequest &request);
  /// Calls `done` in another thread when the helper has ended; the kernel is
  /// empty if there is none. Not called after the destructor has begun.
  using Done = std::function<void(SharedKernel)>;
  void compile(VariantRequest request, Done done);

private:
  class Service;
  struct Job {
    std::string codeFile;
    std::string file;
    VariantRequest request;
    Done done;
  };
  std::string nameOf(const VariantRequest &request);
  const std::string &hashOf(const SluicePlanSpecializer &specializer);

  const Store store;
  const std::string helper;
  bool enabled;
  std::mutex hashMutex;
  std::map<const void *, std::string> hashes;
  std::shared_ptr<Service> service;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_VARIANTS_VARIANTCOMPILER_H
