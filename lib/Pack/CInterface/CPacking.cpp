//===- CPacking.cpp - C functions that commit and pack --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout in the table of handles never changes, so committing makes a clone
// (which shares all common parts), commits that, and replaces the layout.
//
//===----------------------------------------------------------------------===//

#include "CErrors.h"
#include "sluice/Base/Text.h"
#include "sluice/Pack/Packer.h"

using namespace farc;
using sluice::concat;
using sluice::pack::Packer;

int LPK_Init(void) {
  return guarded([] { DDT_Init(); });
}

int LPK_Finalize(void) {
  return guarded([] { DDT_Finalize(); });
}

/// The handle at the given address; or the argument itself, because LibPack's
/// programs pass the handle.
static LPK_Datatype handleAt(LPK_Datatype *datatype) {
  if (looksLikeHandle(datatype))
    return datatype;
  return resultAt(datatype, "the layout");
}

static void commit(LPK_Datatype handle, bool synchronously) {
  SharedType type = typeOf(handle);
  if (type->getPacker()) {
    DDT_Commit(type.get(), synchronously);
    return;
  }
  SharedType committed(type->clone());
  DDT_Commit(committed.get(), synchronously);
  replaceType(handle, std::move(committed));
}

int LPK_Commit(LPK_Datatype *datatype) {
  return guarded([&] { commit(handleAt(datatype), false); });
}

int LPK_Compile(LPK_Datatype *datatype) {
  return guarded([&] { commit(handleAt(datatype), true); });
}

int LPK_Free(LPK_Datatype *datatype) {
  return guarded([&] {
    removeHandle(handleAt(datatype));
    if (!looksLikeHandle(datatype))
      *datatype = LPK_DATATYPE_NULL;
  });
}

/// The size of `count` packed instances, if it can be represented.
static int64_t packedSize(const Datatype &type, int64_t count) {
  if (count < 0)
    throw Error(Error::ARGUMENT,
                concat("the count must not be negative, but is ", count));
  int64_t size;
  if (__builtin_mul_overflow(count, type.getSize(), &size))
    throw Error(Error::OVERFLOW_64, concat(count, " times ", type.getSize(),
                                           " bytes do not fit into 64 bits"));
  return size;
}

int LPK_Pack_size(LPK_Count count, LPK_Datatype datatype, LPK_Count *size) {
  return guarded([&] {
    resultAt(size, "the size") = packedSize(*typeOf(datatype), count);
  });
}

int LPK_Pack(const void *inbuf, LPK_Count incount, LPK_Datatype intype,
             void *outbuf) {
  return guarded(
      [&] { DDT_Pack(inbuf, outbuf, typeOf(intype).get(), incount); });
}

int LPK_Unpack(const void *inbuf, void *outbuf, LPK_Count outcount,
               LPK_Datatype outtype) {
  return guarded(
      [&] { DDT_Unpack(inbuf, outbuf, typeOf(outtype).get(), outcount); });
}

/// Throws unless `length` bytes fit between the position and the buffer's end.
static void checkRoom(int64_t size, int64_t position, int64_t length) {
  if (size < 0 || position < 0 || position > size)
    throw Error(Error::ARGUMENT,
                concat("the position must be from 0 to the buffer's size ",
                       size, ", but is ", position));
  if (length > size - position)
    throw Error(Error::TRUNCATED,
                concat("the data has ", length, " bytes, but from position ",
                       position, " on the buffer has only ", size - position));
}

int LPK_Pack_into(const void *inbuf, LPK_Count incount, LPK_Datatype intype,
                  void *outbuf, LPK_Count outsize, LPK_Count *position) {
  return guarded([&] {
    LPK_Count &place = resultAt(position, "the position");
    SharedType type = typeOf(intype);
    int64_t length = packedSize(*type, incount);
    checkRoom(outsize, place, length);
    void *begin = outbuf ? static_cast<char *>(outbuf) + place : nullptr;
    DDT_Pack(inbuf, begin, type.get(), incount);
    place += length;
  });
}

int LPK_Unpack_from(const void *inbuf, LPK_Count insize, LPK_Count *position,
                    void *outbuf, LPK_Count outcount, LPK_Datatype outtype) {
  return guarded([&] {
    LPK_Count &place = resultAt(position, "the position");
    SharedType type = typeOf(outtype);
    int64_t length = packedSize(*type, outcount);
    checkRoom(insize, place, length);
    const void *begin =
        inbuf ? static_cast<const char *>(inbuf) + place : nullptr;
    DDT_Unpack(begin, outbuf, type.get(), outcount);
    place += length;
  });
}

int LPK_Pack_partial(const void *inbuf, LPK_Count incount, LPK_Datatype intype,
                     LPK_Count position, LPK_Count length, void *outbuf) {
  return guarded([&] {
    DDT_Pack_partial(inbuf, outbuf, typeOf(intype).get(), incount, position,
                     length);
  });
}

int LPK_Unpack_partial(const void *inbuf, LPK_Count position, LPK_Count length,
                       void *outbuf, LPK_Count outcount, LPK_Datatype outtype) {
  return guarded([&] {
    DDT_Unpack_partial(inbuf, outbuf, typeOf(outtype).get(), outcount, position,
                       length);
  });
}

static const std::shared_ptr<Packer> &packerOf(const Datatype &type) {
  if (!type.getPacker())
    throw Error(Error::NOT_COMMITTED,
                concat(sluice::quoted(type.toString(true)),
                       " is not committed; call LPK_Commit first"));
  return type.getPacker();
}

int LPK_Transpack(const void *inbuf, LPK_Count incount, LPK_Datatype intype,
                  void *outbuf, LPK_Count outcount, LPK_Datatype outtype) {
  return guarded([&] {
    SharedType from = typeOf(intype);
    SharedType to = typeOf(outtype);
    int64_t inSize = packedSize(*from, incount);
    int64_t outSize = packedSize(*to, outcount);
    if (inSize != outSize)
      throw Error(Error::ARGUMENT,
                  concat("the source has ", inSize,
                         " bytes, but the destination has ", outSize));
    sluice::Status status = sluice::pack::transpack(
        *packerOf(*from), inbuf, incount, *packerOf(*to), outbuf, outcount);
    if (!status.ok())
      throw Error(Error::ARGUMENT, status.message());
  });
}
