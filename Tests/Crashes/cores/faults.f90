! A program of Fortran that crashes. CHAIN: see faults.c.
! // CHAIN fortran: write_there between MAIN__ main
module faults
contains
  subroutine write_there(where, n)
    integer, pointer, intent(in) :: where
    integer, value :: n
    where = n
  end subroutine
  subroutine between(n)
    integer, value :: n
    integer, pointer :: nowhere
    nullify(nowhere)
    call write_there(nowhere, n + 1)
    print *, n
  end subroutine
end module
program crashing
  use faults
  call between(1)
  print *, 2
end program
