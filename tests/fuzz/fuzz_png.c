// libFuzzer target: any bytes as a terrain file. The checksums of PNG chunks are made good first,
// so that what is behind them is reached; that they are checked is shown elsewhere.
#include "io/codec/bytes.h"
#include "io/codec/zlib_stream.h"
#include "io/mesh/hfield_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void repair(unsigned char *bytes, size_t count)
{
    for (size_t at = 8; at < count && count - at >= 12;) {
        const size_t n = dp_big_u32(bytes + at);
        if (n > count - at - 12) {
            return;
        }
        const uint32_t crc = dp_crc32(0, bytes + at + 4, n + 4);
        for (size_t k = 0; k < 4; ++k) {
            bytes[at + 8 + n + k] = (unsigned char)(crc >> (24 - 8 * k));
        }
        at += 12 + n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    unsigned char *copy = malloc(count + (count == 0));
    if (!copy) {
        return 0;
    }
    if (count > 0) {
        memcpy(copy, bytes, count);
    }
    repair(copy, count);
    dp_pool pool;
    dp_pool_init(&pool, NULL);
    dp_hfield_data field;
    if (dp_hfield_parse(&field, &pool, copy, count, "fuzz") == DP_OK) {
        for (int i = 0; i < field.nrow * field.ncol; ++i) {
            if (!(field.elevation[i] >= 0.0 && field.elevation[i] <= 1.0)) {
                abort();
            }
        }
    } else if (field.elevation || dp_last_error()[0] == '\0') {
        abort(); // a failure without a message
    }
    dp_pool_destroy(&pool);
    free(copy);
    return 0;
}
