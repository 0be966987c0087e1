//===- InitialValues.cpp - Initial values of datasets ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InitialValues.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static bool isZero(ArrayRef<char> bytes) {
  return all_of(bytes, [](char byte) { return byte == 0; });
}

/// The values as C stores them, row by row; none if their form holds no values.
static std::optional<SmallVector<char, 0>> bytesOf(mlir::ElementsAttr values,
                                                   uint64_t size) {
  SmallVector<char, 0> bytes;
  if (auto dense = dyn_cast<mlir::DenseElementsAttr>(values)) {
    ArrayRef<char> raw = dense.getRawData();
    if (!dense.isSplat()) {
      bytes.assign(raw.begin(), raw.end());
    } else if (!isZero(raw)) {
      bytes.reserve(size);
      while (bytes.size() < size)
        bytes.append(raw.begin(), raw.end());
    }
    return bytes;
  }
  auto resource = dyn_cast<mlir::DenseResourceElementsAttr>(values);
  if (!resource)
    return std::nullopt;
  mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return std::nullopt;
  bytes.assign(blob->getData().begin(), blob->getData().end());
  return bytes;
}

static Constant *placeBytes(Tables &tables, LLVMContext &context,
                            ArrayRef<char> bytes) {
  if (isZero(bytes))
    return tables.null();
  GlobalVariable *global = tables.place(
      ConstantDataArray::get(
          context, ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()),
                            bytes.size())),
      "sluice.initial");
  global->setAlignment(Align(64));
  return global;
}

Constant *codegen::emitInitial(const TaskDatum &datum, Tables &tables,
                               LLVMContext &context) {
  if (auto scalar = dyn_cast<dfg::ScalarOp>(datum.op)) {
    uint64_t bits = scalarBits(scalar).value_or(0);
    return placeBytes(
        tables, context,
        ArrayRef(reinterpret_cast<const char *>(&bits), sizeof bits));
  }
  auto dataset = dyn_cast<dfg::DatasetOp>(datum.op);
  if (!dataset || !dataset.getInitial())
    return tables.null();
  auto bytes = bytesOf(*dataset.getInitial(), datum.size);
  if (!bytes || (!bytes->empty() && bytes->size() != datum.size)) {
    dataset.emitError("starts from values of a form that holds no bytes; "
                      "write them as dense<...>");
    return nullptr;
  }
  return placeBytes(tables, context, *bytes);
}
