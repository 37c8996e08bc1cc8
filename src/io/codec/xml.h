// XML as a tree of nodes that know where they were written. On expat.
//
// Text between tags is skipped unless it is asked for: neither MJCF nor URDF uses it. Names in the
// namespace "dashpot" are spelled with the prefix "dp:", whatever prefix the file declares for it;
// names in any other namespace are spelled "uri|name".
#ifndef DP_FORMAT_XML_H
#define DP_FORMAT_XML_H

#include "base/memory.h"

/// What a format's schema says about an element or an attribute; xml.c knows nothing of it.
typedef struct dp_mjcf_element dp_mjcf_element;
typedef struct dp_mjcf_attribute dp_mjcf_attribute;

typedef struct dp_xml_attribute {
    const char *name, *value;
    // Filled when the value is checked against a schema:
    const dp_mjcf_attribute *rule;
    const double *number; // the numbers in `value`, of types that have them
    int count;            // how many
    int keyword;          // index of the keyword, of types that have one
    int item;             // in the import report
} dp_xml_attribute;

typedef struct dp_xml_node dp_xml_node;
struct dp_xml_node {
    const char *file;
    int line;
    const char *name;
    const char *mended; // of the root: what is not XML in the file, and was passed over; else NULL
    const char *text;   // of an element without children, when asked for; else NULL
    dp_xml_attribute *attribute;
    int nattribute;
    dp_xml_node *parent, *next; // next: the next sibling
    dp_xml_node *child, *last_child;
    dp_xml_node *included; // the root of the file that this element includes
    // Filled by a format:
    const dp_mjcf_element *rule;
    const dp_mjcf_element *judge; // the rule of the outermost element whose verdict holds here
    int item;                     // in the import report
    void *scope;                  // what its children need to know
};

/// Parse `text` into a tree that lives in `pool`. Two dashes in a comment and anything behind the
/// end of the root are passed over, as by other readers of models, and noted (dp_xml_node.mended).
/// `file` is kept by the nodes and stands in messages.
/// @return DP_ERROR_PARSE with file, line and column.
dp_status dp_xml_parse(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                       const char *file);
/// The same without namespaces: names keep the prefix that the file writes, declared or not, and
/// declarations (xmlns:…) are attributes like others.
dp_status dp_xml_parse_prefixed(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                                const char *file);

/// The same, and elements without children keep their text: Collada and SDFormat.
dp_status dp_xml_parse_text(dp_xml_node **root, dp_pool *pool, const char *text, size_t bytes,
                            const char *file);

/// The attribute of that name, NULL when it is not there.
const dp_xml_attribute *dp_xml_find(const dp_xml_node *node, const char *name);
/// Its value, or `otherwise`.
const char *dp_xml_value(const dp_xml_node *node, const char *name, const char *otherwise);

/// The next node in the order of the file, within the tree below `root`: the first child unless
/// `skip` says that the children of `node` are not wanted, else the next sibling, else that of an
/// ancestor. NULL at the end. No recursion, so nesting may be as deep as memory is large.
dp_xml_node *dp_xml_next(const dp_xml_node *root, dp_xml_node *node, bool skip);

#endif
