//===- DatatypeCommit.cpp - Committing and packing layouts ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LibPack's free functions. They check for errors of the program and leave the
// work to the packer of a committed type.
//
//===----------------------------------------------------------------------===//

#include "Address.h"
#include "DatatypeArithmetic.h"
#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/Packer.h"

using namespace farc;
using sluice::concat;
using sluice::quoted;
using sluice::pack::Packer;

sluice::pack::Layout farc::layoutOf(const Datatype &ddt) {
  sluice::pack::PlacedForm placed = ddt.normalForm();
  return {placed.offset, ddt.getExtent(), placed.form};
}

void farc::DDT_Init() {}

void farc::DDT_Finalize() { sluice::pack::stopPackThreads(); }

void farc::DDT_Commit(Datatype *ddt, bool synchronously) {
  if (!ddt)
    throw Error(Error::ARGUMENT, "commit: the type is null");
  if (!ddt->packer)
    ddt->packer = Packer::of(layoutOf(*ddt));
  // Without a ready-made kernel only compiled code is possible.
  bool needsCompiler = !ddt->packer->kernel().pack && ddt->getSize() != 0;
  if (!synchronously && !needsCompiler)
    return;
  sluice::Status status = ddt->packer->compile();
  if (status.ok() || !needsCompiler)
    return;
  ddt->packer.reset();
  throw Error(Error::NO_COMPILER,
              concat("commit: ", quoted(ddt->toString(true)),
                     " packs by generated code, which could not be compiled: ",
                     status.message()));
}

void farc::DDT_Free(Datatype *ddt) { delete ddt; }

namespace {
/// The arguments of one pack or unpack.
struct CommitCall {
  const char *name;
  Datatype *ddt;
  int64_t count;
  /// The packed bytes.
  const void *packed;
  const void *data;
};
} // namespace

/// The packer, if the call is valid; `total` receives the packed size.
static Packer &checkedPacker(const CommitCall &call, int64_t &total) {
  Arithmetic compute(call.name);
  if (!call.ddt)
    compute.impossible("the type is null");
  if (!call.ddt->getPacker())
    throw Error(
        Error::NOT_COMMITTED,
        concat(call.name, ": ", quoted(call.ddt->toString(true)),
               " is not committed; call DDT_Commit or LPK_Commit first"));
  compute.requireNotNegative(call.count, "the count");
  total = compute.multiply(call.count, call.ddt->getSize());
  if (total != 0)
    compute.multiply(call.count, call.ddt->getExtent());
  if (total != 0 && !call.packed)
    compute.impossible("the packed buffer is null, but has ", total, " bytes");
  if (total != 0 && isNoAddress(call.data, call.ddt->getTrueLowerBound()))
    compute.impossible("the data's buffer is null, but has ", total, " bytes");
  return *call.ddt->getPacker();
}

static void checkRange(const char *name, int64_t position, int64_t length,
                       int64_t total) {
  Arithmetic compute(name);
  compute.requireNotNegative(position, "the position");
  compute.requireNotNegative(length, "the length");
  if (position > total || length > total - position)
    throw Error(Error::TRUNCATED,
                concat(name, ": bytes ", position, " to ",
                       compute.add(position, length),
                       " were asked for, but there are ", total));
}

/// The packer if the call is valid and has bytes to copy, else null; like
/// checkedPacker, but without error messages.
static inline Packer *readyPacker(const Datatype *ddt, int64_t count,
                                  const void *packed, const void *data) {
  if (!ddt || count < 0 || !packed || !data) [[unlikely]]
    return nullptr;
  Packer *packer = ddt->getPacker().get();
  if (!packer) [[unlikely]]
    return nullptr;
  int64_t size, span;
  if (__builtin_mul_overflow(count, packer->layout().size(), &size) ||
      __builtin_mul_overflow(count, packer->layout().extent, &span) ||
      size == 0) [[unlikely]]
    return nullptr;
  return packer;
}

void farc::DDT_Pack(const void *inbuf, void *outbuf, Datatype *ddt,
                    int64_t count) {
  if (Packer *packer = readyPacker(ddt, count, outbuf, inbuf)) [[likely]]
    return packer->pack(inbuf, count, outbuf);
  int64_t total;
  Packer &packer = checkedPacker({"pack", ddt, count, outbuf, inbuf}, total);
  if (total != 0)
    packer.pack(inbuf, count, outbuf);
}

void farc::DDT_Unpack(const void *inbuf, void *outbuf, Datatype *ddt,
                      int64_t count) {
  if (Packer *packer = readyPacker(ddt, count, inbuf, outbuf)) [[likely]]
    return packer->unpack(inbuf, outbuf, count);
  int64_t total;
  Packer &packer = checkedPacker({"unpack", ddt, count, inbuf, outbuf}, total);
  if (total != 0)
    packer.unpack(inbuf, outbuf, count);
}

void farc::DDT_Pack_partial(const void *inbuf, void *outbuf, Datatype *ddt,
                            int64_t count, int64_t position, int64_t length) {
  int64_t total;
  Packer &packer = checkedPacker({"pack", ddt, count, outbuf, inbuf}, total);
  checkRange("pack", position, length, total);
  if (length != 0)
    packer.packPart(inbuf, count, position, length, outbuf);
}

void farc::DDT_Unpack_partial(const void *inbuf, void *outbuf, Datatype *ddt,
                              int64_t count, int64_t position, int64_t length) {
  int64_t total;
  Packer &packer = checkedPacker({"unpack", ddt, count, inbuf, outbuf}, total);
  checkRange("unpack", position, length, total);
  if (length != 0)
    packer.unpackPart(inbuf, position, length, outbuf, count);
}
