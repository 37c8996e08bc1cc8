// The table as comma-separated values (RFC 4180): one header line, one line per sample.
#include "base/output.h"
#include "base/text/utf8.h"
#include "record/recorder.h"

#include <string.h>

// A name, on one line whatever it is.
static void write_field(FILE *file, const char *text)
{
    if (dp_text_printable(NULL, 0, text) == strlen(text) && !strpbrk(text, ",\"")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    char shown[DP_SHOWN_BYTES];
    for (size_t n; (n = dp_utf8_shown(shown, text)) > 0; text += n) {
        fputs(*text == '"' ? "\"\"" : shown, file);
    }
    fputc('"', file);
}

dp_status dp_recorder_write_csv(const dp_recorder *r, const char *path)
{
    dp_output out;
    DP_TRY(dp_output_open(&out, path, &r->pool.allocator));
    for (size_t i = 0; i < r->columns; ++i) {
        fputs(i > 0 ? "," : "", out.file);
        write_field(out.file, r->column[i].name);
    }
    fputc('\n', out.file);
    for (size_t row = 0; row < r->rows && !ferror(out.file); ++row) {
        for (size_t i = 0; i < r->columns; ++i) {
            fputs(i > 0 ? "," : "", out.file);
            dp_output_number(out.file, r->values[row * r->columns + i]);
        }
        fputc('\n', out.file);
    }
    return dp_output_close(&out);
}
