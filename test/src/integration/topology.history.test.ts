/** Histories of entities, compared with the changes of which they are a part. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Change, deleteHost, type Host, updateHost } from "@nts/shared/contract";
import { waitForJournal } from "../support/moments.js";
import { withRequestId } from "../support/reverts.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork } from "../support/topology-world.js";

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true });
  // What exists before the journal starts is recorded as reconciled.
  await waitForJournal(topology.aCaller());
});
afterAll(() => topology.stop());

type Query = Readonly<Record<string, string>>;

const described = (changes: readonly Change[]): string[] =>
  changes.map(({ action, entity, name }) => `${action} ${entity} ${name}`);

/** The entries and the metadata at a path. */
async function read(caller: Caller, path: string, query: Query = {}) {
  const { status, data, meta, text } = await caller.raw("get", `${path}?${new URLSearchParams(query).toString()}`);
  if (status !== 200) throw new Error(text);
  return { changes: data as Change[], meta };
}

/** A host that a colleague has renamed before it was deleted, with its entry about that. */
async function aPast(): Promise<{ owner: Caller; host: Host; renamed: Change }> {
  const world = await aNetwork(topology.aCaller());
  const { owner } = world;
  const host = await aHost(world, { ports: 1 });
  const body = { ...host, name: "renamed" };
  const colleague = owner.colleague({ permission: "Member" });
  await withRequestId((headers) => colleague.call(updateHost, { params: host, body, headers }));
  await owner.call(deleteHost, { params: host });
  await waitForJournal(owner);
  const { changes } = await read(owner, "/api/v1/changes", { host_id: host.id, action: "updated" });
  return { owner, host, renamed: changes[0]! };
}

describe("the history of an entity", () => {
  it("has the filters and the metadata of the changes", async () => {
    const { owner, host, renamed } = await aPast();
    const [port] = host.ports;
    const queries: [Query, string[]][] = [
      [
        {},
        [
          "created Host nas",
          "created Port 1/Tcp",
          "updated Host renamed",
          "deleted Host renamed",
          "deleted Port 1/Tcp",
        ],
      ],
      [{ action: "updated" }, ["updated Host renamed"]],
      [{ user_id: renamed.actor!.user_id }, ["updated Host renamed"]],
      [{ request_id: renamed.request_id! }, ["updated Host renamed"]],
      [{ since: renamed.at, action: "created" }, []],
      [{ until: renamed.at }, ["created Host nas", "created Port 1/Tcp"]],
      [{ entity: "Port" }, ["created Port 1/Tcp", "deleted Port 1/Tcp"]],
      [{ entity_id: port!.id, action: "deleted" }, ["deleted Port 1/Tcp"]],
      [{ key_id: host.id }, []],
    ];
    for (const [query, found] of queries)
      for (const order_direction of ["asc", "desc"]) {
        const history = await read(owner, `/api/v1/hosts/${host.id}/history`, { ...query, order_direction });
        const expected = order_direction === "asc" ? found : found.toReversed();
        expect([query, described(history.changes)]).toEqual([query, expected]);
        const same = await read(owner, "/api/v1/changes", { ...query, host_id: host.id, order_direction });
        expect([query, history.changes, history.meta.oldest]).toEqual([query, same.changes, same.meta.oldest]);
      }
  });

  it("is continued with a filter, and is not filtered by what its path already says", async () => {
    const { owner, host } = await aPast();
    const [port] = host.ports;
    const path = `/api/v1/ports/${port!.id}/history`;
    const since = "2000-01-01T00:00:00Z";
    const first = await read(owner, path, { limit: "1", since });
    const second = await read(owner, path, { limit: "1", since, after: first.meta.next! });
    expect([first, second].flatMap(({ changes }) => described(changes))).toEqual([
      "created Port 1/Tcp",
      "deleted Port 1/Tcp",
    ]);
    for (const filter of ["entity=Host", `entity_id=${host.id}`, `host_id=${host.id}`, `network_id=${host.network_id}`])
      expect([filter, (await owner.raw("get", `${path}?${filter}`)).code]).toEqual([filter, "validation_failed"]);
    const unknown = await owner.raw("get", `/api/v1/ports/${host.id}/history?action=created`);
    expect([unknown.status, unknown.code]).toEqual([404, "not_found"]);
  });
});
