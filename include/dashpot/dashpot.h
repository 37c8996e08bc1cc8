// Dashpot: multibody dynamics. This header brings in all others but those of advanced/, which are
// for researchers: step problems, complementarity and friction-contact problems, statics, collision
// queries, laws of your own.
#ifndef DASHPOT_DASHPOT_H
#define DASHPOT_DASHPOT_H

#include <dashpot/base.h>
#include <dashpot/batch.h>
#include <dashpot/contact.h>
#include <dashpot/expression.h>
#include <dashpot/format.h>
#include <dashpot/law.h>
#include <dashpot/model.h>
#include <dashpot/parameters.h>
#include <dashpot/record.h>
#include <dashpot/row.h>
#include <dashpot/sim.h>
#include <dashpot/spec.h>
#include <dashpot/types.h>

#endif
