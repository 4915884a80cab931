/**
 * Audit entries for webhooks and archives of topology. A process that dies is simulated by what it leaves: a note
 * without a notice, or an entry that was not confirmed.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createTakeNotes } from "@nts/identity/audit/take-notes";
import { createAudited } from "@nts/identity/storage/audit-trail";
import { createAuditNoteSource } from "@nts/identity/topology/audit-notes";
import { createTopologyDirectory } from "@nts/identity/topology/directory";
import { unshared } from "@nts/identity/storage/database";
import { createEndedMakers } from "@nts/identity/storage/ended-webhook-makers";
import { createWebhookPausing } from "@nts/identity/rights/webhook-pausing";
import {
  type AuditEntry,
  createTag,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listChanges,
  listHosts,
  patchWebhook,
  replayWebhook,
  rotateWebhook,
} from "@nts/shared/contract";
import { confirmAuditNotes, MOST_AUDIT_NOTES } from "@nts/shared/contract/internal";
import { AppError } from "@nts/shared/errors";
import { INTERNAL, REQUEST_ID } from "@nts/shared/http/headers";
import type { InternalClient } from "@nts/shared/upstream/internal-client";
import { createLog } from "@nts/shared/log";
import { createTransactions, Discard } from "@nts/shared/mongo/transaction";
import { BACKGROUND } from "@nts/shared/work";
import { createAuditNotes, MOST_WAITING } from "@nts/topology/storage/audit-notes";
import { notedOf } from "@nts/topology/webhooks/audited";
import type { Document } from "mongodb";
import { profiled } from "../support/profiled.js";
import { ARCHIVE_PATH, archiveText, randomEntities, sendArchive } from "../support/archives.js";
import { type Audited, startAudited } from "../support/audit.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";

const url = "https://hooks.example.com/services/T0/B0/a-secret";
const SHOWN = /^https:\/\/hooks\.example\.com\/…[0-9a-f]{8}$/;

let topology: Topology;
let identity: Audited;
let admin: Caller;
let owner: { readonly principal: Parameters<Audited["list"]>[0]["principal"] };

beforeAll(async () => {
  [topology, identity] = await Promise.all([startTopology({ instances: 2, journal: true }), startAudited()]);
});
afterAll(() => Promise.all([topology.stop(), identity.stop()]));

beforeEach(() => {
  admin = topology.aCaller({ permission: "Admin" });
  const scope = { organizationId: admin.scope.organizationId, networks: "all" } as const;
  owner = { principal: { kind: "session", credentialId: "s", userId: "u", permission: "Owner", scope } };
});

const ask = ((operation, question) => topology.aProcess().call(operation, question as never)) as InternalClient["ask"];

/** Fetches the notes like a process of identity. */
function takeNotes(through: InternalClient["ask"] = ask): Promise<void> {
  const { db } = identity;
  const transaction = createAudited(createTransactions(db.client), db);
  const source = createAuditNoteSource({ ask: through });
  return createTakeNotes({ db, transaction, source, log: createLog("identity", "silent") })();
}

async function auditEntries(): Promise<AuditEntry[]> {
  await takeNotes();
  return identity.entriesOf(owner);
}

const actionsOf = (entries: readonly AuditEntry[]): string[] => entries.map(({ action }) => action);
const waiting = () =>
  topology.db.collection("audit_notes").countDocuments({ organization_id: admin.scope.organizationId });

describe("webhooks of a user who was removed", () => {
  it("are paused once topology responds, by any process, and looked for again later", async () => {
    const { id, created_by } = await admin.call(createWebhook, { body: { url } });
    const { organizationId: organization_id } = admin.scope;
    const maker = { organization_id, user_id: created_by.user_id, key_id: null, reason: "user_removed" } as const;
    const makers = createEndedMakers(unshared(identity.db));
    const log = createLog("identity", "silent");
    const pausingThrough = (through: InternalClient["ask"]) =>
      createWebhookPausing(makers, createTopologyDirectory({ ask: through }), log);
    const isEnabled = async () => (await admin.call(getWebhook, { params: { id } })).is_enabled;
    await createTransactions(identity.db.client)(BACKGROUND, [id], (tx) => makers.insert(maker, tx));
    const away = pausingThrough(() => Promise.reject(new AppError("unavailable")));
    await away.pause(BACKGROUND, maker);
    expect(await isEnabled()).toBe(true);

    const { sweep } = pausingThrough(ask);
    await sweep(new AbortController().signal);
    expect(await admin.call(getWebhook, { params: { id } })).toMatchObject({
      is_enabled: false,
      paused: { reason: "The user who created it was removed." },
    });
    expect(actionsOf(await auditEntries()).at(-1)).toBe("paused");
    // A request that was accepted before may still have made one.
    const later = await admin.call(createWebhook, { body: { url } });
    await identity.db
      .collection<{ _id: string }>("ended_webhook_makers")
      .updateMany({ organization_id }, { $set: { at: new Date(0), due_at: new Date(0) } });
    await sweep(new AbortController().signal);
    expect(await admin.call(getWebhook, { params: { id: later.id } })).toMatchObject({ is_enabled: false });
    expect(await identity.db.collection("ended_webhook_makers").countDocuments({ organization_id })).toBe(0);
  });
});

describe("audit.webhooks: changes of webhooks", () => {
  it("is recorded in order, with actor, address, request and reason", async () => {
    const headers = {
      ...{ "change-comment": "to the chat", [REQUEST_ID]: "01a1fe11-c1c3-73e4-b600-7af4ab9ac2de" },
      [INTERNAL.clientAddress]: "203.0.113.7",
    };
    const { id } = await admin.call(createWebhook, { body: { url }, headers });
    const params = { id };
    await admin.via(1).call(patchWebhook, { params, body: { is_enabled: false } });
    await admin.call(patchWebhook, { params, body: { is_enabled: false } });
    await admin.call(patchWebhook, { params, body: { is_enabled: true, batch_seconds: 60 } });
    await admin.via(1).call(rotateWebhook, { params });
    await admin.call(createTag, { body: { name: "any" } });
    const [change] = await admin.call(listChanges, { query: { wait: 20 } });
    await admin.call(replayWebhook, { params, body: { after: change!.cursor } });
    await admin.call(deleteWebhook, { params });
    const entries = await auditEntries();
    expect(entries.map(({ action, fields }) => [action, ...fields])).toEqual([
      ["created"],
      ["updated", "is_enabled"],
      ["updated", "batch_seconds", "is_enabled"],
      ["rotated"],
      ["replayed"],
      ["deleted"],
    ]);
    const [created] = entries;
    expect(created).toMatchObject({
      ...{ entity: "Webhook", entity_id: id, name: "hooks.example.com", before: null, after: { is_enabled: true } },
      ...{ address: "203.0.113.7", request_id: headers[REQUEST_ID], comment: "to the chat" },
      actor: { key_id: expect.any(String), user_id: expect.any(String) },
    });
    expect(new Set(entries.map(({ entity_id }) => entity_id))).toEqual(new Set([id]));
    expect(entries.at(-1)).toMatchObject({ before: { url: expect.stringMatching(SHOWN) }, after: null });
    expect(await waiting()).toBe(0);
  });

  it("has no entry for a change that is rejected or without effect", async () => {
    const { id } = await admin.call(createWebhook, { body: { url } });
    const params = { id };
    await admin.refusal(patchWebhook, { params, body: { url: "https://10.0.0.1/" } });
    await admin.refusal(deleteWebhook, { params, headers: { "if-match": '"7"' } });
    await admin.call(patchWebhook, { params, body: {} });
    expect(actionsOf(await auditEntries())).toEqual(["created"]);
    expect((await admin.call(getWebhook, { params })).id).toBe(id);
  });
});

describe("audit.webhooks: transactions, secrets and concurrency", () => {
  it("is recorded in the transaction of the change: a rollback leaves nothing", async () => {
    const webhook = await admin.call(createWebhook, { body: { url } });
    const { id } = webhook;
    await createTransactions(topology.db.client)(BACKGROUND, [], async (tx) => {
      await createAuditNotes(topology.db).add(tx, notedOf(webhook, "rotated"), null);
      throw new Discard(null);
    });
    await admin.call(deleteWebhook, { params: { id } });
    expect(actionsOf(await auditEntries())).toEqual(["created", "deleted"]);
  });

  it("shows neither the secret nor the rest of the address, but that it has changed", async () => {
    const { id, secret } = await admin.call(createWebhook, { body: { url } });
    const rotated = await admin.call(rotateWebhook, { params: { id } });
    await admin.call(patchWebhook, { params: { id }, body: { url: `${url}2` } });
    const noted = JSON.stringify(await topology.db.collection("audit_notes").find().toArray());
    const entries = await auditEntries();
    const state = await topology.db.collection<{ _id: string; salt: string }>("webhook_states").findOne({ _id: id });
    for (const text of [noted, JSON.stringify(entries)])
      for (const one of [secret, rotated.secret, state!.salt, "a-secret", "/services/"])
        expect(text).not.toContain(one);
    expect(entries.at(-1)).toMatchObject({ fields: ["url"], after: { url: expect.stringMatching(SHOWN) } });
  });

  it("is recorded once for each concurrent change, in the order of effect", async () => {
    const { id } = await admin.call(createWebhook, { body: { url } });
    let isOver = false;
    const taking = [0, 1].map(async () => {
      while (!isOver) await takeNotes();
    });
    const write = (batch_seconds: number) =>
      admin.via(batch_seconds % 2).call(patchWebhook, { params: { id }, body: { batch_seconds } });
    for (let round = 0; round < 3; round++) await Promise.all([1, 2, 3, 4].map((one) => write(round * 4 + one)));
    isOver = true;
    await Promise.all(taking);
    const entries = await auditEntries();
    expect(entries.map(({ cursor }) => Number(cursor))).toEqual(Array.from({ length: 13 }, (_none, at) => at + 1));
    // Each entry continues the state of the previous one.
    expect(entries.slice(1).map(({ before }) => before)).toEqual(entries.slice(0, -1).map(({ after }) => after));
  });
});

describe("audit.webhooks: processes that die", () => {
  it("lose nothing: notes without a notice are fetched on request", async () => {
    const { id } = await admin.call(createWebhook, { body: { url } });
    expect(await waiting()).toBe(1);
    expect((await auditEntries()).map(({ entity_id }) => entity_id)).toEqual([id]);
  });

  it("repeat nothing: an entry that was written and not confirmed is recognized", async () => {
    const { id } = await admin.call(createWebhook, { body: { url } });
    const dying = ((operation, question) =>
      operation === (confirmAuditNotes as unknown)
        ? Promise.reject(new AppError("unavailable"))
        : ask(operation, question)) as InternalClient["ask"];
    await takeNotes(dying);
    expect(await waiting()).toBe(1);
    expect(await identity.entriesOf(owner)).toHaveLength(1);
    await admin.call(rotateWebhook, { params: { id } });
    expect(actionsOf(await auditEntries())).toEqual(["created", "rotated"]);
    expect(await waiting()).toBe(0);
    await takeNotes();
    expect(await identity.entriesOf(owner)).toHaveLength(2);
  });

  it("do not block others: notes of other organizations continue, and later ones of the same organization wait", async () => {
    const { id } = await admin.call(createWebhook, { body: { url } });
    for (let n = 0; n < MOST_AUDIT_NOTES; n++) await admin.call(rotateWebhook, { params: { id } });
    const others = Array.from({ length: 3 }, () => topology.aCaller({ permission: "Admin" }));
    for (const other of others) await other.call(createWebhook, { body: { url } });
    const refused = ((operation, question) =>
      operation === (confirmAuditNotes as unknown) && question.params?.["id" as never] === admin.scope.organizationId
        ? Promise.reject(new AppError("unavailable"))
        : ask(operation, question)) as InternalClient["ask"];
    await takeNotes(refused);
    const ofOthers = { organization_id: { $in: others.map(({ scope }) => scope.organizationId) } };
    expect(await topology.db.collection("audit_notes").countDocuments(ofOthers)).toBe(0);
    // The entries of one page, which may begin with notes of others.
    const written = (await identity.entriesOf(owner)).length;
    expect([written > MOST_AUDIT_NOTES - others.length - 1, written <= MOST_AUDIT_NOTES]).toEqual([true, true]);
    expect(actionsOf(await auditEntries())).toEqual([
      "created",
      ...Array.from({ length: MOST_AUDIT_NOTES }, () => "rotated"),
    ]);
  });
});

describe("audit.webhooks: notes that are not fetched", () => {
  it("are bounded: further changes are rejected, except for those of the server itself", async () => {
    const webhook = await admin.call(createWebhook, { body: { url } });
    const { id } = webhook;
    const [note] = await topology.db
      .collection<{ _id: string }>("audit_notes")
      .find({ organization_id: webhook.organization_id })
      .toArray();
    const more = Array.from({ length: MOST_WAITING - 1 }, (_none, n) => ({ ...note, _id: `${note!._id}${n}` }));
    await topology.db.collection<{ _id: string }>("audit_notes").insertMany(more);
    expect(await admin.refusal(rotateWebhook, { params: { id } })).toEqual([503, "unavailable", {}]);
    expect((await admin.refusal(deleteWebhook, { params: { id } }))[0]).toBe(503);
    expect((await admin.raw("get", ARCHIVE_PATH)).code).toBe("unavailable");
    expect((await sendArchive(admin, archiveText(randomEntities(4)))).code).toBe("unavailable");
    expect((await admin.list(listHosts, { query: {} })).total).toBe(0);
    expect((await admin.call(getWebhook, { params: { id } })).id).toBe(id);
    const notes = createAuditNotes(topology.db);
    await createTransactions(topology.db.client)(BACKGROUND, [], (tx) =>
      notes.add(tx, notedOf(webhook, "paused"), null),
    );
    await takeNotes();
    expect(await waiting()).toBe(0);
    await admin.call(deleteWebhook, { params: { id } });
  });

  it("are found by an index, however many there are", async () => {
    await topology.db.collection("audit_notes").deleteMany({});
    for (let n = 0; n < 3; n++) await admin.call(createWebhook, { body: { url } });
    const ofAudit = { ns: /audit/ };
    let seen: Document[] = [];
    const seenByTopology = await profiled(topology.db, ofAudit, async () => {
      seen = await profiled(identity.db, ofAudit, auditEntries);
    });
    seen.push(...seenByTopology);
    expect(seen.length).toBeGreaterThan(4);
    expect(seen.filter(({ planSummary }) => String(planSummary).includes("COLLSCAN"))).toEqual([]);
  });
});

describe("audit.webhooks: archives", () => {
  it("are recorded when they are downloaded, with actor and scope, and not when nothing is sent", async () => {
    const { organizationId } = admin.scope;
    const headers = { [INTERNAL.clientAddress]: "203.0.113.7", [REQUEST_ID]: "01a1fe11-c1c3-73e4-b600-7af4ab9ac2de" };
    const response = await admin.raw("get", ARCHIVE_PATH, undefined, headers);
    const etag = String(response.headers["etag"]);
    await admin.raw("get", ARCHIVE_PATH, undefined, { "if-none-match": etag });
    await admin.raw("head", ARCHIVE_PATH);
    const entries = await auditEntries();
    expect(entries).toMatchObject([
      {
        ...{ action: "exported", entity: "Organization", entity_id: organizationId, name: "archive", before: null },
        ...{ after: { networks: "all" }, address: "203.0.113.7", request_id: headers[REQUEST_ID] },
        actor: { user_id: expect.any(String), key_id: expect.any(String) },
      },
    ]);
    await admin.restrictedTo([randomUUID()]).raw("get", ARCHIVE_PATH);
    expect((await auditEntries())[1]).toMatchObject({ action: "exported", after: { networks: "some" } });
  });

  it("are recorded when they are imported, before anything is written, and neither for a dry run nor when rejected", async () => {
    const entities = randomEntities(3);
    const text = archiveText(entities);
    await sendArchive(admin, text, "?dry_run=true");
    await sendArchive(admin, text.slice(0, -40));
    expect(await auditEntries()).toEqual([]);
    await sendArchive(admin, text);
    const [entry] = await auditEntries();
    const { organization_id } = JSON.parse(text.slice(0, text.indexOf("\n"))) as { organization_id: string };
    expect(entry).toMatchObject({ action: "imported", after: { organization_id, networks: "all" } });
    expect(entry?.after?.["counts"]).toMatchObject({ Host: entities.filter(({ entity }) => entity === "Host").length });
  });
});
