#include "program_run.h"

#include "near.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Tests may run at the same time, each in its own process.
static const char *capture_path(char path[2000], const char *stream)
{
    snprintf(path, 2000, "%s/program_%ld.%s", DP_SCRATCH, (long)getpid(), stream);
    return path;
}

pid_t program_start(const char *const *arguments, const char *out_path)
{
    char *argv[MOST_ARGUMENTS + 2] = {(char *)DP_PROGRAM};
    for (int i = 0; arguments[i]; ++i) {
        assert_true(i < MOST_ARGUMENTS);
        argv[i + 1] = (char *)arguments[i];
    }
    char out[2000], err[2000];
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out_path ? out_path : capture_path(out, "stdout"),
                                     flags, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, capture_path(err, "stderr"), flags, 0600);
    pid_t child;
    assert_int_equal(posix_spawn(&child, DP_PROGRAM, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

const program_result *program_finish(pid_t child)
{
    static program_result r;
    int status;
    char path[2000];
    assert_int_equal(waitpid(child, &status, 0), child);
    r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_text(r.out, capture_path(path, "stdout"));
    remove(path);
    read_text(r.err, capture_path(path, "stderr"));
    remove(path);
    return &r;
}

const program_result *program_run(const char *const *arguments)
{
    return program_finish(program_start(arguments, NULL));
}
