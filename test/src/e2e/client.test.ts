import { beforeAll, describe, expect, it } from "@jest/globals";
import { ApiError, type Client, createClient } from "@nts/shared/client";
import { createNetwork, getNetwork, importNmap, listNetworks, listServices } from "@nts/shared/contract";
import { aKey, anAccount } from "../support/api.js";
import { scanFile } from "../support/imports.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";

let stack: SharedStack;
let client: Client;

beforeAll(async () => {
  stack = await sharedStack();
  const { secret } = await aKey(stack.url, await anAccount(stack.url));
  client = createClient({ baseUrl: stack.url, headers: { authorization: `Bearer ${secret}` } });
});

describe("the typed client", () => {
  it("sends body and path, and returns the data", async () => {
    const made = await client.call(createNetwork, { body: { name: "Home" } });
    expect(await client.call(getNetwork, { params: { id: made.id } })).toEqual(made);
  });

  it("sends a query with lists, and returns rows with their pagination", async () => {
    const names = ["b", "a", "c"];
    const ids: string[] = [];
    for (const name of names) ids.push((await client.call(createNetwork, { body: { name } })).id);
    const page = await client.list(listNetworks, { query: { ids, order_by: "name", limit: 2 } });
    expect(page.data.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(page.pagination).toEqual({ total_count: 3, limit: 2, offset: 0, has_more: true, next: expect.any(String) });
    const pages: string[][] = [];
    for await (const rows of client.pages(listNetworks, { query: { ids, order_by: "name", limit: 2 } }))
      pages.push(rows.map(({ name }) => name));
    expect(pages).toEqual([["a", "b"], ["c"]]);
    expect((await client.list(listServices, {})).data).toEqual([]);
  });

  it.each([
    ["a text", scanFile("ping")],
    ["a browser's File", new Blob([scanFile("ping")])],
  ])("sends %s as a body", async (_what, body) => {
    const { id: network_id } = await client.call(createNetwork, { body: { name: "Scanned" } });
    const plan = await client.call(importNmap, { query: { network_id, dry_run: true }, body });
    expect(plan.hosts.map(({ name }) => name)).toEqual(["lab.example", "10.8.0.2"]);
  });

  it("throws API errors with code, details and request id", async () => {
    const refused = client.call(createNetwork, { body: { name: "" } });
    await expect(refused).rejects.toBeInstanceOf(ApiError);
    await expect(refused).rejects.toMatchObject({
      status: 400,
      code: "validation_failed",
      params: { errors: [{ path: "name", message: "must not be empty" }] },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryAfterSeconds: null,
    });
  });
});
