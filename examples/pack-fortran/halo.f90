!===- halo.f90 - Exchange the faces of a three-dimensional array ---------===!
!
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! A block of a grid with a border of ghost cells. Each face is a subarray, which
! lies in memory together (k), in lines (j) or in single numbers (i); Pack
! gathers all of them into one buffer and scatters what comes back. The block is
! its own neighbour here, as on a torus of one process.
!
!===----------------------------------------------------------------------===!

program halo
  use sluice_pack
  implicit none
  integer, parameter :: n(3) = [40, 30, 20]
  real(kind(1d0)) :: grid(0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1)
  character(:), allocatable :: text
  type(LPK_Datatype) :: face
  integer :: dimension

  grid = -1
  call fill(grid(1:n(1), 1:n(2), 1:n(3)))
  do dimension = 1, 3
    call exchange(dimension, n(dimension), 0)
    call exchange(dimension, 1, n(dimension) + 1)
  end do
  face = face_of(1, 0)
  call LPK_To_text(face, text)
  print '(a)', text
  call LPK_Free(face)
  call check()
  print '(a)', 'pack-fortran: ok'

contains

  subroutine fill(inner)
    real(kind(1d0)), intent(out) :: inner(:, :, :)
    integer :: i, j, k

    do k = 1, size(inner, 3)
      do j = 1, size(inner, 2)
        do i = 1, size(inner, 1)
          inner(i, j, k) = value_at([i, j, k])
        end do
      end do
    end do
  end subroutine

  pure function value_at(place) result(value)
    integer, intent(in) :: place(3)
    real(kind(1d0)) :: value

    value = place(1) + 100d0*place(2) + 10000d0*place(3)
  end function

  !> The inner cells whose index in `dimension` is `index`. Starts count from 0,
  !> as do the bounds of `grid`.
  function face_of(dimension, index) result(face)
    integer, intent(in) :: dimension, index
    type(LPK_Datatype) :: number, face
    integer :: subsizes(3), starts(3)

    subsizes = n
    starts = 1
    subsizes(dimension) = 1
    starts(dimension) = index
    call LPK_Primitive(LPK_DOUBLE_PRECISION, number)
    call LPK_Subarray(3, n + 2, subsizes, starts, LPK_ORDER_FORTRAN, number, &
                      face)
    call LPK_Free(number)
    call LPK_Commit(face)
  end function

  !> Sends a face through a buffer to a neighbour's ghost cells.
  subroutine exchange(dimension, from, to)
    integer, intent(in) :: dimension, from, to
    type(LPK_Datatype) :: source, target
    real(kind(1d0)), allocatable :: buffer(:)
    integer :: bytes, position

    source = face_of(dimension, from)
    target = face_of(dimension, to)
    call LPK_Pack_size(1, source, bytes)
    allocate (buffer(bytes/8))
    position = 0
    call LPK_Pack_into(grid, 1, source, buffer, bytes, position)
    position = 0
    call LPK_Unpack_from(buffer, bytes, position, grid, 1, target)
    call LPK_Free(source)
    call LPK_Free(target)
  end subroutine

  !> Cells on one face have the value from the other side; edges keep theirs.
  subroutine check()
    integer :: i, j, k, place(3), outside
    real(kind(1d0)) :: expected

    do k = 0, n(3) + 1
      do j = 0, n(2) + 1
        do i = 0, n(1) + 1
          place = [i, j, k]
          outside = count(place < 1 .or. place > n)
          expected = value_at(modulo(place - 1, n) + 1)
          if (outside > 1) expected = -1
          if (abs(grid(i, j, k) - expected) < 0.5d0) cycle
          print '(a, 3i4, 2f12.1)', 'halo: wrong at', place, grid(i, j, k), &
            expected
          error stop 1
        end do
      end do
    end do
  end subroutine

end program
