// perfetto.mjs MODULE TRACE QUERY: what Perfetto's own trace processor says.
//
// MODULE is a folder that holds its WebAssembly build with the glue of its
// user interface: trace_processor.wasm, engine_bundle.node.js, engine.mjs.
// Prints a line a row, columns with "|" between.  The glue is made for a
// worker of a browser, which has to be played here.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import vm from "node:vm";

const [folder, trace, query] = process.argv.slice(2);

globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function () {};
globalThis.location = { href: pathToFileURL(folder).href + "/" };
globalThis.wasm = new Uint8Array(
    readFileSync(join(folder, "trace_processor.wasm")));
let glue = readFileSync(join(folder, "engine_bundle.node.js"), "utf8");
for (const [from, to] of [
	["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
	["locateFile: (s) => s,",
	    "locateFile: (s) => s, wasmBinary: globalThis.wasm,"],
	["const wasmBridge = new wasm_bridge_1.WasmBridge();",
	    "const wasmBridge = globalThis.bridge = " +
	    "new wasm_bridge_1.WasmBridge();"],
]) {
	if (!glue.includes(from))
		throw new Error("another version of the glue: no " + from);
	glue = glue.replace(from, to);
}
vm.runInThisContext(glue);

const { EngineBase } = await import(
    pathToFileURL(join(folder, "engine.mjs")).href);
const channel = new MessageChannel();
class Engine extends EngineBase {
	mode = "WASM";
	id = "test";
	rpcSendRequestBytes(data) {
		channel.port2.postMessage(data);
	}
}
const engine = new Engine();
channel.port2.onmessage = (m) => {
	if (m.data instanceof Uint8Array)
		engine.onRpcResponseBytes(m.data);
};
console.warn = () => {};
globalThis.bridge.initialize(channel.port1);
// it says nothing when it is ready
await new Promise((done) => setTimeout(done, 1500));
await engine.parse(new Uint8Array(readFileSync(trace)));
await engine.notifyEof();
for (const one of query.split(";").filter((q) => q.trim())) {
	const result = await engine.query(one);
	const columns = result.columns();
	for (const i = result.iter({}); i.valid(); i.next())
		console.log(columns.map((c) => String(i.get(c))).join("|"));
}
process.exit(0);
