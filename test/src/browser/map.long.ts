/** The map of a network: finding, filtering, opening and exporting, with and without a mouse. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { accessibilityViolationsOf } from "../support/accessibility.js";
import { type Account, anAccount } from "../support/api.js";
import { aPerson, type Person } from "../support/browser.js";
import { startChromium } from "../support/chromium.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { until } from "../support/until.js";
import { button } from "../support/visits.js";
import { aNetworkWithAHost, type NetworkWorld } from "../support/world.js";

let stack: SharedStack;
let browser: Browser;
let account: Account;
let world: NetworkWorld;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startChromium()]);
  account = await anAccount(stack.url);
  world = await aNetworkWithAHost(account.session, "Office");
  const { network } = world;
  await account.session.data("post", "/api/v1/hosts", { network_id: network.id, name: "printer <1>", tags: ["paper"] });
});

afterAll(() => browser.close());

async function openTopology(options: Parameters<typeof aPerson>[2] = {}): Promise<Person> {
  const person = await aPerson(browser, stack.url, { account, ...options });
  await person.page.goto("/topology");
  return person;
}

const map = (page: Page) => page.getByRole("application", { name: "Map" });
const list = (page: Page) => page.getByRole("listbox", { name: "Topology contents" });
const listed = async (page: Page): Promise<string[]> => {
  await list(page).waitFor();
  const names = await list(page).getByRole("option").allInnerTexts();
  return names.map((name) => name.split("\n")[0] ?? "");
};

/** Waits until the list has one entry. */
const onlyOne = (page: Page) => list(page).getByRole("option").nth(1).waitFor({ state: "detached" });

describe("the map: viewing", () => {
  it("is drawn, and also a list through which the keyboard reaches everything about a host", async () => {
    const { page, takeFaults, close } = await openTopology();
    expect(await listed(page)).toEqual(["LAN", "nas", "printer <1>", "web"]);
    await map(page).waitFor();

    await list(page).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const panel = page.getByRole("region", { name: "About nas" });
    for (const part of ["Interfaces (1)", "Ports (1)", "Services (1)", "10.0.0.5", "443/tcp", "10.0.0.5:443"])
      await panel.getByText(part, { exact: true }).first().waitFor();
    expect(await accessibilityViolationsOf(page)).toEqual([]);
    await panel.getByRole("link", { name: "Open", exact: true }).click();
    await page.waitForURL(`**/hosts/${world.host.id}`);
    expect(takeFaults()).toEqual([]);
    await close();
  });

  it("follows changes of others", async () => {
    const one = await anAccount(stack.url);
    const { network, host, subnet } = await aNetworkWithAHost(one.session);
    const { page, takeFaults, close } = await openTopology({ account: one });
    expect(await listed(page)).toEqual(["LAN", "nas", "web"]);
    const interfaces = [{ subnet_id: subnet.id, ip_address: "10.0.0.6" }];
    const trial = { network_id: network.id, name: "trial", interfaces };
    await one.session.data("post", "/api/v1/hosts", trial);
    await list(page).getByRole("option", { name: "trial 10.0.0.6" }).waitFor();
    await one.session.data("delete", `/api/v1/hosts/${host.id}`);
    await list(page).getByRole("option", { name: "nas 10.0.0.5" }).waitFor({ state: "detached" });
    expect(await listed(page)).toEqual(["LAN", "trial"]);
    expect(takeFaults()).toEqual([]);
    await close();
  });

  it("is filtered by a search and by filters", async () => {
    const { page, takeFaults, close } = await openTopology();
    const search = page.getByRole("searchbox", { name: "Search" });
    await list(page).waitFor();
    for (const [part, names] of [
      ["0.0.5", ["nas"]],
      ["NGINX", ["web"]],
      ["lan", ["LAN"]],
    ] as const) {
      await search.fill(part);
      await list(page).getByRole("option", { name: names[0] }).first().waitFor();
      await onlyOne(page);
      expect(await listed(page)).toEqual(names);
    }
    await search.fill("nowhere");
    await page.getByText("No results.").waitFor();
    await search.fill("");

    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByLabel("Tags").first().click();
    await page.getByRole("option", { name: "paper" }).click();
    await onlyOne(page);
    expect(await listed(page)).toEqual(["printer <1>"]);
    expect(await accessibilityViolationsOf(page)).toEqual([]);
    expect(takeFaults()).toEqual([]);
    await close();
  });
});

describe("the map: other forms", () => {
  it("is exported as PNG and SVG, and as the files of the API", async () => {
    const { page, takeFaults, close } = await openTopology({ colorScheme: "dark" });
    await list(page).waitFor();
    const take = async (name: string): Promise<string> => {
      await page.getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name }).click(),
      ]);
      return readFile(await download.path(), "latin1");
    };
    expect(await take("PNG")).toMatch(/^\x89PNG/);
    const svg = await take("SVG");
    expect([svg.startsWith("<svg "), svg.includes(">nas<"), svg.includes("printer &lt;1&gt;")]).toEqual([
      true,
      true,
      true,
    ]);
    expect(await take("draw.io")).toMatch(/^<mxfile>/);
    await page.getByRole("searchbox", { name: "Search" }).fill("nas");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitemradio", { name: "What is selected or found" }).click();
    await page.keyboard.press("Escape");
    const found = await take("SVG");
    expect([found.includes(">nas<"), found.length < svg.length]).toEqual([true, true]);
    expect(await take("Graphviz (DOT)")).toMatch(/^digraph topology/);
    const schemes = (): Promise<unknown> => page.evaluate(SCHEMES);
    const onScreen = await schemes();
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    const onPaper = await schemes();
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect([onScreen, onPaper, await schemes()]).toEqual([
      ["dark", false],
      ["light", true],
      ["dark", false],
    ]);
    expect(takeFaults()).toEqual([]);
    await close();
  });

  it("has views, which keep search and selection, in the address", async () => {
    const { page, takeFaults, close } = await openTopology();
    await list(page).getByRole("option", { name: "web" }).click();
    await page.getByRole("region", { name: "About nas" }).waitFor();
    await page.getByRole("searchbox", { name: "Search" }).fill("web");
    for (const view of ["Hosts & VMs", "Services", "Links", "Tags"]) {
      await page.getByRole("tab", { name: view }).click();
      expect(await accessibilityViolationsOf(page)).toEqual([]);
    }
    await page.getByText("1 of 1 matches").waitFor();
    await page.reload();
    expect(await page.getByRole("tab", { name: "Tags" }).getAttribute("aria-selected")).toBe("true");
    await page.getByRole("region", { name: "About nas" }).waitFor();
    expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("web");
    expect(takeFaults()).toEqual([]);
    await close();
  });

  it("keeps a choice when another one follows before it is drawn", async () => {
    const { page, takeFaults, close } = await openTopology();
    await list(page).getByRole("option", { name: "nas 10.0.0.5" }).waitFor();
    await page.evaluate(
      `document.querySelectorAll("[role=tab]")[1].click(); document.querySelectorAll("[role=option]")[1].click()`,
    );
    await page.waitForURL((url) => url.searchParams.has("selected"));
    expect(new URL(page.url()).searchParams.get("view")).toBe("hosts");
    expect(takeFaults()).toEqual([]);
    await close();
  });

  it("is used with the keyboard alone: selects, opens and clears", async () => {
    const { page, takeFaults, close } = await openTopology();
    await list(page).getByRole("option").first().waitFor();
    await map(page).focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(`**/topology?selected=${world.host.id}`);
    await page.keyboard.press("Escape");
    await page.waitForURL("**/topology");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/hosts/${world.host.id}`);
    expect(takeFaults()).toEqual([]);
    await close();
  });

  it("opens what is clicked, and clears the selection beside it", async () => {
    const { page, takeFaults, close } = await openTopology();
    await map(page).waitFor();
    await map(page).focus();
    await page.keyboard.press("f");
    const { x = 0, y = 0, width = 0, height = 0 } = (await map(page).boundingBox()) ?? {};
    // looks for a tile or box, as a hand would
    const panel = page.getByRole("region", { name: /^About/ });
    for (let n = 0; n < 64 && !(await panel.isVisible()); n++) {
      await page.mouse.click(x + (width * (1 + (n % 8))) / 9, y + (height * (1 + Math.floor(n / 8))) / 9);
      // The next click would clear what this one has selected.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }
    await panel.waitFor();
    await page.mouse.click(x + 5, y + height - 5);
    await panel.waitFor({ state: "detached" });
    expect(takeFaults()).toEqual([]);
    await close();
  });

  it("fits a telephone, with the selection over it", async () => {
    const { page, takeFaults, close } = await openTopology({
      viewport: { width: 390, height: 844 },
      colorScheme: "dark",
    });
    await list(page).getByRole("option", { name: "nas 10.0.0.5" }).waitFor();
    expect(await page.evaluate("scrollY")).toBe(0);
    await list(page).getByRole("option", { name: "nas 10.0.0.5" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "10.0.0.5:443" }).waitFor();
    // Choosing in the list has scrolled the page, so that its header covers a part of what is beneath it.
    await page.evaluate("scrollTo(0, 0)");
    expect(await accessibilityViolationsOf(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(takeFaults()).toEqual([]);
    await close();
  });
});

describe("the map of a past moment", () => {
  it("shows past nodes and what became of them, loads once the slider rests, and keeps the moment in the address", async () => {
    const one = await anAccount(stack.url);
    const make = (path: string, body: object): Promise<{ id: string }> => one.session.data("post", path, body);
    const network = await make("/api/v1/networks", { name: "Home" });
    const subnet = await make("/api/v1/subnets", { network_id: network.id, cidr: "10.0.0.0/24", name: "LAN" });
    const add = (name: string, ip_address: string): Promise<{ id: string }> =>
      make("/api/v1/hosts", {
        network_id: network.id,
        name,
        interfaces: [{ subnet_id: subnet.id, ip_address }],
      });
    const host = await add("nas", "10.0.0.5");
    const trial = await add("trial", "10.0.0.6");
    await one.session.data("patch", `/api/v1/hosts/${host.id}`, { name: "vault" });
    await one.session.data("delete", `/api/v1/hosts/${trial.id}`);
    await add("fresh", "10.0.0.7");
    await until(async () =>
      (await one.session.data<{ name: string }[]>("get", "/api/v1/changes?order_direction=desc")).some(
        ({ name }) => name === "fresh",
      ),
    );
    const { page, takeFaults, close } = await openTopology({ account: one });
    const read: string[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/api/v1/topology" && searchParams.has("as_of")) read.push(searchParams.get("as_of")!);
    });
    await button(page, "Look back").click();
    const slider = page.getByRole("slider", { name: "Moment" });
    await page.locator('input[type=range][max="6"]').waitFor();

    await page.evaluate(SLIDE.replace("PLACES", "[5, 4, 3, 2, 1, 0, 1, 2, 3]"));
    await page.getByText("Since then: 1 new, 1 gone, 1 changed").waitFor();
    expect(read).toHaveLength(1);
    expect(await list(page).getByRole("option").allInnerTexts()).toEqual([
      "LAN\n10.0.0.0/24",
      "fresh\nnew",
      "nas\nchanged",
      "trial\ngone",
    ]);
    expect(await accessibilityViolationsOf(page)).toEqual([]);
    const moment = new URL(page.url()).searchParams.get("at");
    expect(moment).toBe(read[0]);
    await list(page).getByRole("option", { name: "nas changed" }).click();
    const panel = page.getByRole("region", { name: "About nas" });
    await panel.getByText("Host vault").waitFor();

    await slider.press("ArrowRight");
    const differs = page.getByText("Since then: 1 new, 1 gone", { exact: true });
    await differs.waitFor();
    await page.reload();
    await differs.waitFor();
    await one.session.data("patch", `/api/v1/hosts/${host.id}`, { description: "in the cellar" });
    await page.getByText("Since then: 1 new, 1 gone, 1 changed", { exact: true }).waitFor();
    await page.locator('input[type=range][max="7"]').waitFor();
    await button(page, "Back to now").click();
    await page.waitForURL((address) => !address.searchParams.has("at"));
    expect(await listed(page)).toEqual(["LAN", "fresh", "vault"]);
    expect(takeFaults()).toEqual([]);
    await close();
  });
});

describe("the map of a moment before the retention period", () => {
  it("says that changes are not kept that long", async () => {
    const { page, close } = await aPerson(browser, stack.url, { account });
    await page.route("**/api/v1/topology?*as_of*", (route) => {
      const meta = { api_version: 1, server_version: "0", request_id: "r" };
      const gone = { success: false, error: "Gone.", code: "changes_gone", params: { oldest: "x" }, meta };
      return route.fulfill({ status: 410, json: gone });
    });
    await page.goto("/topology?at=2020-01-01T00:00:00.000Z");
    await page.getByRole("alert").getByText("No longer available").waitFor();
    await button(page, "Back to now").click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await list(page).waitFor();
    await close();
  });
});

/** That of the style sheets, and whether the map has a light background, as soon as it is asked. */
const SCHEMES = `(() => {
  const [red] = document.querySelector("canvas").getContext("2d").getImageData(1, 1, 1, 1).data;
  return [document.documentElement.getAttribute("data-mantine-color-scheme"), red > 128];
})()`;

/** Moves the slider over many positions before it rests. */
const SLIDE = `(() => {
  const slider = document.querySelector("input[type=range]");
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  for (const place of PLACES) {
    set.call(slider, place);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
})()`;

describe("without a map", () => {
  it("an empty inventory is explained, with what to do", async () => {
    const { page, takeFaults, close } = await openTopology({ account: await anAccount(stack.url) });
    await page.getByRole("heading", { name: "Nothing to show" }).waitFor();
    expect(takeFaults()).toEqual([]);
    await close();
  });

  it.each([
    [403, "permission_denied", "Permission denied"],
    [429, "rate_limited", "Too many requests"],
    [503, "unavailable", "Temporarily unavailable"],
    [0, "", "Server unreachable"],
  ])("a response of %d %s is explained, and retried when possible", async (status, code, title) => {
    const { page, close } = await aPerson(browser, stack.url, { account });
    let isFailing = true;
    await page.route("**/api/v1/topology**", (route) => {
      if (!isFailing) return route.continue();
      if (status === 0) return route.abort();
      const meta = { api_version: 1, server_version: "0", request_id: "r" };
      return route.fulfill({
        status,
        headers: { "retry-after": "1" },
        json: { success: false, error: "No.", code, params: {}, meta },
      });
    });
    await page.goto("/topology");
    await page.getByRole("alert").getByRole("heading", { name: title }).waitFor();
    isFailing = false;
    if (status === 403) expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    else {
      if (status !== 429) await page.getByRole("button", { name: "Try again" }).click();
      await list(page).waitFor();
    }
    await close();
  });
});
