/** The examples of the documents, run exactly as printed. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { execa } from "execa";
import { readSenseSettings } from "@nts/cli/discover/settings";
import type { ArchiveImport, ImportPlan } from "@nts/shared/contract";
import { aKey, anAccount } from "../support/api.js";
import { parsed } from "../support/archives.js";
import { installCli } from "../support/installed-cli.js";
import { readBlocks, readFiveMinutes, readPage, runFiveMinutes, shapeOf } from "../support/readme.js";
import { startReceiver, verified } from "../support/webhook-receiver.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";

let stack: SharedStack;
let folder: string;

beforeAll(async () => {
  stack = await sharedStack();
  folder = await mkdtemp(join(tmpdir(), "readme-"));
});

afterAll(() => rm(folder, { recursive: true }));

describe("the first five minutes of docs/api.md", () => {
  it("give the responses that the page shows", async () => {
    const readme = readFiveMinutes();
    expect(readme.commands.length).toBeGreaterThan(4);
    const responses = await runFiveMinutes(readme, stack.url, folder);
    expect(responses.map(shapeOf)).toEqual(readme.responses.map(shapeOf));
  });
});

describe("the examples of docs/cli.md", () => {
  it("print what the page shows", async () => {
    const program = await installCli(folder);
    const blocks = readBlocks("docs/cli.md");
    const examples = blocks.filter(({ kind }) => kind === "sh").map(({ text }) => text);
    const shown = blocks.filter(({ kind }) => kind === "text").map(({ text }) => text);
    const { secret } = await aKey(stack.url, await anAccount(stack.url));
    const home = await mkdtemp(join(folder, "home-"));
    const script = examples.join("\necho --- next ---\n");
    const PATH = `${dirname(program)}:${process.env["PATH"]}`;
    const { stdout } = await execa("bash", ["-euo", "pipefail", "-c", script], {
      cwd: home,
      env: { NTS_API_KEY: secret, PATH, NTS_URL: stack.url },
    });
    const same = (text: string): string =>
      text
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
        .replaceAll(/ \d+s$/gm, " AGE")
        .trim();
    expect(stdout.split("--- next ---").map(same)).toEqual(shown.map(same));
  });
});

describe("the examples of docs/writing-safely.md", () => {
  it("give the responses that the page shows, and a repeated write that of the first one", async () => {
    const { commands } = readFiveMinutes();
    const page = readPage("docs/writing-safely.md");
    const before = commands.map((command) => command.replace("ada@example.com", "grace@example.com"));
    const responses = await runFiveMinutes({ commands: [...before, ...page.commands] }, stack.url, folder);
    const own = responses.slice(-(page.responses.length + 1));
    const repeated = own.pop();
    expect(own.map(shapeOf)).toEqual(page.responses.map(shapeOf));
    expect(repeated).toBe(own.at(-1));
    expect(await readFile(join(folder, "head.txt"), "utf8")).toMatch(/^idempotency-replayed: true\r$/im);
  });
});

describe("the examples of docs/changes.md", () => {
  it("give the responses that the page shows, the second one as soon as something happens", async () => {
    const page = readPage("docs/changes.md");
    const commands = [...readFiveMinutes().commands, ...page.commands].map((command) =>
      command.replace("ada@example.com", "hopper@example.com"),
    );
    const responses = await runFiveMinutes({ commands }, stack.url, folder);
    const shown = page.responses.map((text) => shapeOf(text.replace("ada@example.com", "hopper@example.com")));
    expect(responses.slice(-page.responses.length).map(shapeOf)).toEqual(shown);
    const results = eventsIn(await readFile(join(folder, "events.txt"), "utf8"));
    expect(results.length).toBeGreaterThan(0);
    expect(results).toEqual(eventsIn(page.texts.join().replace("ada@example.com", "hopper@example.com")));
  });
});

describe("the examples of docs/webhooks.md", () => {
  it("give the responses that the page shows, and send the receiver a message that it can verify", async () => {
    const receiver = await startReceiver();
    try {
      const page = readPage("docs/webhooks.md");
      const own = (text: string): string =>
        text
          .replace("ada@example.com", "hedy@example.com")
          .replaceAll("https://hooks.example.com/topology", receiver.url("/"));
      const commands = [...readFiveMinutes().commands, ...page.commands].map(own);
      const responses = await runFiveMinutes({ commands }, stack.url, folder);
      // Whether a change is delivered by then is not defined by the page.
      const settled = (text: string): string =>
        text.replace(/"duration_ms": ?\d+/, '"duration_ms":0').replace(/"delivered_at": ?null/, '"delivered_at":"…"');
      const shape = (text: string): unknown => shapeOf(settled(own(text)).replace(/"(whsec|msg_test)_[^"]*"/g, '"…"'));
      const results = responses.slice(-page.responses.length);
      expect(results.map(shape)).toEqual(page.responses.map(shape));
      const { data } = JSON.parse(results[0]!) as { data: { secret: string } };
      const [message] = receiver.received("/");
      expect(verified(data.secret, message!).type).toBe("test");
    } finally {
      await receiver.stop();
    }
  });
});

describe("the examples of docs/imports.md", () => {
  it("give the responses that the page shows", async () => {
    const page = readPage("docs/imports.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "cerf@example.com");
    const commands = [...readFiveMinutes().commands, ...page.commands].map(own);
    const responses = await runFiveMinutes({ commands }, stack.url, folder);
    expect(responses.slice(-page.responses.length).map(shapeOf)).toEqual(page.responses.map(shapeOf));
    const written = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), "utf8"));
    expect(await written("merge.json")).toMatchObject({ meta: { dry_run: true, plan: { action: "update" } } });
    expect(await written("merged.json")).toMatchObject({ data: { name: "nas", tags: ["attic"] } });
    expect(await written("split.json")).toMatchObject({
      data: { name: "access-point", interfaces: [{ ip_address: "192.168.1.220", is_separate: true }], ports: [] },
    });
  });
});

describe("the examples of docs/map.md", () => {
  it("give the responses that the page shows", async () => {
    const page = readPage("docs/map.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "mercator@example.com");
    const commands = [...readFiveMinutes().commands, ...page.commands].map(own);
    const responses = await runFiveMinutes({ commands }, stack.url, folder);
    expect(responses.slice(-page.responses.length).map(shapeOf)).toEqual(page.responses.map(shapeOf));
  });
});

describe("the examples of docs/links.md", () => {
  it("give the responses that the page shows", async () => {
    const page = readPage("docs/links.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "ptolemy@example.com");
    const commands = [...readFiveMinutes().commands, ...page.commands].map(own);
    const responses = await runFiveMinutes({ commands }, stack.url, folder);
    expect(responses.slice(-page.responses.length).map(shapeOf)).toEqual(page.responses.map(shapeOf));
  });
});

describe("the examples of docs/dependencies.md", () => {
  it("give the responses that the page shows", async () => {
    const page = readPage("docs/dependencies.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "eratosthenes@example.com");
    const commands = [...readFiveMinutes().commands, ...page.commands].map(own);
    const responses = await runFiveMinutes({ commands }, stack.url, folder);
    expect(responses.slice(-page.responses.length).map(shapeOf)).toEqual(page.responses.map(shapeOf));
  });
});

describe("the examples of docs/sightings.md", () => {
  it("give the responses that the page shows", async () => {
    const page = readPage("docs/sightings.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "diffie@example.com");
    const commands = [...readFiveMinutes().commands, ...page.commands].map(own);
    const responses = await runFiveMinutes({ commands }, stack.url, folder);
    expect(responses.slice(-page.responses.length).map(shapeOf)).toEqual(page.responses.map(shapeOf));
    expect(JSON.parse(await readFile(join(folder, "plan.json"), "utf8"))).toMatchObject({
      meta: { dry_run: true, plan: { action: "delete" } },
    });
  });
});

describe("the examples of docs/exports.md", () => {
  it("create the files that the page shows", async () => {
    const page = readPage("docs/exports.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "postel@example.com");
    await runFiveMinutes({ commands: [...readFiveMinutes().commands, ...page.commands].map(own) }, stack.url, folder);
    const fileOf = async (name: string): Promise<string> => (await readFile(join(folder, name), "utf8")).trim();
    const [, hosts, , homepage, services] = page.texts;
    expect([await fileOf("hosts.txt"), await fileOf("services.yaml")]).toEqual([hosts, homepage]);
    expect((await fileOf("services.csv")).replaceAll("\r", "")).toBe(services);
    expect(await fileOf("topology.drawio")).toMatch(
      /value="nas&lt;br&gt;192\.168\.1\.20".*\n.*value="Photos · 443\/tcp"/,
    );
    expect(await fileOf("zone.txt")).toMatch(/^nas IN A 192\.168\.1\.20$/m);
    const yaml = readBlocks("docs/exports.md").flatMap(({ kind, text }) => (kind === "yaml" ? [text.trim()] : []));
    const shown = (beginning: string): string => yaml.find((text) => text.startsWith(beginning)) ?? "";
    const anonymous = (text: string): string => text.replaceAll(/nts-[0-9a-f-]{36}/g, "nts-id");
    expect(parse(await fileOf("gatus.yaml"))).toEqual(parse(shown("endpoints:")));
    expect(parse(anonymous(await fileOf("autokuma.yaml")))).toEqual(parse(anonymous(shown("# Labels"))));
    expect(await fileOf("metrics.txt")).toMatch(
      /^nts_inventory_hosts\{network="Home",network_id="[0-9a-f-]{36}"\} 1$/m,
    );
    expect(await fileOf("certificates.txt")).toMatch(/^# HELP nts_certificate_not_after_seconds /);
    expect(JSON.parse(await fileOf("targets.json"))).toMatchObject([{ targets: ["192.168.1.20:443"] }]);
    expect(JSON.parse(await fileOf("inventory.json"))).toMatchObject({ all: { hosts: { nas: {} } } });
    expect(JSON.parse(await fileOf("plan.json"))).toMatchObject({ data: { summary: { hosts: { unchanged: 1 } } } });
    const ports = [{ number: 443, protocol: "Tcp", hosts: 1 }];
    const categories = [{ category: "Media", services: 1 }];
    expect(JSON.parse(await fileOf("stats.json"))).toMatchObject({ data: { totals: { hosts: 1 }, ports, categories } });
  });

  it("load the zone of BIND when it is new and valid, and not otherwise", async () => {
    const [script = ""] = readBlocks("docs/exports.md").flatMap(({ kind, text }) => (kind === "bash" ? [text] : []));
    const { commands } = readFiveMinutes();
    const begin = commands.map((command) => command.replace("ada@example.com", "mockapetris@example.com"));
    await runFiveMinutes({ commands: [...begin, 'echo "$KEY" > nts.key'] }, stack.url, folder);
    const here = script.replace("http://localhost:8080", stack.url).replace(/\/(var\/cache|etc)\/bind/g, folder);
    // The BIND programs record their calls; `npm run long -- consumers` checks a zone with the real one.
    await mkdir(join(folder, "bin"));
    const signal = (name: string, code: number): Promise<void> =>
      writeFile(join(folder, "bin", name), `#!/bin/sh\necho ${name} "$@" >> ${folder}/results\nexit ${code}\n`, {
        mode: 0o755,
      });
    const cron = (): Promise<unknown> =>
      execa("bash", ["-c", here], { env: { PATH: `${folder}/bin:${process.env["PATH"]}` }, reject: false });
    const results = async (): Promise<string[]> => (await readFile(join(folder, "results"), "utf8")).trim().split("\n");
    const checked = "named-checkzone -q home.example nts.zone";
    await signal("rndc", 0);
    await signal("named-checkzone", 1);
    await cron();
    expect(await results()).toEqual([checked]);
    await signal("named-checkzone", 0);
    await cron();
    expect(await readFile(join(folder, "zone.txt"), "utf8")).toMatch(/^nas IN A 192\.168\.1\.20$/m);
    await cron();
    expect(await results()).toEqual([checked, checked, "rndc reload home.example"]);
  });
});

describe("the examples of docs/archives.md", () => {
  it("create the file that the page shows", async () => {
    const page = readPage("docs/archives.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "lamarr@example.com");
    await runFiveMinutes({ commands: [...readFiveMinutes().commands, ...page.commands].map(own) }, stack.url, folder);
    const archive = parsed(await readFile(join(folder, "archive.ndjson"), "utf8"));
    const [shown = ""] = page.texts;
    const kinds = [...shown.matchAll(/^\{"entity":"(\w+)"/gm)].map(([, kind]) => kind);
    expect(archive.entities.map(({ entity }) => entity)).toEqual(kinds);
    expect(shown).toContain(JSON.stringify(archive.end.counts));
    const { data } = JSON.parse(await readFile(join(folder, "plan.json"), "utf8")) as { data: ArchiveImport };
    expect([data.dry_run, data.failed, data.summary.Host]).toEqual([
      true,
      [],
      { create: 0, update: 0, unchanged: 1, failed: 0 },
    ]);
  });
});

describe("the examples of docs/collectors.md", () => {
  it("give the response that the page shows, when a machine has enrolled", async () => {
    const page = readPage("docs/collectors.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "perlman@example.com");
    const [creation = "", ...others] = page.commands;
    const machine = { hostname: "attic.lan", version: "nts 0.2.0", senses: [{ name: "neighbours", state: "ready" }] };
    const about = JSON.stringify(machine).slice(1);
    const enrolment = `curl -s -o key.json $B/api/v1/collectors/enrol -H 'Content-Type: application/json' -d '{"token":"'$TOKEN'",${about}'`;
    const commands = [...readFiveMinutes().commands, creation, enrolment, ...others].map(own);
    const responses = await runFiveMinutes({ commands }, stack.url, folder);
    expect(responses.slice(-1).map(shapeOf)).toEqual(page.responses.map(own).map(shapeOf));
  });
});

describe("the examples of docs/discovery.md", () => {
  it("are settings that can be read, and a report that is imported", async () => {
    const blocks = readBlocks("docs/discovery.md").filter(({ kind }) => kind === "json");
    const [snmp = "", settings = "", report = ""] = blocks.map(({ text }) => text);
    for (const text of [settings, JSON.stringify({ snmp: JSON.parse(snmp) as object })]) {
      await writeFile(join(folder, "senses.json"), text, { mode: 0o600 });
      expect(await readSenseSettings(join(folder, "senses.json"))).toMatchObject({ snmp: expect.any(Array) });
    }
    await writeFile(join(folder, "report.ndjson"), `${report}\n`);
    const { commands } = readPage("docs/discovery.md");
    const own = [...readFiveMinutes().commands, ...commands].map((text) =>
      text.replaceAll("ada@example.com", "estrin@example.com"),
    );
    await runFiveMinutes({ commands: own }, stack.url, folder);
    const { data } = JSON.parse(await readFile(join(folder, "imported.json"), "utf8")) as { data: ImportPlan };
    expect(data).toMatchObject({
      ...{ format: "report", complete: true, summary: { hosts: { create: 2 } }, skipped: [] },
      covered: { addresses: ["10.77.0.0/24", "not 10.77.0.66"] },
    });
  });
});

describe("the examples of docs/mail.md", () => {
  it("give the responses that the page shows, with the links from mails that were sent", async () => {
    const page = readPage("docs/mail.md");
    const own = (text: string): string =>
      text
        .replaceAll("ada@example.com", "hamilton@example.com")
        .replaceAll("bob@example.com", "bob-by-mail@example.com")
        .replaceAll("http://localhost:1080/", stack.mailsUrl);
    const commands = [...readFiveMinutes().commands, ...page.commands].map(own);
    const responses = await runFiveMinutes({ commands }, stack.url, folder);
    expect(responses.slice(-page.responses.length).map(shapeOf)).toEqual(page.responses.map(own).map(shapeOf));
  });
});

describe("the examples of docs/audit.md", () => {
  it("give the responses that the page shows", async () => {
    const page = readPage("docs/audit.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "lovelace@example.com");
    const responses = await runFiveMinutes(
      { commands: [...readFiveMinutes().commands, ...page.commands].map(own) },
      stack.url,
      folder,
    );
    // The first use of the key has a number, too, at the time of the gateway's report.
    const shape = (text: string): unknown => shapeOf(own(text).replace(/"(cursor|next)": ?"\d+"/g, '"$1":"…"'));
    expect(responses.slice(-page.responses.length).map(shape)).toEqual(page.responses.map(shape));
  });
});

describe("the examples of docs/assistants.md", () => {
  it("let an assistant in, with a key and by OAuth", async () => {
    const page = readPage("docs/assistants.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "turing@example.com");
    const commands = [...readFiveMinutes().commands, ...page.commands].map(own);
    const responses = await runFiveMinutes({ commands }, stack.url, folder);
    const shape = (text: string): unknown =>
      shapeOf(text.replace(/"client_id_issued_at":\s*\d+/, '"client_id_issued_at":0'));
    expect(responses.slice(-page.responses.length).map(shape)).toEqual(page.responses.map(shape));
    const found = JSON.parse(await readFile(join(folder, "found.json"), "utf8")) as object;
    expect(found).toMatchObject({ result: { structuredContent: { data: { hosts: { total: 1 } } } } });
  });
});

describe("the examples of docs/people.md", () => {
  it("give the responses that the page shows", async () => {
    const page = readPage("docs/people.md");
    const own = (text: string): string => text.replaceAll("ada@example.com", "rosing@example.com");
    const responses = await runFiveMinutes(
      { commands: [...readFiveMinutes().commands, ...page.commands].map(own) },
      stack.url,
      folder,
    );
    const shape = (text: string): unknown =>
      shapeOf(
        text
          .replace(/"curl\/[\d.]+"/g, '"curl"')
          .replace(/"(device_code|user_code|verification_uri)":\s*"[^"]*"/g, '"$1":"any"')
          .replace(/backup-bot\.[0-9a-f]{12}@/g, "backup-bot.any@"),
      );
    expect(responses.slice(-page.responses.length).map(shape)).toEqual(page.responses.map(shape));
  });
});

/** The types and data of Server-Sent Events. */
function eventsIn(text: string): unknown[] {
  return [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, event, data = ""]) => [event, shapeOf(data)]);
}
