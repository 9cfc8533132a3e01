/*
 * classes - classify names by the patterns of a share file
 *
 * The one form in which share/ops says what names mean (share/doc/ops.md): a
 * list of rows, each with the name of a class, its patterns and further
 * properties.  The first row with a matching pattern applies; a last row
 * without patterns takes the rest.  A row may have patterns for several
 * texts ("op", "kernel").  When only yes or no is asked, the list is a
 * pattern or a list of patterns.
 *
 * Patterns without special characters are found by hash; every other pattern
 * costs a comparison, so ask once per distinct name. Memory: 48 bytes a
 * pattern, 16 a row, and what regcomp() takes, outside of tp_alloc().
 */
#ifndef TP_CLASSES_H
#define TP_CLASSES_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>

struct cJSON;
struct tp_class_pattern;

struct tp_class {
	const char *name;		/* "": the list has only patterns */
	const struct cJSON *row;	/* for its other properties */
	int number;			/* set by tp_classes_number() */
};

/* A zeroed struct has no class. */
struct tp_classes {
	struct tp_class *list;
	size_t count;
	int has_rest;			/* the last class takes unmatched
					 * names */
	int has_regex;
	struct tp_names exact;		/* literal patterns of the first text */
	uint32_t *exact_row;
	size_t exact_cap;
	struct tp_class_pattern *patterns;	/* all other patterns, by row */
	size_t pattern_count, pattern_cap;
};

/*
 * Load list KEY of DOC, which is share/FILE and must outlive CLASSES.
 * SUBJECTS: the keys that hold patterns, separated by blanks, in the order
 * of the texts; NULL: "match".  MORE: other keys that a row may have, or
 * NULL.  0, or -1 with ERR, which names the file, the row and what is wrong.
 * Release CLASSES in either case.
 */
int tp_classes_load(struct tp_classes *classes, const struct cJSON *doc,
    const char *file, const char *key, const char *subjects,
    const char *more, struct tp_err *err);
/*
 * Number the classes by their index in NAMES (NULL-terminated), which must
 * contain all of them.  0, or -1 with ERR.
 */
int tp_classes_number(struct tp_classes *classes, const char *const *names,
    const char *file, const char *key, struct tp_err *err);
void tp_classes_release(struct tp_classes *classes);

/* A list of classes that is the member at offset AT of a struct. */
struct tp_class_list {
	const char *key, *subjects, *more;	/* as tp_classes_load() */
	const char *const *names;	/* as tp_classes_number(), or NULL */
	size_t at;
};

static inline struct tp_classes *
tp_class_list_at(void *base, const struct tp_class_list *list)
{
	return (struct tp_classes *)(void *)((char *)base + list->at);
}

/* Load LISTS, the last of which has no key, into the struct BASE. */
int tp_class_lists_load(void *base, const struct tp_class_list *lists,
    const struct cJSON *doc, const char *file, struct tp_err *err);
void tp_class_lists_release(void *base, const struct tp_class_list *lists);

/*
 * The class of TEXTS, one per subject, each of which may be NULL.  NULL:
 * none.
 */
const struct tp_class *tp_class_of(const struct tp_classes *classes,
    const char *const *texts);
/* As tp_class_of(), for one TEXT. */
static inline const struct tp_class *
tp_class_of_name(const struct tp_classes *classes, const char *text)
{
	return tp_class_of(classes, &text);
}

/*
 * As tp_class_of(), for LEN bytes without a NUL.  Regular expressions see
 * only the first 511 bytes.
 */
const struct tp_class *tp_class_of_part(const struct tp_classes *classes,
    const char *text, size_t len);
/*
 * As tp_class_of(); the first text is the demangled name of a function, whose
 * parameters do not count: they say what it is given, not what it does.
 */
const struct tp_class *tp_class_of_function(const struct tp_classes *classes,
    const char *const *texts);
/* The class called NAME, or NULL. */
const struct tp_class *tp_class_named(const struct tp_classes *classes,
    const char *name);
/* Index of class OF; -1 for NULL. */
static inline ptrdiff_t
tp_class_index(const struct tp_classes *classes, const struct tp_class *of)
{
	return of ? of - classes->list : -1;
}

#endif
