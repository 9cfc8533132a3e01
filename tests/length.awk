# length.awk: how long a report is
#
# Prints the words and the tables of the Markdown before its appendix, and the
# words of the appendix.  A word holds a letter or a digit; what a picture says
# to those who cannot see it is not read beside it.
/^#+ .*Appendix/ { appendix = 1 }
/^!\[/ { next }
/^[|][-:| ]+[|]$/ { tables[appendix + 0]++; next }
{
	for (i = 1; i <= NF; i++)
		if ($i ~ /[[:alnum:]]/)
			words[appendix + 0]++
}
END { print words[0] + 0, tables[0] + 0, words[1] + 0 }
