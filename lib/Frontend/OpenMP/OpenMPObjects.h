//===- OpenMPObjects.h - Members of objects that teams share ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the front end. A program in C++ reaches its arrays through
// objects: `v[i]` calls a function that loads a pointer from `v`, and `f[i]` in
// a member function loads it from `*this`. These functions make the loads
// visible, so that the host can do them before a launch.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_OPENMP_OPENMPOBJECTS_H
#define SLUICE_LIB_FRONTEND_OPENMP_OPENMPOBJECTS_H

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::openmp {

/// Says of the parameters of a team's function how many bytes are there for
/// certain, by what the host passes: `*this` is a whole object.
void noteObjects(llvm::Function &iteration, const llvm::CallBase &fork);

/// Whether a copy of memory leaves a place as it is, because of the types of
/// what is copied.
bool copiesOtherTypes(const llvm::AnyMemTransferInst &copy,
                      const llvm::MemoryLocation &place,
                      llvm::AAResults &aliases);

/// A place in an object that the host passes to a team.
struct Member {
  /// What the source calls it, with the members that it is in, such as
  /// "grid.cells"; a member of `*this` without `this`. Empty: the source has no
  /// name for it, or there is no debug information.
  std::string name = {};
  /// The variable or the parameter of the host that is, or points to, the
  /// object; null: not known.
  const llvm::Value *object = nullptr;
  /// The object is a variable that no parameter and no other variable refers
  /// to.
  bool isOwn = false;
  /// The place belongs to a std::vector with memory of its own, so many bytes
  /// behind the start of the object.
  std::optional<uint64_t> vector = {};
  /// The elements of that are such vectors.
  bool hasOwnRows = false;
};

/// The member at an offset in bytes of the object that `passed`, an operand of
/// the call that starts the team, points to.
Member findMember(const llvm::Value &passed, uint64_t offset,
                  const llvm::Function &host);

} // namespace sluice::openmp

#endif // SLUICE_LIB_FRONTEND_OPENMP_OPENMPOBJECTS_H
