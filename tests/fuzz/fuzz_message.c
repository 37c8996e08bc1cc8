// libFuzzer target: any bytes as a message of a page to `dashpot view`. Reading must end with a
// command whose numbers and texts can be used, or with a complaint. tests/fuzz/README.md says how
// to run it.
#include "common/text.h"
#include "view/server/view_message.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

// NULL, or UTF-8.
static void check_text(const char *text)
{
    while (text && *text != '\0') {
        const size_t length = cli_character(text);
        check(length > 0);
        text += length;
    }
}

static void check_message(const view_message *m)
{
    check(isfinite(m->value) && m->actuator >= 0 && m->body >= 0);
    for (int i = 0; i < 3; ++i) {
        check(isfinite(m->at[i]) && isfinite(m->to[i]));
    }
    check_text(m->word);
    check_text(m->name);
    check_text(m->key);
    check_text(m->text);
    check(m->text_bytes == (m->text ? strlen(m->text) : 0));
    check(m->nfile <= VIEW_MOST_FILES);
    for (int i = 0; i < m->nfile; ++i) {
        check_text(m->file[i].name);
        unsigned sum = 0;
        for (size_t k = 0; k < m->file[i].bytes; ++k) {
            sum += m->file[i].byte[k];
        }
        check(sum <= 255 * m->file[i].bytes);
    }
    check((m->verb == VIEW_LAW) == (m->word != NULL));
    check((m->verb == VIEW_SCENE) == (m->text != NULL));
    check(m->verb != VIEW_SET || m->name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    // Exactly as long as it is, so that a step beyond is seen.
    char *text = malloc(count > 0 ? count : 1);
    check(text != NULL);
    if (count > 0) {
        memcpy(text, bytes, count);
    }
    view_message m;
    char complaint[VIEW_COMPLAINT] = "";
    if (view_message_read(&m, text, count, complaint)) {
        check_message(&m);
        view_message_free(&m);
    } else {
        check(complaint[0] != '\0' && memchr(complaint, '\0', sizeof complaint));
    }
    free(text);
    return 0;
}
