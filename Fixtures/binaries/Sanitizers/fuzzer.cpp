#include "store.h"
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t) {
    store::burn(data);
    return 0;
}
