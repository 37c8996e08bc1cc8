#include "view/view_record.h"

#include <dashpot/contact.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static const double INTERVAL = 1.0 / 60.0; // [s] between frames
enum {
    MOST_FRAMES = 3600,    // a minute
    MOST_POINTS = 2000000, // of contacts, over all frames
    MOST_NUMBER = 100000,  // behind the name
    // [bytes] in a file, at most: a pose, a contact point, all channels of a frame
    POSE_BYTES = 28,
    POINT_BYTES = 64,
    FRAME_BYTES = 2048,
};
// [bytes] that stay free on the disk, for others.
static const long long MARGIN = 256ll << 20;

bool view_record_fits(char *words, size_t bytes, const view_record *r, const char *folder,
                      long long left)
{
    struct statvfs disk;
    const bool known = statvfs(folder, &disk) == 0;
    const long long free_bytes = known ? (long long)disk.f_bavail * (long long)disk.f_frsize : 0;
    if (known && free_bytes < MARGIN + r->bytes) {
        snprintf(words, bytes,
                 "nothing is recorded: %lld MB are free in %.100s (expected at least %lld MB)",
                 free_bytes >> 20, folder, (MARGIN + r->bytes) >> 20);
        return false;
    }
    if (left <= r->bytes) {
        snprintf(words, bytes,
                 "nothing is recorded: the recordings of this run are as large as they may be "
                 "(--recordings says how large)");
        return false;
    }
    return true;
}

dp_status view_record_begin(view_record *r, const dp_model *m, dp_data *d)
{
    view_record_drop(r);
    dp_status status = dp_replay_create(&r->replay, m, NULL);
    if (status == DP_OK) {
        status = dp_recorder_create(&r->channels, m, "energy.*,cert.*,step.*", NULL);
    }
    if (status != DP_OK) {
        view_record_drop(r);
        return status;
    }
    r->next = dp_data_time(d);
    return DP_OK;
}

dp_status view_record_look(view_record *r, const dp_model *m, dp_data *d, long long left,
                           const char **full)
{
    *full = NULL;
    const double time = dp_data_time(d);
    if (!r->replay || time < r->next) {
        return DP_OK;
    }
    dp_status status = dp_replay_sample(r->replay, d);
    if (status == DP_OK) {
        status = dp_recorder_sample(r->channels, d);
    }
    r->next = time - r->next > INTERVAL ? time + INTERVAL : r->next + INTERVAL;
    const int points = dp_data_contact_count(d);
    const long long frame = FRAME_BYTES + (long long)dp_model_sizes(m)->nbody * POSE_BYTES +
                            (long long)points * POINT_BYTES;
    r->contacts += (size_t)points;
    r->bytes += frame;
    if (dp_replay_frames(r->replay) >= MOST_FRAMES || r->contacts >= MOST_POINTS) {
        *full = "the recording is as long as it can be, and is written";
    } else if (r->bytes + frame >= left) {
        *full = "the recordings are as large as they may be (--recordings): this one is written, "
                "and is the last";
    }
    return status;
}

// Letters and digits of a title: it names a file.
static void plain_name(char *out, size_t bytes, const char *title)
{
    size_t n = 0;
    for (const char *c = title; *c != '\0' && n + 1 < bytes; ++c) {
        const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                           (*c >= '0' && *c <= '9') || *c == '_';
        if (plain || (n > 0 && out[n - 1] != '-')) {
            out[n++] = plain ? *c : '-';
        }
    }
    out[n] = '\0';
}

// A name in the folder that nothing has, link or file.
static bool find_name(char *file, size_t bytes, char *path, size_t path_bytes, const char *folder,
                      const char *title)
{
    char name[48];
    plain_name(name, sizeof name, title);
    for (int i = 1; i < MOST_NUMBER; ++i) {
        struct stat info;
        snprintf(file, bytes, "%s-%d.html", name[0] != '\0' ? name : "scene", i);
        const int n = snprintf(path, path_bytes, "%s/%s", folder, file);
        if (n < 0 || (size_t)n >= path_bytes) {
            return false;
        }
        if (lstat(path, &info) != 0) {
            return true;
        }
    }
    return false;
}

bool view_record_end(view_record *r, char *words, size_t bytes, const char *folder,
                     const char *title, long long *left)
{
    char path[4096 + 256];
    bool written = false;
    if (!view_record_fits(words, bytes, r, folder, LLONG_MAX)) {
        // it has said why; the limit ends recordings before
    } else if (find_name(words, bytes, path, sizeof path, folder, title)) {
        const dp_replay_page page = {.title = title, .channels = r->channels};
        written = dp_replay_write_html(r->replay, path, &page) == DP_OK;
        struct stat info;
        if (written && stat(path, &info) == 0) {
            *left -= (long long)info.st_size;
        }
        if (!written) {
            snprintf(words, bytes, "%s", dp_last_error());
        }
    } else {
        snprintf(words, bytes, "the recording is lost: no name is left in %.200s", folder);
    }
    view_record_drop(r);
    return written;
}

void view_record_drop(view_record *r)
{
    dp_replay_destroy(r->replay);
    dp_recorder_destroy(r->channels);
    *r = (view_record){0};
}
