//===- External32.cpp - Packing in the portable representation ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types whose elements all have the same width, which is the common case, are
// packed by their kernel, and then the packed bytes are reversed. All other
// types are packed element by element.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/External32.h"
#include "../Layouts/Address.h"

#include "../Form/CheckedArithmetic.h"
#include "External32Elements.h"
#include "sluice/Base/Text.h"
#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/Packer.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <unordered_set>

using namespace sluice;
using namespace sluice::pack;
using farc::Datatype;
using farc::Error;
using farc::PrimitiveDatatype;

int64_t sluice::pack::external32Size(PrimitiveDatatype::PrimitiveType type) {
  return conversionOf(type).externalSize();
}

//===----------------------------------------------------------------------===//
// Properties of a whole type
//===----------------------------------------------------------------------===//

/// Whether all numbers of `type` are reversed with the same width, which is
/// stored in `width`; 0 there means that none has been seen yet. Types share
/// others: each is examined once.
static bool hasOneWidth(const Datatype &type, int64_t &width,
                        std::unordered_set<const Datatype *> &seen) {
  if (type.getDatatypeName() == farc::USER)
    return false;
  if (type.getDatatypeName() == farc::PRIMITIVE) {
    ElementConversion how =
        conversionOf(static_cast<const PrimitiveDatatype &>(type).getType());
    if (how.conversion != Conversion::Reverse ||
        (width != 0 && width != how.nativeBytes))
      return false;
    width = how.nativeBytes;
    return true;
  }
  for (const Datatype *part : type.getSubtypes())
    if (seen.insert(part).second && !hasOneWidth(*part, width, seen))
      return false;
  return true;
}

/// The width with which all numbers of `type` are reversed, if there is one.
static std::optional<int64_t> oneWidth(const Datatype &type) {
  int64_t width = 0;
  std::unordered_set<const Datatype *> seen;
  if (!hasOneWidth(type, width, seen))
    return std::nullopt;
  return std::max<int64_t>(width, 1);
}

static void requireCount(const char *name, int64_t count) {
  if (count < 0)
    throw Error(Error::ARGUMENT, concat(name, ": the count is ", count,
                                        ", but must not be negative"));
}

static int64_t sizeOfElements(const Datatype &type) {
  int64_t size = 0;
  type.forEachElement(
      0, [&](int64_t, const PrimitiveDatatype &element, int64_t count) {
        size = checkedAdd(
            size, checkedMultiply(external32Size(element.getType()), count));
      });
  return size;
}

/// Types share others: `known` contains the sizes of those.
static int64_t
sizeOfInstance(const Datatype &type,
               std::unordered_map<const Datatype *, int64_t> &known) {
  if (type.getDatatypeName() == farc::PRIMITIVE)
    return external32Size(
        static_cast<const PrimitiveDatatype &>(type).getType());
  const std::vector<const Datatype *> parts = type.getSubtypes();
  if (type.getDatatypeName() == farc::USER || parts.empty())
    return sizeOfElements(type);
  auto sizeOfPart = [&](const Datatype *part) {
    if (auto found = known.find(part); found != known.end())
      return found->second;
    return known[part] = sizeOfInstance(*part, known);
  };
  if (type.getDatatypeName() != farc::STRUCT) {
    const int64_t native = parts.front()->getSize();
    return native == 0 ? 0
                       : checkedMultiply(sizeOfPart(parts.front()),
                                         type.getSize() / native);
  }
  // The number of members, and of elements of each.
  const std::vector<int64_t> numbers = type.getContents().integers;
  int64_t size = 0;
  for (size_t i = 0; i != parts.size(); ++i)
    size =
        checkedAdd(size, checkedMultiply(sizeOfPart(parts[i]), numbers[i + 1]));
  return size;
}

int64_t sluice::pack::external32Size(const Datatype &type, int64_t count) {
  requireCount("external32 size", count);
  std::unordered_map<const Datatype *, int64_t> known;
  return checkedMultiply(
      oneWidth(type) ? type.getSize() : sizeOfInstance(type, known), count);
}

/// The number of bytes that the call reads or writes; throws if they do not fit
/// into `buffer`.
static int64_t checkedSize(const char *name, const Datatype &type,
                           int64_t count, const void *data, const void *buffer,
                           int64_t position, int64_t room) {
  requireCount(name, count);
  int64_t size = external32Size(type, count);
  if (position < 0 || room < position || room - position < size)
    throw Error(Error::TRUNCATED,
                concat(name, ": ", size, " bytes from position ", position,
                       " do not fit in a buffer of ", room, " bytes"));
  if (size != 0 && !buffer)
    throw Error(Error::ARGUMENT, concat(name, ": the packed buffer is null, ",
                                        "but has ", size, " bytes"));
  if (size != 0 && farc::isNoAddress(data, type.getTrueLowerBound()))
    throw Error(Error::ARGUMENT, concat(name, ": the data's buffer is null, ",
                                        "but has ", size, " bytes"));
  return size;
}

//===----------------------------------------------------------------------===//
// All numbers of one width
//===----------------------------------------------------------------------===//

/// The packer of `type`: its own if it is committed.
static std::shared_ptr<Packer> packerOf(const Datatype &type) {
  return type.getPacker() ? type.getPacker() : Packer::of(farc::layoutOf(type));
}

/// Pieces that are reversed while they are in the cache; a multiple of every
/// width.
static constexpr int64_t pieceBytes = 32 << 10;

static void packOneWidth(const Datatype &type, int64_t width, const void *in,
                         int64_t count, std::byte *out, int64_t size) {
  std::shared_ptr<Packer> packer = packerOf(type);
  for (int64_t done = 0; done < size;) {
    int64_t piece = std::min(size - done, pieceBytes);
    packer->packPart(in, count, done, piece, out + done);
    reverseBytes(width, out + done, piece / width, out + done);
    done += piece;
  }
}

static void unpackOneWidth(const Datatype &type, int64_t width,
                           const std::byte *in, void *out, int64_t count,
                           int64_t size) {
  if (width == 1)
    return packerOf(type)->unpack(in, out, count);
  std::shared_ptr<Packer> packer = packerOf(type);
  std::vector<std::byte> turned(size_t(std::min(size, pieceBytes)));
  for (int64_t done = 0; done < size;) {
    int64_t piece = std::min(size - done, pieceBytes);
    reverseBytes(width, in + done, piece / width, turned.data());
    packer->unpackPart(turned.data(), done, piece, out, count);
    done += piece;
  }
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// The number in `bytes` with its native width, for messages.
static std::string numberText(const ElementConversion &how,
                              const std::byte *bytes) {
  if (how.nativeBytes == 4) {
    uint32_t value;
    std::memcpy(&value, bytes, 4);
    return std::to_string(value);
  }
  uint64_t value;
  std::memcpy(&value, bytes, 8);
  return how.conversion == Conversion::NarrowSigned
             ? std::to_string(int64_t(value))
             : std::to_string(value);
}

[[noreturn]] static void throwOutOfRange(const PrimitiveDatatype &element,
                                         const ElementConversion &how,
                                         const std::byte *number,
                                         int64_t offset) {
  throw Error(Error::ARGUMENT,
              concat("pack external32: the ", element.toString(), " ",
                     numberText(how, number), " at byte ", offset,
                     " of the buffer does not fit in the ",
                     int(how.externalBytes),
                     " bytes that external32 has for it"));
}

static void packElements(const Datatype &type, const std::byte *in,
                         int64_t count, std::byte *out) {
  int64_t extent = type.getExtent();
  for (int64_t i = 0; i != count; ++i)
    type.forEachElement(
        i * extent,
        [&](int64_t offset, const PrimitiveDatatype &element, int64_t times) {
          ElementConversion how = conversionOf(element.getType());
          int64_t numbers = times * how.parts;
          int64_t done = toExternal32(how, in + offset, numbers, out);
          if (done != numbers)
            throwOutOfRange(element, how, in + offset + done * how.nativeBytes,
                            offset + done * how.nativeBytes);
          out += times * how.externalSize();
        });
}

static void unpackElements(const Datatype &type, const std::byte *in,
                           int64_t count, std::byte *out) {
  int64_t extent = type.getExtent();
  for (int64_t i = 0; i != count; ++i)
    type.forEachElement(
        i * extent,
        [&](int64_t offset, const PrimitiveDatatype &element, int64_t times) {
          ElementConversion how = conversionOf(element.getType());
          fromExternal32(how, in, times * how.parts, out + offset);
          in += times * how.externalSize();
        });
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

void sluice::pack::packExternal32(const Datatype &type, const void *in,
                                  int64_t count, void *out, int64_t outSize,
                                  int64_t &position) {
  int64_t size =
      checkedSize("pack external32", type, count, in, out, position, outSize);
  if (size == 0)
    return;
  std::byte *to = static_cast<std::byte *>(out) + position;
  if (std::optional<int64_t> width = oneWidth(type))
    packOneWidth(type, *width, in, count, to, size);
  else
    packElements(type, static_cast<const std::byte *>(in), count, to);
  position += size;
}

void sluice::pack::unpackExternal32(const Datatype &type, const void *in,
                                    int64_t inSize, int64_t &position,
                                    void *out, int64_t count) {
  int64_t size =
      checkedSize("unpack external32", type, count, out, in, position, inSize);
  if (size == 0)
    return;
  const std::byte *from = static_cast<const std::byte *>(in) + position;
  if (std::optional<int64_t> width = oneWidth(type))
    unpackOneWidth(type, *width, from, out, count, size);
  else
    unpackElements(type, from, count, static_cast<std::byte *>(out));
  position += size;
}
