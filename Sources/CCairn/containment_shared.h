#ifndef CAIRN_CONTAINMENT_SHARED_H
#define CAIRN_CONTAINMENT_SHARED_H

/* A sanitizer's runtime opens files, starts programs and takes terabytes of addresses: what it watches is not contained. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CAIRN_SANITIZED 1
#endif
#endif
#ifndef CAIRN_SANITIZED
#define CAIRN_SANITIZED 0
#endif

/* Shared by a worker, which writes, and its parent, which reads when the worker is no more. */
typedef struct cairn_contain_state {
    volatile int phase;
    volatile int forbidden_call;
    volatile int stop_at;
    volatile int file_changed;
    char name[4096];
} cairn_contain_state;

extern cairn_contain_state *cairn_contain_shared;

#endif
