//===- Serialize.cpp - Programs as one file -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs and code are stored as one MLIR module whose `dfg.code` holds the
// bitcode of the code, compressed as a whole.
//
//===----------------------------------------------------------------------===//

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "sluice/Base/Seal.h"
#include "sluice/Driver/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

std::unique_ptr<mlir::MLIRContext> driver::createGraphContext() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect,
                  dfg::DFGDialect>();
  auto context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

std::vector<dfg::GraphOp> Program::getRoots() {
  mlir::SymbolTableCollection tables;
  SmallPtrSet<mlir::Operation *, 8> used;
  graphs->walk(
      [&](dfg::NodeOp node) { used.insert(node.resolveCallee(tables)); });
  std::vector<dfg::GraphOp> roots;
  for (dfg::GraphOp graph : graphs->getOps<dfg::GraphOp>())
    if (!used.contains(graph))
      roots.push_back(graph);
  return roots;
}

std::vector<Function *> Program::getLeaves() {
  std::vector<Function *> leaves;
  for (dfg::KernelOp kernel : graphs->getOps<dfg::KernelOp>())
    if (Function *function = code->getFunction(kernel.getCodeName()))
      leaves.push_back(function);
  return leaves;
}

std::vector<Function *> Program::getNodeFunctions() {
  SetVector<Function *> functions;
  for (Function *leaf : getLeaves())
    functions.insert(leaf);
  for (dfg::GraphOp graph : graphs->getOps<dfg::GraphOp>())
    if (Function *function = code->getFunction(graph.getSymName()))
      functions.insert(function);
  for (const std::string &name : unusedNodeFunctions)
    if (Function *function = code->getFunction(name))
      functions.insert(function);
  return std::vector<Function *>(functions.begin(), functions.end());
}

/// A copy of the code in which only nodes, vector variants and all that these
/// use have bodies: of host code, variants of nodes need nothing.
static std::unique_ptr<Module> copyOfNodes(Program &program) {
  ValueToValueMapTy map;
  std::unique_ptr<Module> copy = CloneModule(*program.code, map);
  // Other names need something that has a body.
  for (GlobalAlias &alias : make_early_inc_range(copy->aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
  SetVector<const User *> used;
  for (Function *function : program.getNodeFunctions())
    used.insert(cast<Function>(map[function]));
  for (const char *name : {"llvm.used", "llvm.compiler.used"})
    if (const GlobalVariable *list = copy->getNamedGlobal(name))
      used.insert(list);
  // Functions that choose others as the program starts must have bodies.
  for (const GlobalIFunc &chosen : copy->ifuncs())
    used.insert(&chosen);
  auto addOperands = [&](const User &user) {
    for (const Value *operand : user.operands())
      if (const auto *constant = dyn_cast<Constant>(operand))
        used.insert(constant);
  };
  for (size_t i = 0; i < used.size(); ++i) {
    addOperands(*used[i]);
    if (const auto *function = dyn_cast<Function>(used[i]))
      for (const Instruction &instruction : instructions(function))
        addOperands(instruction);
  }
  for (Function &function : *copy)
    if (!function.isDeclaration() && !used.contains(&function)) {
      function.deleteBody();
      function.setComdat(nullptr);
    }
  return copy;
}

/// Before the size of a compressed program, in 8 bytes, and its bytes.
static constexpr StringLiteral compressedMark = "SluiceZ\n";

/// Bitcode of leaves repeats itself, and objects hold it for each file.
static void writeCompressed(StringRef text, raw_ostream &os) {
  if (!compression::zlib::isAvailable()) {
    os << text;
    return;
  }
  SmallVector<uint8_t, 0> bytes;
  compression::zlib::compress(arrayRefFromStringRef(text), bytes);
  os << compressedMark;
  support::endian::write<uint64_t>(os, text.size(), endianness::little);
  os << toStringRef(bytes);
}

/// What `writeCompressed` wrote; `bytes` holds it if it was compressed.
static Expected<StringRef> readCompressed(StringRef text,
                                          SmallVectorImpl<uint8_t> &bytes) {
  if (!text.consume_front(compressedMark))
    return text;
  if (!compression::zlib::isAvailable())
    return createStringError("it is compressed, and this LLVM has no zlib");
  if (text.size() < sizeof(uint64_t))
    return createStringError("it is cut off");
  const uint64_t size = support::endian::read64le(text.data());
  constexpr uint64_t most = 1032; // bytes of which zlib can make one
  if (size / most > text.size())
    return createStringError("it is damaged");
  if (Error error = compression::zlib::decompress(
          arrayRefFromStringRef(text.drop_front(sizeof(uint64_t))), bytes,
          size))
    return std::move(error);
  return toStringRef(bytes);
}

void driver::writeProgram(Program &program, raw_ostream &os) {
  SmallString<0> bitcode;
  raw_svector_ostream bits(bitcode);
  WriteBitcodeToFile(*copyOfNodes(program), bits);
  mlir::OwningOpRef<mlir::ModuleOp> copy = program.graphs->clone();
  auto builder = mlir::OpBuilder::atBlockEnd(copy->getBody());
  dfg::CodeOp::create(builder, copy->getLoc(), builder.getStringAttr(bitcode),
                      nullptr, nullptr);
  std::string text;
  raw_string_ostream bytecode(text);
  (void)mlir::writeBytecodeToFile(*copy, bytecode);
  writeCompressed(text, os);
}

Expected<std::unique_ptr<Program>>
driver::readSerializedProgram(StringRef path) {
  auto program = std::make_unique<Program>();
  program->graphContext = createGraphContext();
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError("cannot read '" + path +
                             "': " + file.getError().message());
  // Files that programs write to the cache have a seal.
  StringRef text = (*file)->getBuffer();
  if (auto content = unsealed(std::string_view(sys::path::filename(path)),
                              std::string_view(text)))
    text = *content;
  SmallVector<uint8_t, 0> bytes;
  Expected<StringRef> whole = readCompressed(text, bytes);
  if (!whole)
    return createStringError("'" + path + "' does not hold a program: " +
                             toString(whole.takeError()));
  text = *whole;
  program->graphs = mlir::parseSourceString<mlir::ModuleOp>(
      text, program->graphContext.get(), path);
  if (!program->graphs)
    return createStringError("'" + path + "' does not hold a program");
  auto codes = program->graphs->getOps<dfg::CodeOp>();
  if (!hasSingleElement(codes) || !(*codes.begin()).getBitcode())
    return createStringError("'" + path + "' holds no code");
  dfg::CodeOp code = *codes.begin();
  MemoryBufferRef buffer(*code.getBitcode(), path);
  Expected<std::unique_ptr<Module>> module =
      parseBitcodeFile(buffer, program->codeContext);
  if (!module)
    return module.takeError();
  program->code = std::move(*module);
  code.erase();
  return std::move(program);
}
