/** Concurrent archives of one organization, uploading or importing. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { INTERNAL } from "@nts/shared/http/headers";
import { ARCHIVE_PATH, archiveText, randomEntities, sendArchive } from "../support/archives.js";
import { startTopology, type Topology } from "../support/topology.js";
import { until } from "../support/until.js";

let topology: Topology;
/** Runs before each transaction of an import. */
let beforeWrite: (() => Promise<void>) | null = null;

beforeAll(async () => {
  topology = await startTopology({
    storage: (storage) => ({
      ...storage,
      transaction: async (...given) => {
        await beforeWrite?.();
        return storage.transaction(...given);
      },
    }),
  });
});
afterAll(() => topology.stop());

describe("concurrent archives", () => {
  it("are limited to two per organization, also while they are uploaded; a third one is 429 with Retry-After", async () => {
    const owner = topology.aCaller();
    const other = topology.aCaller();
    const text = archiveText(randomEntities(21, 3));
    let go = (): void => undefined;
    const released = new Promise<void>((resolve) => (go = resolve));
    let writing = 0;
    beforeWrite = () => {
      writing += 1;
      return released;
    };
    const first = sendArchive(owner, text);
    await until(() => writing === 1);
    // Only its beginning has arrived.
    const arriving = await beginArchive(topology.ports[0]!, owner.tenancy(), text);
    await until(async () => (await sendArchive(owner, "", "?dry_run=true")).status === 429);
    const { status, code, params, headers } = await sendArchive(owner, text);
    expect([status, code, params["retry_after_seconds"], headers["retry-after"]]).toEqual([
      429,
      "rate_limited",
      5,
      "5",
    ]);
    expect((await sendArchive(owner.colleague({ permission: "Admin" }), text, "?dry_run=true")).status).toBe(429);
    beforeWrite = null;
    expect((await sendArchive(other, text, "?dry_run=true")).status).toBe(200);
    arriving.destroy();
    go();
    expect((await first).status).toBe(200);
    await until(async () => (await sendArchive(owner, text)).status === 200);
  });
});

/** Begins to send an archive, and never ends. */
async function beginArchive(port: number, tenancy: string, text: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const head = {
    host: "topology",
    [INTERNAL.tenancy]: tenancy,
    "content-type": "application/x-ndjson",
    "content-length": text.length,
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${ARCHIVE_PATH} HTTP/1.1\r\n${lines.join("")}\r\n${text.slice(0, 300)}`);
  return socket;
}
