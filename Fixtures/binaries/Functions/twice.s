        .text
        .globl  twice
        .type   twice, @function
twice:
        leal    (%rdi,%rdi), %eax
        ret
        .size   twice, .-twice
