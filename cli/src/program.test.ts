import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Command } from "commander";
import { OPERATIONS } from "@nts/shared/contract";
import { candidates } from "./commands/completion.js";
import { createProgram, run } from "./program.js";
import { parametersOf } from "./resources.js";
import type { Surroundings } from "./terminal.js";
import { aTerminalAlone } from "./terminal.testing.js";

const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const requests: string[] = [];
let server: Server;
let surroundings: Surroundings;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method} ${(request.url ?? "").split("?")[0]}`);
    request.resume();
    response.setHeader("content-type", "application/json").end('{"success":true,"data":null,"meta":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const env = { NTS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, NTS_API_KEY: "key" };
  surroundings = aTerminalAlone({ env, input: () => Promise.resolve("{}") });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const pairs = (option: string, names: readonly string[], value: (name: string) => string): string[] =>
  names.length === 0 ? [] : [option, ...names.map((name) => `${name}=${value(name)}`)];

describe("the nts program", () => {
  it("reaches every operation of the contract", async () => {
    for (const operation of OPERATIONS) {
      const params = parametersOf(operation.params);
      const query = parametersOf(operation.query).filter(({ isRequired }) => isRequired);
      const value = (name: string): string => params.find((one) => one.name === name)?.choices?.[0] ?? ID;
      const words = [
        ...pairs(
          "--param",
          params.map(({ name }) => name),
          value,
        ),
        ...pairs(
          "--query",
          query.map(({ name }) => name),
          value,
        ),
        ...(operation.body === undefined ? [] : ["--file", "-"]),
      ];
      requests.length = 0;
      const ended = await run(surroundings, "0", ["api", operation.operationId, ...words]);
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => value(name));
      expect([operation.operationId, ended, requests]).toEqual([
        operation.operationId,
        0,
        [`${operation.method.toUpperCase()} ${path}`],
      ]);
    }
  });

  it("explains every command, with an example", () => {
    const look = (command: Command): void => {
      expect([command.name(), command.description()]).toEqual([command.name(), expect.stringMatching(/\w{3}/)]);
      let help = "";
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      if (command.commands.length === 0) expect(help).toMatch(/\nExample:\n {2}.*nts /);
      for (const one of command.commands) if (one.name() !== "complete") look(one);
    };
    look(createProgram(surroundings, "0"));
  });

  it("has commands for all that the contract can list, create, change and delete", () => {
    const program = createProgram(surroundings, "0");
    const under = (verb: string): string[] =>
      program.commands.find((one) => one.name() === verb)?.commands.map((one) => one.name()) ?? [];
    expect(under("get")).toEqual(
      expect.arrayContaining(["networks", "hosts", "keys", "sessions", "organization-keys"]),
    );
    expect(under("edit")).toEqual(expect.arrayContaining(["networks", "hosts", "users", "webhooks"]));
    expect(under("create")).not.toContain("service-definitions");
  });

  it("completes commands, resources, options and their values", () => {
    const program = createProgram(surroundings, "0");
    expect(candidates(program, ["ge"])).toEqual(["get"]);
    expect(candidates(program, ["get", "net"])).toEqual(["networks"]);
    expect(candidates(program, ["get", "hosts", "--order-d"])).toEqual(["--order-direction"]);
    expect(candidates(program, ["get", "hosts", "-o", "j"])).toEqual(["json", "jsonpath="]);
    expect(candidates(program, ["export", "d"])).toEqual(["dns", "drawio"]);
    expect(candidates(program, ["import", "file"])).toEqual([]);
    expect(candidates(program, ["create", "host", "--set", "name=nas", "netw"])).toEqual(["network="]);
    expect(candidates(program, ["--url", "get", "delete", "hosts", "--host", "get", "--y"])).toEqual(["--yes"]);
    expect(candidates(program, ["get", "hosts", "--con"])).toEqual(["--context"]);
    expect(candidates(program, ["api", "get_host_b"])).toEqual(["get_host_by_id"]);
    expect(candidates(program, ["get", "hosts", "n"])).toEqual([]);
  });

  it("reports what is missing from a command line before it sends a request", async () => {
    requests.length = 0;
    expect(await run(surroundings, "0", ["api", "get_host_by_id"])).toBe(2);
    expect(await run(surroundings, "0", ["api", "list_hosts", "--query", "color=red"])).toBe(2);
    expect(await run(surroundings, "0", ["api", "no_such_operation"])).toBe(2);
    expect(await run(surroundings, "0", ["get", "hosts", "--limit", "all"])).toBe(2);
    expect(await run(surroundings, "0", ["get", "hosts", "--role", "nass"])).toBe(2);
    expect(await run(surroundings, "0", ["get", "keys"])).toBe(2);
    expect(await run(surroundings, "0", ["key", "rotate", "--grace", "soon"])).toBe(2);
    expect(requests).toEqual([]);
  });
});
