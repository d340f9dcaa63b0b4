// The peer on libcurl: multi_socket on a bare epoll. Easy handles and connections are kept and used again.
//
//   curl-multi throughput --url URL --in-flight N --seconds S [--tuned] [--ca FILE] [--http2 --connections N] [--buffer BYTES]
//     keeps N transfers running for S seconds. Sockets come to epoll and leave it as libcurl says, as its examples do; with --tuned their
//     registrations are kept across transfers: as fast as its public API allows. --http2 multiplexes over so many connections; left to
//     itself libcurl opens hundreds of them for 1,000 transfers, and is a third as fast. --buffer is of what it receives: 16,384 bytes by
//     default, 524,288 at most. The certificate of an https server is verified against --ca. A handle keeps its TLS session and offers it
//     for its next connection, as is libcurl's default.
//   curl-multi inflight --url URL --count N --control PORT
//     N transfers from a server that never answers, then removed
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <curl/curl.h>
#include <getopt.h>
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

static struct {
  const char *url, *ca;
  int count, is_http2, is_tuned, control_port;
  long buffer, connections;
  double seconds;
} options;

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
  if ((wanted[fd] || !options.is_tuned) && registered[fd] != wanted[fd]) apply(fd, wanted[fd]);
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

static CURL *make_easy(void) {
  CURL *easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_URL, options.url);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)(options.is_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  if (options.ca) curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca);
  if (options.buffer) curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, options.buffer);
  // Waits to learn whether a connection can be shared, where it would open another one at once.
  if (options.is_http2) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  return easy;
}

static void make_multi(void) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)options.count);
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)(options.is_http2 ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING));
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.connections);
  // Its own limit of streams, 100 by default, out of the way of the server's.
  curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000L);
}

static int throughput(void) {
  make_multi();
  for (int i = 0; i < options.count; i++) curl_multi_add_handle(multi, make_easy());
  long requests = 0, failed = 0;
  double started = now(), end = started + options.seconds, cpu = cpu_seconds();
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
      else if (!failed++) fprintf(stderr, "curl-multi: %s, status %ld\n", curl_easy_strerror(message->data.result), status);
      curl_multi_remove_handle(multi, easy);
      curl_multi_add_handle(multi, easy);
    }
  }
  double elapsed = now() - started;
  printf("{\"requests\": %ld, \"failed\": %ld, \"seconds\": %.6f, \"cpu_seconds\": %.6f, \"peak_kb\": %ld, \"body_bytes\": %ld}\n", requests,
         failed, elapsed, cpu_seconds() - cpu, status_kb("VmHWM:"), bytes_read);
  return 0;
}

static long asked(void) {
  char text[64] = "";
  long open = 0, count = 0;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)options.control_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address) && read(fd, text, sizeof text - 1) > 0)
    sscanf(text, "%ld %ld", &open, &count);
  if (fd >= 0) close(fd);
  return count;
}

static int inflight(void) {
  int count = options.count;
  make_multi();
  CURL **handles = calloc((size_t)count, sizeof *handles);
  long before = status_kb("VmRSS:");
  for (int i = 0; i < count; i++) curl_multi_add_handle(multi, handles[i] = make_easy());
  double give_up = now() + 60;
  while (asked() < count && now() < give_up)
    for (double until = now() + 0.02; now() < until;) turn(until);
  long reached = asked(), after = status_kb("VmRSS:");
  double started = now();
  for (int i = 0; i < count; i++) curl_multi_remove_handle(multi, handles[i]);
  double cancelled = now() - started;
  printf("{\"in_flight\": %ld, \"bytes_per_request\": %.1f, \"cancel_ns\": %.0f}\n", reached, (after - before) * 1024.0 / count, cancelled * 1e9);
  return reached == count ? 0 : 1;
}

int main(int argc, char **argv) {
  static const struct option known[] = {
      {"url", required_argument, 0, 'u'},     {"in-flight", required_argument, 0, 'n'}, {"count", required_argument, 0, 'n'},
      {"seconds", required_argument, 0, 's'}, {"ca", required_argument, 0, 'a'},        {"connections", required_argument, 0, 'm'},
      {"buffer", required_argument, 0, 'b'},  {"control", required_argument, 0, 'c'},   {"http2", no_argument, 0, '2'},
      {"tuned", no_argument, 0, 't'},         {0, 0, 0, 0}};
  int option, is_known = 1;
  while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) switch (option) {
      case 'u': options.url = optarg; break;
      case 'n': options.count = atoi(optarg); break;
      case 's': options.seconds = atof(optarg); break;
      case 'a': options.ca = optarg; break;
      case 'm': options.connections = atol(optarg); break;
      case 'b': options.buffer = atol(optarg); break;
      case 'c': options.control_port = atoi(optarg); break;
      case '2': options.is_http2 = 1; break;
      case 't': options.is_tuned = 1; break;
      default: is_known = 0;
    }
  const char *command = optind + 1 == argc ? argv[optind] : "";
  if (is_known && options.url && options.count > 0) {
    if (!strcmp(command, "throughput") && options.seconds > 0) return throughput();
    if (!strcmp(command, "inflight") && options.control_port > 0) return inflight();
  }
  fprintf(stderr, "usage: curl-multi throughput --url URL --in-flight N --seconds S [--tuned] [--ca FILE]"
                  " [--http2 --connections N] [--buffer BYTES]\n"
                  "       curl-multi inflight --url URL --count N --control PORT\n");
  return 64;
}
