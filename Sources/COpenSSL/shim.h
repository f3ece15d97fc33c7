#pragma once

// A prepared key is copied for each message, and only the functions of before 3.0 keep their state where a copy costs
// nothing. They are older than the others, not worse: the same code does the work underneath.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <string.h>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <sys/time.h>

// What OpenSSL offers as macros, as functions that Swift can call.

static inline int parley_ssl_ctx_require_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// Buffers of idle connections are given back; a write may go on from another address with the same bytes.
static inline void parley_ssl_ctx_set_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION);
}

/// An empty memory BIO means "later", not "the end".
static inline BIO *parley_memory_bio(void) {
    BIO *bio = BIO_new(BIO_s_mem());
    if (bio) BIO_set_mem_eof_return(bio, -1);
    return bio;
}

static inline size_t parley_bio_pending(BIO *bio) { return BIO_ctrl_pending(bio); }

/// Where a memory BIO keeps its bytes, and how many.
static inline long parley_bio_contents(BIO *bio, unsigned char **bytes) { return BIO_get_mem_data(bio, (char **)bytes); }

static inline void parley_bio_reset(BIO *bio) { (void)BIO_reset(bio); }

static inline EVP_PKEY *parley_p256_key(void) { return EVP_EC_gen("P-256"); }

/// Tells the server which name we want and checks its certificate for it.
static inline void parley_ssl_set_server_name(SSL *ssl, const char *name) {
    SSL_set1_host(ssl, name);
    // An address is checked like a name, but never told as one (RFC 6066 §3).
    ASN1_OCTET_STRING *address = a2i_IPADDRESS(name);
    if (address)
        ASN1_OCTET_STRING_free(address);
    else
        SSL_set_tlsext_host_name(ssl, name);
}

static inline int parley_alpn_http11(SSL *ssl, const unsigned char **out, unsigned char *out_length,
                                     const unsigned char *offered, unsigned int offered_length, void *unused) {
    static const unsigned char ours[] = "\x08http/1.1";
    (void)ssl, (void)unused;
    return SSL_select_next_proto((unsigned char **)out, out_length, ours, sizeof ours - 1, offered, offered_length) ==
                   OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_NOACK;
}

/// We speak HTTP/1.1. A client that lists only others gets no answer to its list, as RFC 7301 allows.
static inline void parley_ssl_ctx_select_http11(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, parley_alpn_http11, NULL);
}

static inline void parley_md5(const unsigned char *bytes, size_t count, unsigned char *digest) {
    MD5(bytes, count, digest);
}

/// A hash under way. A plain copy goes on by itself.
typedef struct {
    int is_sha256;
    union {
        SHA_CTX sha1;
        SHA256_CTX sha256;
    } state;
} parley_digest;

static inline void parley_digest_begin(parley_digest *digest, int is_sha256) {
    memset(digest, 0, sizeof *digest);
    digest->is_sha256 = is_sha256;
    if (is_sha256)
        SHA256_Init(&digest->state.sha256);
    else
        SHA1_Init(&digest->state.sha1);
}

static inline void parley_digest_update(parley_digest *digest, const unsigned char *bytes, size_t count) {
    if (digest->is_sha256)
        SHA256_Update(&digest->state.sha256, bytes, count);
    else
        SHA1_Update(&digest->state.sha1, bytes, count);
}

/// Into 20 or 32 bytes; the hash itself stays as it is.
static inline void parley_digest_value(const parley_digest *digest, unsigned char *value) {
    parley_digest copy = *digest;
    if (copy.is_sha256)
        SHA256_Final(value, &copy.state.sha256);
    else
        SHA1_Final(value, &copy.state.sha1);
}

/// The states of both hashes of an HMAC (RFC 2104) after the block that is made of the key.
typedef struct {
    int is_sha256;
    union {
        SHA_CTX sha1;
        SHA256_CTX sha256;
    } inner, outer;
} parley_hmac_key;

/// The key is no longer than a block of 64 bytes.
static inline void parley_hmac_prepare(parley_hmac_key *key, int is_sha256, const unsigned char *bytes, size_t count) {
    unsigned char inner[64] = {0}, outer[64];
    if (count > 0) memcpy(inner, bytes, count < 64 ? count : 64);
    for (int i = 0; i < 64; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    key->is_sha256 = is_sha256;
    if (is_sha256) {
        SHA256_Init(&key->inner.sha256), SHA256_Update(&key->inner.sha256, inner, 64);
        SHA256_Init(&key->outer.sha256), SHA256_Update(&key->outer.sha256, outer, 64);
    } else {
        SHA1_Init(&key->inner.sha1), SHA1_Update(&key->inner.sha1, inner, 64);
        SHA1_Init(&key->outer.sha1), SHA1_Update(&key->outer.sha1, outer, 64);
    }
    OPENSSL_cleanse(inner, sizeof inner), OPENSSL_cleanse(outer, sizeof outer);
}

/// The code of two pieces, one after the other, into 20 or 32 bytes.
static inline void parley_hmac_code(const parley_hmac_key *key, const unsigned char *first, size_t first_count,
                                    const unsigned char *second, size_t second_count, unsigned char *code) {
    if (key->is_sha256) {
        SHA256_CTX hash = key->inner.sha256;
        SHA256_Update(&hash, first, first_count), SHA256_Update(&hash, second, second_count);
        SHA256_Final(code, &hash);
        hash = key->outer.sha256;
        SHA256_Update(&hash, code, 32);
        SHA256_Final(code, &hash);
    } else {
        SHA_CTX hash = key->inner.sha1;
        SHA1_Update(&hash, first, first_count), SHA1_Update(&hash, second, second_count);
        SHA1_Final(code, &hash);
        hash = key->outer.sha1;
        SHA1_Update(&hash, code, 20);
        SHA1_Final(code, &hash);
    }
}

static inline int parley_ssl_ctx_require_dtls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION);
}

/// Curves that peers of calls have, the quickest first: each one more is looked at in every handshake.
static inline int parley_ssl_ctx_set_curves(SSL_CTX *context) {
    return SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384");
}

static inline int parley_believe(X509_STORE_CTX *store, void *unused) {
    (void)store, (void)unused;
    return 1;
}

/// Certificates are not looked into: the user of the session compares a fingerprint, and no authority vouches for any of them.
static inline void parley_ssl_ctx_believe(SSL_CTX *context) {
    SSL_CTX_set_cert_verify_callback(context, parley_believe, NULL);
}

/// A session of two peers is never resumed.
static inline void parley_ssl_ctx_forget_sessions(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

/// So many bytes of DTLS fit into one datagram. The BIO below is not asked.
static inline void parley_ssl_set_datagram_size(SSL *ssl, long size) {
    SSL_set_options(ssl, SSL_OP_NO_QUERY_MTU);
    SSL_set_mtu(ssl, size);
}

/// Microseconds until a flight is to be sent again, or -1.
static inline int64_t parley_dtls_timeout(SSL *ssl) {
    struct timeval left;
    return DTLSv1_get_timeout(ssl, &left) == 1 ? (int64_t)left.tv_sec * 1000000 + left.tv_usec : -1;
}

/// -1 when it was sent too often.
static inline int parley_dtls_timed_out(SSL *ssl) { return (int)DTLSv1_handle_timeout(ssl); }
