/**
 * `npm run bench -- tokens`: the size of what an assistant reads of the demo network, in bytes and estimated tokens: the
 * tool definitions, and a typical response of each tool.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createDemo } from "@nts/local/demo/create";
import { startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { row } from "./work.js";

/** Measured with the tokenizer o200k_base: 2.2 to 3.6 for each text, 3.0 for all of them. */
const BYTES_PER_TOKEN = 3;

const dataDir = await mkdtemp(join(tmpdir(), "nts-tokens-"));
const stack = await startStack({ env: UNLIMITED });
try {
  const { signal } = new AbortController();
  const { apiKey } = await createDemo({ baseUrl: stack.url, dataDir, report: () => undefined, signal, isAlone: false });
  const client = new Client({ name: "bench", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp`), { requestInit }));
  row("Read", "Bytes", "Tokens");
  row("---", "---", "---");
  printSize("all definitions", JSON.stringify((await client.listTools()).tools) + (client.getInstructions() ?? ""));
  await printResponses(client);
  await client.close();
} finally {
  await stack.stop();
  await rm(dataDir, { recursive: true });
}

function printSize(what: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  row(what, bytes, Math.round(bytes / BYTES_PER_TOKEN / 10) * 10);
}

async function printResponses(client: Client): Promise<void> {
  const call = async (name: string, given: Record<string, unknown>): Promise<string> => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    const text = content[0]?.type === "text" ? content[0].text : "";
    if (isError === true) throw new Error(`${name}: ${text}`);
    printSize(`\`${name}\``, text);
    return text;
  };
  await call("overview", {});
  await call("find", { text: "proxmox" });
  const [, id] = /"id":"([0-9a-f-]{36})"/.exec(await call("describe_host", { host: "Firewall" })) ?? [];
  await call("describe_subnet", { subnet: "10.20.10.0/24" });
  await call("what_listens", { port: 443 });
  await call("who_is", { address: "10.20.10.11" });
  await call("what_changed", {});
  await call("what_is_gone", { days: 0 });
  await call("find_duplicates", {});
  const change = { action: "change", kind: "host", id, members: { description: "Moved to rack 2" } };
  const [, etag] = /"etag":("(?:[^"\\]|\\.)*")/.exec(await call("plan_change", { change })) ?? [];
  await call("apply_change", { change, etag: JSON.parse(etag ?? '""') as string });
}
