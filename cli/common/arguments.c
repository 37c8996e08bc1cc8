#include "common/arguments.h"

#include "common/program.h"
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 64 };

static void print_option(const cli_option *option)
{
    enum { HELP_COLUMN = 30 };
    char head[80];
    const char *letter = option->letter ? (char[]){'-', option->letter, ',', ' ', '\0'} : "";
    snprintf(head, sizeof head, "  %s%s%s%s", letter, option->name, option->value ? " " : "",
             option->value ? option->value : "");
    printf("%-*s", HELP_COLUMN, head);
    if ((int)strlen(head) >= HELP_COLUMN) {
        printf("\n%*s", HELP_COLUMN, "");
    }
    for (const char *c = option->help; *c != '\0'; ++c) {
        putchar(*c);
        if (*c == '\n') {
            printf("%*s", HELP_COLUMN, "");
        }
    }
    putchar('\n');
}

static void print_help(const cli_syntax *syntax)
{
    printf("usage: dashpot %s %s\n\n%s\n\nOptions\n", syntax->command, syntax->arguments,
           syntax->about);
    for (int i = 0; i < syntax->noption; ++i) {
        print_option(&syntax->option[i]);
    }
    printf("  -h, --help                  this text\n\nExamples\n%s", syntax->examples);
}

static int find_option(const cli_syntax *syntax, const char *name, size_t length)
{
    for (int i = 0; i < syntax->noption; ++i) {
        const cli_option *option = &syntax->option[i];
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) {
            return i;
        }
        if (length == 2 && name[0] == '-' && option->letter != '\0' && name[1] == option->letter) {
            return i;
        }
    }
    return -1;
}

static void complain_unknown(const cli_syntax *syntax, const char *name, size_t length)
{
    const char *words[MOST_OPTIONS + 1];
    int count = 0;
    for (int i = 0; i < syntax->noption; ++i) {
        words[count++] = syntax->option[i].name;
    }
    words[count++] = "--help";
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)length, name);
    const char *near = cli_nearest(copy, words, (size_t)count);
    if (near) {
        cli_complain("unknown option '%.*s' (did you mean '%s'?)", (int)length, name, near);
    } else {
        cli_complain("unknown option '%.*s' ('dashpot help %s' lists them)", (int)length, name,
                     syntax->command);
    }
}

static bool append(cli_list *list, const char *text)
{
    const char **grown = realloc(list->item, ((size_t)list->count + 1) * sizeof *grown);
    if (!grown) {
        cli_complain("out of memory");
        return false;
    }
    list->item = grown;
    list->item[list->count++] = text;
    return true;
}

// Store a value in the option's target. The text is kept, and cut up where it holds several.
static bool take_value(const cli_option *option, char *value)
{
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)option->target = true;
        return true;
    case CLI_TEXT:
        *(const char **)option->target = value;
        return true;
    case CLI_NUMBER:
        if (!cli_read_number(option->target, value)) {
            cli_complain("%s: '%s' is not a number", option->name, value);
            return false;
        }
        return true;
    case CLI_COUNT:
        if (!cli_read_count(option->target, value)) {
            cli_complain("%s: '%s' is not a whole number", option->name, value);
            return false;
        }
        return true;
    case CLI_LIST:
        return append(option->target, value);
    case CLI_WORDS:
        break;
    }
    for (char *comma = strchr(value, ','); comma; comma = strchr(value, ',')) {
        *comma = '\0';
        if (!append(option->target, value)) {
            return false;
        }
        value = comma + 1;
    }
    return append(option->target, value);
}

// An argument that is no option. False: there are too many.
static bool take_argument(const char **argument, const cli_syntax *syntax, const char *text)
{
    if (!*argument) {
        *argument = text;
        return true;
    }
    if (syntax->second && !*syntax->second_target) {
        *syntax->second_target = text;
        return true;
    }
    if (syntax->second) {
        cli_complain("one %s and one %s at a time: found '%s' behind '%s' and '%s'",
                     syntax->argument, syntax->second, text, *argument, *syntax->second_target);
    } else {
        cli_complain("one %s at a time: found '%s' and '%s'", syntax->argument, *argument, text);
    }
    return false;
}

// The option at argv[*i], with its value, which may be the next of argv.
static bool take_option(const cli_syntax *syntax, bool *seen, int argc, char **argv, int *i)
{
    char *text = argv[*i];
    const size_t length = strcspn(text, "=");
    char *value = text[length] == '=' ? text + length + 1 : NULL;
    const int k = find_option(syntax, text, length);
    if (k < 0 && strncmp(text, "--help=", 7) == 0) {
        cli_complain("--help takes no value (found '%s')", value);
        return false;
    }
    if (k < 0) {
        complain_unknown(syntax, text, length);
        return false;
    }
    const cli_option *option = &syntax->option[k];
    if (option->kind == CLI_FLAG && value) {
        cli_complain("%s takes no value (found '%s')", option->name, value);
        return false;
    }
    if (option->kind != CLI_FLAG && !value) {
        // A negative number is a value; any other dash begins the next option.
        char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
        double number;
        if (!next || (next[0] == '-' && next[1] != '\0' && !cli_read_number(&number, next))) {
            cli_complain("%s needs a value: %s %s", option->name, option->name, option->value);
            return false;
        }
        value = next;
        ++*i;
    }
    if (option->kind != CLI_FLAG && value[0] == '\0') {
        cli_complain("%s needs a value (found an empty one)", option->name);
        return false;
    }
    if (seen[k] && option->kind != CLI_LIST && option->kind != CLI_WORDS) {
        cli_complain("%s is given twice", option->name);
        return false;
    }
    seen[k] = true;
    return take_value(option, value);
}

cli_parsed cli_parse(const char **argument, const cli_syntax *syntax, int argc, char **argv)
{
    bool seen[MOST_OPTIONS] = {false};
    bool only_arguments = false;
    *argument = NULL;
    if (syntax->second) {
        *syntax->second_target = NULL;
    }
    for (int i = 0; i < argc; ++i) {
        char *text = argv[i];
        if (only_arguments || text[0] != '-' || text[1] == '\0') {
            if (!take_argument(argument, syntax, text)) {
                return CLI_PARSED_BADLY;
            }
            continue;
        }
        if (strcmp(text, "--") == 0) {
            only_arguments = true;
            continue;
        }
        if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            print_help(syntax);
            return CLI_PARSED_HELP;
        }
        if (!take_option(syntax, seen, argc, argv, &i)) {
            return CLI_PARSED_BADLY;
        }
    }
    const bool first = *argument != NULL;
    if ((!first && !syntax->optional) || (syntax->second && !*syntax->second_target)) {
        cli_complain("no %s given (usage: dashpot %s %s)",
                     first ? syntax->second : syntax->argument, syntax->command, syntax->arguments);
        return CLI_PARSED_BADLY;
    }
    return CLI_PARSED;
}
