!===- pack.f90 - A Fortran program that packs with the installed library -===!
!
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Packs a row of a matrix, whose elements lie a column apart.
!
!===----------------------------------------------------------------------===!

program pack_row
  use sluice_pack
  implicit none
  real(kind(1d0)) :: matrix(4, 6), row(6)
  type(LPK_Datatype) :: number, layout
  integer :: i

  matrix = reshape([(real(i, kind(1d0)), i=1, 24)], [4, 6])
  call LPK_Primitive(LPK_DOUBLE_PRECISION, number)
  call LPK_Vector(6, 1, 4, number, layout)
  call LPK_Commit(layout)
  call LPK_Pack(matrix, 1, layout, row)
  call LPK_Free(layout)
  call LPK_Free(number)
  if (any(row /= matrix(1, :))) error stop "the row was not packed"
end program
