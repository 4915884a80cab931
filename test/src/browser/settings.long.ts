/** The settings of Owners and Admins: webhooks, with a receiver that responds as required, and the archive. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import type { AuditEntry, Webhook, WebhookDelivery } from "@nts/shared/contract";
import { accessibilityViolationsOf, WCAG_AA } from "../support/accessibility.js";
import { aColleague, anAccount } from "../support/api.js";
import { until } from "../support/until.js";
import { button, createVisits, field, heading } from "../support/visits.js";
import { type Receiver, startReceiver, verified } from "../support/webhook-receiver.js";
import { aNetworkWithAHost } from "../support/world.js";

const { url, openWindow } = createVisits();
const PATH = "/hook";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

/** Creates a webhook after a rejected URL. @returns its secret, which is shown once */
async function createWebhook(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog");
  await page.getByRole("link", { name: "Manage webhooks" }).click();
  await button(page, "New webhook").first().click();
  await field(page, "URL").fill("https://user@hooks.example.com/");
  await button(page, "Create").click();
  await dialog.getByText("must not contain a user name or password").first().waitFor();
  expect(await field(page, "URL").getAttribute("aria-invalid")).toBe("true");
  expect(await accessibilityViolationsOf(page, WCAG_AA)).toEqual([]);
  await field(page, "URL").fill(receiver.url(PATH));
  await dialog.getByRole("combobox", { name: "Networks" }).click();
  await page.getByRole("option", { name: "Home" }).click();
  await page.keyboard.press("Tab");
  await button(page, "Create").click();
  const secret = await page.getByLabel("Secret", { exact: true }).innerText();
  await button(page, "Done").click();
  expect(await page.content()).not.toContain(secret);
  return secret;
}

describe("a webhook", () => {
  it("is created, tested, rotated, replayed, resumed and deleted, and shows its deliveries", async () => {
    const account = await anAccount(url());
    const { network } = await aNetworkWithAHost(account.session);
    const { session } = account;
    const page = await openWindow({ account });
    const dialog = page.getByRole("dialog");
    const act = async (action: string): Promise<void> => {
      await button(page, `Actions for ${new URL(receiver.url("")).host}`).click();
      await page.getByRole("menuitem", { name: action }).click();
    };

    await page.goto("/settings");
    const secret = await createWebhook(page);

    await session.data("patch", `/api/v1/networks/${network.id}`, { name: "Cellar" });
    await until(() => receiver.received(PATH).length === 1);
    const [first] = receiver.received(PATH);
    expect(verified<{ name: string }>(secret, first!).data.name).toBe("Cellar");
    const rows = page.getByRole("table", { name: "Webhooks" });
    await page.reload();
    await rows.getByText("Delivering").waitFor();
    await rows.getByRole("link").click();
    await page.getByRole("table", { name: "Deliveries" }).getByText("HTTP 200").waitFor();

    receiver.respondWith(PATH, 503);
    await button(page, "Send test").click();
    await dialog.getByText("The test message was not accepted").waitFor();
    await dialog.getByText("HTTP 503").waitFor();
    await button(dialog, "Close").last().click();
    await dialog.waitFor({ state: "detached" });
    receiver.respondWith(PATH, 200);

    await act("Rotate secret");
    await button(page, "Rotate").click();
    await button(page, "Done").waitFor();
    const next = await page.getByLabel("Secret", { exact: true }).innerText();
    await button(page, "Done").click();
    await act("Replay");
    await button(page, "Send again").click();
    await until(() => receiver.received(PATH).length >= 3);
    expect(verified<{ action: string }>(next, receiver.received(PATH)[1]!).data.action).toBe("created");

    receiver.respondWith(PATH, 410);
    await session.data("patch", `/api/v1/networks/${network.id}`, { name: "Attic" });
    await until(async () => (await session.data<Webhook[]>("get", "/api/v1/webhooks"))[0]?.paused !== null);
    receiver.respondWith(PATH, 200);
    const seen = receiver.received(PATH).length;
    await page.reload();
    await page.getByText("Paused: no messages are sent").waitFor();
    expect(await accessibilityViolationsOf(page)).toEqual([]);
    await button(page, "Resume").click();
    await until(() => receiver.received(PATH).length > seen);
    await page.getByText("Paused: no messages are sent").waitFor({ state: "detached" });

    await act("Delete");
    await button(page, "Delete").click();
    await heading(page, "No webhooks").waitFor();
    expect(await session.data("get", "/api/v1/webhooks")).toEqual([]);
  });
});

describe("a webhook: its page and who sees it", () => {
  it("shows a backlog with the reason while its receiver fails", async () => {
    const account = await anAccount(url());
    const { session } = account;
    const unreachable = { url: "http://127.0.0.1:9/", format: "ntfy" };
    const { id } = await session.data<Webhook>("post", "/api/v1/webhooks", unreachable);
    await session.data("post", "/api/v1/networks", { name: "Office" });
    const deliveries = (): Promise<WebhookDelivery[]> => session.data("get", `/api/v1/webhooks/${id}/deliveries`);
    await until(async () => (await deliveries()).length > 0);
    const page = await openWindow({ account });
    await page.goto("/settings/webhooks");
    await page.getByRole("table", { name: "Webhooks" }).getByText("Behind").waitFor();
    await page.goto(`/settings/webhooks/${id}`);
    await page
      .getByRole("table", { name: "Deliveries" })
      .getByText("The connection could not be established.")
      .first()
      .waitFor();
  });

  it("is neither linked nor shown for a Member", async () => {
    const account = await anAccount(url());
    const { network } = await aNetworkWithAHost(account.session);
    const member = await aColleague(url(), account, { permissions: "Member", network_ids: [network.id] });
    const page = await openWindow({ account: member });
    await page.goto("/settings");
    await heading(page, "Password").waitFor();
    expect(await page.getByRole("link", { name: "Manage webhooks" }).count()).toBe(0);
    await page.goto("/settings/webhooks");
    await page.getByRole("alert").getByRole("heading", { name: "Permission denied" }).waitFor();
    expect(await button(page, "New webhook").count()).toBe(0);
  });
});

describe("the archive of an organization", () => {
  it("is downloaded, compared with the inventory, and restored although the server is unavailable in between", async () => {
    const account = await anAccount(url());
    const { session } = account;
    const { network, host } = await aNetworkWithAHost(session);
    const page = await openWindow({ account });
    await page.goto("/settings");
    await page.getByRole("link", { name: "Open backup" }).click();
    const link = page.getByRole("link", { name: "Download archive" });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const path = await download.path();
    const choose = (text: string): Promise<void> =>
      page.getByLabel("Select a file").setInputFiles({ name: "a.ndjson", mimeType: "", buffer: Buffer.from(text) });
    const archive = await readFile(path, "utf8");

    await choose(archive.slice(0, -50));
    await page.getByRole("alert").getByText("The archive cannot be imported").waitFor();
    await page.getByRole("table", { name: "Errors in the file" }).getByText("malformed_json").waitFor();
    expect(await accessibilityViolationsOf(page)).toEqual([]);
    await button(page, "Choose another file").click();

    await choose(archive);
    await button(page, "Nothing to import").waitFor();
    await button(page, "Choose another file").click();
    await session.data("patch", `/api/v1/hosts/${host.id}`, { name: "renamed" });
    await choose(archive);
    const hosts = page.getByRole("region", { name: "Preview" }).getByRole("row", { name: /^Hosts/ });
    await hosts.getByText("1").first().waitFor();
    expect(await hosts.getByRole("cell").allInnerTexts()).toEqual(["Hosts", "0", "1", "1", "0"]);
    const meta = { api_version: 1, server_version: "0", request_id: "r" };
    const away = {
      status: 503,
      json: { success: false, error: "Unavailable.", code: "unavailable", params: {}, meta },
    };
    await page.route("**/organizations/archive?dry_run=false", (route) => route.fulfill(away), { times: 1 });
    await button(page, "Import").click();
    await page.getByText("Interrupted.").waitFor();
    await page.getByText("Import complete.").waitFor();
    expect(await accessibilityViolationsOf(page)).toEqual([]);
    expect(await session.data("get", `/api/v1/hosts/${host.id}`)).toMatchObject({
      name: "nas",
      network_id: network.id,
    });

    await until(async () => {
      const entries = await session.data<AuditEntry[]>("get", "/api/v1/audit?order_direction=desc&limit=2");
      return entries.map(({ action }) => action).join() === "imported,exported";
    });
    await page.goto("/audit");
    await button(page, "exported Organization archive").waitFor();
  });
});
