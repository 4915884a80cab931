/** Concurrent reads of single entities are batched into one query, without exposing others' entities. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Db, Document } from "mongodb";
import { getService, type Service } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { createStorage, type Storage } from "@nts/topology/storage/storage";
import { profiled } from "../support/profiled.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, unknownEntity } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;
let stranger: Caller;
let own: Service[];
let hidden: Service;
let foreign: Service;
let limited: Scope;

beforeAll(async () => {
  topology = await startTopology();
  owner = topology.aCaller();
  stranger = topology.aCaller();
  const home = await aNetwork(owner);
  const host = await aHost(home);
  const office = await aNetwork(owner, "office");
  const away = await aNetwork(stranger);
  own = [await aService(home, host, { name: "ä" }), await aService(home, host, { name: "日本" })];
  hidden = await aService(office, await aHost(office));
  foreign = await aService(away, await aHost(away));
  limited = { ...owner.scope, networks: [unknownEntity().id, home.network.id] };
});
afterAll(() => topology.stop());

const storageOn = (db: Db): Storage => createStorage(db, () => Promise.reject(new Error("nothing is written here")));

async function nameFor({ services }: Storage, scope: Scope, id: string): Promise<string> {
  try {
    const { json, revision } = await services.readOne(scope, id);
    return `${(JSON.parse(json.toString()) as Service).name} ${revision}`;
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

/** The queries for services during a task. */
const queriesOf = (task: () => Promise<void>): Promise<Document[]> =>
  profiled(topology.db, { ns: `${topology.db.databaseName}.services` }, task);

describe("topology.gathered", () => {
  it("batches reads of several organizations and scopes, and shows each caller only its own", async () => {
    const storage = storageOn(topology.db);
    const none: Scope = { ...owner.scope, networks: [] };
    const lostNetwork: Scope = { ...stranger.scope, networks: limited.networks };
    const [first, second] = own as [Service, Service];
    const reads: [Scope, { id: string }, string][] = [
      ...[first, second, first].map((one): [Scope, Service, string] => [owner.scope, one, `${one.name} 1`]),
      [limited, first, `${first.name} 1`],
      [limited, hidden, "not_found"],
      [owner.scope, hidden, `${hidden.name} 1`],
      [owner.scope, foreign, "not_found"],
      [stranger.scope, foreign, `${foreign.name} 1`],
      [stranger.scope, first, "not_found"],
      [lostNetwork, first, "not_found"],
      [lostNetwork, foreign, "not_found"],
      [none, first, "not_found"],
      [owner.scope, unknownEntity(), "not_found"],
    ];
    const queries = await queriesOf(async () => {
      const responses = await Promise.all(reads.map(([scope, { id }]) => nameFor(storage, scope, id)));
      expect(responses).toEqual(reads.map(([, , expected]) => expected));
    });
    expect(queries).toHaveLength(1);
    expect(queries[0]?.["docsExamined"]).toBe(4);
  });

  it("serves hundreds of concurrent requests, each with its own result", async () => {
    const requested = Array.from({ length: 300 }, (_, n) => own[n % 2] as Service);
    const responses = await Promise.all(requested.map((service) => owner.call(getService, { params: service })));
    expect(responses).toEqual(requested);
  });

  it("fails only the callers of the failed query", async () => {
    let fails = true;
    const failing = Object.assign(Object.create(topology.db) as Db, {
      command: (...given: Parameters<Db["command"]>) => {
        if (!fails) return topology.db.command(...given);
        fails = false;
        return topology.db.command({ ...(given[0] as object), filter: { $wrong: 1 } }, given[1]);
      },
    });
    const storage = storageOn(failing);
    const [first, second] = own as [Service, Service];
    const reads = Array.from({ length: 70 }, () => nameFor(storage, owner.scope, first.id));
    const responses = await Promise.all(reads);
    expect(responses.slice(0, 64).every((response) => response.includes("$wrong"))).toBe(true);
    expect(responses.slice(64)).toEqual(Array.from({ length: 6 }, () => `${first.name} 1`));
    expect(await nameFor(storage, owner.scope, second.id)).toBe(`${second.name} 1`);
  });
});
