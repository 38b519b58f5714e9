@ ARM and Thumb code in one section, with data between: the mapping symbols ($a, $t, $d) are no functions, and bit 0 of a Thumb function's symbol is no part of
@ its address.
        .syntax unified
        .text
        .globl in_arm
        .type in_arm, %function
        .arm
in_arm:
        ldr r0, .Lpool
        add r0, r0, #1
        bx lr
.Lpool:
        .word 0x12345678
        .size in_arm, .-in_arm
        .globl in_thumb
        .type in_thumb, %function
        .thumb
        .thumb_func
in_thumb:
        adds r0, #1
        bx lr
        .word 0x87654321
        adds r0, #2
        bx lr
        .size in_thumb, .-in_thumb
        .globl back_in_arm
        .type back_in_arm, %function
        .arm
        .balign 4
back_in_arm:
        mov r0, #0
        bx lr
        .size back_in_arm, .-back_in_arm
        .globl thumb_label
        .type thumb_label, %function
        .thumb
        .thumb_func
thumb_label:
        movs r0, #0
        bx lr
