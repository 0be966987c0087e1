//===- CheckFindings.h - The text of the checker's findings ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker finds the same error at many addresses. A report describes each
// error once, with its places in the code and one pair of instances.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CHECKS_CHECKFINDINGS_H
#define SLUICE_RUNTIME_CHECKS_CHECKFINDINGS_H

#include "CheckOrder.h"

#include "sluice/Base/Status.h"

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sluice {

/// Collects distinct findings of one graph instance: the first one for each
/// kind and each pair of places in the code.
class CheckFindings {
public:
  static constexpr size_t maxFindings = 20;

  explicit CheckFindings(const CheckOrder &order) : order(order) {}

  /// One access, as described in findings.
  struct Place {
    const SluiceCheckSite *site;
    CheckInstance instance;
    std::string object; ///< "'out'", "global 'sum'", ...
    bool offsetKnown;   ///< in the object
    int64_t offset;     ///< bytes; of the first relevant byte
    uint64_t size;      ///< bytes
  };

  void begin(const SluicePlan &plan);
  void outside(const Place &place, uint64_t extent);
  void writeToInput(const Place &place, bool ofGraph);
  void readOfOutput(const Place &place, bool ofGraph);
  void readOfTemporary(const Place &place);
  void race(const Place &place, const SluiceCheckSite &otherSite,
            const CheckInstance &other, CheckOrder::Verdict verdict);

  /// Reports that sluice_assume_disjoint is wrong: both instances named the
  /// bytes of `place`.
  void assumption(const Place &place, const CheckInstance &other);

  /// Reports that sluice_assume_ordered is wrong: the access writes another
  /// value.
  void otherValue(const Place &place, const SluiceCheckSite &otherSite,
                  const CheckInstance &other);

  bool isEmpty() const { return findings.empty(); }
  /// An error that lists all findings.
  Status status() const;

private:
  enum class Kind {
    Outside,
    WriteToInput,
    ReadOfOutput,
    Race,
    Assumption,
    OtherValue
  };
  /// The compiler may have copied code, so places are compared by text.
  using Key = std::tuple<Kind, std::string, std::string>;

  bool isNew(Kind kind, const SluiceCheckSite *site,
             const SluiceCheckSite *other);
  std::string subject(const Place &place) const;
  std::string advice(const Place &place, const CheckInstance &other,
                     CheckOrder::Verdict verdict) const;

  const CheckOrder &order;
  const SluicePlan *plan = nullptr;
  std::set<Key> seen;
  std::vector<std::string> findings;
  uint64_t numLeftOut = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_CHECKS_CHECKFINDINGS_H
