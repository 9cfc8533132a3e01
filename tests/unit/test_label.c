/* What the label of a GPU interval says, apart from who ran it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metal/label.h"

static int failed;

/* The event-label TEXT is work of the name WANT; NULL: Metal filled it in. */
static void
check(const char *text, const char *want)
{
	struct tp_labels labels = { 0 };
	const char *got;
	int ok;

	tp_labels_add(&labels, 0, text, strlen(text), 1);
	got = tp_labels_name(&labels, tp_labels_last(&labels));
	ok = want ? got && !strcmp(got, want) : !got;
	failed |= !ok;
	printf("%s '%s' is '%s'\n", ok ? "ok" : "not ok", text,
	    want ? want : "a name that Metal filled in");
	if (!ok)
		printf("# got '%s'\n", got ? got : "(filled in)");
	tp_labels_release(&labels);
}

int
main(void)
{
	check("Command Buffer 0:Compute Command 0      ( python3 (501) )  "
	    "0x274b0b5", NULL);
	check("Command Buffer 12:Blit Command 3 ( a (1) ) 0x1", NULL);
	check("Command Buffer 0:softmax ( p (1) ) 0xff",
	    "Command Buffer 0:softmax");
	check("matmul ( Helper (GPU) (6857) )  0x9", "matmul");
	check("      ( WindowServer (420) )  0x274b0b5", NULL);
	check("Coelasced 12 Encoders ( p (1) ) 0x1", NULL);
	check("Coelasced Encoders", "Coelasced Encoders");
	check("step ( a<b> (7) )", "step");
	check("copy (fast)", "copy (fast)");
	check("f(1) )", "f(1) )");
	check("a 0x", "a 0x");
	check("0x12", NULL);
	check(") )", ") )");
	check("", NULL);
	check("Compute Command", NULL);
	check("Compute Command x", "Compute Command x");
	check("Command Buffer 0:", NULL);
	return failed;
}
