/** Shares: what people with a link see, what its secret is good for, and how it ends. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { type AuditEntry, OPERATIONS, type Share, type SharedView } from "@nts/shared/contract";
import { aColleague, aKey, anAccount, type Account, callerOf, type Caller } from "../support/api.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { until } from "../support/until.js";
import { aNetworkWithAHost, type Made, type NetworkWorld, UNKNOWN } from "../support/world.js";

interface Created {
  readonly share: Share;
  readonly link: string;
  readonly secret: string;
}

let stack: SharedStack;
let owner: Account;
let world: NetworkWorld;

beforeAll(async () => {
  stack = await sharedStack();
  owner = await anAccount(stack.url);
  world = await aNetworkWithAHost(owner.session, "Home");
});

function aShare(caller: Caller, view: { readonly id: string }, more: object = {}): Promise<Created> {
  return caller.data("post", `/api/v1/views/${view.id}/shares`, { expires_at: null, ...more });
}

const withSecret = ({ secret }: Created): Caller => callerOf(stack.url, "share", { authorization: `Bearer ${secret}` });
const shownBy = (made: Created): Promise<SharedView> => withSecret(made).data("get", "/api/v1/shared-view");
const refusalOf = async (made: Created): Promise<[number, string | undefined]> => {
  const { status, body } = await withSecret(made).send("get", "/api/v1/shared-view");
  return [status, body.code];
};

describe("a share", () => {
  it("shows its view of one network to whoever has the link, whose secret follows the #", async () => {
    const body = { network_id: world.network.id, name: "Rack", positions: { [world.host.id]: { x: 4, y: 8 } } };
    const view = await owner.session.data<Made>("post", "/api/v1/views", body);
    const made = await aShare(owner.session, view);
    expect(made.link).toMatch(new RegExp(`/share/${made.share.id}#${made.secret}$`));
    const shown = await shownBy(made);
    expect(shown).toMatchObject({
      view: { name: "Rack", layer: "l3", positions: body.positions },
      ...{ network_id: world.network.id, network_name: "Home", at: null },
    });
    expect(shown.topology.nodes.map(({ label }) => label)).toEqual(["LAN", "nas", "web"]);
    expect(shown.topology.edges.find(({ kind }) => kind === "in_subnet")).toMatchObject({ ip_address: "10.0.0.5" });
  });

  it("leaves out what its view excludes, other networks, tags, and what is hidden, on the server", async () => {
    const { session } = owner;
    const office = await aNetworkWithAHost(session, "Office");
    const secretTag = await session.data<Made>("post", "/api/v1/tags", { name: "merger" });
    const aHost = (name: string, more: object): Promise<Made> =>
      session.data("post", "/api/v1/hosts", { network_id: world.network.id, name, ...more });
    const hidden = await aHost("hidden thing", { hidden: true });
    const plain = await aHost("ip-10-0-0-77", {
      hostname: "fe80::1.example",
      tags: [secretTag.id, "confidential"],
      attributes: { note: "do not tell" },
      description: "secret description",
      interfaces: [{ ip_address: "10.0.0.77", subnet_id: world.subnet.id, mac_address: "02:00:00:00:00:77" }],
    });
    const places = [hidden, plain, office.host].map(({ id }): [string, object] => [id, { x: 0, y: 0 }]);
    const view = await session.data<Made>("post", "/api/v1/views", {
      ...{ name: "All of 10.0.0.0/24", positions: Object.fromEntries(places), collapsed: [office.subnet.id] },
    });
    const made = await aShare(session, view, { network_id: world.network.id, hide: ["addresses", "macs"] });
    const { text } = await withSecret(made).send("get", "/api/v1/shared-view");
    for (const told of [plain.id, "nas", "web", "443"]) expect(text).toContain(told);
    const ids = [hidden.id, secretTag.id, office.network.id, office.host.id, office.subnet.id];
    const addresses = ["10.0.0", "10-0-0", "02:00", "fe80"];
    const texts = ["hidden thing", "merger", "confidential", "do not tell", "secret description"];
    for (const one of [...ids, ...addresses, ...texts]) expect([one, text.includes(one)]).toEqual([one, false]);
    const filtered = await session.data<Made>("post", "/api/v1/views", {
      ...{ network_id: world.network.id, name: "Media", filters: { categories: ["ReverseProxy"], with_hidden: true } },
    });
    const { topology } = await shownBy(await aShare(session, filtered));
    expect(topology.nodes.map(({ label }) => label)).toEqual(["LAN", "nas", "web"]);
  });

  it("has links only where its view shows them, without what is hidden in the names of ports", async () => {
    const { session } = owner;
    const network_id = world.network.id;
    const ap = await session.data<Made>("post", "/api/v1/hosts", { network_id, name: "ap" });
    const ends = [world.host, ap].map(({ id }) => ({ host_id: id, port: "to 10.0.0.9" }));
    await session.data("post", "/api/v1/links", { network_id, ends, vlan_ids: [world.vlan.id] });
    const linksOf = async (layer: string): Promise<unknown[]> => {
      const body = { network_id, name: layer, layer, filters: { vlans: [world.vlan.id] } };
      const view = await session.data<Made>("post", "/api/v1/views", body);
      const { topology } = await shownBy(await aShare(session, view, { hide: ["addresses"] }));
      return topology.edges.filter(({ kind }) => kind === "link");
    };
    expect(await linksOf("l2")).toMatchObject([
      { source_port: "to …", target_port: "to …", vids: [world.vlan["vid"]] },
    ]);
    expect(await linksOf("l3")).toEqual([]);
  });

  it("can be frozen: later changes are not shown", async () => {
    const { session } = await anAccount(stack.url);
    const own = await aNetworkWithAHost(session, "Lab");
    await until(async () => (await session.data<unknown[]>("get", "/api/v1/changes")).length >= 10);
    const frozen = await aShare(session, own.view, { as_of: new Date().toISOString() });
    const live = await aShare(session, own.view);
    await session.data("patch", `/api/v1/hosts/${own.host.id}`, { name: "renamed" });
    expect((await shownBy(live)).topology.nodes.map(({ label }) => label)).toContain("renamed");
    await until(async () => (await session.data<unknown[]>("get", "/api/v1/changes?action=updated")).length === 1);
    const shown = await shownBy(frozen);
    expect(shown.topology.nodes.map(({ label }) => label)).toEqual(["LAN", "nas", "web"]);
    expect(shown.at).toBe(frozen.share.as_of);
  });

  it("needs a network, a moment and an end that there are", async () => {
    const { session } = owner;
    const all = await session.data<Made>("post", "/api/v1/views", { name: "all" });
    const attempts: [Made, object, number, string][] = [
      [{ id: UNKNOWN }, {}, 404, "not_found"],
      [all, {}, 400, "validation_failed"],
      [all, { network_id: UNKNOWN }, 400, "invalid_reference"],
      [world.view, { network_id: UNKNOWN }, 400, "network_mismatch"],
      [world.view, { expires_at: "2020-01-01T00:00:00Z" }, 400, "validation_failed"],
      [world.view, { as_of: "2090-01-01T00:00:00Z" }, 400, "validation_failed"],
      [world.view, { allow_embedding: ["https://a.example; script-src *"] }, 400, "validation_failed"],
      [world.view, { hide: ["names"] }, 400, "validation_failed"],
    ];
    for (const [view, more, status, code] of attempts) {
      const refused = await session.send("post", `/api/v1/views/${view.id}/shares`, { expires_at: null, ...more });
      expect([more, refused.status, refused.body.code]).toEqual([more, status, code]);
    }
    const stranger = await anAccount(stack.url);
    const theirs = await stranger.session.send("post", `/api/v1/views/${world.view.id}/shares`, { expires_at: null });
    expect([theirs.status, theirs.body.code]).toEqual([404, "not_found"]);
  });
});

describe("the secret of a share", () => {
  it("is good for one operation: every other one refuses it", async () => {
    const made = await aShare(owner.session, world.view);
    let caller = withSecret(made);
    const others = OPERATIONS.filter(({ credential }) => credential === "any" || credential === "session");
    const wrong: unknown[] = [];
    for (const [n, { operationId, method, path, body }] of others.entries()) {
      // Each has 60 requests a minute.
      if (n % 50 === 0) caller = withSecret(await aShare(owner.session, world.view));
      const { status, body: said } = await caller.send(method, path.replaceAll(/\{\w+\}/g, UNKNOWN), body && {});
      if (status !== 401 || said.code !== "not_authenticated") wrong.push([operationId, status, said.code]);
    }
    expect(wrong).toEqual([]);
    caller = withSecret(made);
    const assistant = await caller.send("post", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect([401, 403]).toContain(assistant.status);
    expect((await refusalOf(made))[0]).toBe(200);
  });

  it("is what the operation of shares needs: neither keys nor sessions can see it", async () => {
    const { caller } = await aKey(stack.url, owner, { permissions: "Owner" });
    for (const one of [owner.session, caller]) {
      const { status, body } = await one.send("get", "/api/v1/shared-view");
      expect([status, body.code]).toEqual([403, "permission_denied"]);
    }
    const nobody = await callerOf(stack.url, "nobody").send("get", "/api/v1/shared-view");
    expect([nobody.status, nobody.body.code]).toEqual([401, "not_authenticated"]);
  });

  it("ends with what it shows, and with who made it", async () => {
    const { session } = owner;
    const refused = [401, "share_ended"];
    const gone = [404, "not_found"];
    const ended = await aShare(session, world.view);
    await session.data("delete", `/api/v1/shares/${ended.share.id}`);
    expect(await refusalOf(ended)).toEqual(refused);
    const again = await session.send("delete", `/api/v1/shares/${ended.share.id}`);
    expect([again.status, again.body.code]).toEqual(gone);

    const view = await session.data<Made>("post", "/api/v1/views", { name: "x", network_id: world.network.id });
    const ofView = await aShare(session, view);
    await session.data("delete", `/api/v1/views/${view.id}`);
    expect([gone, refused]).toContainEqual(await refusalOf(ofView));
    // Its notice ends it for good, also if the view is restored.
    await until(async () => (await refusalOf(ofView))[0] === 401);
    const listed = await session.data<Share[]>("get", "/api/v1/shares?limit=0");
    expect(listed.map(({ id }) => id)).not.toContain(ofView.share.id);

    const admin = await aColleague(stack.url, owner, { permissions: "Admin" });
    const theirs = await aShare(admin.session, world.view);
    expect((await shownBy(theirs)).view.name).toBe(world.view["name"]);
    await session.data("patch", `/api/v1/users/${admin.userId}`, { permissions: "Member" });
    expect(await refusalOf(theirs)).toEqual(refused);
    await session.data("patch", `/api/v1/users/${admin.userId}`, { permissions: "Admin" });
    expect((await refusalOf(theirs))[0]).toBe(200);
    await session.data("delete", `/api/v1/users/${admin.userId}`);
    expect(await refusalOf(theirs)).toEqual(refused);
  });

  it("expires at its time", async () => {
    const soon = await aShare(owner.session, world.view, { expires_at: new Date(Date.now() + 1_500).toISOString() });
    expect((await refusalOf(soon))[0]).toBe(200);
    await until(async () => (await refusalOf(soon))[1] === "share_ended");
  });

  it("is in the audit log with its uses, and nowhere with its secret", async () => {
    const made = await aShare(owner.session, world.view);
    await shownBy(made);
    const entries = (): Promise<AuditEntry[]> =>
      owner.session.data("get", `/api/v1/audit?entity=Share&entity_id=${made.share.id}`);
    await until(async () => (await entries()).some(({ action }) => action === "used"));
    await owner.session.data("delete", `/api/v1/shares/${made.share.id}`);
    const all = await entries();
    expect(all.map(({ action, actor }) => [action, actor?.user_id ?? null])).toEqual([
      ["created", owner.userId],
      ["used", null],
      ["deleted", owner.userId],
    ]);
    expect([all[1]?.after?.["uses"], all[2]?.before?.["uses"]]).toEqual([1, 1]);
    expect(JSON.stringify(all)).not.toContain(made.secret);
  });
});

describe("the page of a share", () => {
  const framing = async (path: string): Promise<[number, string | null, string | undefined]> => {
    const { status, headers } = await fetch(stack.url + path, { headers: { accept: "text/html" } });
    const policy = headers.get("content-security-policy") ?? "";
    return [status, headers.get("x-frame-options"), /frame-ancestors ([^;]*)/.exec(policy)?.[1]];
  };

  it("may be in pages of the origins that its share names, and all others in none", async () => {
    const origins = ["https://wiki.example.com", "http://intranet:8080"];
    const open = await aShare(owner.session, world.view, { allow_embedding: origins });
    const closed = await aShare(owner.session, world.view);
    expect(await framing(`/share/${open.share.id}`)).toEqual([200, null, origins.join(" ")]);
    for (const path of [`/share/${closed.share.id}`, `/share/${UNKNOWN}`, "/topology", "/"])
      expect([path, ...(await framing(path))]).toEqual([path, 200, "DENY", "'none'"]);
    expect((await framing(`/share/${open.secret}`))[0]).toBe(404);
  });
});
