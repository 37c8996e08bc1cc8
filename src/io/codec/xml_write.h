// XML as text that grows. The first failure is kept and nothing is written behind it, so a caller
// checks once per element; the message of a failure is the end of a sentence about that element.
#ifndef DP_FORMAT_XML_WRITE_H
#define DP_FORMAT_XML_WRITE_H

#include "base/memory.h"

typedef struct dp_xml_writer {
    dp_allocator allocator;
    char *text;
    size_t used, capacity;
    size_t line;      // where the present line begins
    size_t attribute; // where the present attribute begins, its blank included
    int depth;        // elements around the next one
    bool in_tag;      // attributes may follow
    bool declares;    // one of them declares our namespace
    dp_status status; // of everything so far
} dp_xml_writer;

void dp_xml_writer_init(dp_xml_writer *w, const dp_allocator *allocator);
void dp_xml_writer_release(dp_xml_writer *w);
/// Hand over the text, zero-terminated, in a block of *bytes + 1. The writer is released.
dp_status dp_xml_writer_finish(char **out, size_t *bytes, dp_xml_writer *w);

void dp_xml_begin(dp_xml_writer *w, const char *element);
void dp_xml_end(dp_xml_writer *w, const char *element);

// Attributes of the element that was begun last.

/// Any text; none for NULL and "". Fails with DP_ERROR_UNSUPPORTED for what XML has no way to say:
/// control characters other than tab and line ends, and bytes that are not UTF-8.
void dp_xml_put_text(dp_xml_writer *w, const char *attribute, const char *value);
/// Fails with DP_ERROR_ARGUMENT for numbers that are not finite.
void dp_xml_put_numbers(dp_xml_writer *w, const char *attribute, const double *x, size_t count);
void dp_xml_put_floats(dp_xml_writer *w, const char *attribute, const float *x, size_t count);
void dp_xml_put_integers(dp_xml_writer *w, const char *attribute, const int *x, size_t count);

#endif
