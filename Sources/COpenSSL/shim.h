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
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

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

static inline int parley_p256_set_private(EC_KEY *curve, const BIGNUM *number) {
    const EC_GROUP *group = EC_KEY_get0_group(curve);
    EC_POINT *point = EC_POINT_new(group);
    // Refuses zero and what is not below the curve's order.
    int is_good = point && EC_KEY_set_private_key(curve, number) == 1 &&
                  EC_POINT_mul(group, point, number, NULL, NULL, NULL) == 1 &&
                  EC_KEY_set_public_key(curve, point) == 1 && EC_KEY_check_key(curve) == 1;
    EC_POINT_free(point);
    return is_good;
}

/// The key pair of P-256 with a private number of 32 bytes; NULL for one that is none.
static inline EVP_PKEY *parley_p256_private(const unsigned char *number) {
    EC_KEY *curve = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *secret = BN_bin2bn(number, 32, NULL);
    EVP_PKEY *key = EVP_PKEY_new();
    int is_good = curve && secret && key && parley_p256_set_private(curve, secret) &&
                  EVP_PKEY_set1_EC_KEY(key, curve) == 1;
    BN_clear_free(secret);
    EC_KEY_free(curve);
    if (is_good) return key;
    EVP_PKEY_free(key);
    return NULL;
}

/// What two keys of P-256 have in common, 32 bytes; 0 when that cannot be. That the other's point is on the curve was seen when it
/// was read, and on a curve without small subgroups there is no more to check (SP 800-56A §5.6.2.3.3).
static inline int parley_p256_agree(EVP_PKEY *own, EVP_PKEY *other, unsigned char *shared) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(own, NULL);
    size_t count = 32;
    int is_good = context && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer_ex(context, other, 0) == 1 &&
                  EVP_PKEY_derive(context, shared, &count) == 1 && count == 32;
    EVP_PKEY_CTX_free(context);
    return is_good;
}

/// AES-128-GCM of one piece, with its tag of 16 bytes behind it.
static inline int parley_aes128gcm_seal(const unsigned char *key, const unsigned char *nonce, const unsigned char *plain,
                                        int count, unsigned char *sealed) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int written = 0, rest = 0;
    int is_good = context && EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), NULL, key, nonce) == 1 &&
                  EVP_EncryptUpdate(context, sealed, &written, plain, count) == 1 &&
                  EVP_EncryptFinal_ex(context, sealed + written, &rest) == 1 &&
                  EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, sealed + count) == 1;
    EVP_CIPHER_CTX_free(context);
    return is_good;
}

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

static inline int parley_alpn_server(SSL *ssl, const unsigned char **out, unsigned char *out_length,
                                     const unsigned char *offered, unsigned int offered_length, void *unused) {
    static const unsigned char ours[] = "\x08http/1.1\x09stun.turn";
    (void)ssl, (void)unused;
    return SSL_select_next_proto((unsigned char **)out, out_length, ours, sizeof ours - 1, offered, offered_length) ==
                   OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_NOACK;
}

/// We speak HTTP/1.1, and TURN (RFC 7443). A client that lists only others gets no answer to its list, as RFC 7301 allows.
static inline void parley_ssl_ctx_select_protocols(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, parley_alpn_server, NULL);
}

/// Whether a client wants nothing but to see how we answer a challenge (RFC 8737 §3).
static inline int parley_is_challenge(SSL *ssl) {
    static const unsigned char wanted[] = "\x00\x0b\x0a" "acme-tls/1";
    const unsigned char *offered = NULL;
    size_t count = 0;
    return SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &offered, &count) == 1 &&
           count == sizeof wanted - 1 && memcmp(offered, wanted, count) == 0;
}

static inline int parley_client_hello(SSL *ssl, int *alert, void *challenge) {
    (void)alert;
    if (parley_is_challenge(ssl) && !SSL_set_SSL_CTX(ssl, (SSL_CTX *)challenge)) return SSL_CLIENT_HELLO_ERROR;
    return SSL_CLIENT_HELLO_SUCCESS;
}

/// Authorities that look for a challenge see the certificate of another context, which has to last as long as this one's sessions.
static inline void parley_ssl_ctx_answer_challenges(SSL_CTX *context, SSL_CTX *challenge) {
    SSL_CTX_set_client_hello_cb(context, parley_client_hello, challenge);
}

static inline int parley_alpn_challenge(SSL *ssl, const unsigned char **out, unsigned char *out_length,
                                        const unsigned char *offered, unsigned int offered_length, void *unused) {
    static const unsigned char only[] = "\x0a" "acme-tls/1";
    (void)ssl, (void)unused;
    return SSL_select_next_proto((unsigned char **)out, out_length, only, sizeof only - 1, offered, offered_length) ==
                   OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static inline void parley_ssl_ctx_select_challenge(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, parley_alpn_challenge, NULL);
}

/// Takes the key and the certificates of a PEM text, the server's own first; 0 when something is missing or broken.
static inline int parley_ssl_ctx_use_pem(SSL_CTX *context, const void *text, size_t count) {
    BIO *bio = BIO_new_mem_buf(text, (int)count);
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, (void *)"") : NULL;
    X509 *own = key ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL, *next = NULL;
    int is_good = own && SSL_CTX_use_certificate(context, own) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1;
    while (is_good && (next = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
        is_good = SSL_CTX_add1_chain_cert(context, next) == 1;
        X509_free(next);
    }
    // Where the text ends there is no next one; whatever else ended it is a fault.
    if (is_good) {
        is_good = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
        if (is_good) ERR_clear_error();
    }
    X509_free(own);
    EVP_PKEY_free(key);
    BIO_free(bio);
    return is_good;
}

static inline int parley_request_names(X509_REQ *request, const char *names) {
    STACK_OF(X509_EXTENSION) *extensions = sk_X509_EXTENSION_new_null();
    X509_EXTENSION *alternative = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
    int is_good = extensions && alternative && sk_X509_EXTENSION_push(extensions, alternative) > 0;
    if (!is_good) X509_EXTENSION_free(alternative);
    is_good = is_good && X509_REQ_add_extensions(request, extensions) == 1;
    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
    return is_good;
}

/// A request for a certificate (RFC 2986) for names such as `DNS:example.org,DNS:www.example.org`, as DER; how many bytes, or 0.
static inline int parley_certificate_request(EVP_PKEY *key, const char *names, unsigned char *der, int capacity) {
    X509_REQ *request = X509_REQ_new();
    int is_good = request && X509_REQ_set_version(request, 0) == 1 && X509_REQ_set_pubkey(request, key) == 1 &&
                  parley_request_names(request, names) && X509_REQ_sign(request, key, EVP_sha256()) > 0;
    int count = is_good ? i2d_X509_REQ(request, NULL) : 0;
    count = count > 0 && count <= capacity ? i2d_X509_REQ(request, &der) : 0;
    X509_REQ_free(request);
    return count;
}

/// Seconds since 1970, or -1 for what is no time.
static inline int64_t parley_seconds(const ASN1_TIME *time) {
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) == 1 ? (int64_t)timegm(&parts) : -1;
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

/// The certificate, its chain and its key of another context.
static inline int parley_ssl_ctx_use_certificate_of(SSL_CTX *context, SSL_CTX *other) {
    X509 *certificate = SSL_CTX_get0_certificate(other);
    EVP_PKEY *key = SSL_CTX_get0_privatekey(other);
    STACK_OF(X509) *chain = NULL;
    SSL_CTX_get0_chain_certs(other, &chain);
    if (!certificate || !key || SSL_CTX_use_certificate(context, certificate) != 1) return 0;
    return SSL_CTX_use_PrivateKey(context, key) == 1 && (!chain || SSL_CTX_set1_chain(context, chain) == 1);
}

/// 1 when the first datagram came with the right cookie, 0 when it did not, which may have been answered, -1 after an error.
static inline int parley_dtls_listen(SSL *ssl) {
    BIO_ADDR *nobody = BIO_ADDR_new();
    if (!nobody) return -1;
    int code = DTLSv1_listen(ssl, nobody);
    BIO_ADDR_free(nobody);
    return code;
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

static inline EVP_PKEY *parley_rsa_public_of(RSA *rsa) {
    EVP_PKEY *key = EVP_PKEY_new();
    if (key && EVP_PKEY_assign_RSA(key, rsa) == 1) return key;
    EVP_PKEY_free(key);
    RSA_free(rsa);
    return NULL;
}

/// The public half of a key pair of RSA, from its two big-endian numbers; NULL when that cannot be.
static inline EVP_PKEY *parley_rsa_public(const unsigned char *modulus, size_t modulus_count,
                                          const unsigned char *exponent, size_t exponent_count) {
    RSA *rsa = RSA_new();
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL), *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
    if (rsa && n && e && RSA_set0_key(rsa, n, e, NULL) == 1) return parley_rsa_public_of(rsa);
    BN_free(n);
    BN_free(e);
    RSA_free(rsa);
    return NULL;
}

/// The public half of a key pair of P-256, from its point; NULL for one that is not on the curve.
static inline EVP_PKEY *parley_p256_public(const unsigned char *point, size_t count) {
    EC_KEY *curve = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    EVP_PKEY *key = EVP_PKEY_new();
    if (curve && key && EC_KEY_oct2key(curve, point, count, NULL) == 1 && EVP_PKEY_assign_EC_KEY(key, curve) == 1)
        return key;
    EC_KEY_free(curve);
    EVP_PKEY_free(key);
    return NULL;
}

static inline int parley_is_p256(EVP_PKEY *key) {
    char name[32] = "";
    size_t count = 0;
    return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, name, sizeof name, &count) == 1 &&
           strcmp(name, SN_X9_62_prime256v1) == 0;
}

static inline int parley_is_rsa(EVP_PKEY *key) { return EVP_PKEY_is_a(key, "RSA"); }

/// The point of a key of P-256, uncompressed: 65 bytes.
static inline int parley_p256_point(EVP_PKEY *key, unsigned char *point) {
    unsigned char *encoded = NULL;
    size_t count = EVP_PKEY_get1_encoded_public_key(key, &encoded);
    if (count == 65) memcpy(point, encoded, 65);
    OPENSSL_free(encoded);
    return count == 65;
}

/// From the two numbers of 32 bytes (RFC 7518 §3.4) to what OpenSSL reads, in at most 72 bytes; how many, or 0.
static inline int parley_ecdsa_to_der(const unsigned char *raw, unsigned char *der) {
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(raw, 32, NULL), *s = BN_bin2bn(raw + 32, 32, NULL);
    int count = 0;
    if (signature && r && s && ECDSA_SIG_set0(signature, r, s) == 1) {
        count = i2d_ECDSA_SIG(signature, &der);
    } else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(signature);
    return count < 0 ? 0 : count;
}

static inline int parley_ecdsa_from_der(const unsigned char *der, size_t count, unsigned char *raw) {
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)count);
    int is_good = signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32) == 32 &&
                  BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32) == 32;
    ECDSA_SIG_free(signature);
    return is_good;
}

/// A key of a PEM text without a password; NULL for every other.
static inline EVP_PKEY *parley_private_key(const void *text, size_t count) {
    BIO *bio = BIO_new_mem_buf(text, (int)count);
    // Without a password given, OpenSSL would ask the terminal.
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, (void *)"") : NULL;
    BIO_free(bio);
    return key;
}
