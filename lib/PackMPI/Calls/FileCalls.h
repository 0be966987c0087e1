//===- FileCalls.h - Reads and writes of files ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data with gaps in memory is packed before it is written, and unpacked after
// it was read, by the same call on bytes. The file's view, which belongs to
// MPI, determines the positions in the file.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_FILECALLS_H
#define SLUICE_LIB_PACKMPI_CALLS_FILECALLS_H

#include "../Requests/Exchange.h"
#include "../Requests/Policy.h"
#include "../Requests/Statistics.h"
#include "../Requests/WireTypes.h"

namespace sluice::mpi {

/// Whether bytes of a file equal those of memory: its view has the data
/// representation "native". Other representations convert elements, which a
/// buffer of bytes does not have. MPI must refuse an invalid file exactly once:
/// `code` is its error.
bool holdsBytesOfMemory(MPI_File file, int &code);

/// One read or write, whether or not Sluice handles it.
template <typename Count> class FileTransfer {
public:
  FileTransfer(MPI_File file, const void *buffer, Count count,
               MPI_Datatype type)
      : user(const_cast<void *>(buffer)), userCount(count), userType(type) {
    if (isLeftAlone(type))
      return;
    taken = decide(BufferUse::File, buffer, count, type);
    if (taken && (!holdsBytesOfMemory(file, problem) ||
                  !wire.prepare(taken, count, false)))
      taken = Taken();
    // A read may end early, and leaves the rest unchanged.
    if (taken)
      taken.packing->packer->pack(user, userCount, wire.staging.data());
  }
  void *buffer() const { return taken ? wire.staging.data() : user; }
  Count count() const { return taken ? wire.count : userCount; }
  MPI_Datatype type() const {
    return !taken ? userType : wire.type == MPI_PACKED ? MPI_BYTE : wire.type;
  }
  void note(Call call) const {
    if (taken)
      noteUse(call, *taken.type, taken.bytes);
  }
  void unpack() {
    if (taken)
      taken.packing->packer->unpack(wire.staging.data(), user, userCount);
  }
  bool isTaken() const { return bool(taken); }
  /// Not MPI_SUCCESS if MPI has already refused the file.
  int code() const { return problem; }
  /// Moves the packed bytes to `side` for an operation that ends later.
  void moveTo(Side &side) {
    side.begin(user);
    side.add(taken.type, userCount, 0);
    side.adopt(std::move(wire.staging), false);
  }

private:
  void *user;
  Count userCount;
  MPI_Datatype userType;
  Taken taken;
  Wire<Count> wire;
  int problem = MPI_SUCCESS;
};

template <auto &Native, Call Id, typename Count>
int writeFile(MPI_File file, const void *buffer, Count count, MPI_Datatype type,
              MPI_Status *status) {
  FileTransfer<Count> out(file, buffer, count, type);
  if (out.code() != MPI_SUCCESS)
    return out.code();
  out.note(Id);
  return Native(file, out.buffer(), out.count(), out.type(), status);
}

template <auto &Native, Call Id, typename Count>
int writeFileAt(MPI_File file, MPI_Offset offset, const void *buffer,
                Count count, MPI_Datatype type, MPI_Status *status) {
  FileTransfer<Count> out(file, buffer, count, type);
  if (out.code() != MPI_SUCCESS)
    return out.code();
  out.note(Id);
  return Native(file, offset, out.buffer(), out.count(), out.type(), status);
}

template <auto &Native, Call Id, typename Count>
int readFile(MPI_File file, void *buffer, Count count, MPI_Datatype type,
             MPI_Status *status) {
  FileTransfer<Count> in(file, buffer, count, type);
  if (in.code() != MPI_SUCCESS)
    return in.code();
  in.note(Id);
  int code = Native(file, in.buffer(), in.count(), in.type(), status);
  if (code == MPI_SUCCESS)
    in.unpack();
  return code;
}

template <auto &Native, Call Id, typename Count>
int readFileAt(MPI_File file, MPI_Offset offset, void *buffer, Count count,
               MPI_Datatype type, MPI_Status *status) {
  FileTransfer<Count> in(file, buffer, count, type);
  if (in.code() != MPI_SUCCESS)
    return in.code();
  in.note(Id);
  int code = Native(file, offset, in.buffer(), in.count(), in.type(), status);
  if (code == MPI_SUCCESS)
    in.unpack();
  return code;
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_FILECALLS_H
