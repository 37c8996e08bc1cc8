// SIGINT and SIGTERM: how every command ends that is asked to.
//
// The exit code is 128 and the number of the signal, 130 or 143, and stderr says how far the
// command came. What a signal does depends on what the command has to lose:
#ifndef DASHPOT_CLI_SIGNALS_H
#define DASHPOT_CLI_SIGNALS_H

#include <dashpot/sim.h>

typedef enum cli_ending {
    CLI_ENDS_AT_ONCE, // nothing: the program ends there and then. So it is at first
    CLI_ENDS_SOON,    // what it has found: it ends by itself, and is ended where that takes long
    CLI_ENDS_SAVED,   // what it has recorded: it ends by itself, or by a second signal
} cli_ending;

/// Take over both signals, before anything else.
void cli_interrupt_begin(void);
void cli_interrupt_set(cli_ending to);
/// What the program is at, for what it says when it ends at once: "while reading scene.xml".
void cli_interrupt_at(const char *format, ...) DP_PRINTF(1, 2);

/// Has a signal come? A dp_interrupt_fn. @param unused NULL
bool cli_interrupted(void *unused);
/// A signal that was waited for, before it is unblocked.
void cli_interrupt_note(int signal_number);
/// What main returns where a signal has come; 0: none has.
int cli_interrupt_code(void);

/// dp_data_create of a simulation whose steps end when a signal comes.
DP_NODISCARD dp_status cli_data_create(dp_data **out, const dp_model *m);

#endif
