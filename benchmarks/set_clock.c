/* Preloaded: adds the seconds that a file says to the wall clock, and a second number to the time since boot; and has the
   system vouch for no time.
   cc -O2 -shared -fPIC -o set_clock.so set_clock.c -ldl; SET_CLOCK_BY=FILE LD_PRELOAD=... */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timex.h>
#include <time.h>

static long offset(int boot) {
    const char *name = getenv("SET_CLOCK_BY");
    FILE *file = name ? fopen(name, "r") : NULL;
    long seconds = 0, since_boot = 0;
    if (file) {
        if (fscanf(file, "%ld %ld", &seconds, &since_boot) < 1)
            seconds = 0;
        fclose(file);
    }
    return boot ? since_boot : seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME)
        now->tv_sec += offset(clock == CLOCK_BOOTTIME);
    return result;
}

int adjtimex(struct timex *state) {
    (void)state;
    return TIME_ERROR;
}
