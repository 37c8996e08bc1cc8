#include "format/xml.h"

#include <expat.h>
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
    dp_xml_node *root, *open; // open: the element whose end has not come yet
    dp_status status;
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
    return (int)XML_GetCurrentLineNumber(b->parser);
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
    return DP_OK;
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    builder *b = context;
    if (b->status != DP_OK) {
        return;
    }
    const dp_status status = add_node(b, name, attributes);
    if (status != DP_OK) {
        stop(b, status);
    }
}

static void XMLCALL on_end(void *context, const XML_Char *name)
{
    (void)name;
    builder *b = context;
    if (b->status == DP_OK) {
        b->open = b->open->parent;
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

static dp_status run_parser(builder *b, const char *text, size_t bytes)
{
    enum { CHUNK = 1 << 20 }; // expat counts in int
    size_t done = 0;
    do {
        const size_t n = bytes - done < CHUNK ? bytes - done : CHUNK;
        const bool last = done + n == bytes;
        const enum XML_Status status = XML_Parse(b->parser, text + done, (int)n, last);
        if (b->status != DP_OK) {
            return b->status; // a handler stopped it
        }
        if (status != XML_STATUS_OK) {
            return describe_expat_error(b);
        }
        done += n;
    } while (done < bytes);
    return DP_OK;
}

// `separator` stands between the namespace and the name; NULL: names as they are written.
static dp_status parse(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                       const char *file, const XML_Char *separator)
{
    *root = NULL;
    const dp_allocator *outer = expat_allocator;
    expat_allocator = &pool->allocator;
    expat_starved = false;
    const XML_Memory_Handling_Suite memory = {expat_malloc, expat_realloc, expat_free};
    builder b = {.pool = pool, .file = file};
    b.parser = XML_ParserCreate_MM(NULL, &memory, separator);

    dp_status status = DP_OK;
    if (b.parser) {
        XML_SetUserData(b.parser, &b);
        XML_SetElementHandler(b.parser, on_start, on_end);
        XML_SetStartDoctypeDeclHandler(b.parser, on_doctype);
        status = run_parser(&b, text, bytes);
        XML_ParserFree(b.parser);
    }
    if (expat_starved) {
        status = dp_fail(DP_ERROR_MEMORY, "out of memory while reading %s", file);
    }
    expat_allocator = outer;
    if (status == DP_OK) {
        *root = b.root;
    }
    return status;
}

dp_status dp_xml_parse(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                       const char *file)
{
    return parse(root, pool, text, bytes, file, "|");
}

dp_status dp_xml_parse_prefixed(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                                const char *file)
{
    return parse(root, pool, text, bytes, file, NULL);
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
