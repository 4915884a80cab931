/** Imports of thousands of hosts that are interrupted; the short tier has the same with few, in `topology.imports.interrupted.test.ts`. */
import { afterEach, describe, expect, it } from "@jest/globals";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { ImportPlan } from "@nts/shared/contract";
import { anAccount } from "../support/api.js";
import { scanFile, scanOfMany } from "../support/imports.js";
import { metricOf } from "../support/metrics.js";
import { startStack, type Stack } from "../support/stack.js";
import { until } from "../support/until.js";

let stack: Stack;
afterEach(() => stack.stop());

describe("an import through the gateway", () => {
  it("is streamed host by host, and stops when its client disconnects", async () => {
    stack = await startStack();
    const account = await anAccount(stack.url);
    const network = await account.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Office" });
    const total = async (): Promise<number> => {
      const { body } = await account.session.send("get", "/api/v1/hosts?limit=1");
      return body.meta.pagination.total_count;
    };
    const sent = send(stack, account.cookie, network.id).on("error", () => undefined);
    sent.end(scanOfMany(2_000));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect([response.statusCode, response.headers["content-length"]]).toEqual([200, undefined]);
    let text = "";
    response
      .setEncoding("utf8")
      .on("data", (piece: string) => (text += piece))
      .on("error", () => undefined);
    await until(() => (text.match(/"matched_by"/g) ?? []).length > 10);
    expect(await total()).toBeLessThan(2_000);
    sent.destroy();
    await until(async () => (await metricOf(stack.topologies[0]!, "nts_imports_running")) === 0);
    const before = await total();
    expect(before).toBeLessThan(2_000);
    expect(text).not.toMatch(/"summary"/);

    const rest = send(stack, account.cookie, network.id);
    rest.end(scanOfMany(before + 10));
    const plan = ImportPlan.parse(((await readAll(rest)) as { data: unknown }).data);
    expect(plan.summary.hosts).toEqual({ create: 10, update: 0, unchanged: before, failed: 0 });
  });
});

describe("an import during which the database becomes unavailable", () => {
  it("is rejected before it has begun, and otherwise ends with what failed", async () => {
    stack = await startStack({ ownMongod: true });
    const account = await anAccount(stack.url);
    const network = await account.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Office" });
    const sent = send(stack, account.cookie, network.id);
    sent.end(scanOfMany(1_000));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    let text = "";
    response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    await until(() => text.includes('"action":"create","id":"'));
    await stack.servers.mongodb!.kill();
    await once(response, "end");
    const { data } = JSON.parse(text) as { data: ImportPlan };
    expect(data.summary.hosts.failed).toBeGreaterThan(0);
    expect(data.summary.hosts.failed + data.summary.hosts.create).toBe(1_000);
    expect(data.hosts.at(-1)!.error!.code).toBe("unavailable");

    const refused = send(stack, account.cookie, network.id);
    refused.end(scanFile("ping"));
    expect(await readAll(refused)).toMatchObject({ code: "unavailable" });
  });
});

function send(stack: Stack, cookie: string, networkId: string): ClientRequest {
  const headers = { cookie, "content-type": "application/xml" };
  return request(`${stack.url}/api/v1/imports/nmap?network_id=${networkId}`, { method: "POST", headers });
}

async function readAll(sent: ClientRequest): Promise<unknown> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of response.setEncoding("utf8") as AsyncIterable<string>) text += piece;
  return JSON.parse(text);
}
