/** Importing archives: what was exported is restored, other entities are kept, and nothing is duplicated. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type ArchiveImport,
  createHost,
  deleteHost,
  listChanges,
  listHosts,
  patchHost,
  patchService,
  patchTag,
  pluralOf,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { ENTITY_KINDS } from "@nts/topology/kinds/index";
import { madeBy } from "@nts/topology/kinds/recipe.rules";
import { portType } from "@nts/topology/values/well-known-ports.rules";
import {
  ARCHIVE_PATH,
  archiveOf,
  archiveText,
  entitiesIn,
  type Entity,
  type EntityLine,
  imported,
  normalForm,
  parsed,
  randomEntities,
  sendArchive,
} from "../support/archives.js";
import { startTopology, type Topology } from "../support/topology.js";

/** `npm run long -- archives` has 200. */
const ORGANIZATIONS = Number(process.env["ARCHIVES"] ?? 2);

let topology: Topology;
/** Runs before each transaction of an import. */
let beforeWrite: (() => Promise<void> | void) | null = null;

beforeAll(async () => {
  topology = await startTopology({
    journal: true,
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

function sumOf(summary: ArchiveImport["summary"]) {
  const all = Object.values(summary);
  const of = (name: "create" | "update" | "unchanged"): number => all.reduce((sum, one) => sum + one[name], 0);
  return { create: of("create"), update: of("update"), unchanged: of("unchanged") };
}

/** The errors with which a file is rejected. */
async function faultsOf(
  text: string,
  caller = topology.aCaller(),
): Promise<[line: number, path: string, code: string][]> {
  const { status, code, params } = await sendArchive(caller, text);
  expect([status, code]).toEqual([400, "archive_invalid"]);
  const entities = (await archiveOf(caller)).entities.length;
  expect(entities).toBe(0);
  return (params["faults"] as { line: number; path: string; code: string }[]).map(({ line, path, code: one }) => [
    line,
    path,
    one,
  ]);
}

describe("an imported archive", () => {
  it(
    `of ${ORGANIZATIONS} random organizations is equal up to ids in empty ones, and changes nothing when it is imported again`,
    async () => {
      for (let seed = 1; seed <= ORGANIZATIONS; seed++) {
        const entities = randomEntities(seed);
        const first = topology.aCaller();
        const second = topology.aCaller();
        const dry = await imported(first, archiveText(entities), "?dry_run=true");
        expect(sumOf(dry.summary)).toEqual({ create: entities.length, update: 0, unchanged: 0 });
        expect((await archiveOf(first)).entities).toEqual([]);
        const done = await imported(first, archiveText(entities));
        expect([seed, done.summary]).toEqual([seed, dry.summary]);
        const out = await archiveOf(first);
        expect([seed, normalForm(out)]).toEqual([seed, normalForm({ entities: described(entities) })]);
        await imported(second, out.text);
        const again = await archiveOf(second);
        expect([seed, normalForm(again)]).toEqual([seed, normalForm(out)]);
        for (const [caller, text] of [
          [first, out.text],
          [first, archiveText(entities)],
          [second, out.text],
        ] as const) {
          const before = await archiveOf(caller);
          const { summary } = await imported(caller, text);
          expect([seed, sumOf(summary)]).toEqual([seed, { create: 0, update: 0, unchanged: entities.length }]);
          expect((await archiveOf(caller)).entities).toEqual(before.entities);
        }
      }
    },
    Math.max(600_000, ORGANIZATIONS * 15_000),
  );

  it("is recorded in the journal once, like other writes, and not at all when nothing changes", async () => {
    const owner = topology.aCaller();
    const entities = randomEntities(7);
    await imported(owner, archiveText(entities));
    const countChanges = async () => (await owner.list(listChanges, { query: { limit: 1000, wait: 1 } })).rows.length;
    let count = await countChanges();
    for (let n = 0; n < 40 && count < entities.length; n++) count = await countChanges();
    expect(count).toBe(entities.length);
    await imported(owner, archiveText(entities));
    await owner.call(createHost, {
      body: { network_id: entitiesIn(await archiveOf(owner), "Network")[0]!.id, name: "last" },
    });
    for (let n = 0; n < 40 && count < entities.length + 1; n++) count = await countChanges();
    expect(count).toBe(entities.length + 1);
  });
});

describe("an archive imported again, or into another organization", () => {
  it("restores what was changed, recreates what was deleted, and keeps what was added", async () => {
    const owner = topology.aCaller();
    await imported(owner, archiveText(randomEntities(3, 4)));
    const before = await archiveOf(owner);
    const [host, other] = entitiesIn(before, "Host");
    const [service] = entitiesIn(before, "Service");
    const [tag] = entitiesIn(before, "Tag");
    await owner.call(patchHost, { params: { id: host!.id }, body: { name: "renamed", tags: ["added"] } });
    if (service !== undefined) await owner.call(patchService, { params: { id: service.id }, body: { bindings: [] } });
    if (tag !== undefined) await owner.call(patchTag, { params: { id: tag.id }, body: { name: "another" } });
    if (other !== undefined) await owner.call(deleteHost, { params: { id: other.id } });
    await owner.call(createHost, { body: { network_id: String(host!["network_id"]), name: "added since" } });
    await imported(owner, before.text);
    const after = await archiveOf(owner);
    const isOld = ({ data }: EntityLine): boolean => data["name"] !== "added since";
    expect(normalForm({ entities: after.entities.filter(isOld) })).toEqual(normalForm(before));
    expect(after.entities.length).toBe(before.entities.length + 1);
  });

  it("keeps of existing entities what an archive leaves out", async () => {
    const owner = topology.aCaller();
    await imported(owner, archiveText(randomEntities(3, 4)));
    const before = await archiveOf(owner);
    for (const kind of ["Network", "Subnet", "Host", "Interface", "Port", "Service"] as const)
      expect(entitiesIn(before, kind).some((one) => OPTIONAL_MEMBERS.some((name) => isSet(one[name])))).toBe(true);
    const fewer = before.entities.map((line) => ({ ...line, data: withoutOptionalMembers(line.data) }));
    const { summary } = await imported(owner, archiveText(fewer));
    expect(sumOf(summary)).toEqual({ create: 0, update: 0, unchanged: fewer.length });
    expect((await archiveOf(owner)).entities).toEqual(before.entities);
    const renamed = fewer.map((line) =>
      line.entity === "Host" ? { ...line, data: { ...line.data, name: "renamed" } } : line,
    );
    await imported(owner, archiveText(renamed));
    expect(entitiesIn(await archiveOf(owner), "Host").every(({ name }) => name === "renamed")).toBe(true);
    for (const { data } of (await archiveOf(owner)).entities)
      expect(optionalMembersOf(data)).toEqual(
        optionalMembersOf(before.entities.find((line) => line.data.id === data.id)?.data),
      );
  });

  it("resumes where it was interrupted, and creates nothing twice, also when it is sent twice at once", async () => {
    for (const end of [1, 2, 3]) {
      const owner = topology.aCaller();
      const text = archiveText(randomEntities(100 + end, 12));
      let left = end;
      beforeWrite = () => {
        if (left-- <= 0) throw new AppError("unavailable");
      };
      await sendArchive(owner, text);
      beforeWrite = null;
      const half = (await archiveOf(owner)).entities.length;
      expect(half).toBeLessThan(parsed(text).entities.length);
      await Promise.all([sendArchive(owner, text), sendArchive(owner, text)]);
      await imported(owner, text);
      const out = await archiveOf(owner);
      expect(normalForm(out)).toEqual(normalForm({ entities: described(parsed(text).entities) }));
    }
  });

  it("changes nothing of the organization it came from, whatever ids it contains", async () => {
    const theirs = topology.aCaller();
    const mine = topology.aCaller();
    await imported(theirs, archiveText(randomEntities(11)));
    const before = await archiveOf(theirs);
    const renamed = before.entities.map((line) =>
      line.entity === "Host" ? { ...line, data: { ...line.data, name: "mine" } } : line,
    );
    await imported(mine, archiveText(renamed));
    expect((await archiveOf(theirs)).entities).toEqual(before.entities);
    const ids = new Set(before.entities.map(({ data }) => data.id));
    expect((await archiveOf(mine)).entities.filter(({ data }) => ids.has(data.id))).toEqual([]);
  });
});

describe("a file that is not a complete archive is rejected with place and reason", () => {
  const entities = randomEntities(5, 5);
  const text = archiveText(entities);
  const lines = text.split("\n");

  it("when it is truncated, changed, empty, or something else", async () => {
    expect(await faultsOf("")).toEqual([[0, "", "cut_off"]]);
    expect(await faultsOf("hello\n")).toContainEqual([1, "", "not_an_archive"]);
    expect(await faultsOf(lines.slice(0, -2).join("\n") + "\n")).toEqual([[lines.length - 2, "", "cut_off"]]);
    expect(await faultsOf(text.slice(0, -100))).toContainEqual([lines.length - 1, "", "malformed_json"]);
    expect(await faultsOf(text.replace("network 9", "network 8"))).toEqual([
      [lines.length - 1, "sha256", "wrong_checksum"],
    ]);
    expect(await faultsOf(`${text}{}\n`)).toEqual([[lines.length, "", "out_of_order"]]);
  });

  it("when it is of a newer version", async () => {
    expect(await faultsOf(archiveText(entities, { version: 2 }))).toEqual([[1, "", "unsupported_version"]]);
  });

  it("with a line that is too long, too deep, or not JSON", async () => {
    const [first = ""] = lines;
    expect(await faultsOf(`${first}\n"${"a".repeat(1_100_000)}"\n`)).toEqual([[2, "", "line_too_long"]]);
    expect(await faultsOf(`${first}\n${"[".repeat(100)}\n`)).toContainEqual([2, "", "validation_failed"]);
    expect(await faultsOf(`${first}\n{"entity":\n`)).toContainEqual([2, "", "malformed_json"]);
    expect(await faultsOf(`${first}\n{"entity":"Key","data":{}}\n`)).toContainEqual([2, "entity", "unknown_entity"]);
  });

  it("with ids that are not defined before, of another network or host, or duplicate", async () => {
    const change = (kind: string, more: object): string => {
      const at = entities.findIndex(({ entity }) => entity === kind);
      return archiveText(entities.map((line, n) => (n === at ? { ...line, data: { ...line.data, ...more } } : line)));
    };
    const id = randomUUID();
    const of = async (kind: string, more: object) =>
      (await faultsOf(change(kind, more))).map(([, path, code]) => [path, code]);
    expect(await of("Host", { network_id: id })).toContainEqual(["data.network_id", "invalid_reference"]);
    expect(await of("Host", { tags: [id] })).toContainEqual(["data.tags.0", "invalid_reference"]);
    expect(await of("Interface", { subnet_id: id })).toContainEqual(["data.subnet_id", "invalid_reference"]);
    expect(await of("Interface", { host_id: id })).toContainEqual(["data.host_id", "out_of_order"]);
    expect(await of("Interface", { ip_address: "11.0.0.1" })).toContainEqual(["data.ip_address", "ip_outside_subnet"]);
    expect(await of("Subnet", { cidr: "10.0.0.1/16" })).toContainEqual(["data.cidr", "validation_failed"]);
    expect(await of("Service", { bindings: [{ type: "Port", port_id: id }] })).toContainEqual([
      "data.bindings.0",
      "binding_cross_host",
    ]);
    expect(await of("Host", { name: "" })).toContainEqual(["data.name", "validation_failed"]);
    expect(await of("Host", { id: entities[0]?.data.id })).toContainEqual(["data.id", "repeated_id"]);
  });

  it("with the first hundred errors", async () => {
    const bad = Array.from({ length: 300 }, () => ({ entity: "Tag", data: { id: randomUUID() } }));
    expect(await faultsOf(archiveText(bad as unknown as EntityLine[]))).toHaveLength(100);
  });
});

describe("the permission to import archives", () => {
  it("is Admin of the whole organization", async () => {
    const owner = topology.aCaller();
    for (const caller of [owner.colleague({ permission: "Member" }), owner.restrictedTo([randomUUID()])]) {
      const { status, code } = await sendArchive(caller, archiveText([]));
      expect([status, code]).toEqual([403, "permission_denied"]);
    }
    expect((await sendArchive(owner.colleague({ permission: "Admin" }), archiveText([]))).status).toBe(200);
    const { status, code } = await owner.raw("post", ARCHIVE_PATH, "{}", { "content-type": "application/json" });
    expect([status, code]).toEqual([415, "unsupported_media_type"]);
    expect((await owner.list(listHosts, { query: {} })).total).toBe(0);
  });
});

/** Members that archives may leave out. */
const OPTIONAL_MEMBERS = ["reserved", "role", "attributes", "observed"];

function optionalMembersOf(entity: Entity | undefined): unknown[] {
  return OPTIONAL_MEMBERS.map((name) => entity?.[name]);
}

function withoutOptionalMembers(entity: Entity): Entity {
  const kept = Object.entries(entity).filter(([name]) => !OPTIONAL_MEMBERS.includes(name));
  return { ...Object.fromEntries(kept), id: entity.id };
}

function isSet(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** The requested entities, with the members that the server adds. */
function described(entities: readonly EntityLine[]): EntityLine[] {
  return entities.map(({ entity, data }) => {
    const { number, protocol } = data as unknown as { number: number; protocol: "Tcp" | "Udp" };
    const type = entity === "Port" ? { type: portType(number, protocol) } : {};
    return { entity, data: { ...(madeBy(ENTITY_KINDS[pluralOf(entity)].recipe, data, data) as Entity), ...type } };
  });
}
