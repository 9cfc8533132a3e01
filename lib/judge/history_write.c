/* history_write - put a run on record */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/judge/history.h>
#include <tp/judge/summary_compare.h>
#include <tp/read/summary.h>

static void
side(struct tp_doc *j, const char *key, const struct cJSON *doc,
    const char *name)
{
	struct tp_summary_origin o = { 0 };

	if (doc)
		tp_summary_origin_of(doc, &o);
	tp_doc_object(j, key);
	tp_doc_maybe(j, "artifact_ref", o.artifact_ref);
	if (!doc)
		tp_doc_maybe(j, "name", name);
	tp_doc_maybe(j, "run_id", o.run_id);
	tp_doc_maybe(j, "run_path", o.run_path);
	tp_doc_maybe(j, "source_path", o.source_path);
	tp_doc_close(j, '}');
}

static void
number(struct tp_doc *j, const char *key, const struct tp_number *n)
{
	if (!n->times)
		tp_doc_null(j, key);
	else if (n->whole)
		tp_doc_int(j, key, n->n);
	else
		tp_doc_float(j, key, n->x);
}

/* Write V's value in each of several runs of SIDE. */
static void
several(struct tp_doc *j, const char *key, const struct tp_compared *v,
    int side)
{
	if (v->run_count[side] < 2)
		return;
	tp_doc_array(j, key);
	for (size_t i = 0; i < v->run_count[side]; i++)
		tp_doc_float(j, NULL, v->runs[side][i]);
	tp_doc_close(j, ']');
}

static void
checks(struct tp_doc *j, const struct tp_gates *gates, int on_record)
{
	double factor;

	tp_doc_array(j, "checks");
	for (size_t i = 0; i < gates->count; i++) {
		const struct tp_gate_check *k = &gates->list[i];

		tp_doc_object(j, NULL);
		if (k->of) {
			number(j, "after", &k->of->side[TP_AFTER]);
			if (on_record)
				several(j, "after_runs", k->of, TP_AFTER);
			number(j, "before", &k->of->side[TP_BEFORE]);
			if (tp_compared_factor(k->of, &factor))
				tp_doc_float(j, "change_factor", factor);
		}
		if (on_record && k->is_deciding && k->decides)
			tp_doc_text(j, "decides", k->decides);
		tp_doc_text(j, "gate", k->id);
		if (k->of)
			tp_doc_text(j, "metric", k->of->name);
		tp_doc_text(j, "status", tp_gate_status_name(on_record ?
		    k->status : k->exceeds));
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
}

/* Write the texts of checks with STATUS, before or after groups decided. */
static void
messages(struct tp_doc *j, const char *key, const struct tp_history_run *run,
    enum tp_gate_status status)
{
	const struct tp_gates *gates = run->gates;

	tp_doc_array(j, key);
	for (size_t i = 0; i < gates->count; i++)
		if ((run->recorded_at ? gates->list[i].status :
		    gates->list[i].exceeds) == status)
			tp_doc_text(j, NULL, gates->list[i].text);
	tp_doc_close(j, ']');
}

static void
metrics(struct tp_doc *j, const struct tp_history_run *run)
{
	struct tp_summary_change c = { 0 };

	if (run->docs[TP_BEFORE] && run->docs[TP_AFTER])
		tp_summary_change_of(run->docs[TP_BEFORE], run->docs[TP_AFTER],
		    &c);
	tp_doc_object(j, "metrics");
	tp_doc_float(j, "communication_share_delta",
	    c.has_communication ? c.communication : NAN);
	tp_doc_float(j, "stall_share_delta", c.has_stall ? c.stall : NAN);
	tp_doc_float(j, "steady_state_median_regression_pct",
	    c.has_median ? c.median_pct : NAN);
	tp_doc_float(j, "steady_state_p90_regression_pct",
	    c.has_p90 ? c.p90_pct : NAN);
	tp_doc_close(j, '}');
}

void
tp_history_write(struct tp_doc *j, const struct tp_history_run *run,
    int whole, size_t top)
{
	int both = run->docs[TP_BEFORE] && run->docs[TP_AFTER];

	tp_doc_object(j, NULL);
	/* an unrecorded document of two runs keeps the form that others read */
	if (run->recorded_at)
		tp_doc_bool(j, "accepted", run->accepted);
	side(j, "after", run->docs[TP_AFTER], run->names[TP_AFTER]);
	tp_doc_object(j, "assessment");
	checks(j, run->gates, run->recorded_at != NULL);
	if (whole && both)
		tp_summary_compare(j, "comparison", run->docs[TP_BEFORE],
		    run->docs[TP_AFTER], top);
	messages(j, "failures", run, TP_GATE_FAIL);
	metrics(j, run);
	tp_doc_text(j, "status",
	    tp_gate_status_name(tp_gates_status(run->gates)));
	messages(j, "unknowns", run, TP_GATE_UNKNOWN);
	messages(j, "warnings", run, TP_GATE_WARN);
	tp_doc_close(j, '}');
	side(j, "before", run->docs[TP_BEFORE], run->names[TP_BEFORE]);
	tp_doc_maybe(j, "label", run->label);
	if (run->promises && !whole)
		tp_history_promises_write(j, run->promises);
	tp_doc_maybe(j, "recorded_at_utc", run->recorded_at);
	if (run->recorded_at && run->restart)
		tp_doc_bool(j, "restart", 1);
	if (run->recorded_at && run->series)
		tp_doc_text(j, "series", run->series);
	if (run->recorded_at && run->sha256)
		tp_doc_text(j, "trace_sha256", run->sha256);
	tp_doc_close(j, '}');
}

static int
cannot(struct tp_err *err, const char *what, const char *file)
{
	return tp_fail(err, TP_IO, "output.failed", 0, "cannot %s '%.200s': "
	    "%s", what, file, strerror(errno));
}

/* Whether FD, of length END (-1: unknown), ends within a line. */
static int
is_cut(int fd, off_t end)
{
	char c;

	return end > 0 && pread(fd, &c, 1, end - 1) == 1 && c != '\n';
}

/*
 * Open FILE, created when missing: a descriptor, or -1 with ERR.  Refuse
 * links, which may lead to any file, and pipes and devices, which keep nothing.
 */
static int
open_history(const char *file, struct tp_err *err)
{
	struct stat st;
	int fd = open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW |
	    O_NONBLOCK | O_CLOEXEC, 0666);
	int why = errno;

	if (fd < 0 && (lstat(file, &st) < 0 || !S_ISLNK(st.st_mode))) {
		errno = why;
		return cannot(err, "open", file);
	}
	if (fd >= 0 && fstat(fd, &st) < 0) {
		cannot(err, "look at", file);
		close(fd);
		return -1;
	}
	if (fd >= 0 && S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return tp_fail(err, TP_IO, "output.failed", 0, "cannot write "
	    "'%.200s': a history is a file, not a link or device", file);
}

int
tp_history_append(const char *file, const char *bytes, size_t len,
    struct tp_err *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open_history(file, err);
	struct tp_buf line = { 0 };
	int rc = 0, locked;
	ssize_t n = 0;
	off_t end;

	if (fd < 0)
		return -1;
	/* without locks, a single write is still atomic */
	while ((locked = !fcntl(fd, F_SETLKW, &lock)) == 0 && errno == EINTR)
		;
	end = lseek(fd, 0, SEEK_END);
	if (is_cut(fd, end))
		tp_buf_chr(&line, '\n');
	tp_buf_add(&line, bytes, len);
	for (size_t at = 0; !rc && at < line.len; at += (size_t)n)
		if ((n = write(fd, line.p + at, line.len - at)) < 0) {
			if (errno != EINTR)
				rc = cannot(err, "write", file);
			n = 0;
		}
	/* disk full: remove the partial line */
	if (rc && locked && end >= 0 && ftruncate(fd, end) < 0)
		rc = -1;
	tp_buf_release(&line);
	if (close(fd) < 0 && !rc)
		rc = cannot(err, "write", file);
	return rc;
}
