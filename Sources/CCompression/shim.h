#pragma once
#include <features.h>
#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

// A function-like macro, which Swift does not import.
static inline int errand_inflate_init(z_stream *stream, int window_bits) { return inflateInit2(stream, window_bits); }
