/** What people do with the console, from the first visit to a picture of their network. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { anAccount, callerOf } from "../support/api.js";
import { aPerson, type Person } from "../support/browser.js";
import { startChromium } from "../support/chromium.js";
import { SCAN } from "../support/scan.js";
import { startStack, type Stack } from "../support/stack.js";
import { until } from "../support/until.js";
import { aNetworkWithAHost } from "../support/world.js";

let stack: Stack;
let browser: Browser;
let people: Person[] = [];

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack(), startChromium()]);
}, 300_000);

afterEach(async () => {
  const open = people;
  people = [];
  const faults = open.flatMap(({ takeFaults }) => takeFaults());
  await Promise.all(open.map(({ close }) => close()));
  expect(faults).toEqual([]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

async function somebody(options: Parameters<typeof aPerson>[2] = {}): Promise<Page> {
  const person = await aPerson(browser, stack.url, options);
  people.push(person);
  return person.page;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page | Locator, name: string) => page.getByRole("textbox", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

describe("somebody new", () => {
  it("signs up, makes a network, imports a scan, and sees it", async () => {
    const page = await somebody();
    await page.goto("/");
    await page.getByRole("link", { name: "Create one" }).click();
    await page.getByRole("textbox", { name: "Email", exact: true }).fill("ada@example.com");
    await page.getByRole("textbox", { name: "Password", exact: true }).fill("short");
    await button(page, "Create account").click();
    await page.getByText("must have at least 10 characters").waitFor();
    await page.getByRole("textbox", { name: "Password", exact: true }).fill("a long password");
    await button(page, "Create account").click();

    await page.getByRole("textbox", { name: "Name of the network", exact: true }).fill("Home");
    await button(page, "Create the network").click();
    await page.getByLabel("Choose the XML file of a scan").setInputFiles({
      name: "scan.xml",
      mimeType: "text/xml",
      buffer: Buffer.from(SCAN),
    });
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("192.168.7.20").waitFor();
    await button(page, "Import").click();
    await page.getByText("The import is done").waitFor();
    await page.getByRole("link", { name: "See the picture" }).click();
    await heading(page, "Topology").waitFor();

    await page.getByRole("link", { name: "Hosts", exact: true }).click();
    const rows = page.getByRole("table", { name: "Hosts" }).getByRole("row");
    await rows.filter({ hasText: "192.168.7.1" }).waitFor();
    expect(await rows.count()).toBe(3);
  });

  it("joins an organization by the link of an invite, and sees what was given", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session, "Office");
    const owner = await somebody({ account });
    await owner.goto("/users");
    await button(owner, "Invite somebody").click();
    await button(owner, "Make the invite").click();
    const link = await owner.getByLabel("Link", { exact: true }).innerText();

    const page = await somebody();
    await page.goto(link);
    await field(page, "Email").fill("grace@example.com");
    await field(page, "Password").fill("a long password");
    await button(page, "Join").click();
    await page.getByRole("link", { name: "Hosts", exact: true }).click();
    await page.getByRole("link", { name: "nas" }).waitFor();
    expect(await page.getByRole("link", { name: "Users" }).count()).toBe(0);
  });
});

describe("the editor of a service", () => {
  it("says before saving what is left out and what is refused, and saves what it said", async () => {
    const account = await anAccount(stack.url);
    const { host, service } = await aNetworkWithAHost(account.session);
    const page = await somebody({ account });
    await page.goto(`/hosts/${host.id}`);
    await button(page, "Actions for web").click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const editor = page.getByRole("dialog");
    await editor.getByText("1 binding will be saved.").waitFor();

    await button(page, "Port").click();
    await editor.getByText("Will be left out: binding 2 has this port on all interfaces.").waitFor();
    await button(page, "Interface without a port").click();
    await editor.getByText("Will be refused: binding 3 claims the same interface.").first().waitFor();
    await button(page, "Save").click();
    await editor.getByText("An interface binding and a port binding claim the same interface.").waitFor();

    await button(page, "Remove binding 3").click();
    await editor.getByText("1 binding will be saved. 1 will be left out, because another one says the same.").waitFor();
    await button(page, "Save").click();
    await page.getByText("tcp/443 on all interfaces").waitFor();
    expect(await account.session.data("get", `/api/v1/services/${service.id}`)).toMatchObject({
      bindings: [{ type: "Port", interface_id: null }],
    });
  });

  it("shows what the API says next to the field that it says it of", async () => {
    const account = await anAccount(stack.url);
    const { host } = await aNetworkWithAHost(account.session);
    const page = await somebody({ account });
    await page.goto(`/hosts/${host.id}`);
    await button(page, "Add an interface").click();
    const editor = page.getByRole("dialog");
    await editor.getByLabel("Subnet").click();
    await page.getByRole("option", { name: "10.0.0.0/24 · LAN" }).click();
    await field(editor, "Address").fill("10.9.9.9");
    await button(page, "Create").click();
    const message = editor.getByText("10.9.9.9 lies outside the subnet 10.0.0.0/24.").first();
    await message.waitFor();
    expect(await field(editor, "Address").getAttribute("aria-invalid")).toBe("true");
    await field(editor, "Address").fill("10.0.0.6");
    await button(page, "Create").click();
    await page.getByRole("table", { name: "Interfaces" }).getByText("10.0.0.6").waitFor();
  });
});

describe("two people", () => {
  it("do not overwrite each other: the second is told, and can load what the first has saved", async () => {
    const account = await anAccount(stack.url);
    const { host } = await aNetworkWithAHost(account.session);
    const page = await somebody({ account });
    await page.goto(`/hosts/${host.id}`);
    await button(page, "Edit").click();
    const editor = page.getByRole("dialog");
    await field(editor, "Hostname").fill("mine.example.com");
    const body = { network_id: host["network_id"], name: "storage" };
    await account.session.data("put", `/api/v1/hosts/${host.id}`, body);
    await button(page, "Save").click();
    await editor.getByText("Somebody else changed this").waitFor();
    expect(await field(editor, "Hostname").inputValue()).toBe("mine.example.com");

    await button(page, "Load it again").click();
    await until(async () => (await field(editor, "Name").inputValue()) === "storage");
    await field(editor, "Hostname").fill("ours.example.com");
    await button(page, "Save").click();
    await heading(page, "storage").waitFor();
    expect(await account.session.data("get", `/api/v1/hosts/${host.id}`)).toMatchObject({
      name: "storage",
      hostname: "ours.example.com",
    });
  });
});

describe("an API key", () => {
  it("is shown once, works, and stops working when it is rotated, disabled or deleted", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const page = await somebody({ account });
    const statusOf = async (secret: string): Promise<number> =>
      (await callerOf(stack.url, "key", { authorization: `Bearer ${secret}` }).send("get", "/api/v1/hosts")).status;
    await page.goto("/keys");
    await button(page, "New API key").first().click();
    await field(page, "Name").fill("backup");
    await button(page, "Create").click();
    const secret = await page.getByLabel("API key", { exact: true }).innerText();
    expect(await page.getByLabel("Command", { exact: true }).innerText()).toContain(`${stack.url}/api/v1/services`);
    expect(await statusOf(secret)).toBe(200);
    await button(page, "I have copied it").click();
    expect(await page.content()).not.toContain(secret);

    const act = async (action: string): Promise<void> => {
      await button(page, "Actions for backup").click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await act("Rotate");
    await button(page, "Rotate").click();
    await button(page, "I have copied it").waitFor();
    const next = await page.getByLabel("API key", { exact: true }).innerText();
    await button(page, "I have copied it").click();
    expect([await statusOf(secret), await statusOf(next)]).toEqual([401, 200]);
    await act("Disable");
    await page.getByText("backup is disabled.").waitFor();
    expect(await statusOf(next)).toBe(401);
    await act("Delete");
    await button(page, "Delete").click();
    await heading(page, "No API key yet").waitFor();
  });
});

describe("a session that ends", () => {
  it("leads to the sign-in page, and from there back to where it ended", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const page = await somebody({ account });
    await page.goto("/hosts?order=hostname");
    await page.getByRole("link", { name: "nas" }).waitFor();
    await account.session.data("post", "/api/auth/logout");
    await button(page, "Hostname").click();
    await heading(page, "Sign in").waitFor();
    await field(page, "Email").fill(account.email);
    await field(page, "Password").fill(account.password);
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "nas" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/hosts");
  });
});
