//===- Recorder.cpp - Recording the inputs and outputs of nodes -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace sluice;

namespace {
/// Never destroyed: threads may record until the process ends.
struct AllRecorders {
  std::mutex mutex;
  std::map<std::string, Recorder *> byFolder;
  const pid_t process = ::getpid();

  static AllRecorders &get() {
    static AllRecorders &all = *new AllRecorders;
    return all;
  }
};
} // namespace

/// The command line of this process, joined with blanks.
static std::string commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  if (!words.empty() && words.back() == 0)
    words.pop_back();
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words;
}

Result<Recorder *> Recorder::open(const RecordOptions &options) {
  AllRecorders &all = AllRecorders::get();
  std::lock_guard lock(all.mutex);
  if (all.process != ::getpid())
    return Status::misuse("this process was forked by one that records");
  if (auto known = all.byFolder.find(options.directory);
      known != all.byFolder.end())
    return known->second;
  Result<std::unique_ptr<RecordFile>> file =
      RecordFile::open(options.directory, options.bytes);
  if (!file.ok())
    return file.takeStatus();
  auto *recorder = new Recorder(std::move(*file));
  recorder->addProgram(options.bytes);
  if (all.byFolder.empty())
    std::atexit(endAll);
  all.byFolder[options.directory] = recorder;
  return recorder;
}

void Recorder::endAll() {
  AllRecorders &all = AllRecorders::get();
  if (all.process != ::getpid() || !all.mutex.try_lock())
    return;
  for (auto &[folder, recorder] : all.byFolder) {
    // A launch in progress has not ended. It may be in this thread.
    if (recorder->isInLaunch.load(std::memory_order_acquire))
      continue;
    std::lock_guard lock(recorder->mutex);
    recorder->file->end({});
  }
  all.mutex.unlock();
}

void Recorder::addProgram(uint64_t limit) {
  const std::string path = "/proc/self/exe";
  std::string command = commandLine();
  std::string name = command.substr(0, command.find(' '));
  name.erase(0, name.rfind('/') + 1);
  RecordEncoder out;
  out.text(name).text(hashFile(path)).text(command).number(limit);
  file->append(RecordEvent::Program, out.bytes);
}

void Recorder::noteLocked(const std::string &text) {
  if (!notes.insert(text).second)
    return;
  RecordEncoder out;
  out.text(text);
  file->append(RecordEvent::Note, out.bytes);
}

void Recorder::leaveOut(const void *memory, const std::string &why) {
  std::lock_guard lock(mutex);
  leftOut.insert(reinterpret_cast<uint64_t>(memory));
  noteLocked(why);
}

void Recorder::note(const std::string &text) {
  std::lock_guard lock(mutex);
  noteLocked(text);
}

std::string Recorder::codeHashOf(const void *function) {
  Dl_info info;
  const std::string path = ::dladdr(function, &info) ? info.dli_fname : "";
  auto [known, isNew] = codeHashes.try_emplace(path);
  if (isNew)
    known->second = hashFile(path);
  return known->second;
}

uint32_t Recorder::graphOf(const std::string &description) {
  const auto next = static_cast<uint32_t>(graphs.size());
  auto [known, isNew] =
      graphs.try_emplace(ContentHash().add(description).text(), next);
  if (isNew)
    file->append(RecordEvent::Graph, description);
  return known->second;
}
