/*
 * perfetto - the slices of a Perfetto trace (*.pftrace)
 *
 * Such a trace is a sequence of TracePackets.  Slices of the track_event data
 * source are returned as events, in the form of PyTorch's profiler where they
 * are rocprofv3's ("slices" of share/events/rocpd.json says which category of
 * its is what); slices of other programs keep their category.  A lane is a
 * thread, or a track that is none, of a process.  Instants, counters and other
 * data sources are not read.
 *
 * Source: trace_packet.proto and track_event.proto of google/perfetto.  A
 * damaged packet is lost alone; damage between packets ends the trace.
 *
 * Memory: the longest packet, or a block; distinct names; 48 bytes a track, and
 * open slices with their text.
 */
#ifndef TP_READ_PERFETTO_H
#define TP_READ_PERFETTO_H

#include "events_private.h"

extern const struct tp_events_source tp_perfetto_events;

#endif
