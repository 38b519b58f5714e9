#ifndef CAIRN_CLZMA_SHIM_H
#define CAIRN_CLZMA_SHIM_H
#include <lzma.h>

/* LZMA_STREAM_INIT is a macro over an initialiser, which Swift does not import. */
static inline lzma_stream cairn_lzma_stream(void) {
    lzma_stream stream = LZMA_STREAM_INIT;
    return stream;
}
#endif
