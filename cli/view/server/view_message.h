// What a page says to `dashpot view`: one JSON object with the field `do` (docs/live.md), read
// strictly.
#ifndef DASHPOT_CLI_VIEW_MESSAGE_H
#define DASHPOT_CLI_VIEW_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum view_verb {
    VIEW_RUN,
    VIEW_PAUSE,
    VIEW_STEP,
    VIEW_RESET,   // key, or NULL
    VIEW_SPEED,   // value
    VIEW_LAW,     // word
    VIEW_SET,     // name, value
    VIEW_CONTROL, // actuator, value
    VIEW_GRAB,    // body, at
    VIEW_PULL,    // to
    VIEW_RELEASE,
    VIEW_SCENE,  // name, text, file
    VIEW_RECORD, // on
} view_verb;

/// A file that comes with a scene.
typedef struct view_file {
    char *name;
    unsigned char *byte;
    size_t bytes;
} view_file;

/// What the verb does not have is zero.
typedef struct view_message {
    view_verb verb;
    double value;
    int actuator, body;
    double at[3], to[3]; // [m]
    bool on;
    char *word, *name, *key;
    char *text;
    size_t text_bytes;
    view_file *file;
    int nfile;
} view_message;

enum {
    VIEW_MOST_BYTES = 32 << 20, // of a message
    VIEW_MOST_FILES = 256,      // with a scene
    VIEW_COMPLAINT = 256,       // bytes, with the zero
};

/// Read a message. Texts in it have no zeros inside and are UTF-8.
/// @param complaint what is wrong, where it returns false; nothing is then to be freed
bool view_message_read(view_message *out, const char *text, size_t bytes,
                       char complaint[VIEW_COMPLAINT]);
void view_message_free(view_message *message);

#endif
