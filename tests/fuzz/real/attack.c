/*
 * attack - feed mutants of real captures to every program that reads them
 *
 * attack BUILD OUT SECONDS SEED COUNT < captures
 *
 * Standard input names a capture a line: a file, or a folder with the inputs
 * of a golden case, whose command is in the folder of the same name below
 * BUILD/want.  Mutant N, from SEED on, is decided by N and the list.  Each
 * goes to programs of BUILD; a finding is
 *
 * - a report of a sanitizer, a signal, a status above 5
 * - status 3, 4 or 5 without a line on standard error
 * - more CPU time or memory than any small capture needs
 * - a record that its schema refuses, or text that is not UTF-8
 * - other output when the same is read in blocks of another size, with the
 *   parsers of libraries, or by two threads
 *
 * It is kept in OUT/found-N-PROGRAM, with the command that shows it again.
 * The last lines are a table; the status is 1 when there was a finding.
 */
#define _DEFAULT_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mutant.h"
#include "splitmix.h"

#define CPU_SECONDS 20		/* of one program, with sanitizers */
#define RESIDENT_MB 1000
#define MAX_SEED 8000000	/* bytes of a capture that is read at all */
#define MOST 250000		/* bytes of which the rest is left out */
#define WORDS 64

/*
 * What runs of a mutant of one of FORMS, letters of form_letters, one time in
 * ODDS.  Of its words "@" is the mutant, "=" the capture as it was, "+" the
 * files beside it, "$section", "$picture" and "$kind" any such; ">x" is where
 * its output goes.  CHECK: 's' for records, 'u' for text, ' ' for bytes, 'w'
 * for records that are the same when the mutant is read in another way.
 */
static const struct step {
	const char *forms;
	int odds;
	char check;
	const char *words;
} steps[] = {
	{ "*", 3, 'w', "tp-look @" },
	{ "*", 6, 's', "tp-look --sha256 ." },
	{ "*", 4, 'u', "tp-rows --sniff @" },
	{ "epdxc", 8, 's', "tp-rows -n5 -acorrelation -wname~*e* @" },
	{ "*", 3, 'w', "tp-rows @" },
	{ "*", 9, 's', "tp-rows --count=unused @" },
	{ "xce", 6, 'u', "tp-rows --csv @" },
	{ "*", 5, ' ', "tp-redact @" },
	{ "epd", 1, 'w', "tp-trace --lanes=200 @ >r" },
	{ "epd", 6, 's', "tp-trace --ranks --pseudo-ops --uncosted @ >ranks" },
	{ "epd", 6, 's', "tp-ranks ranks" },
	{ "epd", 5, 's', "tp-trace --mergeable --pseudo-ops=servers @ >m" },
	{ "epd", 5, 's', "tp-merge m m" },
	{ "epd", 5, 'u', "tp-trace --folded=gpu @ >folded" },
	{ "epd", 5, 'u', "tp-trace --folded=host @ >folded" },
	{ "epd", 5, ' ', "tp-pprof folded" },
	{ "epd", 6, 's', "tp-trace --capture== @" },
	{ "epd", 6, 's', "tp-trace --micro-idle=1us --short=1us @ =" },
	{ "epd", 8, 's', "tp-trace --warmup=0 --ranks --rank=3 @" },
	{ "epd", 8, 's', "tp-trace --host=host --platform=H100 --sha256 @" },
	{ "epd", 3, 's', "tp-timeline @" },
	{ "epd", 3, 's', "tp-ops @ >ops" },
	{ "epd", 4, 's', "tp-steps @" },
	{ "epd", 3, 's', "tp-gaps @" },
	{ "epd", 4, 's', "tp-comm @" },
	{ "epd", 4, 's', "tp-regions @" },
	{ "epd", 4, 'u', "tp-summary @ >s.json" },
	{ "epd", 4, 's', "tp-from-summary s.json" },
	{ "epd", 4, 'u', "tp-query --summary s.json $question" },
	{ "epdxcf", 4, ' ', "tp-perfetto @ >x.pftrace" },
	{ "epdxcf", 8, 's', "tp-trace x.pftrace" },
	{ "xcr", 2, 's', "tp-gpu-intervals --lanes=200 @ + >r" },
	{ "xcr", 4, 's', "tp-gpu-intervals --buffers --waits @ + >r" },
	{ "xcr", 4, 'w', "tp-gpu-intervals --labels @" },
	{ "xcr", 2, 's', "tp-cmdbuf @ + >r" },
	{ "xcr", 4, 's', "tp-cmdbuf --gpu @ +" },
	{ "xcr", 3, 's', "tp-mem @ + >r" },
	{ "xc", 6, 's', "tp-gpu-intervals --steps=s --short=0 --late=0 @ +" },
	{ "xc", 6, 's', "tp-mem --jump=0 --levels=7 --top=1 --like r @ +" },
	{ "xcrt", 3, 'w', "tp-cpu-top @" },
	{ "xct", 6, 's', "tp-cpu-top -n2 --frames=3 @" },
	{ "xc", 4, 's', "tp-cpu-top --like r @" },
	{ "xct", 5, 'u', "tp-cpu-top --folded=weight @ >folded" },
	{ "xcrt", 3, 'w', "tp-gpu-counters @ +" },
	{ "cf", 1, 's', "tp-etdump --samples @ + >r" },
	{ "ctr", 3, 'w', "tp-etdump @ >r" },
	{ "ctr", 3, 's', "tp-kernels @" },
	{ "t", 2, 'u', "tp-page @" },
	{ "t", 2, 'u', "tp-page --html @" },
	{ "tc", 3, ' ', "tp-pprof @" },
	{ "c", 5, ' ', "tp-xlsx -o x.xlsx @" },
	{ "j", 2, 's', "tp-bench @ >r" },
	{ "j", 2, 's', "tp-from-summary @ >r" },
	{ "j", 2, 's', "tp-etrun @ >r" },
	{ "j", 3, 'u', "tp-query --summary @ $question" },
	{ "j", 3, 'u', "tp-compare --json = @" },
	{ "j", 4, 'u', "tp-manifest --summary @" },
	{ "r", 1, 'u', "tp-query @ $kind >r" },
	{ "r", 2, 's', "tp-merge @ = >r" },
	{ "r", 4, 's', "tp-ranks @ =" },
	{ "r", 4, 's', "tp-history @" },
	{ "r", 5, 's', "tp-inventory @" },
	{ "r", 3, 's', "tp-compare = @ >c" },
	{ "r", 4, 's', "tp-track --no-fail = @ >c" },
	{ "r", 3, 'u', "tp-render compare c" },
	{ "r", 3, 's', "tp-findings @ >f" },
	{ "r", 2, 'u', "tp-render $section @ f" },
	{ "r", 2, 'u', "tp-csv $kind @" },
	{ "r", 3, 'u', "tp-draw $picture @" },
	{ "r", 4, 'u', "tp-draw --text $picture @" },
	{ "r", 4, 'u', "tp-json operator-analysis @" },
	{ "r", 4, 'u', "tp-json robust-stats @" },
	{ "r", 5, 'u', "tp-replay --list @" },
	/* what was read, through the records */
	{ "epdxcfj", 2, 's', "tp-findings r >f" },
	{ "epdxcfj", 2, 'u', "tp-render r f >md" },
	{ "epdxcfj", 4, 'u', "tp-render $section r f >md" },
	{ "epdxcfj", 5, 'u', "tp-page --html md" },
	{ "epdxcfj", 3, 'u', "tp-csv $kind r >x.csv" },
	{ "epdxcfj", 9, ' ', "tp-xlsx -o x.xlsx x.csv" },
	{ "epdxcfj", 3, 'u', "tp-draw $picture r" },
	{ "epdxcfj", 5, 'u', "tp-draw --text $picture r" },
	{ "epdxcfj", 6, 'u', "tp-json operator-analysis r" },
	{ "epdxcfj", 6, 'u', "tp-query --list r" },
	{ "epd", 9, 'u', "tp-replay aten::mm ops" },
	{ "epd", 5, 's', "tp-trace = >before" },
	{ "epd", 5, 's', "tp-compare before r >c" },
	{ "epd", 5, 'u', "tp-render compare c" },
	{ "epd", 9, 's', "tp-track --no-fail before r" },
	{ "xc", 6, 's', "tp-gpu-intervals = + >before" },
	{ "xc", 6, 's', "tp-compare before r" },
	{ "epdxcf", 60, 'u', "tp-report @" },
	{ "epdxcfj", 90, 'u', "tp-report ." },
	{ "epd", 150, 'u', "tp-report --compare = @" },
};
static const char form_letters[FORMS + 1] = "trejxcpdf";

static const char *const questions[] = {
	"What should we try next?", "gap before copy.1", "slowest op",
	"step time", "idle", "why is it slow",
};

struct list {
	char **v;
	size_t count;
};

static struct list seeds[FORMS + 1];	/* golden cases come last */
static struct list sections, pictures, told;
static const char *build, *out;
static char self[4096];			/* the folder the run began in */
static struct {
	unsigned long mutants, runs, found;
} sums[FORMS + 1];

static void
die(const char *what)
{
	fprintf(stderr, "attack: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void
push(struct list *list, const char *text)
{
	list->v = realloc(list->v, (list->count + 1) * sizeof *list->v);
	if (!list->v || !(list->v[list->count++] = strdup(text)))
		die("memory");
}

static int
slurp(struct tp_buf *buf, const char *path, size_t most)
{
	FILE *f = fopen(path, "rb");
	char block[65536];
	size_t n;

	tp_buf_clear(buf);
	tp_buf_add(buf, "", 0);
	if (!f)
		return -1;
	while (buf->len < most && (n = fread(block, 1, sizeof block, f)) > 0)
		tp_buf_add(buf, block, n);
	fclose(f);
	return 0;
}

static void
spit(const struct tp_buf *buf, const char *path)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(buf->p, 1, buf->len, f) != buf->len || fclose(f))
		die(path);
}

struct result {
	int status;		/* of waitpid */
	double cpu_s;
	long resident_mb;
};

/* Run WORDS in the folder DIR, with files of these names there. */
static struct result
run(const char *const *words, const char *dir, const char *stdin_path,
    const char *stdout_path, const char *stderr_path)
{
	struct result result;
	struct rusage used;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS + 1 };
		struct rlimit size = { 1u << 30, 1u << 30 };
		struct rlimit core = { 0, 0 };

		if (chdir(dir) || !freopen(stdin_path, "rb", stdin) ||
		    !freopen(stdout_path, "wb", stdout) ||
		    !freopen(stderr_path, "wb", stderr))
			_exit(126);
		setrlimit(RLIMIT_CPU, &cpu);
		setrlimit(RLIMIT_FSIZE, &size);
		setrlimit(RLIMIT_CORE, &core);
		setpgid(0, 0);
		alarm(6 * CPU_SECONDS);
		execvp(words[0], (char *const *)(uintptr_t)words);
		_exit(127);
	}
	if (wait4(pid, &result.status, 0, &used) != pid)
		die("wait");
	kill(-pid, SIGKILL);	/* what a script has left behind */
	result.cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	    (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
	result.resident_mb = used.ru_maxrss / 1024;
	return result;
}

static void
quietly(const char *const *words)
{
	run(words, ".", "/dev/null", "/dev/null", "/dev/null");
}

static int
is_utf8(const unsigned char *p, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		unsigned c = p[i];

		n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 :
		    c < 0xf5 ? 4 : 0;
		if (!n || n > len - i)
			return 0;
		for (size_t k = 1; k < n; k++)
			if ((p[i + k] & 0xc0) != 0x80)
				return 0;
		if ((c == 0xe0 && p[i + 1] < 0xa0) ||
		    (c == 0xed && p[i + 1] > 0x9f) ||
		    (c == 0xf0 && p[i + 1] < 0x90) ||
		    (c == 0xf4 && p[i + 1] > 0x8f))
			return 0;
	}
	return 1;
}

/* The line of TEXT with WHAT in it, or NULL. */
static const char *
line_with(const char *text, const char *what)
{
	static char line[300];
	const char *at = text ? strstr(text, what) : NULL;

	if (!at)
		return NULL;
	snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
	return line;
}

/* What is wrong with the run of WORDS in DIR, or NULL. */
static const char *
fault(const struct result *r, const char *dir, const char *stdout_path,
    char check, int most, const char *const *words, int from_records)
{
	static char said[400];
	static struct tp_buf err, text;
	char path[4200], share[4200];
	const char *schema[] = { "check-schema", NULL, NULL };
	const char *line;

	snprintf(path, sizeof path, "%s/err", dir);
	slurp(&err, path, 1 << 20);
	if ((line = line_with(err.p, "runtime error:")) ||
	    (line = line_with(err.p, "SUMMARY: ")) ||
	    (line = line_with(err.p, "Sanitizer:"))) {
		snprintf(said, sizeof said, "%s", line);
		return said;
	}
	if (r->cpu_s > CPU_SECONDS * 0.5 || (WIFSIGNALED(r->status) &&
	    (WTERMSIG(r->status) == SIGXCPU || WTERMSIG(r->status) == SIGALRM)))
		return "takes too long";
	if (WIFSIGNALED(r->status)) {
		snprintf(said, sizeof said, "signal %d", WTERMSIG(r->status));
		return said;
	}
	if (WEXITSTATUS(r->status) > most) {
		snprintf(said, sizeof said, "status %d",
		    WEXITSTATUS(r->status));
		return said;
	}
	if (r->resident_mb > RESIDENT_MB)
		return "takes too much memory";
	if (!is_utf8((unsigned char *)err.p, err.len))
		return "messages are not UTF-8";
	snprintf(path, sizeof path, "%s/%s", dir, stdout_path);
	if (slurp(&text, path, 1 << 24) < 0 || text.len >= 1 << 24)
		return NULL;
	/* notes of damage are in records and reports */
	if (WEXITSTATUS(r->status) >= 3 && !memchr(err.p, '\n', err.len) &&
	    (WEXITSTATUS(r->status) > 3 || (!text.len && !from_records)))
		return "fails in silence";
	if (check == ' ')
		return NULL;
	if (!is_utf8((unsigned char *)text.p, text.len))
		return "output is not UTF-8";
	if (check == 'u' || strncmp(text.p, "{\"kind\":", 8) ||
	    !strcmp(words[0], "tp-merge"))
		return NULL;
	snprintf(share, sizeof share, "%s/share/schema", self);
	schema[1] = share;
	if (!run(schema, dir, stdout_path, "schema", "/dev/null").status)
		return NULL;
	snprintf(path, sizeof path, "%s/schema", dir);
	slurp(&text, path, 300);
	snprintf(said, sizeof said, "schema: %.*s",
	    (int)strcspn(text.p, "\n"), text.p);
	/* records that were read are passed on as they are */
	return from_records && strstr(said, ": '") ? NULL : said;
}

/* Take the digits behind "bytes" out of the records in TEXT. */
static void
forget_bytes(struct tp_buf *text)
{
	static const char key[] = "\"bytes\":";
	char *to = text->p, *from = text->p, *end = text->p + text->len, *next;

	for (; (next = strstr(from, key)); from = next) {
		next += sizeof key - 1;
		memmove(to, from, (size_t)(next - from));
		to += next - from;
		while (*next >= '0' && *next <= '9')
			next++;
	}
	memmove(to, from, (size_t)(end - from));
	text->len = (size_t)(to + (end - from) - text->p);
}

/*
 * What differs when WORDS, whose output is in the file TO of DIR, read their
 * files in a way drawn from *RNG; or NULL.
 */
static const char *
another_way(const char *const *words, const char *dir, const char *to,
    int status, uint64_t *rng)
{
	static const char *const blocks[] = { "61", "509", "4093", "65521" };
	static struct tp_buf one, two;
	const char *again[WORDS + 4];
	char path[4200];
	size_t n, way = draw(rng, !strcmp(words[0], "tp-look") ? 4 : 6);
	struct result r;

	if (way == 4 && !strcmp(words[0], "tp-trace"))
		way = 5;	/* it has no other parser */
	for (n = 0; words[n]; n++)
		again[n] = words[n];
	again[n] = way == 4 ? "--parser=libcsv" : way == 5 ? "-j2" : NULL;
	again[n + 1] = NULL;
	if (way < 4)
		setenv("TP_BLOCK", blocks[way], 1);
	r = run(again, dir, "/dev/null", "again", "err2");
	unsetenv("TP_BLOCK");
	snprintf(path, sizeof path, "%s/%s", dir, to);
	slurp(&one, path, 1 << 26);
	snprintf(path, sizeof path, "%s/again", dir);
	slurp(&two, path, 1 << 26);
	/* of what is damaged, as far as it was read */
	if (status) {
		forget_bytes(&one);
		forget_bytes(&two);
	}
	if (r.status == status && one.len == two.len &&
	    !memcmp(one.p, two.p, one.len))
		return NULL;
	return way == 4 ? "differs with --parser=libcsv" : way == 5 ?
	    "differs with -j2" : "differs with TP_BLOCK";
}

/* Keep DIR with the command TEXT that shows WHAT of mutant N again. */
static void
keep(unsigned long n, const char *program, const char *what, const char *dir,
    const char *text)
{
	char folder[4200], path[4300], key[500];
	const char *copy[] = { "cp", "-R", dir, folder, NULL };
	size_t seen = 0;
	FILE *f;

	snprintf(key, sizeof key, "%s: %s", program, what);
	for (size_t i = 0; i < told.count; i++)
		seen += !strcmp(told.v[i], key);
	push(&told, key);
	if (seen >= 3)
		return;
	snprintf(folder, sizeof folder, "%s/found-%lu-%s", out, n, program);
	quietly(copy);
	snprintf(path, sizeof path, "%s/command", folder);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		die(path);
	printf("found: %lu: %s: %s\n\tcd %s && sh command\n", n, program, what,
	    folder);
}

/* Any of the kinds of records in DIR/r, or "x". */
static const char *
any_kind(const char *dir, uint64_t *rng)
{
	static char kind[100];
	static struct tp_buf text;
	char path[4200];
	size_t seen = 0;

	strcpy(kind, "x");
	snprintf(path, sizeof path, "%s/r", dir);
	if (slurp(&text, path, 1 << 20) < 0)
		return kind;
	for (char *p = text.p; (p = strstr(p, "{\"kind\":\"")); p++)
		if (!draw(rng, ++seen))
			snprintf(kind, sizeof kind, "%.*s",
			    (int)strcspn(p + 9, "\""), p + 9);
	return kind;
}

/* Files beside SEED with the same end into WORDS; how many words then. */
static size_t
beside(char **words, size_t n, const char *seed, uint64_t *rng)
{
	char dir[4096], path[4400];
	const char *name = strrchr(seed, '/') + 1, *end = strrchr(name, '.');
	struct dirent **found;
	int count;

	if (!end || draw(rng, 3) == 0)
		return n;
	snprintf(dir, sizeof dir, "%.*s", (int)(name - seed), seed);
	count = scandir(dir, &found, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		const char *other = found[i]->d_name, *dot;
		struct stat st;

		dot = strrchr(other, '.');
		snprintf(path, sizeof path, "%s%s", dir, other);
		if (n < WORDS - 10 && dot && strcmp(other, name) &&
		    (!strcmp(dot, end) || !strcmp(dot, ".pte")) &&
		    !stat(path, &st) && st.st_size < 2 * MOST &&
		    !(words[n++] = strdup(path)))
			die("memory");
		free(found[i]);
	}
	if (count >= 0)
		free(found);
	return n;
}

static void
attack_file(unsigned long n, enum form form, const char *seed,
    const char *mutant, const char *dir, uint64_t rng)
{
	struct tp_buf log = { 0 };
	char *words[WORDS], *text, *save, *word;
	const char *to, *what;
	uint64_t mine;

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		const struct step *s = &steps[i];
		size_t count = 0, log_at = log.len;
		struct result r;

		mine = rng ^ (i << 32);
		if ((*s->forms != '*' && !strchr(s->forms,
		    form_letters[form])) || draw(&mine, (size_t)s->odds))
			continue;
		to = "out";
		text = strdup(s->words);
		for (word = strtok_r(text, " ", &save); word;
		    word = strtok_r(NULL, " ", &save)) {
			if (*word == '>') {
				to = word + 1;
			} else if (!strcmp(word, "+")) {
				count = beside(words, count, seed, &mine);
			} else {
				const char *w = word;

				if (!strcmp(w, "@"))
					w = mutant;
				else if (!strcmp(w, "="))
					w = "was";
				else if (!strcmp(w, "--capture=="))
					w = "--capture=was";
				else if (!strcmp(w, "$section"))
					w = sections.v[draw(&mine,
					    sections.count)];
				else if (!strcmp(w, "$picture"))
					w = pictures.v[draw(&mine,
					    pictures.count)];
				else if (!strcmp(w, "$kind"))
					w = any_kind(dir, &mine);
				else if (!strcmp(w, "$question"))
					w = questions[draw(&mine, 6)];
				words[count++] = strdup(w);
			}
		}
		words[count] = NULL;
		for (size_t k = 0; k < count; k++) {
			tp_buf_str(&log, "'");
			tp_buf_str(&log, words[k]);
			tp_buf_str(&log, "' ");
		}
		if (strcmp(to, "out"))
			tp_buf_fmt(&log, ">%s", to);
		tp_buf_chr(&log, '\n');
		r = run((const char *const *)words, dir, "/dev/null", to,
		    "err");
		sums[form].runs++;
		what = WIFEXITED(r.status) && WEXITSTATUS(r.status) == 127 ?
		    "cannot be run" : fault(&r, dir, to, s->check, 5,
		    (const char *const *)words, form == FORM_RECORDS ||
		    !strchr(s->words, '@'));
		if (!what && s->check == 'w')
			what = another_way((const char *const *)words, dir,
			    to, r.status, &mine);
		if (what) {
			sums[form].found++;
			keep(n, words[0], what, dir, log.p);
		}
		if (!strcmp(to, "out"))
			log.len = log_at;
		for (size_t k = 0; k < count; k++)
			free(words[k]);
		free(text);
	}
	tp_buf_release(&log);
}

static void
attack_case(unsigned long n, const char *folder, const char *dir,
    uint64_t rng)
{
	struct list files = { 0 };
	struct tp_buf whole = { 0 }, doc = { 0 };
	struct result r;
	struct dirent **found;
	char at[4200], path[4600], want[4500];
	const char *what, *tail = strstr(folder, "/cases/");
	const char *copy[] = { "cp", "-R", folder, at, NULL };
	const char *words[] = { "sh", want, NULL };
	int count, packed;
	enum form form;

	snprintf(at, sizeof at, "%s/case", dir);
	snprintf(want, sizeof want, "%s/want/%s/cmd", build, tail + 7);
	quietly(copy);
	count = scandir(at, &found, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		struct stat st;

		snprintf(path, sizeof path, "%s/%s", at, found[i]->d_name);
		if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_size &&
		    st.st_size < MAX_SEED)
			push(&files, path);
		free(found[i]);
	}
	if (count >= 0)
		free(found);
	for (size_t i = 1 + draw(&rng, 2); files.count && i; i--) {
		const char *file = files.v[draw(&rng, files.count)];

		slurp(&whole, file, MAX_SEED);
		tp_buf_clear(&doc);
		form = mutant_seed(&doc, whole.p, whole.len, MOST, rng,
		    &packed);
		mutant_make(&doc, form, rng);
		if (packed)
			mutant_pack(&doc);
		spit(&doc, file);
	}
	r = run(words, at, "/dev/null", "../out", "../err");
	sums[FORMS].runs++;
	/* of a pipe the status is that of jq or grep */
	what = fault(&r, dir, "out", ' ', 127, words, 0);
	if (what && strcmp(what, "fails in silence")) {
		sums[FORMS].found++;
		snprintf(path, sizeof path, "cd case && sh '%s'\n", want);
		keep(n, "case", what, dir, path);
	}
	tp_buf_release(&whole);
	tp_buf_release(&doc);
	for (size_t i = 0; i < files.count; i++)
		free(files.v[i]);
	free(files.v);
}

static void
attack(unsigned long n, const char *dir)
{
	uint64_t start = n, rng = tp_splitmix(&start);
	struct tp_buf whole = { 0 }, doc = { 0 };
	char path[4400], tmp[4400];
	const char *clean[] = { "rm", "-rf", dir, NULL };
	const char *seed, *name;
	enum form form;
	size_t class;
	int packed;

	do {
		class = draw(&rng, FORMS + 1);
	} while (!seeds[class].count);
	seed = seeds[class].v[draw(&rng, seeds[class].count)];
	quietly(clean);
	if (mkdir(dir, 0777))
		die(dir);
	sums[class].mutants++;
	if (class == FORMS) {
		attack_case(n, seed, dir, rng);
		return;
	}
	name = strrchr(seed, '/') + 1;
	if (!strchr(name, '.'))		/* what is written has such names */
		name = "mutant";
	slurp(&whole, seed, MAX_SEED);
	form = mutant_seed(&doc, whole.p, whole.len, MOST, rng, &packed);
	snprintf(path, sizeof path, "%s/was", dir);
	spit(&doc, path);
	if (form == FORM_DATABASE && draw(&rng, 3)) {
		snprintf(tmp, sizeof tmp, "%s/tmp", dir);
		mutant_query(&doc, &rng, tmp);
	} else {
		mutant_make(&doc, form, rng);
	}
	if (packed) {
		mutant_pack(&doc);
		if (!draw(&rng, 10))
			mutant_make(&doc, FORM_TEXT, rng);
	}
	snprintf(path, sizeof path, "%s/%s", dir, name);
	spit(&doc, path);
	attack_file(n, form, seed, name, dir, rng);
	tp_buf_release(&whole);
	tp_buf_release(&doc);
}

/* Names of files of share/SUB without "_" in front and without their end. */
static void
names(struct list *list, const char *sub)
{
	char path[4200];
	struct dirent **found;
	int count;

	snprintf(path, sizeof path, "%s/share/%s", self, sub);
	count = scandir(path, &found, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char *dot = strrchr(found[i]->d_name, '.');

		if (dot && !strchr("_.", *found[i]->d_name)) {
			*dot = '\0';
			push(list, found[i]->d_name);
		}
		free(found[i]);
	}
	if (count >= 0)
		free(found);
}

static void
read_seeds(void)
{
	struct tp_buf head = { 0 }, doc = { 0 };
	char line[4096];
	struct stat st;
	int packed;

	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (stat(line, &st) || !strchr(line, '/'))
			continue;
		if (S_ISDIR(st.st_mode)) {
			push(&seeds[FORMS], line);
			continue;
		}
		if (!S_ISREG(st.st_mode) || st.st_size < 2 ||
		    st.st_size > MAX_SEED || slurp(&head, line, MAX_SEED) < 0)
			continue;
		tp_buf_clear(&doc);
		push(&seeds[mutant_seed(&doc, head.p, head.len, SIZE_MAX, 0,
		    &packed)], line);
	}
	tp_buf_release(&head);
	tp_buf_release(&doc);
}

int
main(int argc, char *argv[])
{
	unsigned long n, last;
	char dir[4096];
	time_t end;
	int found = 0;

	if (argc != 6) {
		fprintf(stderr, "usage: attack BUILD OUT SECONDS SEED COUNT"
		    " < captures\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	build = argv[1];
	out = argv[2];
	end = time(NULL) + atol(argv[3]);
	n = strtoul(argv[4], NULL, 10);
	last = n + strtoul(argv[5], NULL, 10);
	if (!getcwd(self, sizeof self))
		die("getcwd");
	names(&sections, "sections");
	names(&pictures, "pictures");
	read_seeds();
	snprintf(dir, sizeof dir, "%s/work", out);
	for (; n < last && time(NULL) < end; n++)
		attack(n, dir);
	puts("| captures | of them | mutants | runs | findings |\n"
	    "|---|---:|---:|---:|---:|");
	for (size_t i = 0; i <= FORMS; i++) {
		found |= sums[i].found > 0;
		if (seeds[i].count)
			printf("| %s | %zu | %lu | %lu | %lu |\n",
			    i < FORMS ? form_names[i] : "golden cases",
			    seeds[i].count, sums[i].mutants, sums[i].runs,
			    sums[i].found);
	}
	return found;
}
