#include "common/keyframe.h"

#include "common/element_names.h"
#include "common/program.h"
#include "common/text.h"

#include <stdio.h>
#include <string.h>

void cli_list_keyframes(char *out, size_t size, const dp_model *m)
{
    const int nkey = dp_model_sizes(m)->nkey;
    snprintf(out, size, "%s", nkey == 0 ? "none" : "");
    for (int i = 0; i < nkey; ++i) {
        const size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "",
                 cli_key_label(m, (dp_key_id){i}).text);
    }
}

dp_status cli_find_keyframe(dp_key_id *out, const dp_model *m, const char *name)
{
    const dp_status status = dp_model_find_key(out, m, name);
    long long number;
    if (status != DP_OK && cli_read_count(&number, name) && number < dp_model_sizes(m)->nkey) {
        out->index = (int)number; // keyframes without a name go by their number
        return DP_OK;
    }
    return status;
}

bool cli_go_to_keyframe(const dp_model *m, dp_data *d, const char *name)
{
    dp_key_id key;
    dp_status status = cli_find_keyframe(&key, m, name);
    if (status == DP_OK) {
        status = dp_data_reset_to_key(d, key);
    }
    if (status != DP_OK) {
        char list[600] = "";
        cli_list_keyframes(list, sizeof list, m);
        cli_complain("--keyframe: %s; keyframes of the scene: %s", dp_last_error(), list);
    }
    return status == DP_OK;
}
