/* proto_out - write the protocol buffers wire format */
#include <tp/text.h>

#include "proto_out.h"

void
tp_put_text(struct tp_buf *buf, unsigned field, const char *text, size_t len)
{
	struct tp_buf shown = { 0 };

	if (tp_shows_itself(text, len)) {
		tp_put_bytes(buf, field, text, len);
		return;
	}
	tp_show_text(&shown, text, len);
	tp_put_bytes(buf, field, shown.p, shown.len);
	tp_buf_release(&shown);
}
