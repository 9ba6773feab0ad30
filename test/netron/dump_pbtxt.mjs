// What the viewer Netron reads in a ge_onnx_*.pbtxt, as JSON on standard output.
// usage: node dump_pbtxt.mjs NETRON_FOLDER FILE.pbtxt
// NETRON_FOLDER holds the viewer's own sources, which run unchanged and choose the reader themselves; below is the little
// that they ask of their host.

import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
if (!file) {
  console.error("usage: node dump_pbtxt.mjs NETRON_FOLDER FILE.pbtxt");
  process.exit(2);
}
const load = (name) => import(pathToFileURL(resolve(folder, name)).href);
const base = await load("base.js");
const { ModelFactoryService } = await load("view.js");

const fail = (error) => {
  throw error;
};
const asset = async (name) => readFileSync(resolve(folder, name), "utf8");
const require = (id) => load(`${id.replace("./", "")}.js`);
const host = { type: "Test", environment: () => undefined, event() {}, exception: fail, require, asset, request: asset };
const context = {
  identifier: basename(file),
  name: basename(file),
  stream: new base.BinaryStream(new Uint8Array(readFileSync(file))),
  entries: new Map(),
  asset,
  request: asset,
  require,
  error: fail,
};

const plain = (value) => {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === "object" && value !== null ? {} : value;
};

const model = await new ModelFactoryService(host).open(context);
const graphs = model.modules.map((graph) => ({
  name: graph.name,
  nodes: graph.nodes.map((node) => ({
    name: node.name,
    type: node.type.name,
    inputs: node.inputs.flatMap((argument) => argument.value.map((value) => value.name)),
    outputs: node.outputs.flatMap((argument) => argument.value.map((value) => value.name)),
    attributes: Object.fromEntries(node.attributes.map((a) => [a.name, plain(a.value)])),
  })),
}));
console.log(JSON.stringify({ format: model.format, graphs }));
