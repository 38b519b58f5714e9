#include "libcurl.h"

#include <dlfcn.h>

/* curl/multi.h, struct CURLMsg. */
typedef struct message {
    int kind;
    cairn_curl_easy *easy;
    union {
        void *whatever;
        int code;
    } data;
} message;

enum { CURL_GLOBAL_ALL = 3, CURLMSG_DONE = 1, CURLPAUSE_CONT = 0 };

/* Name, result and parameters of each function. */
#define FUNCTIONS(F) \
    F(curl_global_init, int, (long)) \
    F(curl_easy_init, cairn_curl_easy *, (void)) \
    F(curl_easy_cleanup, void, (cairn_curl_easy *)) \
    F(curl_easy_setopt, int, (cairn_curl_easy *, int, ...)) \
    F(curl_easy_getinfo, int, (cairn_curl_easy *, int, ...)) \
    F(curl_easy_pause, int, (cairn_curl_easy *, int)) \
    F(curl_easy_strerror, const char *, (int)) \
    F(curl_slist_append, cairn_curl_list *, (cairn_curl_list *, const char *)) \
    F(curl_slist_free_all, void, (cairn_curl_list *)) \
    F(curl_multi_init, cairn_curl_multi *, (void)) \
    F(curl_multi_cleanup, int, (cairn_curl_multi *)) \
    F(curl_multi_add_handle, int, (cairn_curl_multi *, cairn_curl_easy *)) \
    F(curl_multi_remove_handle, int, (cairn_curl_multi *, cairn_curl_easy *)) \
    F(curl_multi_perform, int, (cairn_curl_multi *, int *)) \
    F(curl_multi_poll, int, (cairn_curl_multi *, void *, unsigned, int, int *)) \
    F(curl_multi_wakeup, int, (cairn_curl_multi *)) \
    F(curl_multi_info_read, message *, (cairn_curl_multi *, int *))

typedef struct functions {
#define MEMBER(name, result, parameters) result(*name) parameters;
    FUNCTIONS(MEMBER)
} functions;

static functions lib;

int cairn_curl_open(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 0;
    functions found;
#define FIND(name, result, parameters) if ((*(void **)&found.name = dlsym(library, #name)) == NULL) return 0;
    FUNCTIONS(FIND)
    if (found.curl_global_init(CURL_GLOBAL_ALL) != 0) return 0;
    lib = found;
    return 1;
}

cairn_curl_easy *cairn_curl_easy_init(void) { return lib.curl_easy_init(); }
void cairn_curl_easy_cleanup(cairn_curl_easy *easy) { lib.curl_easy_cleanup(easy); }
const char *cairn_curl_easy_strerror(cairn_curl_code code) { return lib.curl_easy_strerror((int)code); }
cairn_curl_list *cairn_curl_slist_append(cairn_curl_list *list, const char *text) { return lib.curl_slist_append(list, text); }
void cairn_curl_slist_free_all(cairn_curl_list *list) { lib.curl_slist_free_all(list); }

cairn_curl_code cairn_curl_set_number(cairn_curl_easy *easy, cairn_curl_option option, long number) {
    return (cairn_curl_code)lib.curl_easy_setopt(easy, (int)option, number);
}

cairn_curl_code cairn_curl_set_size(cairn_curl_easy *easy, cairn_curl_option option, int64_t size) {
    return (cairn_curl_code)lib.curl_easy_setopt(easy, (int)option, size);
}

cairn_curl_code cairn_curl_set_text(cairn_curl_easy *easy, cairn_curl_option option, const char *text) {
    return (cairn_curl_code)lib.curl_easy_setopt(easy, (int)option, text);
}

cairn_curl_code cairn_curl_set_list(cairn_curl_easy *easy, cairn_curl_option option, cairn_curl_list *list) {
    return (cairn_curl_code)lib.curl_easy_setopt(easy, (int)option, list);
}

cairn_curl_code cairn_curl_set_error_buffer(cairn_curl_easy *easy, char *buffer) {
    return (cairn_curl_code)lib.curl_easy_setopt(easy, CAIRN_CURLOPT_ERRORBUFFER, buffer);
}

void cairn_curl_set_receivers(cairn_curl_easy *easy, cairn_curl_data_function header, cairn_curl_data_function write, void *context) {
    lib.curl_easy_setopt(easy, CAIRN_CURLOPT_HEADERFUNCTION, header);
    lib.curl_easy_setopt(easy, CAIRN_CURLOPT_HEADERDATA, context);
    lib.curl_easy_setopt(easy, CAIRN_CURLOPT_WRITEFUNCTION, write);
    lib.curl_easy_setopt(easy, CAIRN_CURLOPT_WRITEDATA, context);
}

void cairn_curl_set_sender(cairn_curl_easy *easy, cairn_curl_data_function read, int (*seek)(void *, int64_t, int), void *context) {
    lib.curl_easy_setopt(easy, CAIRN_CURLOPT_READFUNCTION, read);
    lib.curl_easy_setopt(easy, CAIRN_CURLOPT_READDATA, context);
    lib.curl_easy_setopt(easy, CAIRN_CURLOPT_SEEKFUNCTION, seek);
    lib.curl_easy_setopt(easy, CAIRN_CURLOPT_SEEKDATA, context);
}

long cairn_curl_get_number(cairn_curl_easy *easy, cairn_curl_info info) {
    long number = 0;
    return lib.curl_easy_getinfo(easy, (int)info, &number) == 0 ? number : 0;
}

void cairn_curl_resume(cairn_curl_easy *easy) { lib.curl_easy_pause(easy, CURLPAUSE_CONT); }

cairn_curl_multi *cairn_curl_multi_init(void) { return lib.curl_multi_init(); }
void cairn_curl_multi_cleanup(cairn_curl_multi *multi) { lib.curl_multi_cleanup(multi); }
int cairn_curl_multi_add(cairn_curl_multi *multi, cairn_curl_easy *easy) { return lib.curl_multi_add_handle(multi, easy); }
void cairn_curl_multi_remove(cairn_curl_multi *multi, cairn_curl_easy *easy) { lib.curl_multi_remove_handle(multi, easy); }

int cairn_curl_multi_perform(cairn_curl_multi *multi) {
    int running;
    return lib.curl_multi_perform(multi, &running);
}

int cairn_curl_multi_poll(cairn_curl_multi *multi, int milliseconds) { return lib.curl_multi_poll(multi, NULL, 0, milliseconds, NULL); }
void cairn_curl_multi_wakeup(cairn_curl_multi *multi) { lib.curl_multi_wakeup(multi); }

cairn_curl_easy *cairn_curl_multi_next_ended(cairn_curl_multi *multi, cairn_curl_code *code) {
    int left;
    for (message *next; (next = lib.curl_multi_info_read(multi, &left)) != NULL;) {
        if (next->kind != CURLMSG_DONE) continue;
        *code = (cairn_curl_code)next->data.code;
        return next->easy;
    }
    return NULL;
}
