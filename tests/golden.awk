# golden.awk: golden cases as files, and back (see golden.sh)
#
#   awk -f golden.awk -v mode=folders FILE.test...  print the folders of all files
#   awk -f golden.awk -v mode=files FILE.test...    write these files, and print
#                                                 "FILE<tab>FROM" for copies
#   awk -f golden.awk -v mode=update FILE.test      print FILE.test with the
#                                                 results that are in got/
#
# Folders are of the current one: "cases" has what is there when a case runs,
# "want" its command and what must come of it, "got" what came of it.

function end_file() {
	# the last line was held back: it may have no newline
	if (to != "") {
		printf "%s", lines ? last (cut ? "" : "\n") : "" >to
		close(to)
	}
	to = last = ""
	lines = 0
}

function print_result(name,    from, line, text) {
	from = "got/" test "." name
	while ((getline line <from) > 0)
		text = text line "\n"
	close(from)
	if (text != "")
		printf "-- %s%s --\n%s", name,
		    (getline line <(from ".cut")) < 0 ? "" : ", cut", text
}

function end_case() {
	end_file()
	if (updated) {
		print_result("out")
		print_result("err")
		print_result("status")
	}
	updated = 0
}

FNR == 1 {
	end_case()
	suite = FILENAME
	gsub(/^.*\/|[.]test$/, "", suite)
	test = name = ""
}

/^== .+ ==$/ {
	end_case()
	test = substr($0, 4, length($0) - 6)
	name = ""
	if (mode == "folders")
		print "cases/" suite "/" test "\nwant/" suite "/" test
	if (mode == "update") {
		print
		from = "got/" test ".status"
		updated = (getline line <from) >= 0
		close(from)
	}
	next
}

/^-- .+ --$/ {
	end_file()
	name = substr($0, 4, length($0) - 6)
	cut = sub(/, cut$/, "", name)
	from = ""
	if ((n = index(name, " = ")) > 0) {
		from = substr(name, n + 3)
		name = substr(name, 1, n - 1)
	}
	is_result = name ~ /^(out|err|status)$/
	path = (is_result || name == "cmd" ? "want/" : "cases/") \
	    suite "/" test "/" name
	if (mode == "folders" && sub(/\/[^\/]*$/, "", name) > 0)
		print "cases/" suite "/" test "/" name
	if (mode == "files" && from != "")
		print path "\tcases/" from
	if (mode == "files" && from == "")
		to = path
	if (mode == "update" && !(updated && is_result))
		print
	next
}

name == "" || from != "" {
	printf "%s:%d: a line of no file\n", FILENAME, FNR >"/dev/stderr"
	exit 2
}

mode == "update" && !(updated && is_result) {
	print
}

to != "" {
	if (lines++)
		print last >to
	last = $0
}

END {
	end_case()
}
