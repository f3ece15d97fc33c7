#pragma once

#include <dlfcn.h>
#include <stddef.h>

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// libpq depends on twenty other libraries, so it is loaded (`dlopen`) only when a PostgreSQL is wanted. On macOS it is linked, because
// it is installed where only pkg-config finds it. Types come from its own header.

#define PARLEY_LIBPQ_FUNCTIONS(each) \
    each(backendPID) each(clear) each(cmdStatus) each(cmdTuples) each(connectPoll) each(connectStartParams) \
    each(consumeInput) each(enterPipelineMode) each(errorMessage) each(exitPipelineMode) each(finish) each(flush) \
    each(freemem) each(getResult) each(getisnull) each(getlength) each(getvalue) each(isBusy) each(libVersion) \
    each(nfields) each(notifies) each(ntuples) each(pipelineSync) each(resultErrorField) each(resultStatus) \
    each(sendPrepare) each(sendQuery) each(sendQueryPrepared) each(serverVersion) each(setErrorVerbosity) \
    each(setNoticeReceiver) each(setnonblocking) each(socket) each(sslInUse) each(sslStruct) each(status) \
    each(transactionStatus)

struct parley_libpq {
#define PARLEY_LIBPQ_FIELD(name) __typeof__(PQ##name) *name;
    PARLEY_LIBPQ_FUNCTIONS(PARLEY_LIBPQ_FIELD)
#undef PARLEY_LIBPQ_FIELD
};

/// 0 when the library or one of its functions is not found. It is never unloaded.
static inline int parley_libpq_open(struct parley_libpq *libpq) {
#ifdef __APPLE__
    void *library = dlopen(NULL, RTLD_NOW);
#else
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
#endif
    if (!library) return 0;
#define PARLEY_LIBPQ_FIND(name) \
    if (!(libpq->name = (__typeof__(PQ##name) *)dlsym(library, "PQ" #name))) return 0;
    PARLEY_LIBPQ_FUNCTIONS(PARLEY_LIBPQ_FIND)
#undef PARLEY_LIBPQ_FIND
    return 1;
}
