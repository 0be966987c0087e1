//===- FakeCompiler.cpp - A compiler library for tests --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces libSluicePackJIT.so: its kernels walk the form. Its behaviour
// depends on the layout's extent, so that tests can request failures and slow
// compilations.
//
//===----------------------------------------------------------------------===//

#include "FakeCompiler.h"

#include "../Form/FormBuilding.h"
#include "sluice/Pack/Compiler.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace sluice;
using namespace sluice::pack;

/// Number of live kernels; tests look it up by name.
extern "C" std::atomic<int> fakeKernelsAlive;
std::atomic<int> fakeKernelsAlive = 0;

/// Number of slow compilations that have begun; tests look it up, too.
extern "C" std::atomic<int> fakeSlowBegun;
std::atomic<int> fakeSlowBegun = 0;

extern "C" void (*fakeHook)();
void (*fakeHook)() = nullptr;

/// Two of the library's static objects. On request of a test, the construction
/// of the second takes long, and then needs the first.
static struct First {
  First() : isAlive(true) {}
  ~First() { isAlive = false; }
  std::atomic<bool> isAlive;
} first;

static struct Second {
  Second() {
    if (!std::getenv(fakeSlowOpening))
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (!first.isAlive)
      std::abort();
  }
} second;

namespace {

struct Context {
  explicit Context(const Layout &layout) : layout(layout) {
    ++fakeKernelsAlive;
  }
  ~Context() { --fakeKernelsAlive; }
  Layout layout;
};

void pack(const std::byte *in, int64_t count, std::byte *out,
          const void *context) {
  const Layout &layout = static_cast<const Context *>(context)->layout;
  for (int64_t i = 0; i != count; ++i)
    forEachRun(*layout.form, i * layout.extent + layout.offset,
               [&](int64_t offset, int64_t length) {
                 std::memcpy(out, in + offset, size_t(length));
                 out += length;
               });
}

void unpack(const std::byte *in, int64_t count, std::byte *out,
            const void *context) {
  const Layout &layout = static_cast<const Context *>(context)->layout;
  for (int64_t i = 0; i != count; ++i)
    forEachRun(*layout.form, i * layout.extent + layout.offset,
               [&](int64_t offset, int64_t length) {
                 std::memcpy(out + offset, in, size_t(length));
                 in += length;
               });
}

class FakeCompiler : public Compiler {
public:
  Result<Kernel> compile(const CompilerInput &input) override {
    int number = ++compilations;
    int64_t extent = input.layout->extent;
    if (extent == fakeFailureExtent)
      return Status::error(StatusCode::System,
                           "failure " + std::to_string(number));
    if (extent == fakeThrowExtent)
      throw std::runtime_error("thrown by generated code");
    if (extent == fakeHookExtent)
      fakeHook();
    if (extent == fakeSlowExtent) {
      ++fakeSlowBegun;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    Kernel kernel;
    kernel.pack = pack;
    kernel.unpack = unpack;
    kernel.context = std::make_shared<Context>(*input.layout);
    kernel.origin = KernelOrigin::Compiled;
    kernel.name = "fake " + std::to_string(number);
    return kernel;
  }
  Result<std::string> printIR(const CompilerInput &) override { return {"ir"}; }
  Result<std::string> printAssembly(const CompilerInput &) override {
    return {"assembly"};
  }
  void emit(const farc::Datatype &, bool, llvm::Value *, llvm::Value *,
            llvm::Value *) override {}

private:
  std::atomic<int> compilations = 0;
};

} // namespace

Compiler *sluicePackCompiler(uint32_t version) {
#ifdef SLUICE_FAKE_OTHER_VERSION
  return nullptr;
#else
  static FakeCompiler compiler;
  return version == compilerInterfaceVersion ? &compiler : nullptr;
#endif
}
