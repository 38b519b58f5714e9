#ifndef CAIRN_SHA256_H
#define CAIRN_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256's compression function (FIPS 180-4, section 6.2.2).
   C, because the processor's own instructions for it, four times as fast, are not to be had in Swift. */

/* Hashes whole blocks of 64 bytes into the state, which has H0 first. */
void cairn_sha256_compress(uint32_t state[8], const uint8_t *bytes, size_t blocks);

/* The same without the processor's instructions, for tests and for other processors. */
void cairn_sha256_compress_portable(uint32_t state[8], const uint8_t *bytes, size_t blocks);

#endif
