// Model files: of any format, known by the root element, or of one that is given.
#include "base/interrupt.h"
#include "io/codec/xml.h"

#include <dashpot/format.h>

#include <string.h>

// A name that fits a message, cut between characters. The parser lets only UTF-8 pass.
static int message_length(const char *name)
{
    int n = (int)strnlen(name, 60);
    while (n > 0 && ((unsigned char)name[n] & 0xC0u) == 0x80u) {
        --n;
    }
    return n;
}

typedef dp_status parser(dp_spec **out, dp_import_report **report, const char *text, size_t bytes,
                         const char *name, const dp_import_options *options);

// Scenes of other programs that people try, by how they begin.
static dp_status refuse_usd(const char *text, size_t bytes, const char *path)
{
    static const char *const starts[] = {"PXR-USDC", "#usda"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; ++i) {
        const size_t n = strlen(starts[i]);
        if (bytes >= n && memcmp(text, starts[i], n) == 0) {
            return dp_fail(DP_ERROR_UNSUPPORTED,
                           "%s: found a USD file, which is not read (expected MJCF, URDF or "
                           "SDFormat: export one of these, in Isaac Sim by its URDF exporter)",
                           path);
        }
    }
    return DP_OK;
}

// The text is parsed once more than needed, in whatever encoding it has; what is not well-formed
// fails here, for any format.
static dp_status find_parser(parser **out, const char *text, size_t bytes, const char *path,
                             const dp_allocator *allocator)
{
    static const struct {
        const char *root;
        parser *parse;
    } known[] = {{"mujoco", dp_mjcf_parse}, {"robot", dp_urdf_parse}, {"sdf", dp_sdf_parse}};
    DP_TRY(refuse_usd(text, bytes, path));
    dp_pool pool;
    dp_pool_init(&pool, allocator);
    dp_xml_node *root;
    *out = NULL;
    dp_status status = dp_xml_parse_prefixed(&root, &pool, text, bytes, path);
    for (size_t i = 0; status == DP_OK && i < sizeof known / sizeof known[0]; ++i) {
        *out = strcmp(root->name, known[i].root) == 0 ? known[i].parse : *out;
    }
    if (status == DP_OK && !*out) {
        status = dp_fail(DP_ERROR_PARSE,
                         "%s:%d: found <%.*s> (expected <mujoco>, an MJCF file, <robot>, a URDF "
                         "file, or <sdf>, an SDFormat file)",
                         path, root->line, message_length(root->name), root->name);
    }
    dp_pool_destroy(&pool);
    return status;
}

dp_status dp_model_file_parse(dp_spec **out, dp_import_report **report, const char *text,
                              size_t bytes, const char *name, const dp_import_options *options)
{
    *out = NULL;
    if (report) {
        *report = NULL;
    }
    const dp_allocator a = dp_allocator_or_default(options ? options->allocator : NULL);
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, options ? options->interrupt : NULL,
                       options ? options->interrupt_user : NULL);
    parser *parse = NULL;
    dp_status status = find_parser(&parse, text, bytes, name, &a);
    if (status == DP_OK) {
        DP_ASSERT(parse);
        status = parse(out, report, text, bytes, name, options);
    }
    dp_interrupt_end(&scope);
    return status;
}

static dp_status load(dp_spec **out, dp_import_report **report, const char *path,
                      const dp_import_options *options, parser *parse)
{
    *out = NULL;
    if (report) {
        *report = NULL;
    }
    const dp_allocator a = dp_allocator_or_default(options ? options->allocator : NULL);
    char *text;
    size_t bytes;
    DP_TRY(dp_file_read(&text, &bytes, path, &a));
    const dp_status status = parse(out, report, text, bytes, path, options);
    dp_release(&a, text, bytes + 1, 1);
    return status;
}

dp_status dp_model_file_load(dp_spec **out, dp_import_report **report, const char *path,
                             const dp_import_options *options)
{
    return load(out, report, path, options, dp_model_file_parse);
}

dp_status dp_mjcf_load(dp_spec **out, dp_import_report **report, const char *path,
                       const dp_import_options *options)
{
    return load(out, report, path, options, dp_mjcf_parse);
}

dp_status dp_urdf_load(dp_spec **out, dp_import_report **report, const char *path,
                       const dp_import_options *options)
{
    return load(out, report, path, options, dp_urdf_parse);
}

dp_status dp_sdf_load(dp_spec **out, dp_import_report **report, const char *path,
                      const dp_import_options *options)
{
    return load(out, report, path, options, dp_sdf_parse);
}
