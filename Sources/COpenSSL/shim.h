#pragma once
#include <features.h>
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <sys/socket.h>

// A BIO on a socket that never raises SIGPIPE, which OpenSSL's own does. Its data is an integer: the descriptor in the low
// half, the errno of the last call that failed in the high half.
static inline void errand_bio_set(BIO *bio, int descriptor, int error) {
  BIO_set_data(bio, (void *)((uintptr_t)(uint32_t)error << 32 | (uint32_t)descriptor));
}
static inline int errand_bio_descriptor(BIO *bio) { return (int)(uint32_t)(uintptr_t)BIO_get_data(bio); }
static inline int errand_bio_error(BIO *bio) { return (int)((uintptr_t)BIO_get_data(bio) >> 32); }

static int errand_bio_write(BIO *bio, const char *bytes, int count) {
  int descriptor = errand_bio_descriptor(bio);
  BIO_clear_retry_flags(bio);
  int sent = (int)send(descriptor, bytes, (size_t)count, MSG_NOSIGNAL);
  if (sent >= 0) return sent;
  if (errno == EAGAIN || errno == EINTR) BIO_set_retry_write(bio);
  else errand_bio_set(bio, descriptor, errno);
  return -1;
}

// How many more bytes it may read before it says that there are none for now: OpenSSL takes some messages without a word and without end.
static inline void errand_bio_fund(BIO *bio, long bytes) { BIO_set_ex_data(bio, 0, (void *)(intptr_t)bytes); }
static inline long errand_bio_funds(BIO *bio) { return (long)(intptr_t)BIO_get_ex_data(bio, 0); }

static int errand_bio_read(BIO *bio, char *bytes, int count) {
  int descriptor = errand_bio_descriptor(bio);
  BIO_clear_retry_flags(bio);
  long funds = errand_bio_funds(bio);
  if (funds <= 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  int received = (int)recv(descriptor, bytes, (size_t)count, 0);
  if (received > 0) {
    errand_bio_fund(bio, funds - received);
    return received;
  }
  if (received == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  else if (errno == EAGAIN || errno == EINTR) BIO_set_retry_read(bio);
  else errand_bio_set(bio, descriptor, errno);
  return received;
}

static long errand_bio_control(BIO *bio, int command, long number, void *pointer) {
  (void)number;
  (void)pointer;
  switch (command) {
  case BIO_CTRL_FLUSH: return 1;
  case BIO_CTRL_EOF: return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
  default: return 0;
  }
}

static int errand_bio_create(BIO *bio) {
  BIO_set_init(bio, 1);
  return 1;
}

static inline BIO_METHOD *errand_bio_method(void) {
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without SIGPIPE");
  if (method == NULL) return NULL;
  BIO_meth_set_write(method, errand_bio_write);
  BIO_meth_set_read(method, errand_bio_read);
  BIO_meth_set_ctrl(method, errand_bio_control);
  BIO_meth_set_create(method, errand_bio_create);
  return method;
}

// A BIO on another TLS connection, which stays the caller's.
static inline BIO *errand_bio_over(SSL *ssl) {
  BIO *bio = BIO_new(BIO_f_ssl());
  if (bio != NULL) BIO_set_ssl(bio, ssl, BIO_NOCLOSE);
  return bio;
}

// Function-like macros, which Swift does not import.
static inline int errand_set_server_name(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }
static inline int errand_set_min_version(SSL_CTX *context, int version) { return (int)SSL_CTX_set_min_proto_version(context, version); }
static inline int errand_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline void errand_set_id(SSL *ssl, uintptr_t id) { SSL_set_ex_data(ssl, 0, (void *)id); }
static inline uintptr_t errand_id(const SSL *ssl) { return (uintptr_t)SSL_get_ex_data(ssl, 0); }
static inline SSL *errand_verified_ssl(X509_STORE_CTX *context) {
  return (SSL *)X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx());
}
static inline int errand_chain_count(const STACK_OF(X509) *chain) { return chain == NULL ? 0 : sk_X509_num(chain); }
static inline X509 *errand_chain_certificate(const STACK_OF(X509) *chain, int index) { return sk_X509_value(chain, index); }
static inline GENERAL_NAMES *errand_alternative_names(const X509 *certificate) {
  return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}
static inline int errand_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline const GENERAL_NAME *errand_name(const GENERAL_NAMES *names, int index) { return sk_GENERAL_NAME_value(names, index); }
static inline const ASN1_STRING *errand_name_value(const GENERAL_NAME *name, int *type) {
  return (const ASN1_STRING *)GENERAL_NAME_get0_value(name, type);
}
static inline unsigned long errand_name_flags(void) { return XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB; }
static inline long errand_memory_bytes(BIO *bio, const char **bytes) { return BIO_get_mem_data(bio, bytes); }

// What every context of a client has, whatever its settings: partial writes that may be retried from another address, no memory
// kept by idle connections, fewer reads, neither compression nor renegotiation, and an end without close_notify told as one.
static inline void errand_set_modes(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_LEGACY_SERVER_CONNECT | SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}
