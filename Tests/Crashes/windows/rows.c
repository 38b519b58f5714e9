/* Prints the stack of its caller in the manners of several programs, each below a line "== NAME". A row's address is a return address. */
#include <windows.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT = 64 };
static struct frame {
    unsigned long long address, base, linked;
    char path[MAX_PATH], *file;
} frames[LIMIT];

/* The base that a module's file asks for. In memory the loader may have replaced it by the base that the module got. */
static unsigned long long linked_base(const char *path) {
    union {
        IMAGE_NT_HEADERS32 narrow;
        IMAGE_NT_HEADERS64 wide;
    } headers = {0};
    IMAGE_DOS_HEADER start;
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    if (fread(&start, sizeof start, 1, file) == 1 && fseek(file, start.e_lfanew, SEEK_SET) == 0) fread(&headers, 1, sizeof headers, file);
    fclose(file);
    return headers.wide.OptionalHeader.Magic == IMAGE_NT_OPTIONAL_HDR64_MAGIC ? headers.wide.OptionalHeader.ImageBase : headers.narrow.OptionalHeader.ImageBase;
}

/* Microsoft's debugger writes 64-bit addresses in two halves. */
static void print_halves(unsigned long long address) { printf("%08x`%08x ", (unsigned)(address >> 32), (unsigned)address); }

__attribute__((noinline)) int print_rows(void) {
    void *stack[LIMIT];
    int count = CaptureStackBackTrace(0, LIMIT, stack, NULL); /* FRAME print_rows */
    for (int i = 0; i < count; i++) {
        if (!stack[i]) { count = i; break; }
        struct frame *f = &frames[i];
        HMODULE module = NULL;
        GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, stack[i], &module);
        f->address = (ULONG_PTR)stack[i], f->base = (ULONG_PTR)module;
        GetModuleFileNameA(module, f->path, sizeof f->path);
        f->linked = linked_base(f->path);
        char *slash = strrchr(f->path, '\\');
        f->file = slash ? slash + 1 : f->path;
    }
#define EACH for (struct frame *f = frames; f < frames + count; f++)
    printf("== modules\n");
    EACH printf("%s %llx %llx\n", f->file, f->base, f->linked);
    printf("== cdb\nChild-SP          RetAddr               Call Site\n");
    EACH {
        print_halves((ULONG_PTR)&stack[f - frames]);
        print_halves(f + 1 < frames + count ? f[1].address : 0);
        printf("    %.*s+0x%llx\n", (int)strcspn(f->file, "."), f->file, f->address - f->base);
    }
    printf("== plain\n");
    EACH printf("#%d 0x%016llx %s+0x%llx\n", (int)(f - frames), f->address, f->file, f->address - f->base);
    printf("== llvm\nStack dump:\n0.\tProgram arguments: crane\n");
    EACH printf(" #%d 0x%016llx (%s+0x%llx)\n", (int)(f - frames), f->address, f->path, f->address - f->base);
    printf("== mozilla\n");
    EACH printf("#%02d: ???[%s +0x%llx]\n", (int)(f - frames + 1), f->path, f->address - f->base);
    /* Boost knows neither base nor offset: the bases are in the part "modules". */
    printf("== boost\n");
    EACH printf("%2d# 0x%016llX in %s\n", (int)(f - frames), f->address, f->path);
    /* DrMingw: addresses as they are, offsets from the module's first byte. */
    printf("== drmingw\n%s caused a Breakpoint at location %0*llX in module %s.\n\nAddrPC           Params\n", frames[0].file, 16, frames[0].address, frames[0].file);
    EACH {
        /* The first is an instruction: the call. */
        unsigned long long address = f->address - (f == frames);
        printf("%016llX %016llX %016llX %016llX  %s!0x%llx\n", address, 3ULL, 0xffffffffULL, 0ULL, f->file, address - f->base);
    }
    /* Godot since 4.7: 1 is subtracted, and the program is called "main". */
    printf("== godot\nCrashHandlerException: Program crashed with signal 11\nLoad address: %llx\n\n", (unsigned long long)(ULONG_PTR)GetModuleHandleA(NULL) - linked_base(frames[0].path));
    EACH printf("[%d] %llx (%s+%llx) - no debug info in PE/COFF executable\n", (int)(f - frames + 1), f->address - 1, f->base == (ULONG_PTR)GetModuleHandleA(NULL) ? "main" : f->file, f->address - 1 - f->base);
    printf("-- END OF C++ BACKTRACE --\n");
    /* AddressSanitizer has subtracted 1 from return addresses, and its offsets count from where the file is linked (ListOfModules::init of
       sanitizer_win.cpp). */
    printf("== asan\n==42==ERROR: AddressSanitizer: heap-use-after-free on address 0x11a5a2ee0014 at pc 0x%012llx bp 0x000000000000 sp 0x000000000000\nREAD of size 4 at 0x11a5a2ee0014 thread T0\n", frames[0].address);
    EACH printf("    #%d 0x%llx  (%s+0x%llx)\n", (int)(f - frames), f->address - 1, f->path, f->address - 1 - f->base + f->linked);
    printf("\n== end\n");
    fflush(stdout);
    return count;
}
