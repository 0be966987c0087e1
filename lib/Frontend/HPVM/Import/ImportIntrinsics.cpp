//===- ImportIntrinsics.cpp - The intrinsics of HPVM ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names and types of all intrinsics in one table, so that a wrong call
// gives a message with the right signature.
//
//===----------------------------------------------------------------------===//

#include "ImportIntrinsics.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace sluice::hpvm;

using Kind = IntrinsicKind;
using Place = IntrinsicPlace;

static const HPVMIntrinsic intrinsics[] = {
    {"createNode", Kind::CreateNode, Place::Internal, 0, "pp"},
    {"createNode1D", Kind::CreateNode, Place::Internal, 1, "ppl"},
    {"createNode2D", Kind::CreateNode, Place::Internal, 2, "ppll"},
    {"createNode3D", Kind::CreateNode, Place::Internal, 3, "pplll"},
    {"createEdge", Kind::CreateEdge, Place::Internal, 0, "pppbiib"},
    {"bind.input", Kind::BindInput, Place::Internal, 0, "vpiib"},
    {"bind.output", Kind::BindOutput, Place::Internal, 0, "vpiib"},
    {"ordered", Kind::Ordered, Place::Internal, 0, "vpi"},
    {"temporary", Kind::Temporary, Place::Internal, 0, "vp"},
    {"getNode", Kind::GetNode, Place::Leaf, 0, "p"},
    {"getParentNode", Kind::GetParentNode, Place::Leaf, 0, "pp"},
    {"getNumDims", Kind::GetNumDims, Place::Leaf, 0, "ip"},
    {"getNodeInstanceID.x", Kind::GetNodeInstanceID, Place::Leaf, 0, "lp"},
    {"getNodeInstanceID.y", Kind::GetNodeInstanceID, Place::Leaf, 1, "lp"},
    {"getNodeInstanceID.z", Kind::GetNodeInstanceID, Place::Leaf, 2, "lp"},
    {"getNumNodeInstances.x", Kind::GetNumNodeInstances, Place::Leaf, 0, "lp"},
    {"getNumNodeInstances.y", Kind::GetNumNodeInstances, Place::Leaf, 1, "lp"},
    {"getNumNodeInstances.z", Kind::GetNumNodeInstances, Place::Leaf, 2, "lp"},
    {"barrier", Kind::Barrier, Place::Leaf, 0, "v"},
    {"malloc", Kind::Malloc, Place::Leaf, 0, "pl"},
    {"assume.disjoint", Kind::AssumeDisjoint, Place::Leaf, 0, "vplpl"},
    {"assume.ordered", Kind::AssumeOrdered, Place::Leaf, 0, "vplp"},
    {"order.begin", Kind::Order, Place::Leaf, 0, "v"},
    {"order.end", Kind::Order, Place::Leaf, 0, "v"},
    {"reduce.i8", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"reduce.u8", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"reduce.i16", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"reduce.u16", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"reduce.i32", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"reduce.u32", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"reduce.i64", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"reduce.u64", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"reduce.f32", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"reduce.f64", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"reduce.with", Kind::Reduce, Place::Leaf, 0, "vpllpp"},
    {"scan.i8", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.u8", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.i16", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.u16", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.i32", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.u32", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.i64", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.u64", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.f32", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.f64", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.with", Kind::Reduce, Place::Leaf, 0, "vpllpp"},
    {"scan.exclusive.i8", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.exclusive.u8", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.exclusive.i16", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.exclusive.u16", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.exclusive.i32", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.exclusive.u32", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.exclusive.i64", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.exclusive.u64", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.exclusive.f32", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.exclusive.f64", Kind::Reduce, Place::Leaf, 0, "vpli"},
    {"scan.exclusive.with", Kind::Reduce, Place::Leaf, 0, "vpllpp"},
    {"atomic.add", Kind::Atomic, Place::Leaf, 0, "ipi"},
    {"atomic.sub", Kind::Atomic, Place::Leaf, 0, "ipi"},
    {"atomic.xchg", Kind::Atomic, Place::Leaf, 0, "ipi"},
    {"atomic.min", Kind::Atomic, Place::Leaf, 0, "ipi"},
    {"atomic.max", Kind::Atomic, Place::Leaf, 0, "ipi"},
    {"atomic.umin", Kind::Atomic, Place::Leaf, 0, "ipi"},
    {"atomic.umax", Kind::Atomic, Place::Leaf, 0, "ipi"},
    {"atomic.and", Kind::Atomic, Place::Leaf, 0, "ipi"},
    {"atomic.or", Kind::Atomic, Place::Leaf, 0, "ipi"},
    {"atomic.xor", Kind::Atomic, Place::Leaf, 0, "ipi"},
    {"atomic.inc", Kind::Atomic, Place::Leaf, 0, "ip"},
    {"atomic.dec", Kind::Atomic, Place::Leaf, 0, "ip"},
    {"atomic.cmpxchg", Kind::Atomic, Place::Leaf, 0, "ipii"},
    {"atomic.load", Kind::Atomic, Place::Leaf, 0, "ip"},
    {"atomic.store", Kind::Atomic, Place::Leaf, 0, "vpi"},
    {"atomic.add.i64", Kind::Atomic, Place::Leaf, 0, "lpl"},
    {"atomic.sub.i64", Kind::Atomic, Place::Leaf, 0, "lpl"},
    {"atomic.xchg.i64", Kind::Atomic, Place::Leaf, 0, "lpl"},
    {"atomic.min.i64", Kind::Atomic, Place::Leaf, 0, "lpl"},
    {"atomic.max.i64", Kind::Atomic, Place::Leaf, 0, "lpl"},
    {"atomic.umin.i64", Kind::Atomic, Place::Leaf, 0, "lpl"},
    {"atomic.umax.i64", Kind::Atomic, Place::Leaf, 0, "lpl"},
    {"atomic.and.i64", Kind::Atomic, Place::Leaf, 0, "lpl"},
    {"atomic.or.i64", Kind::Atomic, Place::Leaf, 0, "lpl"},
    {"atomic.xor.i64", Kind::Atomic, Place::Leaf, 0, "lpl"},
    {"atomic.load.i64", Kind::Atomic, Place::Leaf, 0, "lp"},
    {"atomic.store.i64", Kind::Atomic, Place::Leaf, 0, "vpl"},
    {"atomic.load.f32", Kind::Atomic, Place::Leaf, 0, "fp"},
    {"atomic.store.f32", Kind::Atomic, Place::Leaf, 0, "vpf"},
    {"atomic.load.f64", Kind::Atomic, Place::Leaf, 0, "dp"},
    {"atomic.store.f64", Kind::Atomic, Place::Leaf, 0, "vpd"},
    {"atomic.add.f32", Kind::Atomic, Place::Leaf, 0, "fpf"},
    {"atomic.add.f64", Kind::Atomic, Place::Leaf, 0, "dpd"},
    {"init", Kind::Init, Place::Host, 0, "v"},
    {"cleanup", Kind::Cleanup, Place::Host, 0, "v"},
    {"launch", Kind::Launch, Place::Host, 0, "pppb"},
    {"wait", Kind::Wait, Place::Host, 0, "vp"},
    {"push", Kind::Push, Place::Host, 0, "vpp"},
    {"pop", Kind::Pop, Place::Host, 0, "pp"},
    {"trackMemory", Kind::TrackMemory, Place::Host, 0, "vpl"},
    {"untrackMemory", Kind::UntrackMemory, Place::Host, 0, "vp"},
    {"requestMemory", Kind::RequestMemory, Place::Host, 0, "vpl"},
};

static constexpr llvm::StringLiteral prefix = "llvm.hpvm.";

const HPVMIntrinsic *sluice::hpvm::lookUpIntrinsic(llvm::StringRef name) {
  static const llvm::StringMap<const HPVMIntrinsic *> table = [] {
    llvm::StringMap<const HPVMIntrinsic *> entries;
    for (const HPVMIntrinsic &intrinsic : intrinsics)
      entries[intrinsic.name] = &intrinsic;
    return entries;
  }();
  return name.consume_front(prefix) ? table.lookup(name) : nullptr;
}

bool sluice::hpvm::isReservedName(llvm::StringRef name) {
  return name.starts_with(prefix);
}

static bool isType(char code, const llvm::Type *type) {
  switch (code) {
  case 'v':
    return type->isVoidTy();
  case 'p':
    return type->isPointerTy() && type->getPointerAddressSpace() == 0;
  case 'b':
    return type->isIntegerTy(1);
  case 'i':
    return type->isIntegerTy(32);
  case 'l':
    return type->isIntegerTy(64);
  case 'f':
    return type->isFloatTy();
  default:
    return type->isDoubleTy();
  }
}

bool sluice::hpvm::hasSignature(const HPVMIntrinsic &intrinsic,
                                const llvm::FunctionType *type) {
  llvm::StringRef parameters = intrinsic.signature.drop_front();
  if (type->isVarArg() || type->getNumParams() != parameters.size() ||
      !isType(intrinsic.signature.front(), type->getReturnType()))
    return false;
  for (unsigned i = 0, e = parameters.size(); i != e; ++i)
    if (!isType(parameters[i], type->getParamType(i)))
      return false;
  return true;
}

static llvm::StringRef spellType(char code) {
  switch (code) {
  case 'v':
    return "void";
  case 'p':
    return "ptr";
  case 'b':
    return "i1";
  case 'i':
    return "i32";
  case 'l':
    return "i64";
  case 'f':
    return "float";
  default:
    return "double";
  }
}

std::string sluice::hpvm::spellSignature(const HPVMIntrinsic &intrinsic) {
  std::string text = spellType(intrinsic.signature.front()).str() + " (";
  for (unsigned i = 1, e = intrinsic.signature.size(); i != e; ++i)
    text += (i > 1 ? ", " : "") + spellType(intrinsic.signature[i]).str();
  return text + ")";
}

llvm::Function *sluice::hpvm::calledFunction(const llvm::CallBase &call) {
  return llvm::dyn_cast<llvm::Function>(
      call.getCalledOperand()->stripPointerCastsAndAliases());
}

const HPVMIntrinsic *sluice::hpvm::calledIntrinsic(const llvm::CallBase &call) {
  const llvm::Function *callee = calledFunction(call);
  if (!callee)
    return nullptr;
  const HPVMIntrinsic *intrinsic = lookUpIntrinsic(callee->getName());
  return intrinsic && hasSignature(*intrinsic, call.getFunctionType())
             ? intrinsic
             : nullptr;
}
