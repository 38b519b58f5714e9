// Prints its stack as symbolizer markup, as LLVM's own programs do (printMarkupContext of lib/Support/Unix/Signals.inc): the modules that are loaded, where their segments are, and the
// return addresses of backtrace(3).
#define _GNU_SOURCE
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

int shared_apply(int (*function)(int), int value);

static int module;

static int print_module(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    const char *name = module == 0 ? (const char *)argument : info->dlpi_name;
    int has_id = 0;
    for (int i = 0; i < info->dlpi_phnum && !has_id; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE) continue;
        const char *note = (const char *)(info->dlpi_addr + segment->p_vaddr);
        const char *end = note + segment->p_memsz;
        while (note + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)note;
            const unsigned char *id = (const unsigned char *)note + sizeof *header + ((header->n_namesz + 3) & ~3u);
            if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4) {
                printf("{{{module:%d:%s:elf:", module, name);
                for (unsigned k = 0; k < header->n_descsz; k++) printf("%02x", id[k]);
                printf("}}}\n");
                has_id = 1;
                break;
            }
            note = (const char *)id + ((header->n_descsz + 3) & ~3u);
        }
    }
    if (!has_id) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD) continue;
        char flags[4] = {0};
        if (segment->p_flags & PF_R) strcat(flags, "r");
        if (segment->p_flags & PF_W) strcat(flags, "w");
        if (segment->p_flags & PF_X) strcat(flags, "x");
        printf("{{{mmap:%#016lx:%#lx:load:%d:%s:%#016lx}}}\n", (unsigned long)(info->dlpi_addr + segment->p_vaddr), (unsigned long)segment->p_memsz, module,
               flags, (unsigned long)segment->p_vaddr);
    }
    module++;
    return 0;
}

static __attribute__((noinline)) int print_stack(int value) {
    void *stack[16];
    int count = backtrace(stack, 16);
    printf("value %d\n", value);
    for (int i = 0; i < count; i++) printf("   {{{bt:%d:%#016lx:ra}}}\n", i, (unsigned long)stack[i]);
    printf("called from {{{pc:%#016lx:ra}}}, which is above\n", (unsigned long)__builtin_return_address(0));
    return value + 1;
}

static inline __attribute__((always_inline)) int twice(int value) {
    return print_stack(value) * 2;
}

static __attribute__((noinline)) int step(int value) {
    int result = twice(value) + 1;
    printf("result %d\n", result);
    return result;
}

int main(void) {
    printf("a program that prints its stack\n{{{reset}}}\n");
    dl_iterate_phdr(print_module, (void *)"markup");
    return shared_apply(step, 3) == 0;
}
