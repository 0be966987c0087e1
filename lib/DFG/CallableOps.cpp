//===- CallableOps.cpp - dfg.kernel, dfg.graph and dfg.output -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels and graphs share the form of their ports:
//   @name(%x: !llvm.ptr in, %n: i64) -> (done: i64) target(cpu)
// A kernel's ports may be reductions and scans, see Folds.h. A graph's ports
// may be temporary, see TemporaryMemory.h.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "sluice/DFG/Folds.h"
#include "sluice/DFG/TemporaryMemory.h"

using namespace mlir;
using namespace sluice::dfg;

namespace {
/// The parts of a port list while it is parsed.
struct CallablePorts {
  SmallVector<OpAsmParser::Argument> inputs;
  SmallVector<int32_t> access;
  SmallVector<Attribute> inputNames, outputNames;
  SmallVector<Type> inputTypes, outputTypes;
  SmallVector<Fold> folds;
  /// Names of the ports with their sizes; empty where there is none.
  SmallVector<std::string> foldSizes;
  SMLoc firstFold;
  /// Numbers of the inputs that are temporary.
  SmallVector<int64_t> temporaries;
  SMLoc firstTemporary;
};
} // namespace

static Access parseAccess(OpAsmParser &parser) {
  if (succeeded(parser.parseOptionalKeyword("in")))
    return Access::In;
  if (succeeded(parser.parseOptionalKeyword("out")))
    return Access::Out;
  if (succeeded(parser.parseOptionalKeyword("inout")))
    return Access::InOut;
  return Access::None;
}

/// Parses the reduction or scan of the next port, if it has one.
static ParseResult parsePortFold(OpAsmParser &parser, CallablePorts &ports,
                                 bool &isThere) {
  Fold fold;
  std::string size;
  SMLoc place = parser.getCurrentLocation();
  OptionalParseResult found = parseFold(parser, fold, size);
  isThere = found.has_value();
  if (!isThere || failed(*found))
    return failure(isThere);
  if (ports.folds.empty())
    ports.firstFold = place;
  fold.input = ports.access.size();
  ports.folds.push_back(std::move(fold));
  ports.foldSizes.push_back(std::move(size));
  return success();
}

static ParseResult parseInput(OpAsmParser &parser, CallablePorts &ports) {
  OpAsmParser::Argument argument;
  if (parser.parseArgument(argument) || parser.parseColonType(argument.type) ||
      parser.parseOptionalLocationSpecifier(argument.sourceLoc))
    return failure();
  bool isFold;
  if (parsePortFold(parser, ports, isFold))
    return failure();
  ports.access.push_back(
      static_cast<int32_t>(isFold ? Access::InOut : parseAccess(parser)));
  SMLoc place = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("temporary"))) {
    if (ports.temporaries.empty())
      ports.firstTemporary = place;
    ports.temporaries.push_back(ports.access.size() - 1);
  }
  StringRef name = argument.ssaName.name.drop_front();
  ports.inputNames.push_back(parser.getBuilder().getStringAttr(name));
  ports.inputTypes.push_back(argument.type);
  ports.inputs.push_back(argument);
  return success();
}

static ParseResult parseOutput(OpAsmParser &parser, CallablePorts &ports) {
  StringRef name;
  Type type;
  std::string quoted;
  OptionalParseResult unnamed = parser.parseOptionalType(type);
  if (unnamed.has_value()) {
    if (failed(*unnamed))
      return failure();
  } else {
    if (succeeded(parser.parseOptionalString(&quoted)))
      name = quoted;
    else if (parser.parseKeyword(&name))
      return failure();
    if (parser.parseColonType(type))
      return failure();
  }
  ports.outputNames.push_back(parser.getBuilder().getStringAttr(name));
  ports.outputTypes.push_back(type);
  return success();
}

static ParseResult parseSignature(OpAsmParser &parser, OperationState &state,
                                  CallablePorts &ports) {
  StringAttr name;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             state.attributes) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     [&] { return parseInput(parser, ports); }))
    return failure();
  if (succeeded(parser.parseOptionalArrow()) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parseOutput(parser, ports);
      }))
    return failure();

  Builder &builder = parser.getBuilder();
  state.addAttribute("function_type",
                     TypeAttr::get(builder.getFunctionType(ports.inputTypes,
                                                           ports.outputTypes)));
  state.addAttribute("access", builder.getDenseI32ArrayAttr(ports.access));
  state.addAttribute("input_names", builder.getArrayAttr(ports.inputNames));
  state.addAttribute("output_names", builder.getArrayAttr(ports.outputNames));
  return success();
}

static ParseResult parseTarget(OpAsmParser &parser, OperationState &state) {
  Target target = Target::None;
  if (succeeded(parser.parseOptionalKeyword("target"))) {
    StringRef word;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseKeyword(&word) ||
        parser.parseRParen())
      return failure();
    std::optional<Target> known = symbolizeTarget(word);
    if (!known)
      return parser.emitError(place, "unknown target '")
             << word << "', expected none, cpu, gpu or cpu_or_gpu";
    target = *known;
  }
  state.addAttribute("target", TargetAttr::get(parser.getContext(), target));
  return success();
}

/// True if `name` may stand unquoted before a colon: a bare identifier that
/// does not begin like a builtin type.
static bool isKeyword(StringRef name) {
  static const StringRef types[] = {
      "bf16", "complex", "f",  "i",     "index", "memref", "none",
      "si",   "tensor",  "tf", "tuple", "ui",    "vector"};
  StringRef letters = name.rtrim("0123456789");
  if (llvm::is_contained(types, letters) || llvm::is_contained(types, name))
    return false;
  return !name.empty() && (isalpha(name[0]) || name[0] == '_') &&
         llvm::all_of(name, [](char c) {
           return isalnum(c) || c == '_' || c == '$' || c == '.';
         });
}

template <typename OpT>
static void printSignature(OpAsmPrinter &printer, OpT op) {
  SmallVector<Fold> folds;
  if constexpr (std::is_same_v<OpT, KernelOp>)
    folds = foldsOf(op);
  printer << ' ';
  printer.printSymbolName(op.getSymName());
  printer << '(';
  for (unsigned i = 0, e = op.getInputTypes().size(); i != e; ++i) {
    if (i)
      printer << ", ";
    if constexpr (std::is_same_v<OpT, GraphOp>)
      printer.printRegionArgument(op.getInput(i));
    else
      printer << '%' << op.getInputName(i) << ": " << op.getInputTypes()[i];
    const Fold *fold =
        llvm::find_if(folds, [&](const Fold &fold) { return fold.input == i; });
    if constexpr (std::is_same_v<OpT, KernelOp>)
      if (fold != folds.end()) {
        printer << ' ' << spellFold(*fold, op);
        continue;
      }
    if (op.getInputAccess(i) != Access::None)
      printer << ' ' << spellAccess(op.getInputAccess(i));
    if constexpr (std::is_same_v<OpT, GraphOp>)
      if (isTemporary(op, i))
        printer << " temporary";
  }
  printer << ')';
  if (!op.getOutputTypes().empty()) {
    printer << " -> (";
    for (unsigned i = 0, e = op.getOutputTypes().size(); i != e; ++i) {
      if (i)
        printer << ", ";
      StringRef name = cast<StringAttr>(op.getOutputNames()[i]).getValue();
      if (isKeyword(name))
        printer << name << ": ";
      else if (!name.empty())
        printer << '"' << name << "\": ";
      printer << op.getOutputTypes()[i];
    }
    printer << ')';
  }
  if (op.getTarget() != Target::None)
    printer << " target(" << stringifyTarget(op.getTarget()) << ')';
}

static const StringRef signatureAttributes[] = {
    "sym_name", "function_type", "access",  "input_names", "output_names",
    "target",   "symbol",        foldsName, temporaryName};

/// Checks the rules that the ports of kernels and of graphs share.
template <typename OpT> static LogicalResult verifyPorts(OpT op) {
  unsigned numInputs = op.getInputTypes().size();
  if (op.getAccess().size() != numInputs ||
      op.getInputNames().size() != numInputs)
    return op.emitOpError("has ")
           << numInputs << " inputs, but " << op.getAccess().size()
           << " access entries and " << op.getInputNames().size()
           << " input names";
  if (op.getOutputNames().size() != op.getOutputTypes().size())
    return op.emitOpError("has ")
           << op.getOutputTypes().size() << " outputs, but "
           << op.getOutputNames().size() << " output names";
  for (unsigned i = 0; i != numInputs; ++i) {
    int32_t access = op.getAccess()[i];
    if (access < 0 || access > 3)
      return op.emitOpError("input ") << i << " has the unknown access "
                                      << access << ", expected 0 to 3";
    bool isPointer = isa<LLVM::LLVMPointerType>(op.getInputTypes()[i]);
    if (access != 0 && !isPointer)
      return op.emitOpError("input '")
             << op.getInputName(i) << "' is marked '"
             << spellAccess(op.getInputAccess(i)) << "', but its type "
             << op.getInputTypes()[i] << " is not a pointer";
  }
  auto checkType = [&](Type type, const char *kind, unsigned index) {
    if (isa<TokenType>(type) || isa<FunctionType>(type) ||
        !LLVM::isCompatibleType(type) || isa<LLVM::LLVMVoidType>(type))
      return op.emitOpError() << kind << ' ' << index << " has the type "
                              << type << ", which no port can carry";
    return InFlightDiagnostic();
  };
  for (auto [index, type] : llvm::enumerate(op.getInputTypes()))
    if (InFlightDiagnostic bad = checkType(type, "input", index); failed(bad))
      return bad;
  for (auto [index, type] : llvm::enumerate(op.getOutputTypes()))
    if (InFlightDiagnostic bad = checkType(type, "output", index); failed(bad))
      return bad;
  return success();
}

static std::string nameOr(ArrayAttr names, unsigned index,
                          const char *fallback) {
  StringRef name = cast<StringAttr>(names[index]).getValue();
  return name.empty() ? (fallback + Twine(index)).str() : name.str();
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

std::string KernelOp::getInputName(unsigned index) {
  return nameOr(getInputNames(), index, "in");
}

std::string KernelOp::getOutputName(unsigned index) {
  return nameOr(getOutputNames(), index, "out");
}

/// The sizes of reductions and scans may name ports that come later in the
/// list.
static ParseResult addFolds(OpAsmParser &parser, OperationState &state,
                            CallablePorts &ports) {
  for (auto [fold, size] : llvm::zip(ports.folds, ports.foldSizes)) {
    if (size.empty())
      continue;
    auto isNamed = [&](Attribute name) {
      return cast<StringAttr>(name).getValue() == size;
    };
    const auto *port = llvm::find_if(ports.inputNames, isNamed);
    if (port == ports.inputNames.end())
      return parser.emitError(ports.firstFold, "the kernel has no input '")
             << size << "' with the size of a reduction or scan";
    fold.sizePort = port - ports.inputNames.begin();
  }
  if (!ports.folds.empty())
    state.addAttribute(foldsName,
                       encodeFolds(*parser.getContext(), ports.folds));
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  CallablePorts ports;
  if (parseSignature(parser, state, ports) || addFolds(parser, state, ports) ||
      parseTarget(parser, state))
    return failure();
  if (!ports.temporaries.empty())
    return parser.emitError(ports.firstTemporary,
                            "a port of a kernel is not temporary; what is so "
                            "for all of its nodes, a graph says");
  if (succeeded(parser.parseOptionalKeyword("symbol"))) {
    StringAttr symbol;
    if (parser.parseLParen() ||
        parser.parseAttribute(symbol, "symbol", state.attributes) ||
        parser.parseRParen())
      return failure();
  }
  return parser.parseOptionalAttrDictWithKeyword(state.attributes);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printSignature(printer, *this);
  if (getSymbol())
    printer << " symbol(" << getSymbolAttr() << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           signatureAttributes);
}

LogicalResult KernelOp::verify() { return verifyPorts(*this); }

//===----------------------------------------------------------------------===//
// GraphOp
//===----------------------------------------------------------------------===//

std::string GraphOp::getInputName(unsigned index) {
  return nameOr(getInputNames(), index, "in");
}

std::string GraphOp::getOutputName(unsigned index) {
  return nameOr(getOutputNames(), index, "out");
}

OutputOp GraphOp::getOutputOp() {
  return cast<OutputOp>(getBody().front().getTerminator());
}

void GraphOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  ArrayAttr names = getInputNames();
  for (BlockArgument argument : region.getArguments())
    if (argument.getArgNumber() < names.size())
      setName(argument, getInputName(argument.getArgNumber()));
}

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &state) {
  CallablePorts ports;
  if (parseSignature(parser, state, ports) || parseTarget(parser, state) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  if (!ports.folds.empty())
    return parser.emitError(ports.firstFold, "a port of a graph is 'inout'; ")
           << "what its nodes fold into it, their kernels say";
  if (!ports.temporaries.empty())
    state.addAttribute(temporaryName, parser.getBuilder().getDenseI64ArrayAttr(
                                          ports.temporaries));
  Region *body = state.addRegion();
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseRegion(*body, ports.inputs))
    return failure();
  if (body->empty())
    return parser.emitError(place, "expected the nodes of the graph");
  return success();
}

void GraphOp::print(OpAsmPrinter &printer) {
  printSignature(printer, *this);
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           signatureAttributes);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

LogicalResult GraphOp::verify() {
  if (failed(verifyPorts(*this)))
    return failure();
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(getInputTypes()))
    return emitOpError("has a body whose arguments do not match its inputs");
  return success();
}

/// True for operations allowed in a graph: nodes, and integer arithmetic for
/// their extents, on inputs and members of structures that are inputs.
static bool isLegalInGraph(Operation &op) {
  if (isa<NodeOp, OutputOp, UseDatasetOp>(op))
    return true;
  if (auto part = dyn_cast<LLVM::ExtractValueOp>(op))
    return isa<IntegerType>(part.getType()) &&
           (isa<BlockArgument>(part.getContainer()) ||
            part.getContainer().getDefiningOp<NodeOp>());
  namespace a = arith;
  return isa<a::ConstantOp, a::AddIOp, a::SubIOp, a::MulIOp, a::DivSIOp,
             a::DivUIOp, a::CeilDivSIOp, a::CeilDivUIOp, a::FloorDivSIOp,
             a::RemSIOp, a::RemUIOp, a::AndIOp, a::OrIOp, a::XOrIOp, a::ShLIOp,
             a::ShRSIOp, a::ShRUIOp, a::MaxSIOp, a::MaxUIOp, a::MinSIOp,
             a::MinUIOp, a::ExtSIOp, a::ExtUIOp, a::TruncIOp, a::SelectOp,
             a::CmpIOp>(op) &&
         llvm::all_of(op.getResultTypes(), llvm::IsaPred<IntegerType>);
}

LogicalResult GraphOp::verifyRegions() {
  auto output = dyn_cast<OutputOp>(getBody().front().getTerminator());
  if (!output)
    return emitOpError("must end with 'dfg.output'");
  for (Operation &op : getBody().front())
    if (!isLegalInGraph(op))
      return op.emitOpError("may not stand in a graph: a graph holds nodes and "
                            "integer arithmetic for extents; move the "
                            "computation into a leaf");
  if (output.getValues().getTypes() != TypeRange(getOutputTypes()))
    return output.emitOpError("binds values of types (")
           << output.getValues().getTypes() << "), but graph '" << getSymName()
           << "' has outputs (" << getOutputTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// OutputOp
//===----------------------------------------------------------------------===//

ParseResult OutputOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SmallVector<bool> stream;
  SMLoc place = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    stream.push_back(succeeded(parser.parseOptionalKeyword("stream")));
    return parser.parseOperand(operands.emplace_back());
  };
  OpAsmParser::UnresolvedOperand first;
  bool isStream = succeeded(parser.parseOptionalKeyword("stream"));
  OptionalParseResult any = parser.parseOptionalOperand(first);
  if (any.has_value() ? failed(*any) : isStream)
    return any.has_value() ? failure() : parser.parseOperand(first);
  if (any.has_value()) {
    operands.push_back(first);
    stream.push_back(isStream);
    while (succeeded(parser.parseOptionalComma()))
      if (parseOne())
        return failure();
  }
  state.addAttribute("stream",
                     parser.getBuilder().getDenseBoolArrayAttr(stream));
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  return parser.resolveOperands(operands, types, place, state.operands);
}

void OutputOp::print(OpAsmPrinter &printer) {
  for (auto [index, value] : llvm::enumerate(getValues())) {
    printer << (index ? ", " : " ");
    if (getStream()[index])
      printer << "stream ";
    printer << value;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"stream"});
  if (!getValues().empty())
    printer << " : " << getValues().getTypes();
}

LogicalResult OutputOp::verify() {
  if (getStream().size() != getValues().size())
    return emitOpError("has ") << getValues().size() << " values, but "
                               << getStream().size() << " stream flags";
  for (auto [index, value] : llvm::enumerate(getValues()))
    if (!value.getDefiningOp<NodeOp>())
      return emitOpError("value ")
             << index
             << " is not an output of a node: an output bind takes a child's "
                "output; let a leaf pass the value on";
  return success();
}
