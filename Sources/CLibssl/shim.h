#ifndef CAIRN_CLIBSSL_SHIM_H
#define CAIRN_CLIBSSL_SHIM_H

/*
 * The functions of OpenSSL 3 that a server's side of TLS needs, opened at run time. Types, functions and numbers are declared as in its headers (ssl.h, bio.h, err.h,
 * tls1.h), which are the same in all versions 3.x: https://docs.openssl.org/3.0/man3/
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;
typedef struct ssl_method_st SSL_METHOD;
typedef struct bio_st BIO;
typedef struct bio_method_st BIO_METHOD;

enum {
    SSL_FILETYPE_PEM = 1,
    SSL_ERROR_WANT_READ = 2,
    SSL_ERROR_ZERO_RETURN = 6,
    SSL_CTRL_MODE = 33,
    SSL_CTRL_SET_SESS_CACHE_MODE = 44,
    SSL_CTRL_SET_MIN_PROTO_VERSION = 123,
    SSL_MODE_RELEASE_BUFFERS = 0x10,
    SSL_SESS_CACHE_OFF = 0,
    SSL_OP_NO_COMPRESSION = 1 << 17,
    SSL_OP_NO_RENEGOTIATION = 1 << 30,
    SSL_TLSEXT_ERR_OK = 0,
    SSL_TLSEXT_ERR_ALERT_FATAL = 2,
    OPENSSL_NPN_NEGOTIATED = 1,
    OPENSSL_INIT_NO_ATEXIT = 0x00080000,
    TLS1_2_VERSION = 0x0303,
};

#define CAIRN_LIBSSL_FUNCTIONS(F) \
    F(int, OPENSSL_init_crypto, (uint64_t, const void *)) \
    F(unsigned long, ERR_get_error, (void)) \
    F(void, ERR_clear_error, (void)) \
    F(const char *, ERR_reason_error_string, (unsigned long)) \
    F(const SSL_METHOD *, TLS_server_method, (void)) \
    F(SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *)) \
    F(void, SSL_CTX_free, (SSL_CTX *)) \
    F(long, SSL_CTX_ctrl, (SSL_CTX *, int, long, void *)) \
    F(uint64_t, SSL_CTX_set_options, (SSL_CTX *, uint64_t)) \
    F(void, SSL_CTX_set_default_passwd_cb, (SSL_CTX *, int (*)(char *, int, int, void *))) \
    F(void, SSL_CTX_set_alpn_select_cb, (SSL_CTX *, int (*)(SSL *, const unsigned char **, unsigned char *, const unsigned char *, unsigned int, void *), void *)) \
    F(int, SSL_CTX_use_certificate_chain_file, (SSL_CTX *, const char *)) \
    F(int, SSL_CTX_use_PrivateKey_file, (SSL_CTX *, const char *, int)) \
    F(int, SSL_CTX_check_private_key, (const SSL_CTX *)) \
    F(int, SSL_select_next_proto, (unsigned char **, unsigned char *, const unsigned char *, unsigned int, const unsigned char *, unsigned int)) \
    F(SSL *, SSL_new, (SSL_CTX *)) \
    F(void, SSL_free, (SSL *)) \
    F(void, SSL_set_bio, (SSL *, BIO *, BIO *)) \
    F(void, SSL_set_accept_state, (SSL *)) \
    F(int, SSL_do_handshake, (SSL *)) \
    F(int, SSL_read, (SSL *, void *, int)) \
    F(int, SSL_write, (SSL *, const void *, int)) \
    F(int, SSL_shutdown, (SSL *)) \
    F(int, SSL_get_error, (const SSL *, int)) \
    F(BIO *, BIO_new, (const BIO_METHOD *)) \
    F(int, BIO_free, (BIO *)) \
    F(const BIO_METHOD *, BIO_s_mem, (void)) \
    F(size_t, BIO_ctrl_pending, (BIO *)) \
    F(int, BIO_read, (BIO *, void *, int)) \
    F(int, BIO_write, (BIO *, const void *, int))

#define CAIRN_LIBSSL_MEMBER(result, name, parameters) result (*name) parameters;
struct cairn_libssl { CAIRN_LIBSSL_FUNCTIONS(CAIRN_LIBSSL_MEMBER) };

/* Returns 0, and leaves nothing to be called, unless the library and all of these functions are there. Those of libcrypto are found through libssl, which depends on it (dlsym(3)). */
static inline int cairn_libssl_open(const char *path, struct cairn_libssl *functions) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) { return 0; }
#define CAIRN_LIBSSL_FIND(result, name, parameters) if ((*(void **)&functions->name = dlsym(library, #name)) == NULL) { return 0; }
    CAIRN_LIBSSL_FUNCTIONS(CAIRN_LIBSSL_FIND)
    return 1;
}

/* Has no password: the library's own function asks for one at the terminal. */
static inline int cairn_libssl_no_password(char *buffer, int size, int writing, void *argument) {
    (void)buffer, (void)size, (void)writing, (void)argument;
    return -1;
}

/* Selects the protocol with ALPN (RFC 7301). A client that offers none of the server's gets the alert no_application_protocol (section 3.2). */
static inline int cairn_libssl_select_protocol(
    SSL *session, const unsigned char **selected, unsigned char *length, const unsigned char *offered, unsigned int size, void *select_next) {
    static const unsigned char own[] = "\x08http/1.1\x08http/1.0";
    (void)session;
    int (*select)(unsigned char **, unsigned char *, const unsigned char *, unsigned int, const unsigned char *, unsigned int);
    *(void **)&select = select_next;
    int result = select((unsigned char **)selected, length, own, sizeof own - 1, offered, size);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* Sets what of a new context needs pointers to functions. */
static inline void cairn_libssl_set_callbacks(struct cairn_libssl functions, SSL_CTX *context) {
    functions.SSL_CTX_set_default_passwd_cb(context, cairn_libssl_no_password);
    functions.SSL_CTX_set_alpn_select_cb(context, cairn_libssl_select_protocol, *(void **)&functions.SSL_select_next_proto);
}
#endif
