!===- pack_base.f90 - Kinds, constants and errors ------------------------===!
!
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! What the other modules share. The numbers are those of sluice-c/Pack.h.
!
!===----------------------------------------------------------------------===!

module sluice_pack_base
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int, &
      c_int64_t, c_null_ptr, c_ptr, c_size_t
  implicit none
  private
  public :: finish, too_large, LPK_Error_string, LPK_Last_error

  !> Counts, sizes, positions, addresses.
  !>@{
  integer, parameter, public :: LPK_COUNT_KIND = c_int64_t
  integer, parameter, public :: LPK_ADDRESS_KIND = c_int64_t
  !>@}

  !> A handle of a layout; null until a constructor gives it one.
  type, bind(C), public :: LPK_Datatype
    !> As in C.
    type(c_ptr) :: handle = c_null_ptr
  end type

  !> Errors; sluice-c/Pack.h says when they come.
  !>@{
  integer(c_int), parameter, public :: LPK_SUCCESS = 0
  integer(c_int), parameter, public :: LPK_ERR_ARGUMENT = 1
  integer(c_int), parameter, public :: LPK_ERR_HANDLE = 2
  integer(c_int), parameter, public :: LPK_ERR_OVERFLOW = 3
  integer(c_int), parameter, public :: LPK_ERR_NOT_COMMITTED = 4
  integer(c_int), parameter, public :: LPK_ERR_NO_COMPILER = 5
  integer(c_int), parameter, public :: LPK_ERR_TRUNCATED = 6
  integer(c_int), parameter, public :: LPK_ERR_UNSUPPORTED = 7
  integer(c_int), parameter, public :: LPK_ERR_MEMORY = 8
  integer(c_int), parameter, public :: LPK_ERR_INTERNAL = 9
  !>@}

  !> Basic types, named as MPI's.
  !>@{
  integer(c_int), parameter, public :: LPK_CHAR = 0
  integer(c_int), parameter, public :: LPK_SIGNED_CHAR = 1
  integer(c_int), parameter, public :: LPK_UNSIGNED_CHAR = 2
  integer(c_int), parameter, public :: LPK_BYTE = 3
  integer(c_int), parameter, public :: LPK_WCHAR = 4
  integer(c_int), parameter, public :: LPK_SHORT = 5
  integer(c_int), parameter, public :: LPK_UNSIGNED_SHORT = 6
  integer(c_int), parameter, public :: LPK_INT = 7
  integer(c_int), parameter, public :: LPK_UNSIGNED = 8
  integer(c_int), parameter, public :: LPK_LONG = 9
  integer(c_int), parameter, public :: LPK_UNSIGNED_LONG = 10
  integer(c_int), parameter, public :: LPK_FLOAT = 11
  integer(c_int), parameter, public :: LPK_DOUBLE = 12
  integer(c_int), parameter, public :: LPK_LONG_DOUBLE = 13
  integer(c_int), parameter, public :: LPK_LONG_LONG_INT = 14
  integer(c_int), parameter, public :: LPK_UNSIGNED_LONG_LONG = 15
  integer(c_int), parameter, public :: LPK_LONG_LONG = 16
  integer(c_int), parameter, public :: LPK_C_BOOL = 17
  integer(c_int), parameter, public :: LPK_INT8_T = 18
  integer(c_int), parameter, public :: LPK_INT16_T = 19
  integer(c_int), parameter, public :: LPK_INT32_T = 20
  integer(c_int), parameter, public :: LPK_INT64_T = 21
  integer(c_int), parameter, public :: LPK_UINT8_T = 22
  integer(c_int), parameter, public :: LPK_UINT16_T = 23
  integer(c_int), parameter, public :: LPK_UINT32_T = 24
  integer(c_int), parameter, public :: LPK_UINT64_T = 25
  integer(c_int), parameter, public :: LPK_AINT = 26
  integer(c_int), parameter, public :: LPK_COUNT = 27
  integer(c_int), parameter, public :: LPK_OFFSET = 28
  integer(c_int), parameter, public :: LPK_C_FLOAT_COMPLEX = 29
  integer(c_int), parameter, public :: LPK_C_DOUBLE_COMPLEX = 30
  integer(c_int), parameter, public :: LPK_C_LONG_DOUBLE_COMPLEX = 31
  integer(c_int), parameter, public :: LPK_PACKED = 32
  integer(c_int), parameter, public :: LPK_INTEGER = 33
  integer(c_int), parameter, public :: LPK_REAL = 34
  integer(c_int), parameter, public :: LPK_DOUBLE_PRECISION = 35
  integer(c_int), parameter, public :: LPK_COMPLEX = 36
  integer(c_int), parameter, public :: LPK_DOUBLE_COMPLEX = 37
  integer(c_int), parameter, public :: LPK_LOGICAL = 38
  integer(c_int), parameter, public :: LPK_CHARACTER = 39
  integer(c_int), parameter, public :: LPK_INTEGER1 = 40
  integer(c_int), parameter, public :: LPK_INTEGER2 = 41
  integer(c_int), parameter, public :: LPK_INTEGER4 = 42
  integer(c_int), parameter, public :: LPK_INTEGER8 = 43
  integer(c_int), parameter, public :: LPK_INTEGER16 = 44
  integer(c_int), parameter, public :: LPK_REAL2 = 45
  integer(c_int), parameter, public :: LPK_REAL4 = 46
  integer(c_int), parameter, public :: LPK_REAL8 = 47
  integer(c_int), parameter, public :: LPK_REAL16 = 48
  integer(c_int), parameter, public :: LPK_COMPLEX8 = 49
  integer(c_int), parameter, public :: LPK_COMPLEX16 = 50
  integer(c_int), parameter, public :: LPK_COMPLEX32 = 51
  !>@}

  !> Orders of arrays.
  !>@{
  integer(c_int), parameter, public :: LPK_ORDER_C = 0
  integer(c_int), parameter, public :: LPK_ORDER_FORTRAN = 1
  !>@}
  !> Distributions of arrays, and the argument that leaves the block size open.
  !>@{
  integer(c_int), parameter, public :: LPK_DISTRIBUTE_NONE = 0
  integer(c_int), parameter, public :: LPK_DISTRIBUTE_BLOCK = 1
  integer(c_int), parameter, public :: LPK_DISTRIBUTE_CYCLIC = 2
  integer(c_int), parameter, public :: LPK_DISTRIBUTE_DFLT_DARG = -1
  !>@}
  !> How a layout was made.
  !>@{
  integer(c_int), parameter, public :: LPK_COMBINER_NAMED = 0
  integer(c_int), parameter, public :: LPK_COMBINER_CONTIGUOUS = 1
  integer(c_int), parameter, public :: LPK_COMBINER_VECTOR = 2
  integer(c_int), parameter, public :: LPK_COMBINER_HVECTOR = 3
  integer(c_int), parameter, public :: LPK_COMBINER_INDEXED_BLOCK = 4
  integer(c_int), parameter, public :: LPK_COMBINER_HINDEXED = 5
  integer(c_int), parameter, public :: LPK_COMBINER_STRUCT = 6
  integer(c_int), parameter, public :: LPK_COMBINER_RESIZED = 7
  integer(c_int), parameter, public :: LPK_COMBINER_INDEXED = 8
  integer(c_int), parameter, public :: LPK_COMBINER_HINDEXED_BLOCK = 9
  integer(c_int), parameter, public :: LPK_COMBINER_SUBARRAY = 10
  integer(c_int), parameter, public :: LPK_COMBINER_DARRAY = 11
  integer(c_int), parameter, public :: LPK_COMBINER_DUP = 12
  !>@}

  !> For `finish`: a result is too large for a default integer.
  integer(c_int), parameter :: too_large = -1

  interface
    function c_error_string(code) bind(C, name='LPK_Error_string')
      import :: c_int, c_ptr
      integer(c_int), value :: code
      type(c_ptr) :: c_error_string
    end function
    function c_last_error() bind(C, name='LPK_Last_error')
      import :: c_ptr
      type(c_ptr) :: c_last_error
    end function
    function c_strlen(text) bind(C, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: c_strlen
    end function
  end interface

  ! Without 'stat', the compiler's own message would have the path of the source
  ! in it, and the library would depend on where it was built.
  !> The message where memory is full.
  character(*), parameter, public :: no_memory = 'sluice_pack: memory is full'

contains

  function to_fortran(text) result(string)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: string
    character(kind=c_char), pointer :: characters(:)
    integer :: i, status

    call c_f_pointer(text, characters, [c_strlen(text)])
    allocate (character(size(characters)) :: string, stat=status)
    if (status /= 0) error stop no_memory
    do i = 1, size(characters)
      string(i:i) = characters(i)
    end do
  end function

  !> A sentence for an error code.
  function LPK_Error_string(code) result(string)
    integer(c_int), intent(in) :: code
    character(:), allocatable :: string

    string = to_fortran(c_error_string(code))
  end function

  !> What was wrong with the last call that failed.
  function LPK_Last_error() result(string)
    character(:), allocatable :: string

    string = to_fortran(c_last_error())
  end function

  !> Gives the code to the caller; a caller that does not ask for it is ended
  !> by an error.
  subroutine finish(code, ierror)
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: ierror

    if (present(ierror)) then
      ierror = merge(LPK_ERR_OVERFLOW, code, code == too_large)
    else if (code == too_large) then
      error stop 'sluice_pack: a number does not fit; use LPK_COUNT_KIND'
    else if (code /= LPK_SUCCESS) then
      error stop 'sluice_pack: '//LPK_Last_error()
    end if
  end subroutine

end module
