# Labels without a size, as hand-written assembly has them: each reaches to the next one, or to the end of its section, and no further.
        .text
        .globl with_size
        .type with_size, @function
with_size:
        .skip 0x10, 0x90
        .size with_size, .-with_size
        .skip 0x10, 0xcc                # belongs to nobody
        .globl no_size
        .type no_size, @function
no_size:
        .skip 0x10, 0x90
        .globl no_type
no_type:
        .skip 0x10, 0x90
inner:                                  # a local label in the same function
        .skip 0x10, 0x90
        .section .fixup,"ax",@progbits
        .skip 0x10, 0x90                # before the section's first symbol
        .globl fixup
        .type fixup, @function
fixup:
        .skip 0x10, 0x90
        .section .last,"ax",@progbits
        .skip 0x20, 0x90                # a section without symbols
