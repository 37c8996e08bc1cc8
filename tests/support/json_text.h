// JSON as text: is it valid, and what is the value of a key?
#ifndef DP_TESTS_JSON_TEXT_H
#define DP_TESTS_JSON_TEXT_H

/// The text is one JSON object and nothing else.
void assert_one_json_object(const char *text);

/// Behind one JSON value; NULL when it is none.
const char *json_skip(const char *text);

/// The value of the first key of that name, optionally inside the object of another key.
const char *json_at(const char *json, const char *outer, const char *key);
double json_number(const char *json, const char *outer, const char *key);

/// The first element of the array of that name, NULL when it is empty; and the one that follows an
/// element, NULL after the last.
const char *json_first(const char *json, const char *key);
const char *json_next(const char *element);

/// The element of an array of objects whose "name" (or other text) is `value`; NULL: none.
const char *json_find(const char *json, const char *array, const char *key, const char *value);

/// `count` numbers of an array, e.g. "[1, 2.5, -3]".
void json_numbers(double *out, int count, const char *array);

#endif
