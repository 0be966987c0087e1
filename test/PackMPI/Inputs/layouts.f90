! layouts.f90 - Derived types from Fortran: the three bindings
!
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! mpif.h's entry points, the module mpi and the module mpi_f08 reach the MPI
! library by different ways; sentinels, logicals and statuses are converted on
! each. Every rank exchanges columns of an array with the next one.

module checks
  implicit none
  integer, parameter :: n = 20
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      print *, 'failed: ', what
      error stop 1
    end if
  end subroutine

  subroutine fill(a, start)
    double precision, intent(out) :: a(n, n)
    integer, intent(in) :: start
    integer :: i, j
    do j = 1, n
      do i = 1, n
        a(i, j) = start + i + n * j
      end do
    end do
  end subroutine
end module

! The external procedures of mpif.h.
subroutine oldBinding()
  use checks
  implicit none
  include 'mpif.h'
  double precision :: a(n, n)
  double precision, volatile :: b(n, n)
  integer :: row, ierr, rank, peer, request, status(MPI_STATUS_SIZE), count
  integer :: k, position
  integer(MPI_ADDRESS_KIND) :: places(1)
  integer :: absolute
  logical :: flag
  double precision :: image(n)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  peer = 1 - rank
  call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_Type_commit(row, ierr)
  do k = 1, 3
    call fill(a, 1000 * rank)
    b = -1
    call MPI_Sendrecv(a(2, 1), 1, row, peer, k, b(3, 1), 1, row, peer, k, &
                      MPI_COMM_WORLD, status, ierr)
    call MPI_Get_count(status, row, count, ierr)
    call check(count == 1 .and. status(MPI_SOURCE) == peer, 'status')
    call check(b(3, 5) == 1000 * peer + 2 + 5 * n, 'sendrecv')
    call check(b(2, 5) == -1 .and. b(4, 5) == -1, 'nothing else')
    call MPI_Irecv(b(7, 1), 1, row, peer, k, MPI_COMM_WORLD, request, ierr)
    call MPI_Send(a(4, 1), 1, row, peer, k, MPI_COMM_WORLD, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierr)
    end do
    call check(request == MPI_REQUEST_NULL, 'null request')
    call check(b(7, 9) == 1000 * peer + 4 + 9 * n, 'irecv')
    position = 0
    call MPI_Pack(a(5, 1), 1, row, image, 8 * n, position, MPI_COMM_WORLD, ierr)
    call check(position == 8 * n .and. image(6) == a(5, 6), 'pack')
    position = 0
    call MPI_Unpack(image, 8 * n, position, b(9, 1), 1, row, MPI_COMM_WORLD, &
                    ierr)
    call check(b(9, 6) == a(5, 6), 'unpack')
  end do
  call MPI_Get_address(b(11, 1), places(1), ierr)
  call MPI_Type_create_hindexed(1, [1], places, row, absolute, ierr)
  call MPI_Type_commit(absolute, ierr)
  do k = 1, 3
    b(11, 4) = -5
    call MPI_Irecv(MPI_BOTTOM, 1, absolute, peer, 9, MPI_COMM_WORLD, request, &
                   ierr)
    call MPI_Send(a(6, 1), 1, row, peer, 9, MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call check(b(11, 4) == 1000 * peer + 6 + 4 * n, 'bottom')
  end do
  call MPI_Type_free(absolute, ierr)
  call MPI_Type_free(row, ierr)
end subroutine

! The module mpi, with collectives in place and arrays of requests.
subroutine module90()
  use mpi
  use checks
  implicit none
  double precision :: a(n, n), b(n, n, 2)
  integer :: row, tile, ierr, rank, peer, k, requests(4), done
  integer :: statuses(MPI_STATUS_SIZE, 4), indices(4), total
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  peer = 1 - rank
  call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_Type_commit(row, ierr)
  call MPI_Type_create_subarray(2, [n, n], [3, n - 2], [4, 1], &
                                MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, tile, &
                                ierr)
  call MPI_Type_commit(tile, ierr)
  do k = 1, 3
    call fill(a, 1000 * rank)
    b = -1
    call MPI_Irecv(b(1, 1, 1), 1, row, peer, 1, MPI_COMM_WORLD, requests(1), &
                   ierr)
    call MPI_Irecv(b(2, 1, 1), 1, row, peer, 2, MPI_COMM_WORLD, requests(2), &
                   ierr)
    call MPI_Isend(a(1, 1), 1, row, peer, 1, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Issend(a(2, 1), 1, row, peer, 2, MPI_COMM_WORLD, requests(4), &
                    ierr)
    total = 0
    do while (total < 4)
      call MPI_Waitsome(4, requests, done, indices, statuses, ierr)
      total = total + done
    end do
    call check(all(requests == MPI_REQUEST_NULL), 'waitsome')
    call check(b(2, 7, 1) == 1000 * peer + 2 + 7 * n, 'issend')
    b(:, :, rank + 1) = a
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 1, tile, &
                       MPI_COMM_WORLD, ierr)
    call check(b(5, 2, peer + 1) == 1000 * peer + 5 + 2 * n, 'allgather')
    call check(b(5, 2, rank + 1) == a(5, 2), 'own part')
    call MPI_Bcast(a, 1, tile, 0, MPI_COMM_WORLD, ierr)
    call check(a(5, 2) == 5 + 2 * n .and. a(1, 1) == 1000 * rank + 1 + n, &
               'bcast')
    call MPI_Recv_init(b(1, 1, 1), 1, row, peer, 3, MPI_COMM_WORLD, &
                       requests(1), ierr)
    call MPI_Send_init(a(1, 1), 1, row, peer, 3, MPI_COMM_WORLD, requests(2), &
                       ierr)
    call MPI_Startall(2, requests, ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call check(b(1, 3, 1) == 1000 * peer + 1 + 3 * n, 'persistent')
    call MPI_Request_free(requests(1), ierr)
    call MPI_Request_free(requests(2), ierr)
  end do
  call MPI_Type_free(row, ierr)
  call MPI_Type_free(tile, ierr)
end subroutine

! The module mpi_f08.
subroutine module08()
  use mpi_f08
  use checks
  implicit none
  double precision, asynchronous :: a(n, n), b(n, n)
  type(MPI_Datatype) :: row, copy
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  integer :: rank, peer, k, count
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  peer = 1 - rank
  call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)
  call MPI_Type_dup(row, copy)
  do k = 1, 3
    call fill(a, 1000 * rank)
    b = -1
    call MPI_Irecv(b(3, 1), 1, row, peer, k, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(2, 1), 1, copy, peer, k, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, statuses)
    call MPI_Get_count(statuses(1), row, count)
    call check(count == 1 .and. statuses(1)%MPI_SOURCE == peer, 'f08 status')
    call check(b(3, 5) == 1000 * peer + 2 + 5 * n, 'f08 waitall')
    if (rank == 0) then
      call MPI_Send(a(6, 1), 1, row, 1, 5, MPI_COMM_WORLD)
    else
      call MPI_Recv(b(6, 1), 1, row, 0, 5, MPI_COMM_WORLD, status)
      call check(b(6, 2) == 6 + 2 * n .and. status%MPI_TAG == 5, 'f08 recv')
    end if
  end do
  call MPI_Type_free(row)
  call MPI_Type_free(copy)
end subroutine

program layouts
  use mpi
  implicit none
  integer :: ierr, rank
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call oldBinding()
  call module90()
  call module08()
  if (rank == 0) print '(a)', 'the three bindings agree'
  call MPI_Finalize(ierr)
end program
