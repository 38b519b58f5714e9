#if defined(__linux__)
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#include "allocation.h"

#if defined(__linux__)
static int release(struct dl_phdr_info *program, size_t size, void *unused) {
    (void)size;
    (void)unused;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < program->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &program->dlpi_phdr[index];
        /* What was written to exists here alone. */
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
        uintptr_t start = (program->dlpi_addr + part->p_vaddr + page - 1) / page * page;
        uintptr_t end = (program->dlpi_addr + part->p_vaddr + part->p_memsz) / page * page;
        if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    /* The program comes first; libraries are shared with others. */
    return 1;
}
#endif

void cairn_release_program_pages(void) {
#if defined(__linux__)
    dl_iterate_phdr(release, 0);
#endif
}
