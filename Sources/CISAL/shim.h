#ifndef CAIRN_CISAL_SHIM_H
#define CAIRN_CISAL_SHIM_H

/*
 * ISA-L's inflater (igzip_lib.h) is opened at run time. Its caller must know the layout of `struct inflate_state`: what these functions read and write by
 * the header of the library. Built without that header, they say that the state has no size, and nothing is opened.
 */
#include <stddef.h>
#include <stdint.h>

/* `isal_inflate_init`, `isal_inflate` and `isal_adler32`, as dlsym(3) finds them. */
typedef void (*cairn_isal_init_function)(void *state);
typedef int (*cairn_isal_inflate_function)(void *state);
typedef uint32_t (*cairn_isal_adler32_function)(uint32_t init, const unsigned char *bytes, uint64_t size);

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

/*
 * What follows is for who begins in the middle of a stream. A state keeps what blocks may copy from, the window, in `tmp_out_buffer`: the last 32 KB that
 * were decoded, at its end as far as it is filled; and after these what was decoded and not handed out yet.
 */

/* Begin with a block whose header starts at a bit of `byte`; the input that follows is what comes after this byte. */
static inline void cairn_isal_begin(void *state, uint8_t byte, unsigned bit, const void *window, uint32_t window_size) {
#ifdef CAIRN_HAS_ISAL
    struct inflate_state *it = (struct inflate_state *)state;
    if (bit > 7 || window_size > ISAL_DEF_HIST_SIZE) return;
    it->crc_flag = ISAL_DEFLATE;
    it->read_in = (uint64_t)byte >> bit;
    it->read_in_length = 8 - (int32_t)bit;
    __builtin_memcpy(it->tmp_out_buffer, window, window_size);
    it->tmp_out_processed = (int32_t)window_size;
    it->tmp_out_valid = (int32_t)window_size;
    it->dict_length = window_size;
#else
    (void)state, (void)byte, (void)bit, (void)window, (void)window_size;
#endif
}

/* How many bits of the input were taken that belong to the header of the next block; -1 inside of a block. */
static inline int64_t cairn_isal_bits_of_next_block(const void *state) {
#ifdef CAIRN_HAS_ISAL
    const struct inflate_state *it = (const struct inflate_state *)state;
    if (it->block_state != ISAL_BLOCK_NEW_HDR && it->block_state != ISAL_BLOCK_HDR) return -1;
    return (int64_t)it->read_in_length + 8 * (int64_t)it->tmp_in_size;
#else
    (void)state;
    return -1;
#endif
}

/* The window and what was not handed out yet: their bytes may be changed. */
static inline uint8_t *cairn_isal_kept(void *state, int64_t *size) {
#ifdef CAIRN_HAS_ISAL
    struct inflate_state *it = (struct inflate_state *)state;
    *size = it->tmp_out_valid;
    return it->tmp_out_buffer;
#else
    (void)state;
    *size = 0;
    return NULL;
#endif
}

/* The Adler-32 checksum (RFC 1950) of what was handed out. A state keeps it with its lower half less by 1, modulo 65521. */
static inline uint32_t cairn_isal_checksum(const void *state) {
#ifdef CAIRN_HAS_ISAL
    uint32_t kept = ((const struct inflate_state *)state)->crc;
    return (kept & 0xffff0000) | (((kept & 0xffff) + 1) % 65521);
#else
    (void)state;
    return 0;
#endif
}

/* Verify the checksum at the end of a zlib stream, of which what was handed out so far has this one. */
static inline void cairn_isal_expect_checksum(void *state, uint32_t checksum) {
#ifdef CAIRN_HAS_ISAL
    struct inflate_state *it = (struct inflate_state *)state;
    it->crc_flag = ISAL_ZLIB_NO_HDR_VER;
    it->crc = (checksum & 0xffff0000) | (((checksum & 0xffff) + 65520) % 65521);
#else
    (void)state, (void)checksum;
#endif
}
#endif
