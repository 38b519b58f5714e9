/* Functions that glibc has had only since 2.35 and 2.36, and that Swift's library or libgcc calls. With them the programs start where glibc is 2.34: Amazon Linux 2023,
   RHEL 9. A definition in the program goes before the shared library's. */
#define _GNU_SOURCE
#if defined(__linux__)
#include <features.h>
#endif

#if defined(__linux__) && defined(__GLIBC__)
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#if __GLIBC_PREREQ(2, 36)
/* Since 2.36. Swift's generator seeds hash tables with it. */
uint32_t arc4random(void) {
    uint32_t value;
    char *bytes = (char *)&value;
    size_t filled = 0;
    while (filled < sizeof value) {
        ssize_t count = getrandom(bytes + filled, sizeof value - filled, 0);
        if (count > 0) filled += (size_t)count;
        else if (errno != EINTR) abort();
    }
    return value;
}
#endif

#if __GLIBC_PREREQ(2, 35)
#include <dlfcn.h>

struct search {
    uintptr_t address;
    struct dl_find_object *result;
};

static int examine(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    uintptr_t start = UINTPTR_MAX, end = 0, frames = 0;
    int holds = 0;
    for (size_t index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        uintptr_t first = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_GNU_EH_FRAME) frames = first;
        if (header->p_type != PT_LOAD) continue;
        uintptr_t last = first + header->p_memsz;
        if (first < start) start = first;
        if (last > end) end = last;
        if (search->address >= first && search->address < last) holds = 1;
    }
    if (!holds || frames == 0) return 0;
    struct dl_find_object found = {0};
    found.dlfo_map_start = (void *)start;
    found.dlfo_map_end = (void *)end;
    found.dlfo_eh_frame = (void *)frames;
    *search->result = found;
    return 1;
}

/* Since 2.35; libgcc's unwinder finds .eh_frame_hdr by it. This is what it did before, dl_iterate_phdr(3). */
int _dl_find_object(void *address, struct dl_find_object *result) {
    struct search search = {(uintptr_t)address, result};
    return dl_iterate_phdr(examine, &search) == 1 ? 0 : -1;
}

/* Got a new version in 2.35, which sets errno otherwise; the first one is there in all. */
#if defined(__x86_64__)
#define CAIRN_FIRST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define CAIRN_FIRST "GLIBC_2.17"
#endif
#ifdef CAIRN_FIRST
extern double cairn_first_hypot(double, double);
extern float cairn_first_hypotf(float, float);
__asm__(".symver cairn_first_hypot, hypot@" CAIRN_FIRST);
__asm__(".symver cairn_first_hypotf, hypotf@" CAIRN_FIRST);
double hypot(double x, double y) { return cairn_first_hypot(x, y); }
float hypotf(float x, float y) { return cairn_first_hypotf(x, y); }
#endif
#endif
#endif
