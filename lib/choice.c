/* choice - suggest a name for one that does not exist */
#include <stdio.h>
#include <string.h>

#include <tp/choice.h>
#include <tp/text.h>

#define LETTERS_MAX 63
/* Most bytes of names listed. */
#define LISTED 400

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * Edit distance (insert, delete, replace, swap neighbours) from B, or with
 * INSIDE from the closest part of B, to A.
 */
static unsigned
distance(const char *a, size_t a_len, const char *b, size_t b_len,
    int inside)
{
	unsigned rows[3][LETTERS_MAX + 1], *at = rows[0], *one = rows[1],
	    *two = rows[2], *last, best;
	size_t i, j;

	for (j = 0; j <= b_len; j++)
		one[j] = inside ? 0 : (unsigned)j;
	for (i = 1; i <= a_len; i++) {
		at[0] = (unsigned)i;
		for (j = 1; j <= b_len; j++) {
			at[j] = least(one[j], at[j - 1]) + 1;
			at[j] = least(at[j], one[j - 1] +
			    (tp_lower(a[i - 1]) != tp_lower(b[j - 1])));
			if (i > 1 && j > 1 && tp_lower(a[i - 1]) ==
			    tp_lower(b[j - 2]) && tp_lower(a[i - 2]) ==
			    tp_lower(b[j - 1]))
				at[j] = least(at[j], two[j - 2] + 1);
		}
		last = two;
		two = one;
		one = at;
		at = last;
	}
	best = one[b_len];
	for (j = 0; inside && j < b_len; j++)
		best = least(best, one[j]);
	return best;
}

/* Keep NAME as the suggestion if it is nearer than the one before. */
static void
meant(struct tp_choice *c, const char *name)
{
	size_t word_len = strlen(c->word), len = strlen(name);
	size_t most = word_len > len ? word_len : len;
	unsigned cost;

	if (!word_len || !len || word_len > LETTERS_MAX || len > LETTERS_MAX)
		return;
	/* up to a third of the letters may differ */
	cost = distance(c->word, word_len, name, len, 0);
	if (!cost)
		return;
	if (cost * 3 > most) {
		cost = distance(c->word, word_len, name, len, 1);
		if (word_len < 3 || cost * 3 > word_len)
			return;
		cost += LETTERS_MAX;
	}
	if (*c->near && cost >= c->cost)
		return;
	memcpy(c->near, name, len + 1);
	c->cost = cost;
}

void
tp_choice_init(struct tp_choice *choice, const char *word)
{
	memset(choice, 0, sizeof *choice);
	choice->word = word;
}

void
tp_choice_add(struct tp_choice *choice, const char *name)
{
	choice->count++;
	if (choice->text.len < LISTED) {
		choice->listed++;
		tp_buf_fmt(&choice->text, "%s%.80s", choice->text.len ?
		    ", " : "", name);
	}
	meant(choice, name);
}

const char *
tp_choice_hint(struct tp_choice *choice)
{
	*choice->hint = '\0';
	if (*choice->near)
		snprintf(choice->hint, sizeof choice->hint,
		    "; did you mean '%s'?", choice->near);
	return choice->hint;
}

const char *
tp_choice_text(struct tp_choice *choice)
{
	if (choice->count > choice->listed)
		tp_buf_fmt(&choice->text, " and %zu more",
		    choice->count - choice->listed);
	tp_buf_str(&choice->text, tp_choice_hint(choice));
	return choice->text.len ? choice->text.p : "nothing";
}

void
tp_choice_release(struct tp_choice *choice)
{
	tp_buf_release(&choice->text);
}
