//===- Folds.cpp - Reductions and scans of kernels ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Their syntax, the attribute that holds them, and its verification. Whether
// the leaf function follows its declaration is not checked here.
//
//===----------------------------------------------------------------------===//

#include "sluice/DFG/Folds.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::dfg;

static constexpr StringRef kinds[] = {"reduce", "scan", "exclusive_scan"};
static constexpr StringRef operators[] = {"sum", "product", "min", "max",
                                          "and", "or",      "xor"};
static constexpr char operatorList[] =
    "sum, product, min, max, and, or, xor or with";

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

Attribute dfg::encodeFolds(MLIRContext &context, ArrayRef<Fold> folds) {
  Builder builder(&context);
  SmallVector<Attribute> all;
  for (const Fold &fold : folds) {
    NamedAttrList entry;
    entry.set("input", builder.getI64IntegerAttr(fold.input));
    entry.set("kind", builder.getStringAttr(fold.kind));
    entry.set("op", builder.getStringAttr(fold.op));
    if (fold.element) {
      entry.set("element", TypeAttr::get(fold.element));
    } else {
      entry.set("identity", builder.getStringAttr(fold.identity));
      entry.set("combine", builder.getStringAttr(fold.combine));
      entry.set("element_bytes", builder.getI64IntegerAttr(fold.elementBytes));
    }
    if (fold.sizePort)
      entry.set("size_port", builder.getI64IntegerAttr(*fold.sizePort));
    if (fold.size)
      entry.set("size", builder.getI64IntegerAttr(*fold.size));
    all.push_back(entry.getDictionary(&context));
  }
  return builder.getArrayAttr(all);
}

static Fold decode(DictionaryAttr entry) {
  Fold fold;
  auto text = [&](StringRef name) {
    auto attribute = entry.getAs<StringAttr>(name);
    return attribute ? attribute.getValue().str() : std::string();
  };
  auto number = [&](StringRef name) -> std::optional<int64_t> {
    auto attribute = entry.getAs<IntegerAttr>(name);
    return attribute ? std::optional(attribute.getInt()) : std::nullopt;
  };
  fold.input = number("input").value_or(0);
  fold.kind = text("kind");
  fold.op = text("op");
  if (auto element = entry.getAs<TypeAttr>("element"))
    fold.element = element.getValue();
  fold.identity = text("identity");
  fold.combine = text("combine");
  fold.elementBytes = number("element_bytes").value_or(0);
  fold.sizePort = number("size_port");
  fold.size = number("size");
  return fold;
}

SmallVector<Fold> dfg::foldsOf(KernelOp kernel) {
  SmallVector<Fold> folds;
  if (auto all = kernel->getAttrOfType<ArrayAttr>(foldsName))
    for (auto entry : all.getAsRange<DictionaryAttr>())
      folds.push_back(decode(entry));
  return folds;
}

void dfg::setFolds(KernelOp kernel, ArrayRef<Fold> folds) {
  if (folds.empty())
    kernel->removeAttr(foldsName);
  else
    kernel->setAttr(foldsName, encodeFolds(*kernel.getContext(), folds));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string dfg::spellFold(const Fold &fold, KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << fold.kind << '(' << fold.op << ' ';
  if (fold.element)
    os << fold.element;
  else
    os << '@' << fold.identity << " @" << fold.combine << ' '
       << fold.elementBytes;
  if (fold.sizePort)
    os << ", %" << kernel.getInputName(*fold.sizePort);
  else if (fold.size)
    os << ", " << *fold.size;
  os << ')';
  return text;
}

std::string dfg::describeAccess(Operation *callable, unsigned index) {
  auto kernel = dyn_cast<KernelOp>(callable);
  if (!kernel)
    return spellAccess(cast<GraphOp>(callable).getInputAccess(index)).str();
  for (const Fold &fold : foldsOf(kernel))
    if (fold.input == index)
      return StringRef(fold.kind).split('_').first.str() +
             (fold.kind == "exclusive_scan" ? " scan " : " ") + fold.op;
  return spellAccess(kernel.getInputAccess(index)).str();
}

OptionalParseResult dfg::parseFold(OpAsmParser &parser, Fold &fold,
                                   std::string &sizeName) {
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word, kinds)))
    return std::nullopt;
  fold.kind = word.str();
  if (parser.parseLParen())
    return failure();
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  fold.op = word.str();
  if (fold.op == "with") {
    StringAttr identity, combine;
    if (parser.parseSymbolName(identity) || parser.parseSymbolName(combine) ||
        parser.parseInteger(fold.elementBytes))
      return failure();
    fold.identity = identity.str();
    fold.combine = combine.str();
  } else if (!llvm::is_contained(operators, fold.op)) {
    return parser.emitError(place, "unknown operator '")
           << fold.op << "', expected " << operatorList;
  } else if (parser.parseType(fold.element)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalComma())) {
    OpAsmParser::UnresolvedOperand port;
    OptionalParseResult named = parser.parseOptionalOperand(port);
    if (named.has_value()) {
      if (failed(*named))
        return failure();
      sizeName = port.name.drop_front().str();
    } else if (parser.parseInteger(fold.size.emplace())) {
      return failure();
    }
  }
  return parser.parseRParen();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// The size of an element in bytes; 0 for a type without arithmetic.
static int64_t bytesOf(const Fold &fold) {
  if (!fold.element)
    return fold.elementBytes;
  if (auto integer = dyn_cast<IntegerType>(fold.element)) {
    bool isKnown = llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
    return isKnown && !integer.isSigned() ? integer.getWidth() / 8 : 0;
  }
  return fold.element.isF32() ? 4 : fold.element.isF64() ? 8 : 0;
}

static LogicalResult verifyFold(const Fold &fold, KernelOp kernel,
                                llvm::SmallDenseSet<unsigned> &seen) {
  unsigned numInputs = kernel.getInputTypes().size();
  if (!llvm::is_contained(kinds, fold.kind) || fold.input >= numInputs)
    return kernel.emitOpError("attribute '")
           << foldsName << "' names no port, or no kind of access; write "
           << "'reduce(sum f64, %bytes)' behind the port's type";
  std::string name = kernel.getInputName(fold.input);
  auto fail = [&]() {
    return kernel.emitOpError("input '")
           << name << "' is marked '" << fold.kind << "', but ";
  };
  if (!seen.insert(fold.input).second)
    return fail() << "it is already";
  if (!isa<LLVM::LLVMPointerType>(kernel.getInputTypes()[fold.input]))
    return fail() << "its type " << kernel.getInputTypes()[fold.input]
                  << " is not a pointer";
  if (kernel.getInputAccess(fold.input) != Access::InOut)
    return fail() << "its access is '"
                  << spellAccess(kernel.getInputAccess(fold.input))
                  << "', expected 'inout'";
  if (!fold.element && (fold.op != "with" || fold.identity.empty() ||
                        fold.combine.empty() || fold.elementBytes <= 0))
    return fail() << "an operator of the program needs two functions and the "
                     "bytes of an element, as in 'with @none @closer 16'";
  if (fold.element && !llvm::is_contained(operators, fold.op))
    return fail() << "its operator is '" << fold.op << "', expected "
                  << operatorList;
  int64_t bytes = bytesOf(fold);
  if (bytes == 0)
    return fail() << "there is no arithmetic of elements of type "
                  << fold.element
                  << "; expected i8 to i64, ui8 to ui64, f32 or f64";
  if (fold.element && isa<FloatType>(fold.element) &&
      llvm::is_contained({"and", "or", "xor"}, fold.op))
    return fail() << "the operator '" << fold.op
                  << "' is for integers, and its elements are " << fold.element;
  if (fold.sizePort && (*fold.sizePort >= numInputs ||
                        !kernel.getInputTypes()[*fold.sizePort].isInteger(64)))
    return fail() << "the port with its size is no i64";
  if (fold.size && (*fold.size < 0 || *fold.size % bytes != 0))
    return fail() << "its size of " << *fold.size
                  << " bytes is no multiple of the " << bytes
                  << " bytes of an element";
  return success();
}

LogicalResult dfg::verifyFolds(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op);
  auto all = op->getAttrOfType<ArrayAttr>(foldsName);
  if (!kernel || !all || !llvm::all_of(all, llvm::IsaPred<DictionaryAttr>))
    return op->emitOpError("attribute '")
           << foldsName << "' holds the reductions and scans of a 'dfg.kernel'";
  llvm::SmallDenseSet<unsigned> seen;
  for (const Fold &fold : foldsOf(kernel))
    if (failed(verifyFold(fold, kernel, seen)))
      return failure();
  return success();
}
