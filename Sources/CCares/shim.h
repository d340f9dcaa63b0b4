#pragma once
// The toolchain reads the C library without GNU extensions; the same here, or the two views of fd_set clash.
#undef _GNU_SOURCE
#undef _XOPEN_SOURCE
#include <ares.h>
#include <netdb.h>
