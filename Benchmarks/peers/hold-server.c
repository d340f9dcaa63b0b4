// A server that accepts, reads and never answers. Listens on COUNT ports of 127.0.0.1 and on a control port before them; prints
// all of them on one line. Each connection to the control port is told "OPEN ASKED\n": the connections open, and those that sent
// something.
//
//   hold-server COUNT
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_FDS = 1 << 17, MAX_PORTS = 256 };
enum { NONE, LISTENER, CONTROL, SILENT, ASKED };
static unsigned char role[MAX_FDS];

static int listen_on_free_port(int *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 4096) ||
      getsockname(fd, (struct sockaddr *)&address, &length)) {
    perror("hold-server");
    exit(1);
  }
  *port = ntohs(address.sin_port);
  return fd;
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 1;
  if (count < 1 || count >= MAX_PORTS) return 64;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);

  int epoll = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i <= count; i++) {
    int port, fd = listen_on_free_port(&port);
    role[fd] = i == 0 ? CONTROL : LISTENER;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    printf(i == count ? "%d\n" : "%d ", port);
  }
  fflush(stdout);

  long open = 0, asked = 0;
  static struct epoll_event events[1024];
  static char buffer[65536];
  for (;;) {
    int ready = epoll_wait(epoll, events, 1024, -1);
    for (int i = 0; i < ready; i++) {
      int fd = events[i].data.fd;
      if (role[fd] == CONTROL || role[fd] == LISTENER) {
        int peer;
        while ((peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
          if (role[fd] == CONTROL) {
            int length = snprintf(buffer, sizeof buffer, "%ld %ld\n", open, asked);
            if (write(peer, buffer, (size_t)length) < 0) perror("hold-server: control");
            close(peer);
          } else if (peer >= MAX_FDS) {
            close(peer);
          } else {
            struct epoll_event event = {.events = EPOLLIN, .data.fd = peer};
            epoll_ctl(epoll, EPOLL_CTL_ADD, peer, &event);
            role[peer] = SILENT;
            open++;
          }
        }
        continue;
      }
      ssize_t got = read(fd, buffer, sizeof buffer);
      if (got > 0) {
        if (role[fd] == SILENT) asked++;
        role[fd] = ASKED;
      } else if (got == 0 || errno != EAGAIN) {
        if (role[fd] == ASKED) asked--;
        open--;
        role[fd] = NONE;
        close(fd);
      }
    }
  }
}
