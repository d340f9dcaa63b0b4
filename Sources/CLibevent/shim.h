#pragma once
// The toolchain reads the C library without GNU extensions; the same here, or the two views of fd_set clash.
#undef _GNU_SOURCE
#undef _XOPEN_SOURCE
// First, for libevent's own configuration header turns the extensions on again.
#include <features.h>
#include <event2/event.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

// Constants whose macros Swift does not import, and Linux calls that the headers hide without GNU extensions.
static inline int errand_efd_flags(void) { return EFD_NONBLOCK | EFD_CLOEXEC; }
static inline int errand_stream_type(void) { return SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC; }
static inline int errand_nosignal(void) { return MSG_NOSIGNAL; }
static inline void errand_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

extern int accept4(int, struct sockaddr *, socklen_t *, int);
static inline int errand_accept(int descriptor, struct sockaddr *address, socklen_t *length) {
  return accept4(descriptor, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// A socket that, when bound, hears of changes of links, addresses and routes.
static inline int errand_netlink_open(void) {
  return socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
}
static inline int errand_netlink_bind(int descriptor) {
  struct sockaddr_nl address = {
    .nl_family = AF_NETLINK,
    .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
  };
  return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}
// Asks for all addresses of the machine.
static inline int errand_netlink_ask_addresses(int descriptor) {
  struct { struct nlmsghdr head; struct ifaddrmsg body; } request = {
    .head = { .nlmsg_len = sizeof request, .nlmsg_type = RTM_GETADDR, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
  };
  return send(descriptor, &request, sizeof request, 0) < 0 ? -1 : 0;
}

struct errand_credentials { int pid; unsigned uid; unsigned gid; };
static inline int errand_peer_credentials(int descriptor, struct errand_credentials *out) {
  socklen_t length = sizeof *out;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, out, &length);
}

// Raises the soft limit of open files to the hard one; gives the limit then in force.
static inline unsigned long errand_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
  }
  return limit.rlim_cur;
}

// Sends one datagram to a Unix socket, whose name may be abstract, and does not wait. The constants are enumerations to some C libraries' modules.
static inline void errand_send_datagram(const void *bytes, size_t count, const void *address, unsigned length) {
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return;
  (void)sendto(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)address, (socklen_t)length);
  close(descriptor);
}

// Gives memory that was freed back to the system.
static inline void errand_trim_memory(void) { malloc_trim(0); }
static inline void errand_limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

static inline int errand_signal_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, 0, &action) == 0 && action.sa_handler == SIG_IGN;
}
