#ifndef CAIRN_LIBCURL_H
#define CAIRN_LIBCURL_H

#include <stddef.h>
#include <stdint.h>

/* The functions of libcurl, opened at run time. C, because those that set options and read results have variable arguments, which Swift cannot call.
   Constants are those of curl/curl.h and curl/multi.h under their names, with CAIRN_ before them. Their numbers never change (https://curl.se/libcurl/abi.html), so that the
   header is not needed to build. */

typedef struct cairn_curl_easy cairn_curl_easy;
typedef struct cairn_curl_multi cairn_curl_multi;
typedef struct cairn_curl_list cairn_curl_list;

typedef enum cairn_curl_option {
    CAIRN_CURLOPT_UPLOAD = 46,
    CAIRN_CURLOPT_NETRC = 51,
    CAIRN_CURLOPT_FOLLOWLOCATION = 52,
    CAIRN_CURLOPT_MAXREDIRS = 68,
    CAIRN_CURLOPT_HTTP_VERSION = 84,
    CAIRN_CURLOPT_NOSIGNAL = 99,
    CAIRN_CURLOPT_CONNECTTIMEOUT_MS = 156,
    CAIRN_CURLOPT_PROTOCOLS = 181,
    CAIRN_CURLOPT_REDIR_PROTOCOLS = 182,
    CAIRN_CURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
    CAIRN_CURLOPT_QUICK_EXIT = 322,
    CAIRN_CURLOPT_WRITEDATA = 10001,
    CAIRN_CURLOPT_URL = 10002,
    CAIRN_CURLOPT_PROXY = 10004,
    CAIRN_CURLOPT_READDATA = 10009,
    CAIRN_CURLOPT_ERRORBUFFER = 10010,
    CAIRN_CURLOPT_USERAGENT = 10018,
    CAIRN_CURLOPT_HTTPHEADER = 10023,
    CAIRN_CURLOPT_HEADERDATA = 10029,
    CAIRN_CURLOPT_CAINFO = 10065,
    CAIRN_CURLOPT_CAPATH = 10097,
    CAIRN_CURLOPT_ACCEPT_ENCODING = 10102,
    CAIRN_CURLOPT_SEEKDATA = 10168,
    CAIRN_CURLOPT_USERNAME = 10173,
    CAIRN_CURLOPT_PASSWORD = 10174,
    CAIRN_CURLOPT_NOPROXY = 10177,
    CAIRN_CURLOPT_CONNECT_TO = 10243,
    CAIRN_CURLOPT_AWS_SIGV4 = 10305,
    CAIRN_CURLOPT_WRITEFUNCTION = 20011,
    CAIRN_CURLOPT_READFUNCTION = 20012,
    CAIRN_CURLOPT_HEADERFUNCTION = 20079,
    CAIRN_CURLOPT_SEEKFUNCTION = 20167,
    CAIRN_CURLOPT_INFILESIZE_LARGE = 30115,
} cairn_curl_option;

typedef enum cairn_curl_info {
    CAIRN_CURLINFO_HTTP_CONNECTCODE = 0x200016,
    CAIRN_CURLINFO_OS_ERRNO = 0x200019,
} cairn_curl_info;

typedef enum cairn_curl_code {
    CAIRN_CURLE_OK = 0,
    CAIRN_CURLE_UNSUPPORTED_PROTOCOL = 1,
    CAIRN_CURLE_URL_MALFORMAT = 3,
    CAIRN_CURLE_COULDNT_RESOLVE_PROXY = 5,
    CAIRN_CURLE_COULDNT_RESOLVE_HOST = 6,
    CAIRN_CURLE_COULDNT_CONNECT = 7,
    CAIRN_CURLE_WEIRD_SERVER_REPLY = 8,
    CAIRN_CURLE_PARTIAL_FILE = 18,
    CAIRN_CURLE_OPERATION_TIMEDOUT = 28,
    CAIRN_CURLE_SSL_CONNECT_ERROR = 35,
    CAIRN_CURLE_ABORTED_BY_CALLBACK = 42,
    CAIRN_CURLE_TOO_MANY_REDIRECTS = 47,
    CAIRN_CURLE_GOT_NOTHING = 52,
    CAIRN_CURLE_SEND_ERROR = 55,
    CAIRN_CURLE_RECV_ERROR = 56,
    CAIRN_CURLE_SSL_CIPHER = 59,
    CAIRN_CURLE_PEER_FAILED_VERIFICATION = 60,
    CAIRN_CURLE_BAD_CONTENT_ENCODING = 61,
    CAIRN_CURLE_SSL_CACERT_BADFILE = 77,
} cairn_curl_code;

enum {
    CAIRN_CURLPROTO_HTTP = 1,
    CAIRN_CURLPROTO_HTTPS = 2,
    CAIRN_CURL_HTTP_VERSION_1_1 = 2,
    CAIRN_CURL_NETRC_OPTIONAL = 1,
    CAIRN_CURL_ERROR_SIZE = 256,
    /* Results of callbacks. */
    CAIRN_CURL_WRITEFUNC_PAUSE = 0x10000001,
    CAIRN_CURL_READFUNC_ABORT = 0x10000000,
    CAIRN_CURL_SEEKFUNC_OK = 0,
    CAIRN_CURL_SEEKFUNC_FAIL = 1,
};

/* Opens the library and initializes it. Returns 0 where it is not there, or where it is older than 7.68 and lacks a function. Nothing else here may be called before. */
int cairn_curl_open(const char *path);

/* As the functions of those names. */
cairn_curl_easy *cairn_curl_easy_init(void);
void cairn_curl_easy_cleanup(cairn_curl_easy *easy);
const char *cairn_curl_easy_strerror(cairn_curl_code code);
/* The list with the text appended; NULL where there is no memory, and the list is as it was. */
cairn_curl_list *cairn_curl_slist_append(cairn_curl_list *list, const char *text);
void cairn_curl_slist_free_all(cairn_curl_list *list);

/* curl_easy_setopt. Texts are copied; lists and error buffers are not. */
cairn_curl_code cairn_curl_set_number(cairn_curl_easy *easy, cairn_curl_option option, long number);
cairn_curl_code cairn_curl_set_size(cairn_curl_easy *easy, cairn_curl_option option, int64_t size);
cairn_curl_code cairn_curl_set_text(cairn_curl_easy *easy, cairn_curl_option option, const char *text);
cairn_curl_code cairn_curl_set_list(cairn_curl_easy *easy, cairn_curl_option option, cairn_curl_list *list);
cairn_curl_code cairn_curl_set_error_buffer(cairn_curl_easy *easy, char *buffer);

typedef size_t (*cairn_curl_data_function)(char *bytes, size_t size, size_t count, void *context);
/* The functions that get the lines of a head and the bytes of a body. */
void cairn_curl_set_receivers(cairn_curl_easy *easy, cairn_curl_data_function header, cairn_curl_data_function write, void *context);
/* The functions that give the bytes of a request's body, and go back in it. */
void cairn_curl_set_sender(cairn_curl_easy *easy, cairn_curl_data_function read, int (*seek)(void *context, int64_t offset, int origin), void *context);

/* curl_easy_getinfo of a number; 0 where it is not known. */
long cairn_curl_get_number(cairn_curl_easy *easy, cairn_curl_info info);
/* curl_easy_pause: continues a transfer whose body was paused. */
void cairn_curl_resume(cairn_curl_easy *easy);

cairn_curl_multi *cairn_curl_multi_init(void);
void cairn_curl_multi_cleanup(cairn_curl_multi *multi);
/* 0 where it succeeded, as for those below. */
int cairn_curl_multi_add(cairn_curl_multi *multi, cairn_curl_easy *easy);
void cairn_curl_multi_remove(cairn_curl_multi *multi, cairn_curl_easy *easy);
int cairn_curl_multi_perform(cairn_curl_multi *multi);
int cairn_curl_multi_poll(cairn_curl_multi *multi, int milliseconds);
void cairn_curl_multi_wakeup(cairn_curl_multi *multi);
/* The next transfer that has ended (curl_multi_info_read), and how; NULL for none. */
cairn_curl_easy *cairn_curl_multi_next_ended(cairn_curl_multi *multi, cairn_curl_code *code);

#endif
