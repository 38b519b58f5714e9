#include "include/sha256.h"

/* K of section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t value, int count) { return value >> count | value << (32 - count); }

void cairn_sha256_compress_portable(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    for (; blocks > 0; blocks--, bytes += 64) {
        uint32_t w[64];
        for (int t = 0; t < 16; t++) {
            const uint8_t *word = bytes + 4 * t;
            w[t] = (uint32_t)word[0] << 24 | (uint32_t)word[1] << 16 | (uint32_t)word[2] << 8 | word[3];
        }
        for (int t = 16; t < 64; t++) {
            uint32_t early = w[t - 15], late = w[t - 2];
            uint32_t sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3, sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10;
            w[t] = sigma1 + w[t - 7] + sigma0 + w[t - 16];
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
        for (int t = 0; t < 64; t++) {
            uint32_t t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + constants[t] + w[t];
            uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    }
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

/* CPUID leaf 7, EBX bit 29: SHA; leaf 1, ECX bits 9 and 19: SSSE3, SSE4.1 (Intel's manual, volume 2A). */
static int has_instructions(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b >> 29 & 1)) return 0;
    return __get_cpuid(1, &a, &b, &c, &d) && c >> 9 & 1 && c >> 19 & 1;
}

/* SHA256RNDS2 makes two rounds, on the state as the pairs ABEF and CDGH; SHA256MSG1 and SHA256MSG2 make four words of the schedule (Intel's manual, volume 2B). */
__attribute__((target("sha,sse4.1,ssse3"))) static void compress_by_instructions(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    __m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
    __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
    __m128i abef = _mm_alignr_epi8(dcba, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, dcba, 0xF0);
    for (; blocks > 0; blocks--, bytes += 64) {
        __m128i before_abef = abef, before_cdgh = cdgh, w[4];
        for (int group = 0; group < 16; group++) {
            if (group < 4) {
                w[group] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * group)), swap);
            } else {
                __m128i oldest = w[group & 3], newest = w[(group + 3) & 3];
                __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(oldest, w[(group + 1) & 3]), _mm_alignr_epi8(newest, w[(group + 2) & 3], 4));
                w[group & 3] = _mm_sha256msg2_epu32(sum, newest);
            }
            __m128i message = _mm_add_epi32(w[group & 3], _mm_loadu_si128((const __m128i *)(constants + 4 * group)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, message);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(message, 0x0E));
        }
        abef = _mm_add_epi32(abef, before_abef), cdgh = _mm_add_epi32(cdgh, before_cdgh);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

void cairn_sha256_compress(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
#if defined(__x86_64__)
    /* 0: not looked at; 1: no; 2: yes. Threads that look at the same time find the same. */
    static int has;
    int known = __atomic_load_n(&has, __ATOMIC_RELAXED);
    if (known == 0) __atomic_store_n(&has, known = has_instructions() ? 2 : 1, __ATOMIC_RELAXED);
    if (known == 2) {
        compress_by_instructions(state, bytes, blocks);
        return;
    }
#endif
    cairn_sha256_compress_portable(state, bytes, blocks);
}
