# The events that flatc printed of an ETDump, a line each: name, chain,
# instruction, start in us and how long in ms, as tp-rows has them.
def decimal($digits): tostring | (("0" * ($digits + 1)) + .)[-([length,
  $digits + 1] | max):] | .[:-$digits] + "." + .[-$digits:] |
  sub("(?<d>\\.[0-9])(?<z>0+)$"; "\(.d)");
[.run_data[] | .events[].profile_event | select(. != null)][] |
  [ (if .delegate_debug_id_int != null and .delegate_debug_id_int >= 0
     then (.delegate_debug_id_int | tostring)
     else .delegate_debug_id_str // .name end),
    (if (.chain_index // 0) < 0 then null else .chain_index // 0 end),
    (if (.chain_index // 0) < 0 then null else .instruction_id end),
    .start_time, .end_time - .start_time ] | @tsv
