// Options and arguments of a command: read strictly, complained about kindly, listed by --help.
#ifndef DASHPOT_CLI_ARGUMENTS_H
#define DASHPOT_CLI_ARGUMENTS_H

#include <stdbool.h>

/// Texts given by an option that may be repeated, in their order.
typedef struct cli_list {
    const char **item; // free() it
    int count;
} cli_list;

typedef enum cli_option_kind {
    CLI_FLAG,   // bool
    CLI_TEXT,   // const char *
    CLI_NUMBER, // double
    CLI_COUNT,  // long long
    CLI_LIST,   // cli_list; may be repeated
    CLI_WORDS,  // the same, of words that may also be separated by commas
} cli_option_kind;

/// An option that is not given leaves its target as it was.
typedef struct cli_option {
    const char *name; // "--step"
    char letter;      // 'q' for -q, or 0
    cli_option_kind kind;
    void *target;
    const char *value; // how the value is called in the help
    const char *help;  // lines separated by '\n'
} cli_option;

typedef struct cli_syntax {
    const char *command;
    const char *arguments; // usage line
    const char *about;
    const cli_option *option;
    int noption;
    const char *argument;       // what the argument is called, e.g. "SCENE"
    bool optional;              // it may be missing
    const char *second;         // what a second one is called; NULL: there is none
    const char **second_target; // where it goes
    const char *examples;
} cli_syntax;

typedef enum cli_parsed {
    CLI_PARSED,
    CLI_PARSED_HELP, // --help was given and has been printed
    CLI_PARSED_BADLY // the complaint has been printed
} cli_parsed;

/// Read argc arguments into the options' targets and the argument into *argument.
cli_parsed cli_parse(const char **argument, const cli_syntax *syntax, int argc, char **argv);

#endif
