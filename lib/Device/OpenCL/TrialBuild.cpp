//===- TrialBuild.cpp - Building in a process that may crash --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child is a forked copy of the process with one thread. If another thread
// held a lock of the driver at the time of the fork, the child may wait
// forever; it is then killed, and the result is unknown.
//
//===----------------------------------------------------------------------===//

#include "TrialBuild.h"

#include "sluice/Base/Process.h"
#include "sluice/Base/Text.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

/// The maximum time of a build; a child that takes longer probably waits for a
/// lock and is killed.
static constexpr double secondsToBuild = 60;

/// The first line that the child wrote to standard error before it died.
static std::string firstLine(int messages) {
  char text[512] = {};
  if (messages < 0 || ::pread(messages, text, sizeof(text) - 1, 0) <= 0)
    return {};
  text[std::strcspn(text, "\n")] = 0;
  return text;
}

TrialBuild opencl::buildInChild(const std::function<std::string()> &build) {
  TrialBuild result;
  if (isSanitized)
    return result;
  int messages = ::memfd_create("sluice-build", MFD_CLOEXEC);
  Result<ForkResult> child =
      runInFork([&](int output) { writeAll(output, build()); }, secondsToBuild,
                Redirect::descriptor(messages));
  if (child.ok() && child->isComplete) {
    result.binary = std::move(child->text);
  } else if (child.ok() && child->end.signal && !child->end.wasStopped) {
    std::string said = firstLine(messages);
    result.death = concat(child->end.text(), said.empty() ? "" : ": ", said);
  }
  if (messages >= 0)
    ::close(messages);
  return result;
}
