// What the viewer Netron reads in an om file, as JSON on standard output.
// usage: node dump_om.mjs NETRON_FOLDER FILE.om
// NETRON_FOLDER holds the viewer's own sources (om.js and what it imports). They run unchanged: below is the little
// that they ask of their host, a stream over the file, the table of operator names, and a way to load a module.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
if (!file) {
  console.error("usage: node dump_om.mjs NETRON_FOLDER FILE.om");
  process.exit(2);
}
const load = (name) => import(pathToFileURL(resolve(folder, name)).href);
const base = await load("base.js");
const { ModelFactory } = await load("om.js");

class Metadata {
  constructor(types) {
    this.types = new Map(types.map((type) => [type.name, type]));
  }
  type(name) {
    return this.types.get(name) || { name };
  }
}

const context = {
  stream: new base.BinaryStream(new Uint8Array(readFileSync(file))),
  require: (id) => load(`${id}.js`),
  metadata: async (name) => new Metadata(JSON.parse(readFileSync(resolve(folder, name), "utf8"))),
  set(type, value) {
    this.value = value;
    return type;
  },
};

const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const typeText = (type) => (type ? type.toString() : null);

// Integers as decimal text, since JSON numbers are doubles; byte strings that are no text as {hex}.
function plain(value) {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return { hex: hex(value) };
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  return {}; // a tensor, a graph or a function: shown by the viewer in panels of their own
}

function graphOf(module) {
  const initializers = {};
  const nodes = module.nodes.map((node) => {
    for (const argument of node.inputs) {
      for (const value of argument.value) {
        if (!value.initializer) continue;
        const bytes = value.initializer.values || new Uint8Array();
        initializers[value.name] = { type: typeText(value.type), bytes: bytes.length, sha256: hash(bytes) };
      }
    }
    return {
      name: node.name,
      type: node.type.name,
      inputs: node.inputs.flatMap((argument) => argument.value.map((value) => value.name)),
      outputs: node.outputs.flatMap((argument) => argument.value.map((value) => [value.name, typeText(value.type)])),
      control: node.controlDependencies.length,
      attributes: Object.fromEntries(node.attributes.map((a) => [a.name, { type: a.type, value: plain(a.value) }])),
    };
  });
  return { name: module.name, nodes, initializers };
}

const factory = new ModelFactory();
const type = await factory.match(context);
if (!type) throw new Error("the viewer does not recognise the file");
const model = await factory.open(context);
console.log(JSON.stringify({ format: model.format, graphs: model.modules.map(graphOf) }));
