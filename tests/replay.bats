#!/usr/bin/env bats
# Scripts that make calls again.  They are run with a stand-in for PyTorch.

bats_require_minimum_version 1.5.0
load helper

setup() {
	command -v python3 >/dev/null || skip 'no python3'
	cd "$BATS_TEST_TMPDIR"
	cases=$TP_BUILD/cases/tp-replay
	mkdir stub
	cat >stub/torch.py <<-'END'
	"""Says what it is called with."""
	import contextlib

	class DType:
	    def __init__(self, name):
	        self.name = name
	        self.is_floating_point = "float" in name
	        self.is_complex = "complex" in name

	class Tensor:
	    def __init__(self, content):
	        self.content = content
	    def to(self, dtype):
	        return Tensor("%s %s" % (dtype.name, self.content))
	    def as_strided(self, shape, strides):
	        return Tensor("%s %s/%s" % (self.content, shape, strides))
	    def __repr__(self):
	        return "<%s>" % self.content

	class Op:
	    def __init__(self, name):
	        self.name = name
	    def __getattr__(self, name):
	        return Op(self.name + "." + name)
	    def __call__(self, *args, **kwargs):
	        print(self.name, args, kwargs)

	class Device:
	    def __init__(self, name):
	        self.type = name

	device = Device
	ops = Op("ops")
	no_grad = contextlib.nullcontext
	for _name in ("float16 float32 float64 bfloat16 bool int32 int64"
	              .split()):
	    globals()[_name] = DType(_name)

	def rand(size, device):
	    return Tensor("rand(%d)" % size)

	def randint(least, below, size, device):
	    return Tensor("below %d(%d)" % (below, size[0]))

	def manual_seed(seed):
	    pass
	END
}

# replay OP FILE ARGUMENT...: run the script of OP, once and without times
replay() {
	local op=$1 file=$2
	shift 2
	tp-replay "$op" "$file" --output script.py || return
	PYTHONPATH=stub python3 script.py --device cpu --warmup 0 \
	    --repeats 1 "$@" | sed '/^   median/s/[0-9.]* us/T/g'
}

@test "tp-replay: a script calls the operator with what was recorded" {
	run replay aten::mm "$cases/a-product/in.jsonl"
	[ "$output" = "'aten::mm', 1 of its calls
0: bfloat16[512, 512], bfloat16[512, 512] x2
ops.aten.mm (<bfloat16 rand(262144) [512, 512]/[512, 1]>, <bfloat16 rand(262144) [512, 512]/[1, 512]>) {}
   median T, least T; in the trace T of GPU time" ]
}

@test "tp-replay: scalars, lists, indexes, None and arguments by name arrive" {
	for op in embedding index_select clamp sum mean pow \
	    native_layer_norm_backward _scaled_dot_product_flash_attention; do
		replay "aten::$op" "$cases/every-kind-of-argument/in.jsonl"
	done | grep '^ops' >got
	diff - got <<-'END'
	ops.aten.embedding (<float32 rand(800) [100, 8]/[8, 1]>, <int64 below 100(4) [4]/[1]>, -1, False, False) {}
	ops.aten.index_select (<float32 rand(35) [5, 7]/[7, 1]>, -1, <int32 below 7(3) [3]/[1]>) {}
	ops.aten.clamp (<float16 rand(1) [4]/[0]>, None, inf) {}
	ops.aten.sum (<float32 rand(1) []/[]>, [], False) {}
	ops.aten.mean (<float32 rand(6) [2, 3]/[3, 1]>, [-1], False) {'out': <float32 rand(2) [2]/[1]>}
	ops.aten.pow (0.1, <float64 rand(1) []/[]>) {}
	ops.aten.native_layer_norm_backward (<bfloat16 rand(6) [2, 3]/[3, 1]>, <bfloat16 rand(6) [2, 3]/[3, 1]>, [3], <float32 rand(2) [2, 1]/[1, 1]>, <float32 rand(2) [2, 1]/[1, 1]>, None, None, [True, False, False]) {}
	ops.aten._scaled_dot_product_flash_attention (<bfloat16 rand(64) [1, 2, 8, 4]/[64, 32, 4, 1]>, <bfloat16 rand(64) [1, 2, 8, 4]/[64, 32, 4, 1]>, <bfloat16 rand(64) [1, 2, 8, 4]/[64, 32, 4, 1]>, 0.0, True, False) {'scale': None}
	END
}

@test "tp-replay: names of a trace are data of the script" {
	jq -c --arg s $'a\'\'\'\nimport os\r\\\'"; print(1) #\e' '.src = $s' \
	    "$cases/a-product/in.jsonl" >hostile.jsonl
	run replay aten::mm hostile.jsonl --list
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "'aten::mm', 1 of its calls" ]
	[ "$(grep -c "'''" script.py)" -eq 2 ]
	! grep -q '^import os' script.py
	PYTHONPATH=.:stub python3 -c 'import script
assert script.CALLS["calls"][0]["trace"] == "a" + chr(39) * 3 + "\nimport os\r\\" + chr(39) + "\"; print(1) #\x1b"'
}

@test "tp-replay: a call that fails does not end the others" {
	sed -i 's/^        print(self.name.*/        raise RuntimeError("no such thing")/' stub/torch.py
	tp-replay aten::mm "$cases/a-product/in.jsonl" -o script.py
	PYTHONPATH=stub run python3 script.py --device cpu
	[ "$status" -eq 1 ]
	[[ $output = *"cannot be made here: no such thing" ]]
	run -2 python3 script.py --call 7
	[[ $output = *"there are 1 calls" ]]
}

@test "tp-replay: what takes something in the table of operators is listed" {
	jq -r '[.families[].ops | to_entries[] | select(.value.takes).key] |
	    sort[]' "$TP_ROOT/share/ops/torch-operators.json" >expected
	tp-replay --list | diff expected -
	[ "$(wc -l <expected)" -gt 100 ]
}

@test "tp-replay: a row of the user says what an operator takes" {
	sed 's/aten::mm/mine::mm/' "$cases/a-product/in.jsonl" >in.jsonl
	run -1 tp-replay mine::mm in.jsonl
	# by a pattern, and of a type that the table does not have
	sed -i 's/c10::BFloat16/MyHalf/g' in.jsonl
	cat >mine.json <<-'END'
	{"types": {"myhalf": {"bytes": 2, "torch": "float16"}},
	 "families": {"mine": {"ops": {"mine::*": {"takes": [
	 "int self", "tensor self, *, tensor other"]}}}}}
	END
	tp-replay --ops mine.json mine::mm in.jsonl --output script.py
	PYTHONPATH=stub python3 script.py --device cpu --warmup 0 \
	    --repeats 1 | grep -q "^ops.mine.mm (<float16 .*>,) {'other': <float16 "
	tp-replay --ops mine.json --list | grep -qx 'mine::\*'
	# what it costs stays as it was, and the other way round
	sed 's/mine::\*/aten::mm/' mine.json >mm.json
	tp-ops -q --only op.perf \
	    "$TP_BUILD/cases/tp-ops/torch-work/train.json" >before
	tp-ops -q --only op.perf --ops mm.json \
	    "$TP_BUILD/cases/tp-ops/torch-work/train.json" | cmp before -
	echo '{"families": {"mine": {"ops": {"aten::mm": {"flops": "1"}}}}}' \
	    >mm.json
	tp-replay --ops mm.json aten::mm "$cases/a-product/in.jsonl" >/dev/null
}

@test "tp-replay: a signature that cannot be read is named, with its file" {
	while IFS='|' read -r takes says; do
		echo "{\"families\": {\"mine\": {\"ops\": {\"mine::x\": $takes}}}}" \
		    >mine.json
		for tool in 'tp-replay mine::x' tp-ops; do
			run -2 $tool --ops mine.json \
			    "$TP_BUILD/cases/tp-ops/torch-work/train.json"
			[[ $output = *"mine.json: $says"* ]] ||
			    fail "$tool $takes: $output"
		done
	done <<-'END'
	{"takes": "tensr self"}|no signature of 'mine::x' at 'tensr self'
	{"takes": "tensor self, int"}|no signature of 'mine::x' at 'int'
	{"takes": "tensor self, below:2:0 i"}|no signature of 'mine::x' at 'below:2:0 i'
	{"takes": "tensor self, below:0:= i"}|no signature of 'mine::x' at 'below:0:= i'
	{"takes": "default? self"}|no signature of 'mine::x' at 'default? self'
	{"takes": ["tensor self", 1]}|no signature of 'mine::x' at 'takes'
	{"takes": []}|no signature of 'mine::x' at 'takes'
	{"takes": ""}|no signature of 'mine::x' at 'takes'
	{"takes": "tensor self", "a": 0}|unknown key 'a' of 'mine::x'
	END
}
