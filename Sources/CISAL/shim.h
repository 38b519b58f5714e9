#ifndef CAIRN_CISAL_SHIM_H
#define CAIRN_CISAL_SHIM_H

/*
 * ISA-L's inflater (igzip_lib.h) is opened at run time. Its caller must know the layout of `struct inflate_state`: what these functions read and write by
 * the header of the library. Built without that header, they say that the state has no size, and nothing is opened.
 */
#include <stddef.h>
#include <stdint.h>

/* `isal_inflate_init` and `isal_inflate`, as dlsym(3) finds them. */
typedef void (*cairn_isal_init_function)(void *state);
typedef int (*cairn_isal_inflate_function)(void *state);

#if defined(__has_include)
#if __has_include(<isa-l/igzip_lib.h>)
#include <isa-l/igzip_lib.h>
#define CAIRN_HAS_ISAL 1
#endif
#endif

static inline size_t cairn_isal_state_size(void) {
#ifdef CAIRN_HAS_ISAL
    return sizeof(struct inflate_state);
#else
    return 0;
#endif
}

/* Expect a zlib header, and verify the checksum at the end. */
static inline void cairn_isal_expect_zlib(void *state) {
#ifdef CAIRN_HAS_ISAL
    ((struct inflate_state *)state)->crc_flag = ISAL_ZLIB;
#else
    (void)state;
#endif
}

/* Expect deflate's blocks alone: no header, no checksum. */
static inline void cairn_isal_expect_deflate(void *state) {
#ifdef CAIRN_HAS_ISAL
    ((struct inflate_state *)state)->crc_flag = ISAL_DEFLATE;
#else
    (void)state;
#endif
}

static inline void cairn_isal_set(void *state, const void *input, uint32_t input_size, void *output, uint32_t output_size) {
#ifdef CAIRN_HAS_ISAL
    struct inflate_state *it = (struct inflate_state *)state;
    it->next_in = (uint8_t *)input;
    it->avail_in = input_size;
    it->next_out = (uint8_t *)output;
    it->avail_out = output_size;
#else
    (void)state, (void)input, (void)input_size, (void)output, (void)output_size;
#endif
}

static inline uint32_t cairn_isal_input_left(const void *state) {
#ifdef CAIRN_HAS_ISAL
    return ((const struct inflate_state *)state)->avail_in;
#else
    (void)state;
    return 0;
#endif
}

static inline uint32_t cairn_isal_output_left(const void *state) {
#ifdef CAIRN_HAS_ISAL
    return ((const struct inflate_state *)state)->avail_out;
#else
    (void)state;
    return 0;
#endif
}

/* Everything was decoded, handed out, and found to have the right checksum. */
static inline int cairn_isal_is_finished(const void *state) {
#ifdef CAIRN_HAS_ISAL
    return ((const struct inflate_state *)state)->block_state == ISAL_BLOCK_FINISH;
#else
    (void)state;
    return 0;
#endif
}
#endif
