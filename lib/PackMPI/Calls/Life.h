//===- Life.h - Start, end, and the program's datatypes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that start and end MPI, calls that commit and free types, and MPI_Pack
// and MPI_Unpack.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_LIFE_H
#define SLUICE_LIB_PACKMPI_CALLS_LIFE_H

#include "../Library/InterposerSettings.h"
#include "../Requests/Policy.h"
#include "../Requests/Requests.h"
#include "../Requests/Statistics.h"
#include "../Requests/WireTypes.h"

namespace sluice::mpi {

/// Ends the program if the MPI library differs from the one for which this was
/// built.
void checkLibrary();
/// Counts current uses of MPI: sessions, and the world that MPI_Init creates.
/// Handles that Sluice keeps must be freed before the last use ends.
void beginUse();
void endUse();

template <auto &Native, Call Id> int initialize(int *argc, char ***argv) {
  checkLibrary();
  settings();
  beginUse();
  return Native(argc, argv);
}

template <auto &Native, Call Id>
int initializeThread(int *argc, char ***argv, int required, int *provided) {
  checkLibrary();
  settings();
  beginUse();
  return Native(argc, argv, required, provided);
}

template <auto &Native, Call Id> int finalize() {
  endOrphans();
  printStatistics();
  endUse();
  return Native();
}

template <auto &Native, Call Id, typename Session>
int sessionInit(MPI_Info info, MPI_Errhandler handler, Session *session) {
  checkLibrary();
  settings();
  int code = Native(info, handler, session);
  if (code == MPI_SUCCESS)
    beginUse();
  return code;
}

template <auto &Native, Call Id, typename Session>
int sessionFinalize(Session *session) {
  endOrphans();
  endUse();
  return Native(session);
}

template <auto &Native, Call Id> int typeCommit(MPI_Datatype *type) {
  int code = Native(type);
  if (code == MPI_SUCCESS && settings().mode != Mode::Off)
    rememberType(*type);
  return code;
}

/// Removes the handle from the table before MPI can return it again for another
/// type.
template <auto &Native, Call Id> int typeFree(MPI_Datatype *type) {
  MPI_Datatype handle = type ? *type : MPI_DATATYPE_NULL;
  TypeRef known = forgetType(handle);
  int code = Native(type);
  if (code != MPI_SUCCESS)
    restoreType(handle, std::move(known));
  else if (known && isCounting())
    noteEndOf(*known);
  return code;
}

template <auto &Native, Call Id>
int typeDup(MPI_Datatype type, MPI_Datatype *copy) {
  int code = Native(type, copy);
  if (code == MPI_SUCCESS)
    rememberCopy(type, *copy);
  return code;
}

/// MPICH returns handles that the program already has; they are valid until
/// they have been freed once more.
int noteLent(int code, MPI_Datatype type, const MPI_Datatype *types);

template <auto &Native, Call Id>
int typeGetContents(MPI_Datatype type, int mostIntegers, int mostAddresses,
                    int mostTypes, int *integers, MPI_Aint *addresses,
                    MPI_Datatype *types) {
  int code = Native(type, mostIntegers, mostAddresses, mostTypes, integers,
                    addresses, types);
  return noteLent(code, type, types);
}

template <auto &Native, Call Id>
int typeGetLargeContents(MPI_Datatype type, MPI_Count mostIntegers,
                         MPI_Count mostAddresses, MPI_Count mostCounts,
                         MPI_Count mostTypes, int *integers,
                         MPI_Aint *addresses, MPI_Count *counts,
                         MPI_Datatype *types) {
  int code = Native(type, mostIntegers, mostAddresses, mostCounts, mostTypes,
                    integers, addresses, counts, types);
  return noteLent(code, type, types);
}

/// Whether `bytes` more bytes fit. If not, the call goes to MPI, which reports
/// the error.
template <typename Count>
bool hasRoom(Count size, const Count *position, int64_t bytes) {
  return position && *position >= 0 && *position <= size &&
         bytes <= int64_t(size) - int64_t(*position);
}

template <auto &Native, Call Id, typename Count>
int pack(const void *in, Count count, MPI_Datatype type, void *out, Count size,
         Count *position, MPI_Comm comm) {
  Taken taken = decide(BufferUse::Pack, in, count, type);
  if (!taken || !out || comm == MPI_COMM_NULL ||
      !hasRoom(size, position, taken.bytes))
    return Native(in, count, type, out, size, position, comm);
  taken.packing->packer->pack(in, count, static_cast<char *>(out) + *position);
  *position += Count(taken.bytes);
  noteUse(Id, *taken.type, taken.bytes);
  return MPI_SUCCESS;
}

template <auto &Native, Call Id, typename Count>
int unpack(const void *in, Count size, Count *position, void *out, Count count,
           MPI_Datatype type, MPI_Comm comm) {
  Taken taken = decide(BufferUse::Pack, out, count, type);
  if (!taken || !in || comm == MPI_COMM_NULL ||
      !hasRoom(size, position, taken.bytes))
    return Native(in, size, position, out, count, type, comm);
  taken.packing->packer->unpack(static_cast<const char *>(in) + *position, out,
                                count);
  *position += Count(taken.bytes);
  noteUse(Id, *taken.type, taken.bytes);
  return MPI_SUCCESS;
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_LIFE_H
