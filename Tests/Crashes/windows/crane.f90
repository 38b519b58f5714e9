! Prints its stack or crashes below procedures of a module; the first argument is the way. STACK has the procedures, innermost first;
! FRAME marks the line that each is at. gfortran calls the main program MAIN__, and makes a main that calls it from its first line.
! STACK rows: print_rows yard::grip/rows yard::hoist lift MAIN__ main
! STACK write: yard::grip/write yard::hoist lift MAIN__ main
! STACK divide: yard::share yard::hoist/divide lift MAIN__ main
! STACK stop: yard::halt yard::hoist/stop lift MAIN__ main
module yard
    use iso_c_binding
    implicit none
    integer, volatile :: zero = 0
    interface
        integer(c_int) function print_rows() bind(c)
            import c_int
        end function
    end interface
contains
    integer function grip(way)
        character, intent(in) :: way
        integer, pointer :: nowhere
        if (way == 'r') then
            grip = print_rows() + zero ! FRAME yard::grip/rows
        else
            call c_f_pointer(transfer(int(zero, c_intptr_t), c_null_ptr), nowhere)
            nowhere = 4 ! FRAME yard::grip/write
            grip = zero
        end if
    end function

    integer function share(a)
        integer, intent(in) :: a
        share = a / zero ! FRAME yard::share
    end function

    integer function halt(a)
        integer, intent(in) :: a
        halt = a
        if (zero == 0) error stop 3 ! FRAME yard::halt
    end function

    integer function hoist(way)
        character, intent(in) :: way
        select case (way)
        case ('d'); hoist = share(3) + zero ! FRAME yard::hoist/divide
        case ('s'); hoist = halt(3) + zero ! FRAME yard::hoist/stop
        case default; hoist = grip(way) + zero ! FRAME yard::hoist
        end select
    end function
end module

program crane
    use yard ! FRAME main
    implicit none
    character :: way
    call get_command_argument(1, way)
    print *, lift(way) ! FRAME MAIN__
contains
    integer function lift(way)
        character, intent(in) :: way
        lift = hoist(way) + zero ! FRAME lift
    end function
end program
