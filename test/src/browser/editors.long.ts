/** The forms of the console: what they show before and after saving, and that no input is lost. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { accessibilityViolationsOf, WCAG_AA } from "../support/accessibility.js";
import { anAccount } from "../support/api.js";
import { until } from "../support/until.js";
import { button, createVisits, field, heading } from "../support/visits.js";
import { aNetworkWithAHost } from "../support/world.js";

const { url, openWindow } = createVisits();

/** An owner on the page of a host with one child of each kind. */
async function onAHost() {
  const account = await anAccount(url());
  const world = await aNetworkWithAHost(account.session);
  const page = await openWindow({ account });
  await page.goto(`/hosts/${world.host.id}`);
  return { ...world, account, page };
}

describe("the editor of a service: saving", () => {
  it("shows before saving what is dropped and what is rejected, and saves what it showed", async () => {
    const { account, service, page } = await onAHost();
    await button(page, "Actions for web at 443/tcp").click();
    await page.getByRole("menuitem", { name: "Edit service" }).click();
    const editor = page.getByRole("dialog");
    await editor.getByText("1 binding will be saved.").waitFor();

    await button(page, "Port").click();
    await editor.getByText("Will be dropped: covered by binding 2 (all interfaces).").waitFor();
    await button(page, "Interface without a port").click();
    await editor.getByText("Conflict: binding 3 claims the same interface.").first().waitFor();
    await button(page, "Save").click();
    await editor.getByText("An interface binding and a port binding claim the same interface.").waitFor();

    await button(page, "Remove binding 3").click();
    await editor.getByText("1 binding will be saved. 1 will be dropped as redundant.").waitFor();
    await button(page, "Save").click();
    await page.getByText("all interfaces:443").waitFor();
    expect(await account.session.data("get", `/api/v1/services/${service.id}`)).toMatchObject({
      bindings: [{ type: "Port", interface_id: null }],
    });
  });

  it("previews the changes of saving, and saves those", async () => {
    const { account, service, page } = await onAHost();
    await button(page, "Actions for web at 443/tcp").click();
    await page.getByRole("menuitem", { name: "Edit service" }).click();
    const editor = page.getByRole("dialog");
    await field(editor, "Name").fill("proxy");
    await button(page, "Review").click();
    await editor.getByRole("region", { name: "Review" }).getByText('Service web: name "web" → "proxy"').waitFor();
    expect(await account.session.data("get", `/api/v1/services/${service.id}`)).toMatchObject({ name: "web" });
    await button(page, "Save").click();
    await button(page, "Actions for proxy at 443/tcp").waitFor();
    expect(await account.session.data("get", `/api/v1/services/${service.id}`)).toMatchObject({ name: "proxy" });
  });
});

describe("the editor of a service: errors and free addresses", () => {
  it("shows API errors next to the field that they name", async () => {
    const { page } = await onAHost();
    await button(page, "Add interface").click();
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

  it("suggests the next free address of a subnet, outside of reserved ranges, and shows the usage", async () => {
    const { host, subnet, page } = await onAHost();
    await page.goto(`/subnets/${subnet.id}`);
    await button(page, "Edit").click();
    const editor = page.getByRole("dialog");
    await button(editor, "Range").click();
    await field(editor, "First address").fill("10.0.1.1");
    await field(editor, "Last address").fill("10.0.0.9");
    await field(editor, "Purpose").fill("routers");
    await button(page, "Save").click();
    await editor.getByText("Reserved 1 must be inside 10.0.0.0/24.").waitFor();
    expect(await field(editor, "First address").getAttribute("aria-invalid")).toBe("true");
    await field(editor, "First address").fill("10.0.0.1");
    await button(page, "Save").click();
    await page.getByRole("table", { name: "Reserved ranges" }).getByText("routers").waitFor();
    await page.getByRole("img", { name: "Utilization: 1 used, 8 reserved, 245 free" }).waitFor();
    await button(page, "Copy 10.0.0.10").waitFor();

    await page.goto(`/hosts/${host.id}`);
    await button(page, "Add interface").click();
    await page.getByRole("dialog").getByLabel("Subnet").click();
    await page.getByRole("option", { name: "10.0.0.0/24 · LAN" }).click();
    await page.getByRole("dialog").getByLabel("Next free address").check();
    await page.getByRole("dialog").getByText("Currently 10.0.0.10").waitFor();
    await button(page, "Create").click();
    await page.getByRole("table", { name: "Interfaces" }).getByText("10.0.0.10").waitFor();
  });
});

describe("the editors of children of a host", () => {
  it("change a port, and report a duplicate", async () => {
    const account = await anAccount(url());
    const { host, network, port } = await aNetworkWithAHost(account.session);
    const other = { host_id: host.id, network_id: network.id, number: 80, protocol: "Tcp" };
    await account.session.data("post", "/api/v1/ports", other);
    const page = await openWindow({ account });
    await page.goto(`/hosts/${host.id}`);
    await button(page, "Actions for web at 443/tcp").click();
    await page.getByRole("menuitem", { name: "Edit port" }).click();
    const editor = page.getByRole("dialog");
    await field(editor, "Number").fill("80");
    await button(page, "Save").click();
    await editor.getByRole("alert").waitFor();
    expect(await field(editor, "Number").getAttribute("aria-invalid")).toBe("true");

    await field(editor, "Number").fill("53");
    await editor.getByRole("combobox", { name: "Protocol" }).click();
    await page.getByRole("option", { name: "UDP" }).click();
    await button(page, "Save").click();
    await page.getByRole("table", { name: "Ports and services" }).getByText("53/udp", { exact: true }).waitFor();
    expect(await account.session.data("get", `/api/v1/ports/${port.id}`)).toMatchObject({
      number: 53,
      protocol: "Udp",
    });
  });

  it("edit the virtualization of the host and its services, with API errors next to the fields", async () => {
    const account = await anAccount(url());
    const { host, service, network, subnet } = await aNetworkWithAHost(account.session);
    const runner = await account.session.data<{ id: string }>("post", "/api/v1/hosts", {
      ...{ network_id: network.id, name: "pve1", interfaces: [{ ip_address: "10.0.0.9", subnet_id: subnet.id }] },
    });
    const page = await openWindow({ account });
    const virtualizationOf = async (path: string): Promise<unknown> =>
      (await account.session.data<{ virtualization: unknown }>("get", path)).virtualization;
    const editor = page.getByRole("dialog");
    await page.goto(`/hosts/${host.id}`);
    await button(page, "Edit").click();
    await editor.getByRole("combobox", { name: "Runs on" }).fill("10.0.0.9");
    await page.getByRole("option", { name: "pve1 · 10.0.0.9" }).click();
    await button(editor, "Detail").click();
    await editor.getByRole("group", { name: "Detail 1" }).getByLabel("Name").fill("node");
    await editor.getByRole("group", { name: "Detail 1" }).getByLabel("Value").fill("pve1");
    await button(page, "Save").click();
    await editor.getByRole("alert").getByText("Virtualization, type", { exact: false }).waitFor();
    expect(await editor.getByLabel("Kind").getAttribute("aria-invalid")).toBe("true");
    await editor.getByLabel("Kind").fill("VM");
    await button(page, "Save").click();
    await page.getByText("node: pve1").waitFor();
    expect(await virtualizationOf(`/api/v1/hosts/${host.id}`)).toEqual({
      type: "VM",
      details: { host_id: runner.id, node: "pve1" },
    });
    // The history of the page names it as well, a moment later.
    await page.getByRole("link", { name: "pve1" }).first().click();
    await page.getByRole("table", { name: "Guests" }).getByRole("link", { name: "nas" }).click();

    await button(page, "Actions for web at 443/tcp").click();
    await page.getByRole("menuitem", { name: "Edit service" }).click();
    await editor.getByLabel("Kind").fill("Docker");
    await button(page, "Save").click();
    await page.getByRole("table", { name: "Ports and services" }).getByText("Docker").waitFor();
    expect(await virtualizationOf(`/api/v1/services/${service.id}`)).toEqual({ type: "Docker", details: {} });
  });
});

describe("the menu of a row", () => {
  it("is opened and navigated by keyboard, and has no accessibility violations", async () => {
    const { account, host, service, page } = await onAHost();
    const dependency = {
      network_id: host["network_id"],
      client: { host_id: host.id, process: "cron" },
      server: { host_id: host.id, service_id: service.id },
    };
    await account.session.data("post", "/api/v1/dependencies", dependency);
    const target = button(page, "Actions for web at 443/tcp");
    await target.press("Enter");
    const focused = (): Promise<string | null> => page.locator(":focus").textContent();
    await until(async () => (await focused()) === "Edit service");
    expect(await accessibilityViolationsOf(page, WCAG_AA)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await until(async () => (await focused()) === "Delete service");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete web?" });
    await dialog.getByText("Stops as well: cron.").waitFor();
    await button(page, "Cancel").click();
    await target.press("Enter");
    await until(async () => (await focused()) === "Edit service");
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await page.locator("[aria-label='Actions for web at 443/tcp']:focus").waitFor();
  });
});

describe("two users", () => {
  it("do not overwrite each other: the second one is notified, and can load the saved state", async () => {
    const { account, host, page } = await onAHost();
    await button(page, "Edit").click();
    const editor = page.getByRole("dialog");
    await field(editor, "Hostname").fill("mine.example.com");
    const body = { network_id: host["network_id"], name: "storage" };
    await account.session.data("put", `/api/v1/hosts/${host.id}`, body);
    await button(page, "Save").click();
    await editor.getByText("Edit conflict").waitFor();
    expect(await field(editor, "Hostname").inputValue()).toBe("mine.example.com");

    await button(page, "Reload").click();
    await until(async () => (await field(editor, "Name").inputValue()) === "storage");
    await field(editor, "Hostname").fill("ours.example.com");
    await button(page, "Save").click();
    await editor.waitFor({ state: "detached" });
    await heading(page, "storage").waitFor();
    expect(await account.session.data("get", `/api/v1/hosts/${host.id}`)).toMatchObject({
      name: "storage",
      hostname: "ours.example.com",
    });
  });
});

describe("a session that ends", () => {
  it("is reported at once without losing the open form, which is restored after signing in again", async () => {
    const { account, page } = await onAHost();
    await button(page, "Edit").click();
    const editor = page.getByRole("dialog", { name: "Edit host" });
    await field(editor, "Hostname").fill("nas.example.com");
    await account.session.data("post", "/api/auth/logout");
    const signInDialog = page.getByRole("dialog", { name: "Your session has ended" });
    await field(signInDialog, "Password").fill("not the password");
    await button(page, "Sign in").click();
    await signInDialog.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await field(signInDialog, "Password").fill(account.password);
    await button(page, "Sign in").click();
    await signInDialog.waitFor({ state: "detached" });
    expect(await field(editor, "Hostname").inputValue()).toBe("nas.example.com");
    await button(page, "Save").click();
    await editor.waitFor({ state: "detached" });
    await page.getByText("nas.example.com").waitFor();
  });

  it("shows nothing of that form to another user who signs in", async () => {
    const account = await anAccount(url());
    const other = await anAccount(url());
    const { host } = await aNetworkWithAHost(account.session);
    const page = await openWindow({ account });
    await page.goto(`/hosts/${host.id}`);
    await button(page, "Edit").click();
    await account.session.data("post", "/api/auth/logout");
    const signInDialog = page.getByRole("dialog", { name: "Your session has ended" });
    await field(signInDialog, "Email").fill(other.email);
    await field(signInDialog, "Password").fill(other.password);
    await button(page, "Sign in").click();
    await heading(page, "Not found").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("redirects to the requested page after signing in, when it had ended before", async () => {
    const account = await anAccount(url());
    await aNetworkWithAHost(account.session);
    const page = await openWindow();
    await page.goto("/hosts?order=hostname");
    await heading(page, "Sign in").waitFor();
    await field(page, "Email").fill(account.email);
    await field(page, "Password").fill(account.password);
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "nas" }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/hosts?order=hostname");
  });

  it("that was ended by its user starts again at the start page", async () => {
    const { account, page } = await onAHost();
    await page.getByRole("button", { name: account.email }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(page, "Sign in").waitFor();
    expect(new URL(page.url()).search).toBe("");
  });
});

describe("the export dialog", () => {
  it("shows the URL for programs, downloads the file, and has no accessibility violations", async () => {
    const { page, network } = await onAHost();
    await page.goto("/hosts");
    await button(page, "Export").click();
    const window = page.getByRole("dialog");
    await window.getByLabel("For").click();
    await page.getByRole("option", { name: "DNS zone (BIND)" }).click();
    expect(await button(window, "Download").isDisabled()).toBe(true);
    await field(window, "Zone").fill("home.example");
    await window.getByLabel("Network").click();
    await page.getByRole("option", { name: "Home" }).click();
    const address = `${url()}/api/v1/exports/dns?zone=home.example&network_id=${network.id}`;
    await window.getByText(address, { exact: true }).waitFor();
    expect(await accessibilityViolationsOf(page, WCAG_AA)).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      window.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("zone.txt");
    expect(await readFile(await file.path(), "utf8")).toMatch(/^\S+ IN A 10\.0\.0\.5$/m);
  });
});

describe("the import of a table", () => {
  const TABLE = "Kennung;Netzadresse\nnas;192.168.7.20\n";

  it("asks what unknown columns mean, and the browser remembers it for the next file", async () => {
    const account = await anAccount(url());
    await aNetworkWithAHost(account.session);
    const page = await openWindow({ account });
    await page.goto("/import");
    const choose = () =>
      page
        .getByLabel("Select a file")
        .setInputFiles({ name: "table.csv", mimeType: "text/csv", buffer: Buffer.from(TABLE) });
    const preview = page.getByRole("region", { name: "Preview" });
    const asked = page.getByRole("region", { name: "Columns" });
    const say = async (heading: string, meaning: string): Promise<void> => {
      await asked.getByLabel(heading, { exact: true }).first().click();
      await page.getByRole("option", { name: meaning, exact: true }).click();
    };
    await choose();
    await button(page, "It is a table").click();
    await say("Netzadresse", "IP address");
    await say("Kennung", "Name");
    expect(await accessibilityViolationsOf(page)).toEqual([]);
    await button(page, "Preview import").click();
    await preview.getByText("192.168.7.20").waitFor();
    await preview.getByText("nas", { exact: true }).waitFor();

    await page.reload();
    await choose();
    await preview.getByText("192.168.7.20").waitFor();
    await asked.getByLabel("Kennung", { exact: true }).first().waitFor();
  });
});
