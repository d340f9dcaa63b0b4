// The peer on libcurl: multi_socket on a bare epoll. Easy handles and connections are kept and used again.
//
//   curl-multi plain URL CONNECTIONS SECONDS        sockets come to epoll and leave it as libcurl says, as its examples do
//   curl-multi tuned URL CONNECTIONS SECONDS        registrations are kept across transfers too: as fast as its public API allows
//   curl-multi inflight URL COUNT CONTROL-PORT      (URL of a server that never answers)
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FDS = 1 << 17 };

static CURLM *multi;
static int epoll_fd;
static double timer_due = -1;  // seconds on the monotonic clock; below zero: none
static unsigned char registered[MAX_FDS];  // what epoll watches
static unsigned char wanted[MAX_FDS];      // what libcurl asked for
static long bytes_read;
static int is_tuned;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu_seconds(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

// VmHWM and VmRSS; ru_maxrss would include the process that started this one.
static long status_kb(const char *name) {
  char line[256];
  long value = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, name, strlen(name))) value = atol(line + strlen(name));
  if (file) fclose(file);
  return value;
}

static void apply(int fd, int interest) {
  int operation = !registered[fd] ? EPOLL_CTL_ADD : interest ? EPOLL_CTL_MOD : EPOLL_CTL_DEL;
  struct epoll_event event = {.events = (interest & CURL_POLL_IN ? EPOLLIN : 0) | (interest & CURL_POLL_OUT ? EPOLLOUT : 0),
                              .data.fd = fd};
  epoll_ctl(epoll_fd, operation, fd, &event);
  registered[fd] = (unsigned char)interest;
}

// Between two transfers on one connection libcurl takes the socket away and hands it back. Tuned, it stays registered, which saves two
// system calls per request; an event that comes in between takes it out.
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *data, void *socket_data) {
  (void)easy, (void)data, (void)socket_data;
  wanted[fd] = what == CURL_POLL_REMOVE ? 0 : (unsigned char)what;
  if ((wanted[fd] || !is_tuned) && registered[fd] != wanted[fd]) apply(fd, wanted[fd]);
  return 0;
}

static int on_close(void *data, curl_socket_t fd) {
  (void)data;
  registered[fd] = wanted[fd] = 0;
  return close(fd);
}

static int on_timer(CURLM *m, long milliseconds, void *data) {
  (void)m, (void)data;
  timer_due = milliseconds < 0 ? -1 : now() + milliseconds / 1e3;
  return 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *data) {
  (void)bytes, (void)data;
  bytes_read += (long)(size * count);
  return size * count;
}

static void turn(double until) {
  static struct epoll_event events[1024];
  int running;
  double time = now(), due = timer_due >= 0 && timer_due < until ? timer_due : until;
  int wait = due <= time ? 0 : (int)((due - time) * 1e3) + 1;
  int ready = epoll_wait(epoll_fd, events, 1024, wait);
  for (int i = 0; i < ready; i++) {
    int fd = events[i].data.fd;
    if (!wanted[fd]) {
      apply(fd, 0);
      continue;
    }
    int what = (events[i].events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) | (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
               (events[i].events & EPOLLERR ? CURL_CSELECT_ERR : 0);
    curl_multi_socket_action(multi, fd, what, &running);
  }
  if (timer_due >= 0 && timer_due <= now()) {
    timer_due = -1;
    curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

static CURL *make_easy(const char *url) {
  CURL *easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  return easy;
}

static void make_multi(long connections) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, connections);
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
}

static int throughput(const char *url, int connections, double seconds) {
  make_multi(connections);
  for (int i = 0; i < connections; i++) curl_multi_add_handle(multi, make_easy(url));
  long requests = 0, failed = 0;
  double started = now(), end = started + seconds, cpu = cpu_seconds();
  while (now() < end) {
    turn(end);
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL *easy = message->easy_handle;
      long status = 0;
      curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      if (message->data.result == CURLE_OK && status == 200) requests++;
      else failed++;
      curl_multi_remove_handle(multi, easy);
      curl_multi_add_handle(multi, easy);
    }
  }
  double elapsed = now() - started;
  printf("{\"requests\": %ld, \"failed\": %ld, \"seconds\": %.6f, \"cpu_seconds\": %.6f, \"peak_kb\": %ld, \"body_bytes\": %ld}\n", requests,
         failed, elapsed, cpu_seconds() - cpu, status_kb("VmHWM:"), bytes_read);
  return 0;
}

static long asked(int control_port) {
  char text[64] = "";
  long open = 0, count = 0;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)control_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address) && read(fd, text, sizeof text - 1) > 0)
    sscanf(text, "%ld %ld", &open, &count);
  if (fd >= 0) close(fd);
  return count;
}

static int inflight(const char *url, int count, int control_port) {
  make_multi(count);
  CURL **handles = calloc((size_t)count, sizeof *handles);
  long before = status_kb("VmRSS:");
  for (int i = 0; i < count; i++) curl_multi_add_handle(multi, handles[i] = make_easy(url));
  double give_up = now() + 60;
  while (asked(control_port) < count && now() < give_up)
    for (double until = now() + 0.02; now() < until;) turn(until);
  long reached = asked(control_port), after = status_kb("VmRSS:");
  double started = now();
  for (int i = 0; i < count; i++) curl_multi_remove_handle(multi, handles[i]);
  double cancelled = now() - started;
  printf("{\"in_flight\": %ld, \"bytes_per_request\": %.1f, \"cancel_ns\": %.0f}\n", reached, (after - before) * 1024.0 / count, cancelled * 1e9);
  return reached == count ? 0 : 1;
}

int main(int argc, char **argv) {
  is_tuned = argc > 1 && strcmp(argv[1], "plain");
  if (argc == 5 && (!strcmp(argv[1], "plain") || !strcmp(argv[1], "tuned"))) return throughput(argv[2], atoi(argv[3]), atof(argv[4]));
  if (argc == 5 && !strcmp(argv[1], "inflight")) return inflight(argv[2], atoi(argv[3]), atoi(argv[4]));
  fprintf(stderr, "usage: curl-multi plain|tuned URL CONNECTIONS SECONDS | curl-multi inflight URL COUNT CONTROL-PORT\n");
  return 64;
}
