/* confine - drop the privileges a program does not need */
#define _GNU_SOURCE		/* syscall, O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"

#if defined __linux__ && defined __has_include
#if __has_include(<linux/audit.h>) && __has_include(<linux/filter.h>) && \
    __has_include(<linux/seccomp.h>)
#define ON_LINUX
#endif
#endif

#ifdef ON_LINUX
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Landlock constants: older headers lack some or all of them. */
enum {
	CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446,
	ASK_VERSION = 1, BENEATH = 1,
};
enum {
	FS_EXECUTE = 1, FS_WRITE = 1 << 1, FS_READ = 1 << 2, FS_LIST = 1 << 3,
	FS_REMOVE_DIR = 1 << 4, FS_REMOVE = 1 << 5, FS_MAKE_DIR = 1 << 7,
	FS_MAKE = 1 << 8, FS_MAKE_LINK = 1 << 12, FS_TRUNCATE = 1 << 14,
	FS_OF_FILES = FS_EXECUTE | FS_WRITE | FS_READ | FS_TRUNCATE,
};

/*
 * What Landlock ABI version N (from 1) can deny: file operations, then TCP,
 * then signals and abstract sockets.
 */
static const uint64_t files_of[] = { 0, 0x1fff, 0x3fff, 0x7fff, 0x7fff,
    0xffff };
enum { VERSION_TCP = 4, VERSION_SCOPE = 6 };

struct ruleset {
	uint64_t files, tcp, scopes;
};

struct __attribute__((packed)) beneath {
	uint64_t may;
	int32_t fd;
};

void
tp_confine_init(struct tp_confine *c, int files)
{
	size_t last = sizeof files_of / sizeof *files_of - 1;
	struct ruleset all = { 0 };
	long version = !files ? 0 : syscall(CREATE_RULESET, NULL, 0,
	    ASK_VERSION);

	memset(c, 0, sizeof *c);
	c->rules = -1;
	c->may = files ? 0 : TP_MAY_READ | TP_MAY_WRITE;
	if (version < 1)
		return;
	all.files = files_of[(size_t)version < last ? (size_t)version : last];
	all.tcp = version >= VERSION_TCP ? 3 : 0;
	all.scopes = version >= VERSION_SCOPE ? 3 : 0;
	c->can = all.files;
	c->rules = (int)syscall(CREATE_RULESET, &all, sizeof all, 0);
}

void
tp_confine_allow(struct tp_confine *c, const char *path, unsigned may)
{
	struct beneath rule = { 0, -1 };

	c->may |= may;
	if (may & TP_MAY_READ)
		rule.may |= FS_READ | FS_LIST;
	if (may & TP_MAY_REPLACE)
		rule.may |= FS_MAKE | FS_REMOVE;
	if (may & TP_MAY_WRITE)
		rule.may |= FS_WRITE | FS_TRUNCATE;
	if (may & TP_MAY_BUILD)
		rule.may |= FS_MAKE_DIR | FS_REMOVE_DIR | FS_MAKE_LINK;
	rule.may &= c->can;
	if (c->rules < 0 || !rule.may ||
	    (rule.fd = open(path, O_PATH | O_CLOEXEC)) < 0)
		return;
	/* these operations exist only for folders */
	if (syscall(ADD_RULE, c->rules, BENEATH, &rule, 0) < 0 &&
	    errno == EINVAL && (rule.may &= FS_OF_FILES))
		syscall(ADD_RULE, c->rules, BENEATH, &rule, 0);
	close(rule.fd);
}

#if defined __x86_64__ && !defined __ILP32__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __AARCH64EL__ && !defined __ILP32__
#define ARCH AUDIT_ARCH_AARCH64
#elif defined __riscv && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef ARCH
/* Reading, open descriptors, memory, time, threads, exit. */
static const short calls[] = {
	SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64,
	SYS_preadv, SYS_pwritev, SYS_lseek, SYS_close, SYS_fstat,
	SYS_newfstatat, SYS_readlinkat, SYS_faccessat, SYS_getdents64,
	SYS_openat, SYS_statfs, SYS_fstatfs, SYS_getcwd, SYS_fadvise64,
	SYS_fcntl, SYS_flock, SYS_fsync, SYS_fdatasync, SYS_ftruncate,
	SYS_dup, SYS_dup3, SYS_pipe2, SYS_ppoll, SYS_pselect6, SYS_umask,
	SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk,
	SYS_msync, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep,
	SYS_nanosleep, SYS_gettimeofday, SYS_times, SYS_getrusage,
	SYS_prlimit64, SYS_sysinfo, SYS_uname, SYS_getpid, SYS_gettid,
	SYS_getppid, SYS_getpgid, SYS_getuid, SYS_geteuid, SYS_getgid,
	SYS_getegid, SYS_getrandom, SYS_clone, SYS_futex, SYS_sched_yield,
	SYS_sched_getaffinity, SYS_set_robust_list, SYS_get_robust_list,
	SYS_set_tid_address, SYS_rt_sigaction, SYS_rt_sigprocmask,
	SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_tgkill,
	SYS_wait4, SYS_exit, SYS_exit_group, SYS_membarrier, SYS_ioctl,
#ifdef SYS_statx
	SYS_statx,
#endif
#ifdef SYS_rseq
	SYS_rseq,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
#ifdef SYS_open			/* predecessors of the "at" calls */
	SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents,
	SYS_poll, SYS_select, SYS_pipe, SYS_dup2, SYS_getpgrp, SYS_time,
	SYS_arch_prctl,
#endif
#ifndef __GLIBC__		/* used by musl to raise a signal */
	SYS_tkill,
#endif
};

/* Needed only to write files. */
static const short writing_calls[] = {
	SYS_unlinkat, SYS_mkdirat, SYS_symlinkat, SYS_renameat2,
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_open
	SYS_rename, SYS_unlink, SYS_mkdir, SYS_rmdir, SYS_symlink,
#endif
};

/*
 * Calls newer than this table fail with ENOSYS, so that a C library falls
 * back to older ones.
 */
enum {
	CALLS_END = 480,
	INSNS_MAX = 256,
	CLONE3 = 435,
	ASK_TERMIOS2 = (int)0x802c542a,	/* TCGETS2 */
};
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

struct program {
	struct sock_filter insns[INSNS_MAX];
	unsigned short len;
};

static void
add_instruction(struct program *p, unsigned code, unsigned k, unsigned yes,
    unsigned no)
{
	if (p->len < INSNS_MAX)
		p->insns[p->len++] = (struct sock_filter){
		    (unsigned short)code, (unsigned char)yes,
		    (unsigned char)no, k };
}

static void
load(struct program *p, size_t offset)
{
	add_instruction(p, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void
load_argument(struct program *p, int i)
{
	load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)i);
}

static void
answer(struct program *p, unsigned what)
{
	add_instruction(p, BPF_RET | BPF_K, what, 0, 0);
}

/*
 * Refuse CALL unless its argument ARG, without the bits of MASK, is one of
 * VALUES; with REFUSED, refuse it when it is.
 */
static void
check(struct program *p, int call, int arg, unsigned mask, int refused,
    const unsigned *values, unsigned count)
{
	add_instruction(p, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0,
	    count + 4);
	load_argument(p, arg);
	add_instruction(p, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
	for (unsigned i = 0; i < count; i++)
		add_instruction(p, BPF_JMP | BPF_JEQ | BPF_K, values[i], count -
		    i, 0);
	answer(p, refused ? SECCOMP_RET_ALLOW : REFUSE);
	answer(p, refused ? REFUSE : SECCOMP_RET_ALLOW);
}

/* Without WRITES, no file may be opened for writing. */
static void
check_calls(struct program *p, int writes)
{
	const unsigned executable = PROT_EXEC, thread = CLONE_THREAD,
	    none = 0, self = (unsigned)getpid(), owners[] = { F_SETOWN,
	    F_SETSIG, F_SETOWN_EX }, terminal[] = { TCGETS, TIOCGWINSZ,
	    TIOCGPGRP, (unsigned)ASK_TERMIOS2 };
	const unsigned change = O_ACCMODE | O_CREAT | O_TRUNC, all = ~0u;

	check(p, SYS_mmap, 2, PROT_EXEC, 1, &executable, 1);
	check(p, SYS_mprotect, 2, PROT_EXEC, 1, &executable, 1);
	check(p, SYS_clone, 0, CLONE_THREAD, 0, &thread, 1);
	check(p, SYS_tgkill, 0, all, 0, &self, 1);
	check(p, SYS_prlimit64, 0, all, 0, &none, 1);
	check(p, SYS_fcntl, 1, all, 1, owners, 3);
	check(p, SYS_ioctl, 1, all, 0, terminal, 4);
	if (writes)
		return;
	check(p, SYS_openat, 2, change, 0, &none, 1);
#ifdef SYS_open
	check(p, SYS_open, 1, change, 0, &none, 1);
#endif
}

static void
allow_calls(uint32_t *may, const short *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		may[list[i] / 32] |= (uint32_t)1 << list[i] % 32;
}

/*
 * The answer for each call is a bit in a word of MAY.  The kernel tries to
 * precompute the answers of a filter per call, which would take longer than
 * all calls of most programs; it gives up at a shift, so the filter starts
 * with one.
 */
static int
refuse_calls(int writes)
{
	uint32_t may[CALLS_END / 32] = { 0 };
	struct program p = { .len = 0 };
	struct sock_fprog whole = { .filter = p.insns };

	allow_calls(may, calls, sizeof calls / sizeof *calls);
	if (writes)
		allow_calls(may, writing_calls, sizeof writing_calls /
		    sizeof *writing_calls);
	load(&p, offsetof(struct seccomp_data, nr));
	add_instruction(&p, BPF_ALU | BPF_AND | BPF_K, 31, 0, 0);
	add_instruction(&p, BPF_MISC | BPF_TAX, 0, 0, 0);
	load(&p, offsetof(struct seccomp_data, arch));
	add_instruction(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	answer(&p, REFUSE);
	load(&p, offsetof(struct seccomp_data, nr));
	add_instruction(&p, BPF_JMP | BPF_JGE | BPF_K, CALLS_END, 1, 0);
	add_instruction(&p, BPF_JMP | BPF_JEQ | BPF_K, CLONE3, 0, 1);
	answer(&p, SECCOMP_RET_ERRNO | ENOSYS);
	check_calls(&p, writes);
	add_instruction(&p, BPF_ALU | BPF_RSH | BPF_K, 5, 0, 0);
	/* load each word in three steps; the last jumps past all others */
	for (unsigned i = 0, left = CALLS_END / 32; left--; i++) {
		add_instruction(&p, BPF_JMP | BPF_JEQ | BPF_K, i, 0, 2);
		add_instruction(&p, BPF_LD | BPF_IMM, may[i], 0, 0);
		add_instruction(&p, BPF_JMP | BPF_JA, 3 * left, 0, 0);
	}
	add_instruction(&p, BPF_ALU | BPF_RSH | BPF_X, 0, 0, 0);
	add_instruction(&p, BPF_JMP | BPF_JSET | BPF_K, 1, 0, 1);
	answer(&p, SECCOMP_RET_ALLOW);
	answer(&p, REFUSE);
	whole.len = p.len;
	/*
	 * SECCOMP_FILTER_FLAG_SPEC_ALLOW: no speculation mitigations, which
	 * would slow the process down
	 */
	return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1 << 2, &whole) ||
	    !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole);
}
#else
static void
refuse_calls(int writes)
{
	(void)writes;
}
#endif

int
tp_confine_apply(struct tp_confine *c)
{
	int done = 0;

	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		if (c->rules >= 0 && !syscall(RESTRICT_SELF, c->rules, 0))
			done |= TP_CONFINED_FILES;
		refuse_calls(c->may & ~(unsigned)TP_MAY_READ);
	}
	if (c->rules >= 0)
		close(c->rules);
	return done;
}

#else

#ifdef __APPLE__
#include <sandbox.h>
#endif

void
tp_confine_init(struct tp_confine *c, int files)
{
	(void)files;
	memset(c, 0, sizeof *c);
	c->rules = -1;
}

void
tp_confine_allow(struct tp_confine *c, const char *path, unsigned may)
{
	(void)path;
	c->may |= may;
}

int
tp_confine_apply(struct tp_confine *c)
{
	(void)c;
#ifdef __APPLE__
	/* deprecated, but there is no replacement outside app bundles */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
	static const char profile[] = "(version 1)(allow default)"
	    "(deny process-exec*)(deny process-fork)(deny network*)";
	char *why = NULL;

	if (!sandbox_init(profile, 0, &why))
		return TP_CONFINED_CALLS;
	sandbox_free_error(why);
#pragma clang diagnostic pop
#endif
	return 0;
}

#endif
