// `dashpot view`: a scene that moves in the browser, and that can be touched.
#include "common/arguments.h"
#include "common/import_report.h"
#include "common/keyframe.h"
#include "common/law_settings.h"
#include "common/program.h"
#include "common/settings.h"
#include "common/signals.h"
#include "common/text.h"
#include "view/server/view_server.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct view_options {
    const char *scene;
    long long port;
    bool open, paused, quiet;
    const char *folder, *law, *keyframe;
    double step, speed, recordings_mb;
    cli_list set;
    cli_allow allow;
} view_options;

static cli_parsed parse(view_options *o, int argc, char **argv)
{
    *o = (view_options){.folder = ".", .step = NAN, .speed = 1.0, .recordings_mb = 1024.0};
    const cli_option option[] = {
        {"--port", 0, CLI_COUNT, &o->port, "N",
         "listen there, on 127.0.0.1 only; default: any that is free"},
        {"--open", 0, CLI_FLAG, &o->open, NULL, "open the page in a browser (xdg-open)"},
        {"--folder", 0, CLI_TEXT, &o->folder, "DIR",
         "where recordings go; default: the present one. Nothing is\n"
         "written elsewhere"},
        {"--recordings", 0, CLI_NUMBER, &o->recordings_mb, "MB",
         "most that all recordings of this run take; default 1024. They\n"
         "also leave 256 MB of the disk free"},
        {"--paused", 0, CLI_FLAG, &o->paused, NULL, "wait for the page to start the simulation"},
        {"--speed", 0, CLI_NUMBER, &o->speed, "x",
         "times real time, to begin with; 0: as fast as it goes; default 1"},
        {"--law", 0, CLI_TEXT, &o->law, "NAME",
         "compliant, lcp, ncp, vi, tamsi or ode, to begin with; default:\n"
         "the scene's"},
        {"--step", 0, CLI_NUMBER, &o->step, "h",
         "time step [s], to begin with; default: the scene's"},
        {"--keyframe", 0, CLI_TEXT, &o->keyframe, "NAME", "start from this keyframe of the scene"},
        {"--set", 0, CLI_LIST, &o->set, "OPTION=VALUE",
         "change a setting, to begin with; may be repeated ('dashpot\n"
         "help run' lists them)"},
        CLI_ALLOW(&o->allow),
        {"--quiet", 'q', CLI_FLAG, &o->quiet, NULL, "print the address alone"},
    };
    const cli_syntax syntax = {
        .command = "view",
        .arguments = "SCENE [options]",
        .argument = "SCENE",
        .about =
            "Show a scene (an MJCF, URDF or SDF file) in the browser while it is simulated: drag "
            "bodies,\n"
            "change the law, the step, stiffness and friction, move actuators, drop another scene\n"
            "on the page, record a replay. The address is printed; only this machine can reach "
            "it.\n"
            "Ctrl-C ends it, also within a step; a recording is written.\n"
            "Exit code: 130, 143 or 129 after Ctrl-C, SIGTERM or SIGHUP, 1 no server, no memory or "
            "a\n"
            "recording that was lost, 2 bad usage or input.",
        .option = option,
        .noption = sizeof option / sizeof option[0],
        .examples = "  dashpot view scenes/humanoid.xml --open\n"
                    "  dashpot view scenes/contact/wall.xml --law ncp --port 8080\n"
                    "  dashpot view scenes/arm_7dof.xml --paused --folder recordings\n",
    };
    return cli_parse(&o->scene, &syntax, argc, argv);
}

static bool check_options(const view_options *o)
{
    struct stat info;
    if (o->port > 65535) {
        cli_complain("--port is %lld (expected 0 to 65535)", o->port);
        return false;
    }
    if (!(o->speed >= 0.0 && o->speed <= 1000.0)) {
        cli_complain("--speed is %g (expected 0 to 1000)", o->speed);
        return false;
    }
    if (!(o->recordings_mb >= 0.0 && o->recordings_mb <= 1e9)) {
        cli_complain("--recordings is %g (expected 0 to 1e9)", o->recordings_mb);
        return false;
    }
    if (o->step <= 0.0) { // NaN: not given
        cli_complain("--step must be above 0 (found %g)", o->step);
        return false;
    }
    if (stat(o->folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
        cli_complain("--folder: '%s' is not a folder", o->folder);
        return false;
    }
    return cli_allow_check(&o->allow, NULL, 0);
}

static bool apply_settings(dp_options *settings, const view_options *o)
{
    const cli_twin twins[] = {
        {"step", "--step", !isnan(o->step)}, {"law", "--law", o->law != NULL}, {NULL, NULL, false}};
    if (!cli_set_all(settings, &o->set, twins)) {
        return false;
    }
    if (!isnan(o->step)) {
        settings->step = o->step;
    }
    return !o->law || cli_set_word(settings, "law", "--law", o->law);
}

// --- the browser

static void open_browser(const char *address)
{
    char *const arguments[] = {"xdg-open", (char *)address, NULL};
    extern char **environ;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGCHLD);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    const int code = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (code != 0) {
        cli_complain("note: --open: xdg-open: %s; open %s yourself", strerror(code), address);
    }
}

// --- the server

// Ctrl-C and its like, for this thread alone: threads that are made later have them blocked.
static void block_signals(sigset_t *out)
{
    sigemptyset(out);
    sigaddset(out, SIGINT);
    sigaddset(out, SIGTERM);
    sigaddset(out, SIGHUP);
    pthread_sigmask(SIG_BLOCK, out, NULL);
    signal(SIGPIPE, SIG_IGN); // a page that has gone is reported by what is written to it
    signal(SIGCHLD, SIG_IGN); // nobody waits for the browser
}

// Another one ends the program at once, where a recording takes long to be written.
static void unblock_signals(const sigset_t *signals, int number)
{
    cli_interrupt_note(number); // steps end
    cli_interrupt_set(CLI_ENDS_SAVED);
    signal(SIGHUP, SIG_IGN);
    pthread_sigmask(SIG_UNBLOCK, signals, NULL);
}

static int serve(const view_options *o, view_server *server, view_session *session,
                 const sigset_t *signals)
{
    const int port = view_server_open(server, session, (int)o->port);
    if (port == 0) {
        return CLI_FAILED;
    }
    char address[64];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/", port);
    cli_print("%s\n", address);
    if (!o->quiet) {
        cli_print("Open this address in a browser. Ctrl-C ends it.\n");
    }
    fflush(stdout);
    if (o->open) {
        open_browser(address);
    }
    int number;
    sigwait(signals, &number);
    unblock_signals(signals, number);
    view_server_close(server);
    return CLI_OK;
}

static int start(const view_options *o, view_scene *scene)
{
    view_setup setup = {.ground = {o->scene, o->folder, &o->allow},
                        .options = *dp_model_options(scene->loaded.model),
                        .key = o->keyframe,
                        .paused = o->paused,
                        .speed = o->speed,
                        .most_recorded = (long long)(o->recordings_mb * 1048576.0)};
    if (!apply_settings(&setup.options, o)) {
        return CLI_USAGE;
    }
    sigset_t signals;
    block_signals(&signals);
    view_server *server;
    if (!view_server_create(&server)) {
        return CLI_FAILED;
    }
    setup.audience = view_server_audience(server);
    view_session *session;
    int code = CLI_USAGE;
    if (view_session_start(&session, scene, &setup)) {
        char saved[VIEW_SAVED];
        double time;
        code = serve(o, server, session, &signals);
        const bool kept = view_session_stop(session, saved, &time);
        if (!o->quiet && cli_interrupted(NULL)) {
            cli_complain("interrupted at t = %.10g s", time);
        }
        if (!kept) {
            code = CLI_LOST;
        } else if (saved[0] != '\0' && !o->quiet) {
            cli_print("Recorded %s/%s\n", o->folder, saved);
        }
    }
    view_server_destroy(server);
    return code;
}

static int view(const view_options *o)
{
    if (!check_options(o)) {
        return CLI_USAGE;
    }
    view_scene scene = {0};
    int code = CLI_USAGE;
    if (cli_scene_load(&scene.loaded, o->scene, &o->allow) != DP_OK) {
        cli_complain_of_file(dp_last_error(), dp_last_feature());
    } else if (cli_allow_fits(&o->allow, o->scene, scene.loaded.report)) {
        view_scene_title(scene.title, sizeof scene.title, o->scene);
        if (!o->quiet) {
            cli_note_scene(&scene.loaded, &o->allow);
        }
        code = start(o, &scene);
    }
    view_scene_destroy(&scene);
    return code;
}

int cli_view(int argc, char **argv)
{
    view_options o;
    int code = CLI_OK;
    switch (parse(&o, argc, argv)) {
    case CLI_PARSED:
        o.allow.visuals = true;
        code = view(&o);
        break;
    case CLI_PARSED_HELP:
        break;
    case CLI_PARSED_BADLY:
        code = CLI_USAGE;
        break;
    }
    free(o.set.item);
    cli_allow_free(&o.allow);
    return code;
}
