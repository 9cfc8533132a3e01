/* What the label of a GPU interval says, apart from who ran it. */
#include <stdio.h>
#include <string.h>

#include "metal/label.h"

static int failed;

static void
check(const char *text, const char *want, int is_default)
{
	size_t n = tp_label_name(text, strlen(text));
	int ok = n == strlen(want) && !memcmp(text, want, n) &&
	    tp_label_is_default(text, n) == is_default;

	failed |= !ok;
	printf("%s '%s' is '%s', %s\n", ok ? "ok" : "not ok", text, want,
	    is_default ? "which nobody gave" : "a name");
	if (!ok)
		printf("# got '%.*s'\n", (int)n, text);
}

int
main(void)
{
	check("Command Buffer 0:Compute Command 0      ( python3 (501) )  "
	    "0x274b0b5", "Command Buffer 0:Compute Command 0", 1);
	check("Command Buffer 12:Blit Command 3 ( a (1) ) 0x1",
	    "Command Buffer 12:Blit Command 3", 1);
	check("Command Buffer 0:softmax ( p (1) ) 0xff",
	    "Command Buffer 0:softmax", 0);
	check("matmul ( Helper (GPU) (6857) )  0x9", "matmul", 0);
	check("      ( WindowServer (420) )  0x274b0b5", "", 1);
	check("Coelasced 12 Encoders ( p (1) ) 0x1", "Coelasced 12 Encoders",
	    1);
	check("Coelasced Encoders", "Coelasced Encoders", 0);
	check("step ( a<b> (7) )", "step", 0);
	check("copy (fast)", "copy (fast)", 0);
	check("f(1) )", "f(1) )", 0);
	check("a 0x", "a 0x", 0);
	check("0x12", "", 1);
	check(") )", ") )", 0);
	check("", "", 1);
	check("Compute Command", "Compute Command", 1);
	check("Compute Command x", "Compute Command x", 0);
	check("Command Buffer 0:", "Command Buffer 0:", 1);
	return failed;
}
