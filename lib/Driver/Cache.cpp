//===- Cache.cpp - Executables kept by content ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of a program is a hash of everything the command line names: tools'
// versions, CPU, flags, files. Under that key lies a manifest of all files the
// program was made from, headers included, with their hashes; only if all are
// as they were is the executable beside it used.
//
//===----------------------------------------------------------------------===//

#include "CacheFolder.h"
#include "CacheKey.h"
#include "DeviceCode.h"
#include "FileHash.h"
#include "Link.h"
#include "Toolchain.h"
#include "sluice/Base/Files.h"
#include "sluice/Driver/Build.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/WithColor.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// A line that changes whenever the compiler does.
static std::string describeTool() {
  std::string self = compilerPath();
  return SLUICE_VERSION " " SLUICE_LLVM_VERSION " " + self + " " +
         fileStamp(self);
}

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
  add(describeTool());
  add(describeCpu(cpu));
  add(folder);
}

void CacheKey::add(StringRef text) {
  hash.update(text);
  hash.update(ArrayRef<uint8_t>{0});
}

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
      (program.isReference ? "r" : "-") + (program.isChecked ? "c" : "-") +
      (transforms.flattenGraphs ? "f" : "-") +
      (transforms.removeDead ? "d" : "-") + (transforms.fuseNodes ? "u" : "-") +
      (transforms.pipelineEdges ? "p" : "-") +
      (program.hint ? dfg::stringifyTarget(*program.hint) : "").str());
}

void CacheKey::addDevices(const BuildOptions &options) {
  add(options.deviceChip);
  add(describeDeviceTools());
}

std::string CacheKey::finish() {
  return toHex(hash.final(), /*LowerCase=*/true).substr(0, 40);
}

static std::string programKey(const BuildOptions &options) {
  CacheKey key(options.program.cpu);
  for (const std::string &file : options.program.files) {
    key.add(file);
    key.add(hashFile(file));
  }
  key.addOptions(options.program);
  key.add(options.isStatic ? "s" : "-");
  key.addDevices(options);
  return key.finish();
}

/// True if every file of the manifest has the content it had. Lines are the
/// hash, a blank and the path; a program may be made from none.
static bool isUnchanged(StringRef manifest) {
  SmallVector<StringRef> lines;
  manifest.split(lines, '\n', -1, /*KeepEmpty=*/false);
  return manifest.ends_with("\n") && all_of(lines, [](StringRef line) {
           auto [hash, path] = line.split(' ');
           return !path.empty() && hash == hashFile(path);
         });
}

std::string driver::cachedFile(
    StringRef kind, const std::string &key,
    function_ref<bool(StringRef, std::vector<std::string> &)> build,
    function_ref<void(const Twine &)> complain, bool mayBeTemporary) {
  std::string folder;
  auto prepare = mayBeTemporary ? prepareWorkFolder : prepareCacheFolder;
  if (Status status = prepare(kind.str(), folder); !status.ok()) {
    complain(status.message());
    return "";
  }
  std::string base = folder + "/" + key;
  std::string manifestPath = base + ".files";
  if (auto manifest = MemoryBuffer::getFile(manifestPath))
    if (sys::fs::can_execute(base) && checkPrivateFile(base).ok() &&
        isUnchanged((*manifest)->getBuffer()))
      return base;

  std::vector<std::string> dependencies;
  if (!build(base, dependencies))
    return "";
  std::string lines = "\n";
  for (const std::string &path : dependencies)
    lines += hashFile(path) + " " + path + "\n";
  Status status = writeFileAtomically(manifestPath, lines);
  if (!status.ok()) // the file is good, the next run builds it again
    errs() << "sluice: warning: " << status.message() << '\n';
  return base;
}

std::string driver::cachedExecutable(const BuildOptions &options) {
  return cachedFile(
      "programs", programKey(options),
      [&](StringRef path, std::vector<std::string> &dependencies) {
        return buildExecutable(options, path, &dependencies);
      },
      [](const Twine &problem) {
        errs() << "sluice: error: " << problem << '\n';
      });
}
