// XML as text: can a strict reader read it?
#ifndef DP_TESTS_WELL_FORMED_H
#define DP_TESTS_WELL_FORMED_H

/// The text is well-formed XML. @return how many elements it has.
int assert_well_formed(const char *text);

#endif
