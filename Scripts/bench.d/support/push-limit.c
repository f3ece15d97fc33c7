// The limit of a push: the operations of OpenSSL that RFC 8291 and RFC 8292 ask for, and nothing around them. Prints
// microseconds of CPU for each.
#include "common.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <time.h>

enum { COUNT = 5000, POINT = 65, MESSAGE = 300 };

static uint8_t device[POINT], secret[16], message[MESSAGE + 1], sealed[POINT + 21 + MESSAGE + 17];

static double cpu(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static size_t point_of(EVP_PKEY *key, uint8_t *point) {
    unsigned char *encoded = NULL;
    size_t count = EVP_PKEY_get1_encoded_public_key(key, &encoded);
    memcpy(point, encoded, POINT);
    OPENSSL_free(encoded);
    return count;
}

static EVP_PKEY *public_key(const uint8_t *point) {
    EC_KEY *curve = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    EVP_PKEY *key = EVP_PKEY_new();
    if (!EC_KEY_oct2key(curve, point, POINT, NULL) || !EVP_PKEY_assign_EC_KEY(key, curve)) die("EC_KEY_oct2key");
    return key;
}

static void derive(const uint8_t *material, const uint8_t *salt, const void *info, size_t length, uint8_t *out) {
    uint8_t key[32], text[256];
    unsigned size = sizeof key;
    HMAC(EVP_sha256(), salt, 16, material, 32, key, &size);
    memcpy(text, info, length);
    text[length] = 1;
    HMAC(EVP_sha256(), key, 32, text, length + 1, out, &size);
}

static void encrypt(void) {
    uint8_t shared[32], material[32], key[32], nonce[32], salt[16], info[14 + 2 * POINT] = "WebPush: info";
    size_t count = sizeof shared;
    int written, rest;
    EVP_PKEY *own = EVP_EC_gen("P-256"), *other = public_key(device);
    EVP_PKEY_CTX *agreement = EVP_PKEY_CTX_new(own, NULL);
    if (EVP_PKEY_derive_init(agreement) != 1 || EVP_PKEY_derive_set_peer_ex(agreement, other, 0) != 1 ||
        EVP_PKEY_derive(agreement, shared, &count) != 1 || RAND_bytes(salt, sizeof salt) != 1)
        die("ECDH");
    memcpy(info + 14, device, POINT);
    point_of(own, info + 14 + POINT);
    derive(shared, secret, info, sizeof info, material);
    derive(material, salt, "Content-Encoding: aes128gcm", 28, key);
    derive(material, salt, "Content-Encoding: nonce", 24, nonce);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    if (EVP_EncryptInit_ex(cipher, EVP_aes_128_gcm(), NULL, key, nonce) != 1 ||
        EVP_EncryptUpdate(cipher, sealed, &written, message, sizeof message) != 1 ||
        EVP_EncryptFinal_ex(cipher, sealed + written, &rest) != 1 ||
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, 16, sealed + written) != 1)
        die("AES-GCM");
    EVP_CIPHER_CTX_free(cipher);
    EVP_PKEY_CTX_free(agreement);
    EVP_PKEY_free(own);
    EVP_PKEY_free(other);
}

static void sign(EVP_PKEY *key) {
    uint8_t signature[80];
    size_t size = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) != 1 ||
        EVP_DigestSign(context, signature, &size, message, 180) != 1)
        die("ECDSA");
    EVP_MD_CTX_free(context);
}

int main(void) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    point_of(key, device);
    for (int i = 0; i < 200; i++) encrypt(), sign(key);
    double start = cpu();
    for (int i = 0; i < COUNT; i++) encrypt();
    double middle = cpu();
    for (int i = 0; i < COUNT; i++) sign(key);
    printf("{\"encrypt\": %f, \"sign\": %f}\n", (middle - start) / COUNT, (cpu() - middle) / COUNT);
}
