!===- sluice_pack.f90 - Data layouts for Fortran -------------------------===!
!
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! All of sluice-c/Pack.h in Fortran's form: `use sluice_pack`, and link
! libSluicePackFortran and libSluicePack. Every subroutine ends with an optional
! `ierror`; without it an error ends the program with its message.
!
!===----------------------------------------------------------------------===!

module sluice_pack
  use sluice_pack_base, except_finish => finish, except_too_large => too_large
  use sluice_pack_procedures
  use sluice_pack_text
  implicit none
  private :: except_finish, except_too_large
  public
end module
