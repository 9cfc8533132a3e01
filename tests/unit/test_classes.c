/* The one form of classes: which row holds, and what is wrong with a file. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "classes.h"

static int failed;

static void
check(const char *what, int ok)
{
	printf("%sok - %s\n", ok ? "" : "not ", what);
	failed |= !ok;
}

static void
is(const struct tp_classes *c, const char *text, const char *name)
{
	const struct tp_class *of = tp_class_of_name(c, text);
	const struct tp_class *part = tp_class_of_part(c, text, strlen(text));

	check(text, of == part && (name ? of && !strcmp(of->name, name) :
	    !of));
}

static void
patterns(void)
{
	cJSON *doc = cJSON_Parse("{\"k\": ["
	    "{\"name\": \"early\", \"match\": \"/^ab+$/\"},"
	    "{\"name\": \"exact\", \"match\": [\"ab\", \"all\", \"\"]},"
	    "{\"name\": \"starts\", \"match\": \"st*\"},"
	    "{\"name\": \"ends\", \"match\": \"*en\"},"
	    "{\"name\": \"holds\", \"match\": \"*ho*\"},"
	    "{\"name\": \"glob\", \"match\": [\"g?o[0-9]\", \"x*y*\"]},"
	    "{\"name\": \"small\", \"match\": \"/Capital/i\"},"
	    "{\"name\": \"late\", \"match\": \"all\"},"
	    "{\"name\": \"path\", \"match\": \"/device:*\"}]}");
	struct tp_classes c;
	struct tp_err err;

	check("load", !tp_classes_load(&c, doc, "f", "k", NULL, NULL, &err));
	is(&c, "ab", "early");
	is(&c, "abc", NULL);
	is(&c, "all", "exact");
	is(&c, "", "exact");
	is(&c, "st", "starts");
	is(&c, "s", NULL);
	is(&c, "even", "ends");
	is(&c, "even.", NULL);
	is(&c, "who", "holds");
	is(&c, "gxo7", "glob");
	is(&c, "gxo", NULL);
	is(&c, "x-y-", "glob");
	is(&c, "a cAPITAl", "small");
	is(&c, "/device:0", "path");
	check("named", tp_class_named(&c, "late") == &c.list[7] &&
	    !tp_class_named(&c, "no") && !tp_class_named(&c, NULL));
	check("a part ends where it ends",
	    tp_class_of_part(&c, "abc", 2) == &c.list[0]);
	tp_classes_release(&c);
	cJSON_Delete(doc);
}

/* Words of names, wherever they stand. */
static void
words(void)
{
	cJSON *doc = cJSON_Parse("{\"k\": ["
	    "{\"name\": \"collective\", \"match\": "
	    "\"{all_reduce|reduce_scatter !gemm|warp_all_reduce}\"},"
	    "{\"name\": \"peers\", \"match\": "
	    "\"{inter_node dispatch|combine}\"},"
	    "{\"name\": \"moe\", \"match\": \"{mo_e*}\"},"
	    "{\"name\": \"conv\", \"match\": [\"{conv}\", \"conv1\"]}]}");
	struct tp_classes c;
	struct tp_err err;

	check("load", !tp_classes_load(&c, doc, "f", "k", NULL, NULL, &err));
	is(&c, "ncclDevKernel_AllReduce_Sum", "collective");
	is(&c, "void ns::allreduce<float>(int)", "collective");
	is(&c, "all_reduce", "collective");
	is(&c, "one-shot ALL-REDUCE", "collective");
	is(&c, "_ZN2ns10all_reduceEv", "collective");
	is(&c, "small_reduce", NULL);
	is(&c, "all_reduced", NULL);
	is(&c, "gemm_all_reduce", NULL);
	is(&c, "softmax<WarpAllReduce>", NULL);
	is(&c, "void a::b::internode::dispatch<false, 8>(int4*)", "peers");
	is(&c, "EpCombineInterNodeKernel", "peers");
	is(&c, "internode::notify", NULL);
	is(&c, "cub::DispatchReduce", NULL);
	is(&c, "MoESortKernel", "moe");
	is(&c, "ck_moesorting", "moe");
	is(&c, "smoe", NULL);
	is(&c, "RMSConvFwd", "conv");
	is(&c, "conv1", "conv");
	is(&c, "ConvertOffset", NULL);
	is(&c, "", NULL);
	tp_classes_release(&c);
	cJSON_Delete(doc);
}

static void
subjects(void)
{
	static const char *const both[] = { "op", "kernel" },
	    *const second[] = { "x", "kernel" }, *const none[] = { NULL,
	    NULL };
	cJSON *doc = cJSON_Parse("{\"k\": ["
	    "{\"name\": \"a\", \"one\": \"op\", \"two\": \"no\"},"
	    "{\"name\": \"b\", \"two\": \"kernel\", \"more\": 1},"
	    "{\"name\": \"rest\"}], \"yes\": [\"a\", \"b\"]}");
	struct tp_classes c;
	struct tp_err err;

	check("load", !tp_classes_load(&c, doc, "f", "k", "one two",
	    "less more", &err) && c.has_rest);
	check("first subject", tp_class_of(&c, both) == &c.list[0]);
	check("second subject", tp_class_of(&c, second) == &c.list[1]);
	check("the rest", tp_class_of(&c, none) == &c.list[2]);
	tp_classes_release(&c);
	check("load", !tp_classes_load(&c, doc, "f", "yes", NULL, NULL,
	    &err) && c.count == 1);
	is(&c, "b", "");
	is(&c, "c", NULL);
	tp_classes_release(&c);
	memset(&c, 0, sizeof c);
	is(&c, "b", NULL);
	cJSON_Delete(doc);
}

/* What a kernel is given does not say what it does. */
static void
functions(void)
{
	static const struct {
		const char *name;
		int fits;
	} of[] = {
		{ "spread(int *, curandState *)", 0 },
		{ "void spread<curandState>(int *)", 1 },
		{ "curand_init(int *)", 1 },
		{ "void f<g(curand)::{lambda(int)#1}>(int)", 1 },
		{ "(anonymous namespace)::f(void (*)(curand), int) const", 0 },
		{ "f(curand) [clone .kd]", 0 },
		{ "f(int)::curand", 1 },
		{ "f(curand", 1 },
		{ "curand)", 1 },
		{ "(curand)", 1 },
		{ "curand", 1 },
		{ "", 0 },
	};
	cJSON *doc = cJSON_Parse("{\"k\": [\"/curand/\"], "
	    "\"w\": [\"{curand*}\"]}");
	struct tp_classes c, w;
	struct tp_err err;

	check("load", !tp_classes_load(&c, doc, "f", "k", NULL, NULL, &err) &&
	    !tp_classes_load(&w, doc, "f", "w", NULL, NULL, &err));
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		check(of[i].name, !tp_class_of_function(&c, &of[i].name) ==
		    !of[i].fits && !tp_class_of_function(&w, &of[i].name) ==
		    !of[i].fits);
	tp_classes_release(&c);
	tp_classes_release(&w);
	cJSON_Delete(doc);
}

static void
wrong(const char *list, const char *says)
{
	char text[200];
	struct tp_classes c;
	struct tp_err err;
	cJSON *doc;

	snprintf(text, sizeof text, "{\"k\": %s}", list);
	doc = cJSON_Parse(text);
	check(list, doc && tp_classes_load(&c, doc, "ops/f.json", "k", NULL,
	    "more", &err) < 0);
	snprintf(text, sizeof text, "share/ops/f.json: 'k'%s", says);
	check(says, !strcmp(err.text, text));
	tp_classes_release(&c);
	cJSON_Delete(doc);
}

int
main(void)
{
	patterns();
	words();
	subjects();
	functions();
	wrong("null", ": no pattern");
	wrong("[]", ": no pattern");
	wrong("[1]", ": no text among the patterns of 'k'");
	wrong("\"/(/\"", ": bad expression '/(/'");
	wrong("\"{a  b}\"", ": bad words '{a  b}'");
	wrong("\"{a|}\"", ": bad words '{a|}'");
	wrong("\"{Ab}\"", ": bad words '{Ab}'");
	wrong("[{\"match\": \"a\"}]", ", row 1 (): no name");
	wrong("[{\"name\": \"a\", \"match\": \"a\"}, {\"name\": \"b\", "
	    "\"match\": \"/[/i\"}]", ", row 2 (b): bad expression '/[/i'");
	wrong("[{\"name\": \"a\", \"mach\": \"a\"}]",
	    ", row 1 (a): unknown key 'mach'");
	wrong("[{\"name\": \"a\", \"match\": 1}]",
	    ", row 1 (a): neither a pattern nor a list of them 'match'");
	wrong("[{\"name\": \"a\", \"match\": [1]}]",
	    ", row 1 (a): no text among the patterns of 'match'");
	wrong("[{\"name\": \"a\", \"more\": 1}, {\"name\": \"b\"}]",
	    ", row 1 (a): only the last row may lack a pattern");
	return failed;
}
