//===- Loader.cpp - Object code in memory ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The in-process memory manager does all its work in the calling thread, so
// linking is a plain call despite JITLink's callbacks.
//
//===----------------------------------------------------------------------===//

#include "Loader.h"

#include "CodeGenerator.h"

#include "sluice/Base/Text.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"

#include <cstring>
#include <dlfcn.h>

using namespace llvm;
using namespace llvm::jitlink;
using namespace sluice;
using namespace sluice::pack;
using namespace sluice::pack::jit;

/// Never destroyed: code may be freed after static objects are gone.
static InProcessMemoryManager &memoryManager() {
  static auto *manager = cantFail(InProcessMemoryManager::Create()).release();
  return *manager;
}

struct LoadedCode::Memory {
  JITLinkMemoryManager::FinalizedAlloc allocation;
};

LoadedCode::LoadedCode() : memory(std::make_unique<Memory>()) {
  context = {std::memcpy, nullptr, nullptr, nullptr};
}

LoadedCode::~LoadedCode() {
  if (memory->allocation)
    consumeError(memoryManager().deallocate(std::move(memory->allocation)));
}

namespace {
/// The shared result of the steps of one link.
struct LinkResult {
  std::string problem;
  JITLinkMemoryManager::FinalizedAlloc allocation;
  void *pack = nullptr;
  void *unpack = nullptr;
};

class LoaderContext : public JITLinkContext {
public:
  explicit LoaderContext(LinkResult &result)
      : JITLinkContext(nullptr), result(result) {}

  JITLinkMemoryManager &getMemoryManager() override { return memoryManager(); }
  void notifyFailed(Error error) override {
    result.problem = toString(std::move(error));
  }
  void lookup(const LookupMap &symbols,
              std::unique_ptr<JITLinkAsyncLookupContinuation> next) override;
  Error notifyResolved(LinkGraph &graph) override {
    for (Symbol *symbol : graph.defined_symbols()) {
      if (!symbol->hasName())
        continue;
      if (*symbol->getName() == packName)
        result.pack = symbol->getAddress().toPtr<void *>();
      if (*symbol->getName() == unpackName)
        result.unpack = symbol->getAddress().toPtr<void *>();
    }
    return Error::success();
  }
  void
  notifyFinalized(JITLinkMemoryManager::FinalizedAlloc allocation) override {
    result.allocation = std::move(allocation);
  }

private:
  LinkResult &result;
};
} // namespace

/// Only users' code refers to external symbols.
void LoaderContext::lookup(
    const LookupMap &symbols,
    std::unique_ptr<JITLinkAsyncLookupContinuation> next) {
  AsyncLookupResult found;
  for (const auto &[name, flags] : symbols) {
    void *address = ::dlsym(RTLD_DEFAULT, (*name).str().c_str());
    if (!address && flags == SymbolLookupFlags::RequiredSymbol)
      return next->run(createStringError("no function or variable '" + *name +
                                         "' in this program; link with "
                                         "-rdynamic if it is the program's "
                                         "own"));
    found[name] = {orc::ExecutorAddr::fromPtr(address),
                   JITSymbolFlags::Exported};
  }
  next->run(std::move(found));
}

static Status linkError(std::string problem) {
  return Status::error(StatusCode::System,
                       concat("cannot load compiled code: ", problem));
}

Result<std::shared_ptr<LoadedCode>> jit::loadObject(std::string_view object,
                                                    Kernel large) {
  MemoryBufferRef buffer(StringRef(object.data(), object.size()), "pack");
  auto graph = createLinkGraphFromObject(
      buffer, std::make_shared<orc::SymbolStringPool>());
  if (!graph)
    return linkError(toString(graph.takeError()));
  LinkResult result;
  link(std::move(*graph), std::make_unique<LoaderContext>(result));
  auto code = std::make_shared<LoadedCode>();
  code->memory->allocation = std::move(result.allocation);
  if (!result.problem.empty())
    return linkError(std::move(result.problem));
  if (!result.pack || !result.unpack)
    return linkError("the object lacks its functions");
  code->large = std::move(large);
  code->context.packLarge = code->large.pack;
  code->context.unpackLarge = code->large.unpack;
  code->context.largeContext = code->large.context.get();
  code->pack = reinterpret_cast<KernelFunction>(result.pack);
  code->unpack = reinterpret_cast<KernelFunction>(result.unpack);
  return code;
}
