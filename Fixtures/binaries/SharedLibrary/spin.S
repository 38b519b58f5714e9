# Assembly: queue_spin says how long it is, queue_wait does not (its symbol has size 0).

    .text
    .globl queue_spin
    .type queue_spin, @function
queue_spin:
    .cfi_startproc
    mov $100, %ecx
1:
    pause
    dec %ecx
    jnz 1b
    ret
    .cfi_endproc
    .size queue_spin, . - queue_spin

    .globl queue_wait
    .type queue_wait, @function
queue_wait:
    mov $1, %eax
    pause
    ret

    .section .note.GNU-stack, "", @progbits
