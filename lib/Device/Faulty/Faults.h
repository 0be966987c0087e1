//===- Faults.h - Deliberate failures -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests make a device fail to see how a program reacts:
// SLUICE_DEVICE_FAULTS=launch:3,write:1+ makes the third launch and all writes
// fail. Operations are counted from 1, for each open device separately.
//
//   allocate, pin      memory of the device, pinned memory of the host
//   write, read, copy  transfers (boxes too) and copies
//   launch, load       kernels (replays too) and modules
//   wait               waiting for an event or a queue, and notifications: what
//                      was enqueued is reported to have failed
//   lost               the device is gone from that operation on, whatever its
//                      kind (of those above, without 'wait'); takes no '+'
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_FAULTY_FAULTS_H
#define SLUICE_LIB_DEVICE_FAULTY_FAULTS_H

#include "sluice/Device/Device.h"

#include <atomic>
#include <string_view>

namespace sluice::device {

enum class FaultKind {
  Allocate,
  Pin,
  Write,
  Read,
  Copy,
  Launch,
  Load,
  Wait,
  Lost
};
constexpr unsigned numFaultKinds = unsigned(FaultKind::Lost) + 1;

/// Operations first .. last of one kind fail.
struct FaultRule {
  FaultKind kind = FaultKind::Launch;
  uint64_t first = 1;
  uint64_t last = 1;
};

/// Parses the setting. An error quotes the wrong part and describes the
/// expected form.
Result<std::vector<FaultRule>> parseFaults(std::string_view text);

/// Counts the operations of one device and decides which of them fail.
class Faults {
public:
  explicit Faults(std::vector<FaultRule> rules) : rules(std::move(rules)) {}
  /// Counts one operation of this kind; returns an error if it should fail.
  Status next(FaultKind kind);
  bool isLost() const { return lost.load(std::memory_order_relaxed); }

private:
  Status lostError() const;

  const std::vector<FaultRule> rules;
  std::array<std::atomic<uint64_t>, numFaultKinds> counters{};
  std::atomic<bool> lost = false;
};

/// A device that works like `device` except for these faults.
std::unique_ptr<Device> makeFaulty(std::unique_ptr<Device> device,
                                   std::vector<FaultRule> rules);

} // namespace sluice::device

#endif // SLUICE_LIB_DEVICE_FAULTY_FAULTS_H
