// What decoding costs without a client: zlib inflates the same bytes time and again, each time from its start and into memory that it has
// not had before.
//
//   inflate FILE SECONDS
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static long peak_kb(void) {
  char line[256];
  long value = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, "VmHWM:", 6)) value = atol(line + 6);
  if (file) fclose(file);
  return value;
}

static unsigned char coded[1 << 20];

// Gives the bytes that came out.
static unsigned long inflate_once(unsigned count) {
  enum { ROOM = 1 << 20 };
  z_stream stream = {.next_in = coded, .avail_in = count, .avail_out = ROOM};
  unsigned char *body = malloc(ROOM);
  stream.next_out = body;
  if (!body || inflateInit2(&stream, 15 + 16) != Z_OK || inflate(&stream, Z_FINISH) != Z_STREAM_END) {
    fprintf(stderr, "inflate: the file is not gzip of at most 1 MiB\n");
    exit(1);
  }
  unsigned long total = stream.total_out;
  inflateEnd(&stream);
  free(body);
  return total;
}

int main(int argc, char **argv) {
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (!file) {
    fprintf(stderr, "usage: inflate FILE SECONDS\n");
    return 64;
  }
  unsigned count = (unsigned)fread(coded, 1, sizeof coded, file);
  fclose(file);
  double length = atof(argv[2]), started = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), now;
  long bodies = 0;
  unsigned long bytes = 0;
  do {
    for (int i = 0; i < 16; i++, bodies++) bytes += inflate_once(count);
    now = seconds(CLOCK_MONOTONIC);
  } while (now - started < length);
  printf("{\"requests\": %ld, \"failed\": 0, \"seconds\": %f, \"cpu_seconds\": %f, \"peak_kb\": %ld, \"bytes\": %lu}\n", bodies, now - started,
         seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, peak_kb(), bytes);
  return 0;
}
