#include "io/codec/xml.h"

#include "base/interrupt.h"

#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

// expat's memory functions get no context, so the allocator of the call that is under way in this
// thread is kept here. NULL outside of dp_xml_parse.
static _Thread_local const dp_allocator *expat_allocator;
static _Thread_local bool expat_starved; // an allocation failed; expat may call that by other names

// Each block of expat is preceded by its size, which our allocator wants back.
enum { SIZE_HEADER = 16 };

static void *expat_malloc(size_t bytes)
{
    const size_t total = bytes + SIZE_HEADER;
    char *memory =
        total > bytes ? expat_allocator->allocate(expat_allocator->context, total) : NULL;
    if (!memory) {
        expat_starved = true;
        return NULL;
    }
    memcpy(memory, &total, sizeof total);
    return memory + SIZE_HEADER;
}

static void expat_free(void *memory)
{
    if (!memory) {
        return;
    }
    char *block = (char *)memory - SIZE_HEADER;
    size_t total;
    memcpy(&total, block, sizeof total);
    expat_allocator->release(expat_allocator->context, block, total);
}

static void *expat_realloc(void *memory, size_t bytes)
{
    void *grown = expat_malloc(bytes);
    if (grown && memory) {
        size_t total;
        memcpy(&total, (char *)memory - SIZE_HEADER, sizeof total);
        const size_t old = total - SIZE_HEADER;
        memcpy(grown, memory, old < bytes ? old : bytes);
        expat_free(memory);
    }
    return grown;
}

// What the handlers know.
typedef struct builder {
    XML_Parser parser;
    dp_pool *pool;
    const char *file;
    int skipped;              // lines before the text that expat sees
    dp_xml_node *root, *open; // open: the element whose end has not come yet
    dp_status status;
    char *text; // of the open element, as far as it has come
    size_t text_bytes, text_capacity;
} builder;

static void stop(builder *b, dp_status status)
{
    if (b->status == DP_OK) {
        b->status = status;
        XML_StopParser(b->parser, XML_FALSE);
    }
}

static int line_number(const builder *b)
{
    return b->skipped + (int)XML_GetCurrentLineNumber(b->parser);
}

// "dashpot|option" is "dp:option"; a name of no namespace stays as it is.
static dp_status copy_name(const char **out, dp_pool *pool, const char *name)
{
    static const char own[] = "dashpot|";
    if (strncmp(name, own, sizeof own - 1) != 0) {
        return dp_pool_text(out, pool, name);
    }
    const char *local = name + sizeof own - 1;
    const size_t bytes = strlen(local) + 4; // "dp:" and the end
    char *copy;
    DP_TRY(dp_pool_take(&copy, pool, bytes, 1));
    snprintf(copy, bytes, "dp:%s", local);
    *out = copy;
    return DP_OK;
}

static dp_status add_node(builder *b, const char *name, const char **pairs)
{
    int count = 0;
    while (pairs[2 * count]) {
        ++count;
    }
    dp_xml_node *node;
    DP_TRY(dp_pool_take(&node, b->pool, 1, sizeof *node));
    node->file = b->file;
    node->line = line_number(b);
    node->item = -1;
    DP_TRY(copy_name(&node->name, b->pool, name));
    if (count > 0) {
        DP_TRY(dp_pool_take(&node->attribute, b->pool, (size_t)count, sizeof *node->attribute));
    }
    node->nattribute = count;
    for (int i = 0; i < count; ++i) {
        DP_TRY(copy_name(&node->attribute[i].name, b->pool, pairs[2 * i]));
        DP_TRY(dp_pool_text(&node->attribute[i].value, b->pool, pairs[2 * i + 1]));
    }

    node->parent = b->open;
    if (!b->open) {
        b->root = node;
    } else if (b->open->last_child) {
        b->open->last_child->next = node;
    } else {
        b->open->child = node;
    }
    if (b->open) {
        b->open->last_child = node;
    }
    b->open = node;
    b->text_bytes = 0; // text around children is of no use
    return DP_OK;
}

// What an element takes at the least [multiplications].
enum { ELEMENT_WORK = 500 };

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    builder *b = context;
    if (b->status != DP_OK) {
        return;
    }
    dp_status status = dp_interrupt_check(ELEMENT_WORK);
    status = status == DP_OK ? add_node(b, name, attributes) : status;
    if (status != DP_OK) {
        stop(b, status);
    }
}

static dp_status keep_text(builder *b)
{
    char *copy;
    DP_TRY(dp_pool_take(&copy, b->pool, b->text_bytes + 1, 1));
    memcpy(copy, b->text, b->text_bytes);
    b->open->text = copy;
    b->text_bytes = 0;
    return DP_OK;
}

static void XMLCALL on_end(void *context, const XML_Char *name)
{
    (void)name;
    builder *b = context;
    if (b->status != DP_OK) {
        return;
    }
    if (b->text_bytes > 0 && !b->open->child) {
        const dp_status status = keep_text(b);
        if (status != DP_OK) {
            stop(b, status);
            return;
        }
    }
    b->text_bytes = 0;
    b->open = b->open->parent;
}

static dp_status append_text(builder *b, const char *piece, size_t bytes)
{
    while (b->text_capacity - b->text_bytes < bytes) {
        DP_TRY(dp_grow(&b->text, &b->text_capacity, b->text_capacity, 1, &b->pool->allocator));
    }
    memcpy(b->text + b->text_bytes, piece, bytes);
    b->text_bytes += bytes;
    return DP_OK;
}

// Text comes in pieces, one a line or so.
static void XMLCALL on_text(void *context, const XML_Char *piece, int bytes)
{
    builder *b = context;
    if (b->status == DP_OK && b->open && !b->open->child) {
        const dp_status status = append_text(b, piece, (size_t)bytes);
        if (status != DP_OK) {
            stop(b, status);
        }
    }
}

// Entities can make a small file large and read other files: none of that belongs into a model.
static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    builder *b = context;
    if (has_internal_subset) {
        stop(b, dp_fail(DP_ERROR_PARSE,
                        "%s:%d: found a document type with declarations of its own "
                        "(expected none: entities are not expanded)",
                        b->file, line_number(b)));
    }
}

static dp_status describe_expat_error(const builder *b)
{
    const enum XML_Error code = XML_GetErrorCode(b->parser);
    const int line = line_number(b);
    const int column = (int)XML_GetCurrentColumnNumber(b->parser) + 1;
    switch (code) {
    case XML_ERROR_UNBOUND_PREFIX:
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: found a name with a prefix that is not declared (expected "
                       "xmlns:dp=\"dashpot\" on the root element before dp: is used)",
                       b->file, line);
    case XML_ERROR_NO_ELEMENTS:
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found no element (expected an XML file)", b->file,
                       line);
    case XML_ERROR_UNDEFINED_ENTITY:
        return dp_fail(DP_ERROR_PARSE,
                       "%s:%d: found an undefined entity in column %d (expected only &lt; &gt; "
                       "&amp; &quot; &apos;)",
                       b->file, line, column);
    default:
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found %s in column %d (expected well-formed XML)",
                       b->file, line, XML_ErrorString(code), column);
    }
}

// In one call: given a part that ends within a token, expat would look at that token again from its
// start with the next part, which takes a time that is quadratic in the length of an attribute.
static dp_status run_parser(builder *b, const char *text, size_t bytes)
{
    if (bytes > INT_MAX) { // expat counts in int
        return dp_fail(DP_ERROR_PARSE, "%s: found %zu bytes of XML (expected less than 2 GiB)",
                       b->file, bytes);
    }
    const enum XML_Status status = XML_Parse(b->parser, text, (int)bytes, XML_TRUE);
    if (b->status != DP_OK) {
        return b->status; // a handler stopped it
    }
    if (status != XML_STATUS_OK && b->root && !b->open && !expat_starved) {
        b->root->mended = "what follows the end of the root element is left out";
        return DP_OK;
    }
    return status == XML_STATUS_OK ? DP_OK : describe_expat_error(b);
}

static bool begins(const char *text, size_t left, const char *with)
{
    const size_t n = strlen(with);
    return left >= n && memcmp(text, with, n) == 0;
}

// A copy without the dashes in comments, of which XML forbids two in a row. NULL: nothing changed.
static dp_status clear_comments(char **out, dp_pool *pool, const char *text, size_t bytes)
{
    *out = NULL;
    for (size_t at = 0; at < bytes; ++at) {
        if (!begins(text + at, bytes - at, "<!--")) {
            continue;
        }
        for (at += 4; at < bytes && !begins(text + at, bytes - at, "-->"); ++at) {
            if (text[at] != '-') {
                continue;
            }
            if (!*out) {
                DP_TRY(dp_pool_take(out, pool, bytes, 1));
                memcpy(*out, text, bytes);
            }
            (*out)[at] = ' ';
        }
    }
    return DP_OK;
}

// Where <?xml …?> begins if only blanks and comments precede it, else 0. XML wants it first; many
// files have a licence or an empty line there, and no reader of models minds.
static size_t find_declaration(const char *text, size_t bytes)
{
    static const char blanks[] = " \t\r\n", declaration[] = "<?xml", open[] = "<!--";
    size_t at = 0;
    while (at < bytes) {
        const size_t left = bytes - at;
        if (text[at] != '\0' && strchr(blanks, text[at])) {
            ++at;
        } else if (left >= sizeof open - 1 && memcmp(text + at, open, sizeof open - 1) == 0) {
            size_t end = at + sizeof open - 1;
            while (end + 3 <= bytes && memcmp(text + end, "-->", 3) != 0) {
                ++end;
            }
            at = end + 3;
        } else if (left > sizeof declaration - 1 &&
                   memcmp(text + at, declaration, sizeof declaration - 1) == 0 &&
                   text[at + sizeof declaration - 1] != '\0' &&
                   strchr(blanks, text[at + sizeof declaration - 1])) {
            return at;
        } else {
            return 0;
        }
    }
    return 0;
}

// In UTF-16 half of the bytes are zero, and that shows in the first two.
static bool is_wide(const char *text, size_t bytes)
{
    return bytes >= 2 && (text[0] == '\0' || text[1] == '\0' || memcmp(text, "\xFF\xFE", 2) == 0 ||
                          memcmp(text, "\xFE\xFF", 2) == 0);
}

// How many bytes follow the first one of a character in UTF-8; −1: none begins like this.
static int count_following(unsigned char first)
{
    if (first < 0x80) {
        return 0;
    }
    if (first < 0xC2 || first > 0xF4) {
        return -1;
    }
    return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
}

// Text in an alphabet of its own, most often in comments. Nothing that a model means depends on it:
// it is read byte by byte, as Latin-1, which is what its names then look like.
static bool is_foreign(const char *text, size_t bytes)
{
    if (is_wide(text, bytes)) {
        return false;
    }
    for (size_t i = 0; i < bytes; ++i) {
        int following = count_following((unsigned char)text[i]);
        if (following < 0) {
            return true;
        }
        for (; following > 0; --following) {
            if (++i >= bytes || ((unsigned char)text[i] & 0xC0) != 0x80) {
                return true;
            }
        }
    }
    return false;
}

// Zeros at the end, which a program that writes C strings leaves there, are no text.
static size_t without_zeros(const char *text, size_t bytes)
{
    const bool wide = is_wide(text, bytes);
    while (!wide && bytes > 0 && text[bytes - 1] == '\0') {
        --bytes;
    }
    return bytes;
}

// `separator` stands between the namespace and the name; NULL: names as they are written.
static dp_status parse_strictly(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                                const char *file, const XML_Char *separator, bool with_text)
{
    *root = NULL;
    const dp_allocator *outer = expat_allocator;
    expat_allocator = &pool->allocator;
    expat_starved = false;
    const XML_Memory_Handling_Suite memory = {expat_malloc, expat_realloc, expat_free};
    builder b = {.pool = pool, .file = file};
    b.parser =
        XML_ParserCreate_MM(is_foreign(text, bytes) ? "ISO-8859-1" : NULL, &memory, separator);

    dp_status status = DP_OK;
    if (b.parser) {
        XML_SetUserData(b.parser, &b);
        XML_SetElementHandler(b.parser, on_start, on_end);
        XML_SetStartDoctypeDeclHandler(b.parser, on_doctype);
        if (with_text) {
            XML_SetCharacterDataHandler(b.parser, on_text);
        }
        const size_t start = find_declaration(text, bytes);
        for (size_t i = 0; i < start; ++i) {
            b.skipped += text[i] == '\n';
        }
        status = run_parser(&b, text + start, without_zeros(text, bytes) - start);
        XML_ParserFree(b.parser);
    }
    dp_release(&pool->allocator, b.text, b.text_capacity, 1);
    if (expat_starved) {
        status = dp_fail(DP_ERROR_MEMORY, "out of memory while reading %s", file);
    }
    expat_allocator = outer;
    if (status == DP_OK) {
        *root = b.root;
    }
    return status;
}

static dp_status parse(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                       const char *file, const XML_Char *separator, bool with_text)
{
    const dp_status status = parse_strictly(root, pool, text, bytes, file, separator, with_text);
    if (status != DP_ERROR_PARSE || is_wide(text, bytes)) {
        return status;
    }
    char *cleared;
    DP_TRY(clear_comments(&cleared, pool, text, bytes));
    if (!cleared) {
        return status;
    }
    DP_TRY(parse_strictly(root, pool, cleared, bytes, file, separator, with_text));
    (*root)->mended = "two dashes in a comment are not XML";
    return DP_OK;
}

dp_status dp_xml_parse(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                       const char *file)
{
    return parse(root, pool, text, bytes, file, "|", false);
}

dp_status dp_xml_parse_prefixed(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                                const char *file)
{
    return parse(root, pool, text, bytes, file, NULL, false);
}

dp_status dp_xml_parse_text(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                            const char *file)
{
    return parse(root, pool, text, bytes, file, NULL, true);
}

const dp_xml_attribute *dp_xml_find(const dp_xml_node *node, const char *name)
{
    for (int i = 0; i < node->nattribute; ++i) {
        if (strcmp(node->attribute[i].name, name) == 0) {
            return &node->attribute[i];
        }
    }
    return NULL;
}

const char *dp_xml_value(const dp_xml_node *node, const char *name, const char *otherwise)
{
    const dp_xml_attribute *attribute = dp_xml_find(node, name);
    return attribute ? attribute->value : otherwise;
}

dp_xml_node *dp_xml_next(const dp_xml_node *root, dp_xml_node *node, bool skip)
{
    if (node->child && !skip) {
        return node->child;
    }
    while (node != root) {
        if (node->next) {
            return node->next;
        }
        node = node->parent;
    }
    return NULL;
}
