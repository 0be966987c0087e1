//===- KernelParameters.h - Parameters of a device kernel -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels request values while they are emitted; each becomes a parameter once.
// The types of the parameters are only known at the end, so stand-ins are used
// until the body is complete. Values that the optimised kernel does not use are
// not passed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_KERNELPARAMETERS_H
#define SLUICE_LIB_CODEGEN_DEVICE_KERNELPARAMETERS_H

#include "Scalars.h"
#include "sluice/CodeGen/DeviceKernels.h"
#include "llvm/IR/IRBuilder.h"

namespace sluice::codegen {

class KernelParameters {
public:
  /// `entry` is the insertion point for code that unpacks parameters.
  explicit KernelParameters(llvm::IRBuilderBase &entry) : entry(entry) {}
  ~KernelParameters();
  KernelParameters(const KernelParameters &) = delete;

  /// A value of `type` at an offset of the host's frame.
  llvm::Value *value(llvm::Type *type, uint64_t frameOffset);
  /// A value of `type` at an offset of the device's frame.
  llvm::Value *frameValue(llvm::IRBuilderBase &b, llvm::Type *type,
                          uint64_t frameOffset);
  void storeToFrame(llvm::IRBuilderBase &b, llvm::Value *value,
                    uint64_t frameOffset);
  /// Memory that `description` (a POINTER) describes, as a flat address.
  llvm::Value *memory(const DeviceParameter &description, bool isNoAlias);
  /// The array whose address is stored at the offset, as a flat address.
  llvm::Value *array(uint64_t frameOffset, uint64_t elementSize,
                     unsigned numLevels, uint32_t access);
  llvm::Value *extent(unsigned index);
  /// A value that differs between the launches of a node: LAUNCH, FIRST, END.
  llvm::Value *launchWord(SluiceDeviceParameterKind kind);
  /// Local memory `index`, as a flat address.
  llvm::Value *local(unsigned index);

  /// Moves `body` into a function with all parameters. If other items write
  /// between barriers, written memory gets no noalias promise.
  llvm::Function *attach(llvm::Function &body, bool hasBarrier);
  /// Moves the optimised function into a kernel with the parameters that it
  /// uses, and stores these in `list`.
  llvm::Function *finish(llvm::Function &body, llvm::StringRef name,
                         std::vector<DeviceParameter> &list);

private:
  struct Entry {
    DeviceParameter description;
    llvm::SmallVector<llvm::Argument *, 2> arguments;
    llvm::Value *unpacked;
    bool isNoAlias = false;
    bool isUsed() const;
  };

  llvm::IRBuilderBase &entry;
  std::vector<Entry> entries;
  /// The arguments are stand-ins, which this object owns.
  bool isAttached = false;

  Entry *find(uint32_t kind, uint64_t frameOffset, uint32_t index,
              const llvm::GlobalVariable *dataset = nullptr);
  Entry &add(DeviceParameter description, llvm::ArrayRef<llvm::Type *> types);
  llvm::Value *scalar(llvm::Type *type, uint64_t frameOffset);
  llvm::Value *address(Entry &parameter);
  llvm::Value *frame();
  static void refineAccess(Entry &parameter, const llvm::Argument &start);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_KERNELPARAMETERS_H
