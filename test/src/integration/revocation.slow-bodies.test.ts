/** Keys that are deleted while the body of their request arrives. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { type Account, aKey, anAccount } from "../support/api.js";
import { parseResponses } from "../support/parse-responses.js";
import { openRawSocket, type RawSocket } from "../support/raw-socket.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";

let stack: SharedStack;
let account: Account;

beforeAll(async () => {
  stack = await sharedStack();
  account = await anAccount(stack.url);
});

/** Begins a request with a new key, and deletes the key. @returns the connection */
async function begin(path: string, type: string, bodyBytes: number, first: string): Promise<RawSocket> {
  const { id, secret } = await aKey(stack.url, account);
  const socket = await openRawSocket(stack.url);
  const fields = [`POST ${path} HTTP/1.1`, "Host: a", `Authorization: Bearer ${secret}`, `Content-Type: ${type}`];
  socket.write([...fields, "Connection: close", `Content-Length: ${bodyBytes}`, "", first].join("\r\n"));
  // It is in use before it is deleted.
  const headers = { authorization: `Bearer ${secret}` };
  expect((await fetch(`${stack.url}/api/v1/networks`, { headers })).status).toBe(200);
  await account.session.data("delete", `/api/v1/auth/keys/${id}`);
  return socket;
}

async function responseOf(socket: RawSocket): Promise<[number, unknown]> {
  await socket.receives(/\}$/);
  const [response] = parseResponses(socket.received());
  return [response!.status, response!.body.code];
}

const count = async (path: string): Promise<number> => (await account.session.data<unknown[]>("get", path)).length;

describe("a request with a key that is deleted while its body arrives", () => {
  it("is rejected, and writes nothing", async () => {
    const body = JSON.stringify({ name: "late" });
    const socket = await begin("/api/v1/tags", "application/json", body.length, "");
    socket.write(body);
    expect(await responseOf(socket)).toEqual([401, "api_key_invalid"]);
    expect(await count("/api/v1/tags")).toBe(0);
  });

  it("is rejected also with a file", async () => {
    const { id } = await account.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
    const file = JSON.stringify([{ dst: "10.99.0.9", dev: "eth0", lladdr: "02:00:00:00:99:09", state: ["REACHABLE"] }]);
    const path = `/api/v1/imports/ip-neigh?network_id=${id}`;
    const socket = await begin(path, "application/json", file.length, file.slice(0, 10));
    socket.write(file.slice(10));
    expect(await responseOf(socket)).toEqual([401, "api_key_invalid"]);
    expect(await count("/api/v1/hosts")).toBe(0);
  });
});
