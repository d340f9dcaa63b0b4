#pragma once
#include <event2/event.h>
#include <sys/eventfd.h>

// Event flags and the eventfd flags are function-like or typed macros that Swift does not import.
static inline int errand_efd_flags(void) { return EFD_NONBLOCK | EFD_CLOEXEC; }
