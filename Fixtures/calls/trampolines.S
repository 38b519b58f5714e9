/* What a signal handler returns to, as C libraries and the kernel's vDSO have it; `marked` has the frame description of glibc's, `bare` the instructions alone. */
    .text
    .globl before, marked, bare, after
    .type before, %function
before:
    .cfi_startproc
    BODY
    .cfi_endproc
    .size before, .-before
    .type marked, %function
marked:
    .cfi_startproc
    .cfi_signal_frame
    BODY
    .cfi_endproc
    .size marked, .-marked
    .type bare, %function
bare:
    SEQUENCE
    .size bare, .-bare
    .type after, %function
after:
    BODY
    .size after, .-after
