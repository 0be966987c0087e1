//===- SluiceLibrary.h - Our own library under test -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts our own library behind the same interface as an MPI, so that both are
// measured by the same code.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_SLUICELIBRARY_H
#define DDTPLAYER_SLUICELIBRARY_H

#include "Library.h"
#include "Options.h"
#include "Workbench.h"
#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/Packer.h"

#include <unordered_map>

namespace sluice::player {

/// Drives farc's classes.
class SluiceEngine : public Engine {
public:
  explicit SluiceEngine(KernelChoice choice) : choice(choice) {}
  ~SluiceEngine() override { release(); }

  std::string name() const override { return "Sluice"; }
  Status build(const std::string &text) override;
  Result<Shape> shape() override;
  Result<double> timeCommit() override;
  Result<double> timeCompile() override;
  Status commit() override;
  Status pack(const void *in, int64_t count, void *out,
              int64_t packedBytes) override;
  Status unpack(const void *in, int64_t packedBytes, void *out,
                int64_t count) override;
  void release() override;

  /// What serves, for readers; after commit.
  std::string kernelName() const;

private:
  KernelChoice choice;
  farc::Datatype *type = nullptr;
  pack::Kernel interpreter;
  std::unordered_map<std::string, double> compileSeconds;
};

/// The engine on a workbench in this process.
class SluiceLibrary : public Library {
public:
  explicit SluiceLibrary(KernelChoice choice)
      : engine(choice), workbench(engine) {}

  std::string name() const override { return engine.name(); }
  Result<Shape> prepare(const std::string &text, int64_t count) override {
    return workbench.prepare(text, count);
  }
  Status commit() override { return workbench.commit(); }
  Result<double> measure(Quantity quantity, double seconds) override {
    return workbench.measure(quantity, seconds);
  }
  Result<std::string> packed() override;
  Result<std::string> unpacked() override;
  Status release() override;
  std::string kernelName() const { return engine.kernelName(); }

private:
  SluiceEngine engine;
  Workbench workbench;
};

/// The kernels that `choice` means in this process: compiled ones where there
/// is a compiler, for Best. An error if compiled ones are asked for and there
/// is none.
Result<KernelChoice> availableKernels(KernelChoice choice);

} // namespace sluice::player

#endif // DDTPLAYER_SLUICELIBRARY_H
