#include "well_formed.h"

#include "near.h"

#include <expat.h>
#include <string.h>

static void XMLCALL count_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
    (void)name;
    (void)attributes;
    ++*(int *)context;
}

int assert_well_formed(const char *text)
{
    int elements = 0;
    XML_Parser parser = XML_ParserCreate("UTF-8");
    assert_non_null(parser);
    XML_SetUserData(parser, &elements);
    XML_SetElementHandler(parser, count_element, NULL);
    if (XML_Parse(parser, text, (int)strlen(text), 1) == XML_STATUS_ERROR) {
        fail_msg("line %lu: %s", (unsigned long)XML_GetCurrentLineNumber(parser),
                 XML_ErrorString(XML_GetErrorCode(parser)));
    }
    XML_ParserFree(parser);
    return elements;
}
