//===- Cache.cpp - Executables cached by content --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of a program is a hash of everything that the command line names
// (tools, CPU, flags and files) and of the environment that the tools read. The
// key leads to a manifest of all files that were read or looked for while the
// program was built. The manifest names the executable, which is used only if
// all these files are unchanged.
//
//===----------------------------------------------------------------------===//

#include "CacheKey.h"
#include "Programs/DeviceCode.h"
#include "sluice/Base/Store.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Driver/Build.h"
#include "sluice/Toolchain/FileHash.h"
#include "sluice/Toolchain/Manifest.h"
#include "sluice/Toolchain/Toolchain.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <link.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// Paths and stamps of the libraries of this process that are not the user's
/// own.
static std::string describeLibraries() {
  std::string text;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *text) {
        StringRef path = info->dlpi_name;
        StringRef name = sys::path::filename(path);
        if (any_of(ArrayRef{"libLLVM", "libclang", "libMLIR", "libSluice"},
                   [&](StringRef start) { return name.starts_with(start); }))
          *static_cast<std::string *>(text) +=
              (path + " " + exactStamp(path) + "\n").str();
        return 0;
      },
      &text);
  return text;
}

/// A text that changes whenever the compiler or the linker changes.
static std::string describeTools() {
  std::string text = SLUICE_VERSION " " SLUICE_LLVM_VERSION "\n";
  for (const std::string &tool :
       {compilerPath(), std::string(SLUICE_LLVM_BIN "/clang++"),
        std::string(SLUICE_LLVM_BIN "/ld.lld"), variantHelper()})
    text += tool + " " + exactStamp(tool) + "\n";
  return text + describeLibraries();
}

/// Environment variables that clang, its driver and the linker read.
static constexpr const char *settings[] = {"CPATH",
                                           "C_INCLUDE_PATH",
                                           "CPLUS_INCLUDE_PATH",
                                           "OBJC_INCLUDE_PATH",
                                           "LIBRARY_PATH",
                                           "COMPILER_PATH",
                                           "GCC_EXEC_PREFIX",
                                           "CCC_OVERRIDE_OPTIONS",
                                           "CCC_ADD_ARGS",
                                           "QA_OVERRIDE_GCC3_OPTIONS",
                                           "CLANG_CONFIG_FILE_SYSTEM_DIR",
                                           "CLANG_CONFIG_FILE_USER_DIR",
                                           "CLANG_NO_DEFAULT_CONFIG",
                                           "SOURCE_DATE_EPOCH",
                                           "SYSROOT",
                                           "EXTRA_PYTHONPATH",
                                           "TZ"};

static std::string describeCpu(StringRef cpu) {
  if (cpu != "native")
    return cpu.str();
  std::string text = sys::getHostCPUName().str();
  std::vector<std::string> features;
  for (const auto &[name, isOn] : sys::getHostCPUFeatures())
    if (isOn)
      features.push_back(name.str());
  llvm::sort(features);
  return text + " " + llvm::join(features, ",");
}

CacheKey::CacheKey(StringRef cpu) {
  SmallString<128> folder;
  sys::fs::current_path(folder);
  add(describeTools());
  add(describeCpu(cpu));
  add(folder);
  for (const char *name : settings) {
    const char *value = std::getenv(name);
    add(value ? StringRef(value) : StringRef("\1"));
  }
}

void CacheKey::add(StringRef text) { hash.add(text); }

void CacheKey::addAll(ArrayRef<std::string> texts) {
  add(std::to_string(texts.size()));
  for (const std::string &text : texts)
    add(text);
}

void CacheKey::addOptions(const ProgramOptions &program) {
  addAll(program.compilerFlags);
  addAll(program.linkerFlags);
  const transforms::TransformOptions &transforms = program.transforms;
  add(std::to_string(program.optimizationLevel) +
      (program.isLegacy ? "l" : "-") + (program.isVersion05 ? "5" : "-") +
      std::to_string(unsigned(program.math)) +
      (program.isDebuggable ? "g" : "-") + (program.isReference ? "r" : "-") +
      (program.isChecked ? "c" : "-") + (program.isForRanks ? "m" : "-") +
      (program.makesLanes ? "v" : "-") + (program.makesPanels ? "n" : "-") +
      (program.splitsBorders ? "b" : "-") +
      (transforms.flattenGraphs ? "f" : "-") +
      (transforms.removeDead ? "d" : "-") + (transforms.fuseNodes ? "u" : "-") +
      (transforms.tileNodes ? "t" : "-") +
      (transforms.pipelineEdges ? "p" : "-") +
      (program.hint ? dfg::stringifyTarget(*program.hint) : "").str());
  addAll(program.llvmFlags);
  const codegen::Profiling &profiling = program.profiling;
  bool usesProfile = profiling.kind == codegen::Profiling::Kind::Use;
  add(std::to_string(int(profiling.kind)) + (profiling.isAtomic ? "a" : "s"));
  add(profiling.file);
  add(usesProfile ? hashInput(profiling.file) : std::string());
}

void CacheKey::addDevices(const BuildOptions &options) {
  add(options.deviceChip);
  add(describeDeviceTools());
}

static std::string programKey(const BuildOptions &options) {
  CacheKey key(options.program.cpu);
  for (const std::string &file : options.program.files) {
    key.add(file);
    key.add(hashInput(file));
  }
  key.addOptions(options.program);
  key.add(options.isShared ? "h" : options.isStatic ? "s" : "-");
  key.addDevices(options);
  return key.text();
}

/// The entry that the manifest names, if nothing has changed since the manifest
/// was written.
static CachedFile findEntry(const Store &store,
                            const std::string &manifestName) {
  CachedFile found;
  std::optional<std::string> text = store.read(manifestName);
  if (!text)
    return found;
  auto [name, lines] = StringRef(*text).split('\n');
  std::optional<Manifest> manifest = Manifest::parse(lines);
  std::string path = store.pathOf(name);
  if (manifest) {
    found.watched = pathsOfUser(manifest->paths());
    found.watchedState = watchedState(found.watched);
  }
  if (name.empty() || name.contains('/') || !manifest || !manifest->holds() ||
      ::access(path.c_str(), X_OK) != 0 || !store.contains(name, &found.size))
    return found;
  found.path = path;
  found.inputs = filesOfUser(manifest->paths());
  return found;
}

/// Removes entries of the same key that were made from other files. A process
/// that is about to start such an entry finds it gone and asks again.
static void removeOlder(const std::string &folder, StringRef key,
                        StringRef newest) {
  std::error_code error;
  for (sys::fs::directory_iterator entry(folder, error), end;
       !error && entry != end; entry.increment(error)) {
    StringRef name = sys::path::filename(entry->path());
    if (name != newest && name.starts_with(key) &&
        name.substr(key.size()).starts_with("-"))
      sys::fs::remove(entry->path());
  }
}

CachedFile driver::cachedFile(
    const std::string &key, StringRef ending,
    function_ref<bool(StringRef, std::vector<std::string> &)> build,
    function_ref<void(const Twine &)> complain, bool mayBeTemporary,
    bool mustBeNew) {
  Result<Store> store = mayBeTemporary
                            ? Store::openOrTemporary(StoreKind::Programs)
                            : Store::open(StoreKind::Programs);
  if (!store.ok()) {
    complain(store.status().message());
    return {};
  }
  std::string manifestName = key + ".files";
  if (!mustBeNew)
    if (CachedFile found = findEntry(*store, manifestName); !found.path.empty())
      return found;

  CachedFile made;
  int64_t start = fileTime();
  Result<std::string> work = workPath(ending.str());
  if (!work.ok()) {
    complain(work.status().message());
    return {};
  }
  std::vector<std::string> dependencies;
  if (!build(*work, dependencies))
    return {};
  // Other content gets another name: a process that has the old file open keeps
  // it, and a process that loads both gets both.
  std::string name = key + "-" + hashFile(*work).substr(0, 16) + ending.str();
  made.path = store->pathOf(name);
  sys::fs::file_size(*work, made.size);
  Status status = store->adopt(*work, name, /*isProgram=*/true);
  sys::fs::remove(*work);
  if (!status.ok()) {
    complain(status.message());
    return {};
  }
  made.watched = pathsOfUser(dependencies);
  made.watchedState = watchedState(made.watched);
  if (haveChangedSince(made.watched, start))
    made.watchedState.clear();
  std::optional<Manifest> manifest = Manifest::of(dependencies, start);
  made.inputs = filesOfUser(dependencies);
  if (manifest) {
    status = store->write(manifestName, name + "\n" + manifest->text());
    if (!status.ok()) // the file is good, the next run builds it again
      printWarning(status.message());
  }
  removeOlder(store->getFolder(), key, name);
  return made;
}

CachedFile driver::cachedExecutable(const BuildOptions &options) {
  return cachedFile(
      programKey(options), options.isShared ? ".so" : "",
      [&](StringRef path, std::vector<std::string> &dependencies) {
        return buildExecutable(options, path, &dependencies);
      },
      [](const Twine &problem) { printError(problem); },
      /*mayBeTemporary=*/false, options.program.showsPasses);
}
