#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "mappings.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* As many files as a process has open at most, on most systems; those beyond it are as without a handler. Pages of the table that are not used are not there. */
enum { most = 1 << 16 };

enum { is_free, is_claimed, is_known };

typedef struct mapping {
    _Atomic uintptr_t start, end;
    atomic_int state;
    atomic_int is_marked;
} mapping;

static mapping table[most];
/* Behind the last entry that was ever used. */
static atomic_int used;
/* Where a free one is likely. */
static atomic_int hint;
static atomic_int is_armed;
static atomic_uint marked;
static volatile int *told;
static uintptr_t page;
static struct sigaction before;

static void on_fault(int number, siginfo_t *information, void *context) {
    (void)context;
    /* Sent by the system, not by kill(2), which has no address. */
    if (information->si_code > 0) {
        uintptr_t address = (uintptr_t)information->si_addr;
        int count = atomic_load(&used);
        for (int index = 0; index < count; index++) {
            mapping *known = &table[index];
            if (atomic_load(&known->state) != is_known) continue;
            uintptr_t start = atomic_load(&known->start), end = atomic_load(&known->end);
            if (address < start || address >= end) continue;
            atomic_store(&known->is_marked, 1);
            atomic_fetch_add(&marked, 1);
            if (told) *told = 1;
            /* The rest too: of a file that was cut short none of it is there, and a walk over it would come back here page by page. */
            uintptr_t from = address & ~(page - 1);
            size_t size = (end - from + page - 1) & ~(page - 1);
            int flags = MAP_PRIVATE | MAP_ANON | MAP_FIXED;
#if defined(MAP_NORESERVE)
            flags |= MAP_NORESERVE;
#endif
            if (mmap((void *)from, size, PROT_READ, flags, -1, 0) != MAP_FAILED) return;
            break;
        }
    }
    /* Not ours: as it would have been. The access that failed is made again, and fails again; what was sent is sent again. */
    sigaction(number, &before, 0);
    if (information->si_code <= 0) raise(number);
}

void cairn_mappings_survive(void) {
    if (atomic_exchange(&is_armed, 1)) return;
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGBUS, &action, &before);
}

void cairn_mappings_tell(volatile int *where) { told = where; }

int cairn_mapping_add(const void *start, size_t size) {
    if (!atomic_load_explicit(&is_armed, memory_order_relaxed) || size == 0) return -1;
    int first = atomic_load_explicit(&hint, memory_order_relaxed);
    for (int step = 0; step < most; step++) {
        int number = (first + step) % most;
        mapping *entry = &table[number];
        int expected = is_free;
        if (!atomic_compare_exchange_strong(&entry->state, &expected, is_claimed)) continue;
        atomic_store(&entry->start, (uintptr_t)start);
        atomic_store(&entry->end, (uintptr_t)start + size);
        atomic_store(&entry->is_marked, 0);
        atomic_store(&entry->state, is_known);
        int count = atomic_load(&used);
        while (count <= number && !atomic_compare_exchange_weak(&used, &count, number + 1)) {
        }
        atomic_store_explicit(&hint, (number + 1) % most, memory_order_relaxed);
        return number;
    }
    return -1;
}

void cairn_mapping_remove(int number) {
    if (number < 0) return;
    atomic_store(&table[number].state, is_free);
    if (number < atomic_load_explicit(&hint, memory_order_relaxed)) atomic_store_explicit(&hint, number, memory_order_relaxed);
}

int cairn_mapping_is_marked(int number) { return number >= 0 && atomic_load(&table[number].is_marked); }
unsigned cairn_mappings_marked(void) { return atomic_load_explicit(&marked, memory_order_relaxed); }
