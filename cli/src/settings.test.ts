import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseContext, readSettings, readStored, removeContext, storeSettings } from "./settings.js";
import type { Terminal } from "./terminal.js";
import { aTerminal } from "./terminal.testing.js";

let folder: string;
const terminalIn = (env: Record<string, string> = {}): Terminal =>
  aTerminal({ env: { XDG_CONFIG_HOME: folder, ...env } });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function twoContexts(): Promise<void> {
  for (const name of ["office", "home"])
    await storeSettings(terminalIn(), {
      url: `https://${name}.example`,
      apiKey: `key of ${name}`,
      email: null,
      context: name,
    });
}

describe("contexts", () => {
  it("are chosen by the command line, the environment, or the last use", async () => {
    await twoContexts();
    const chosen = async (choice: object, env: Record<string, string> = {}) => {
      const { url, apiKey } = await readSettings(terminalIn(env), choice);
      return [url, apiKey];
    };
    const office = ["https://office.example", "key of office"];
    const home = ["https://home.example", "key of home"];
    expect(await chosen({})).toEqual(home);
    expect(await chosen({ context: "office" })).toEqual(office);
    expect(await chosen({}, { NTS_CONTEXT: "office" })).toEqual(office);
    expect(await chosen({ context: "office" }, { NTS_URL: "https://else.example", NTS_API_KEY: "other" })).toEqual(
      office,
    );
    expect(await chosen({}, { NTS_URL: "https://office.example" })).toEqual(office);
    expect(await chosen({}, { NTS_URL: "https://else.example" })).toEqual(["https://else.example", null]);
    await chooseContext(terminalIn(), "office");
    expect(await chosen({})).toEqual(office);
    await expect(readSettings(terminalIn(), { context: "ofice" })).rejects.toThrow(
      "There is no context ofice; did you mean office?",
    );
  });

  it("are in a file of their owner, without those that are removed", async () => {
    await twoContexts();
    expect(statSync(join(folder, "nts/config.json")).mode & 0o777).toBe(0o600);
    await removeContext(terminalIn(), "home");
    expect(await readStored(terminalIn())).toMatchObject({ current: null, contexts: { office: {} } });
    await expect(readSettings(terminalIn(), {})).rejects.toThrow("Which server?");
  });

  it("take over the single server of former versions", async () => {
    mkdirSync(join(folder, "nts"));
    const former = { url: "https://home.example", api_key: "old", email: "ada@example.com" };
    writeFileSync(join(folder, "nts/config.json"), JSON.stringify(former), { mode: 0o600 });
    expect(await readSettings(terminalIn(), {})).toEqual({
      ...{ url: "https://home.example", apiKey: "old", email: "ada@example.com", context: "home.example" },
    });
  });
});
