/** What people do after the first visit: sample data, invites, keys, the activity page, and changes of others. */
import { describe, expect, it } from "@jest/globals";
import type { Change } from "@nts/shared/contract";
import { DEPENDENCIES } from "@nts/shared/sample/dependencies";
import type { Page, Request } from "playwright-core";
import { type Account, aColleague, anAccount, callerOf } from "../support/api.js";
import { isFollowing } from "../support/browser.js";
import { until } from "../support/until.js";
import { button, createVisits, field, heading } from "../support/visits.js";
import { aNetworkWithAHost } from "../support/world.js";

const { url, openWindow } = createVisits();

describe("a new user", () => {
  it("tries sample data, and removes it with a click and nothing else", async () => {
    const account = await anAccount(url());
    const page = await openWindow({ account });
    await page.goto("/");
    await button(page, "Try with sample data").click();
    await page.waitForURL("**/topology");
    await page.getByText(SAMPLE_SUMMARY).waitFor();
    await expectALightVisit(await openWindow({ account }));
    const dependencies = (): Promise<unknown[]> => account.session.data("get", "/api/v1/dependencies?limit=0");
    expect(await dependencies()).toHaveLength(DEPENDENCIES.length);
    await page.getByRole("tab", { name: "Links" }).click();
    await page.getByRole("listbox").getByText("Gi1/0/4 of Core switch").waitFor();
    await account.session.data("post", "/api/v1/networks", { name: "Mine" });
    await button(page, "Remove it").click();
    await page.getByText("Sample data removed.").waitFor();
    const left = await account.session.data<{ name: string }[]>("get", "/api/v1/networks");
    expect(left.map(({ name }) => name)).toEqual(["Mine"]);
    expect(await dependencies()).toEqual([]);
  });

  it("joins an organization by an invite link, and sees the granted networks", async () => {
    const account = await anAccount(url());
    await aNetworkWithAHost(account.session, "Office");
    const owner = await openWindow({ account });
    await owner.goto("/users");
    await button(owner, "Invite user").click();
    await button(owner, "Create invite").click();
    const link = await owner.getByLabel("Link", { exact: true }).innerText();

    const page = await openWindow();
    await page.goto(link);
    await field(page, "Email").fill("grace@journey.example.com");
    await field(page, "Password").fill("a long password");
    await button(page, "Join").click();
    await page.getByRole("link", { name: "Hosts", exact: true }).click();
    await page.getByRole("link", { name: "nas" }).waitFor();
    expect(await page.getByRole("link", { name: "Users" }).count()).toBe(0);
  });
});

const SAMPLE_SUMMARY = /^4 subnets, \d+ hosts, \d+ services$/;

/** Of a first visit to the map, with what it reads; browsers with a window add the icon to show there. */
const MOST_REQUESTS = 11;
const MOST_BYTES = 350_000;

/** Opens the map with nothing cached, and holds what the network carries to its limits. */
async function expectALightVisit(page: Page): Promise<void> {
  const requests: Request[] = [];
  page.on("request", (request) => requests.push(request));
  const following = page.waitForRequest(isFollowing);
  await page.goto("/topology");
  await page.getByText(SAMPLE_SUMMARY).waitFor();
  await following;
  const finite = requests.filter((request) => !isFollowing(request));
  const sizes = await Promise.all(
    finite.map(async (request) => {
      await (await request.response())?.finished();
      return request.sizes();
    }),
  );
  // Each once: what has just changed may be read again.
  const urls = new Set(requests.map((request) => request.url()));
  expect([urls, urls.size <= MOST_REQUESTS]).toEqual([urls, true]);
  const bytes = sizes.reduce(
    (sum, { responseHeadersSize, responseBodySize }) => sum + responseHeadersSize + responseBodySize,
    0,
  );
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(MOST_BYTES);
}

describe("the start page", () => {
  it("gives way to a page that is opened before it has loaded", async () => {
    const account = await anAccount(url());
    await aNetworkWithAHost(account.session);
    const page = await openWindow({ account });
    const releaseNetworks = await holdRequests(page, "**/api/v1/networks?*");
    const releaseCode = await holdRequests(page, "**/assets/hosts-page-*");
    await page.goto("/");
    await page.getByRole("link", { name: "Hosts", exact: true }).click();
    await page.waitForURL("**/hosts");
    releaseNetworks();
    await page.getByRole("combobox", { name: "Network" }).waitFor();
    releaseCode();
    await page.getByRole("link", { name: "nas" }).waitFor();
  });
});

describe("an API key", () => {
  it("is shown once, works, and stops working when it is rotated, disabled or deleted", async () => {
    const account = await anAccount(url());
    await aNetworkWithAHost(account.session);
    const page = await openWindow({ account });
    const statusOf = async (secret: string): Promise<number> =>
      (await callerOf(url(), "key", { authorization: `Bearer ${secret}` }).send("get", "/api/v1/hosts")).status;
    await page.goto("/keys");
    await button(page, "New API key").first().click();
    await field(page, "Name").fill("backup");
    await button(page, "Create").click();
    const secret = await page.getByLabel("API key", { exact: true }).innerText();
    expect(await page.getByLabel("Command", { exact: true }).innerText()).toContain(`${url()}/api/v1/services`);
    expect(await statusOf(secret)).toBe(200);
    await button(page, "Done").click();
    expect(await page.content()).not.toContain(secret);

    const act = async (action: string): Promise<void> => {
      await button(page, "Actions for backup").click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await act("Rotate");
    await button(page, "Rotate").click();
    await button(page, "Done").waitFor();
    const next = await page.getByLabel("API key", { exact: true }).innerText();
    await button(page, "Done").click();
    expect([await statusOf(secret), await statusOf(next)]).toEqual([401, 200]);
    await act("Disable");
    await page.getByText("backup is disabled.").waitFor();
    expect(await statusOf(next)).toBe(401);
    await act("Delete");
    await button(page, "Delete").click();
    await heading(page, "No API keys").waitFor();
  });
});

describe("the activity page and the history of a host", () => {
  it("show who changed what and why, before and after, and find all changes of a request", async () => {
    const account = await anAccount(url());
    const { host, service } = await aNetworkWithAHost(account.session);
    const other = await account.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Office" });
    const patch = { "content-type": "application/merge-patch+json", "change-comment": "shared with the family" };
    await account.session.send("patch", `/api/v1/services/${service.id}`, '{"name": "Photos"}', patch);
    await until(async () => (await changesOf(account)).some(({ action }) => action === "updated"));
    const page = await openWindow({ account });
    await page.goto("/activity");
    const updated = page.getByRole("article").filter({ hasText: "shared with the family" });
    expect(await updated.innerText()).toContain(account.email);
    await updated.getByRole("button", { name: "Service Photos" }).click();
    const row = updated.getByRole("table", { name: "Photos before and after" }).getByRole("row").nth(1);
    expect(await row.getByRole("cell").allInnerTexts()).toEqual(["Name", "web", "Photos"]);
    await updated.getByRole("button", { name: "Undo" }).click();
    const question = page.getByRole("dialog", { name: "Undo this request?" });
    await question.getByText(/^Service (?:web|Photos): name "Photos" → "web"/).waitFor();
    await question.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("article").first().getByText("takes back").waitFor();
    await updated.getByRole("button", { name: "Undo" }).click();
    await question.getByText("Service: it was changed again.").waitFor();
    expect(await question.getByRole("button", { name: "Undo" }).isDisabled()).toBe(true);
    await question.getByRole("button", { name: "Cancel" }).click();
    await updated.getByRole("link", { name: "Open service" }).click();
    await heading(page, "web").waitFor();
    await heading(page, "History").waitFor();
    await page.getByText("shared with the family").waitFor();

    await page.goto("/activity?kind=Interface");
    await page.getByRole("link", { name: "This request" }).click();
    await page.getByRole("button", { name: "Service web" }).waitFor();
    await button(page, "created Host nas with 1 interface, 1 port and 1 service").waitFor();
    expect(await page.getByRole("button", { name: /^created/ }).count()).toBe(5);

    await account.session.data("delete", `/api/v1/hosts/${host.id}`);
    const isOfHost = ({ action, host_id }: Change): boolean => action === "deleted" && host_id === host.id;
    await until(async () => (await changesOf(account)).filter(isOfHost).length === 4);
    await page.goto(`/hosts/${host.id}`);
    await heading(page, "Not found").waitFor();
    await button(page, "deleted Host nas with 1 interface, 1 port, 1 service, 1 dependency and 1 link").click();
    await page.getByRole("button", { name: /^deleted Dependency .+ → .+/ }).waitFor();
    await page.getByRole("button", { name: /^deleted Link .+ – .+/ }).waitFor();
    await page.getByRole("button", { name: /^deleted Host nas (?!with)/ }).click();
    await page.getByRole("table", { name: "nas before and after" }).waitFor();

    const colleague = await aColleague(url(), account, { permissions: "Viewer", network_ids: [other.id] });
    const limited = await openWindow({ account: colleague });
    await limited.goto("/activity");
    await limited.getByRole("button", { name: "Network Office" }).waitFor();
    expect(await limited.getByRole("article").count()).toBe(1);
  });
});

describe("an open page", () => {
  it("shows changes of others live, and keeps focus, selection and scroll position", async () => {
    const account = await anAccount(url());
    const { network, subnet } = await aNetworkWithAHost(account.session);
    const { session } = account;
    const names = Array.from({ length: 24 }, (_, index) => `box ${index + 10}`);
    const hosts = await Promise.all(
      names.map((name) => session.data<{ id: string }>("post", "/api/v1/hosts", { network_id: network.id, name })),
    );
    const page = await openWindow({ account });
    const following = countFollowers(page);
    await page.goto("/hosts");
    const chosen = page.getByRole("checkbox", { name: "Select box 25" });
    await chosen.check();
    await page.getByRole("checkbox", { name: "Select box 30" }).check();
    await chosen.focus();
    const topOf = (): Promise<number> =>
      page.evaluate("Math.round(document.activeElement.getBoundingClientRect().top)");
    const top = await topOf();
    await page.evaluate("globalThis.isSame = true");

    const hostAt = (name: string): string => `/api/v1/hosts/${hosts[names.indexOf(name)]!.id}`;
    await session.data("delete", hostAt("box 11"));
    await session.data("delete", hostAt("box 30"));
    await session.data("patch", hostAt("box 26"), { hostname: "box.example.com" });
    await page.getByText("box.example.com").waitFor();
    await page.getByText("1 selected").waitFor();
    expect(await page.getByRole("link", { name: "box 11" }).count()).toBe(0);
    expect([await chosen.isChecked(), await page.evaluate("isSame")]).toEqual([true, true]);
    // deletions above it do not move it by a row
    expect(Math.abs((await topOf()) - top)).toBeLessThan(5);
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Select box 25");

    await page.getByRole("link", { name: "Subnets" }).click();
    await page.getByRole("link", { name: "LAN", exact: true }).waitFor();
    await session.data("patch", `/api/v1/subnets/${subnet.id}`, { name: "Cellar" });
    await page.getByRole("link", { name: "Cellar" }).waitFor();
    await page.getByRole("link", { name: "Networks" }).click();
    await page.getByRole("table").getByText("Home").waitFor();
    await session.data("post", "/api/v1/networks", { name: "Attic" });
    await page.getByRole("table").getByText("Attic").waitFor();
    await page.getByRole("link", { name: "Activity" }).click();
    await page.getByRole("button", { name: "Network Attic" }).waitFor();
    await session.data("post", "/api/v1/tags", { name: "family" });
    await page.getByRole("article").first().getByRole("button", { name: "Tag family" }).waitFor();
    expect([following.maxOpen(), await page.evaluate("isSame")]).toEqual([1, true]);
  });
});

/** Holds requests of a page. @returns releases them */
async function holdRequests(page: Page, pattern: string): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(pattern, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Counts the maximum of concurrent requests with which a page followed changes. */
function countFollowers(page: Page): { readonly maxOpen: () => number } {
  const open = new Set<Request>();
  let maxOpen = 0;
  page.on("request", (request) => {
    if (!isFollowing(request)) return;
    open.add(request);
    maxOpen = Math.max(maxOpen, open.size);
  });
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (request) => open.delete(request));
  return { maxOpen: () => maxOpen };
}

function changesOf({ session }: Account): Promise<Change[]> {
  return session.data("get", "/api/v1/changes");
}
