/**
 * `npm run bench -- picture`: for maps of 600 and 5,000 hosts, each cabled to the switch of its subnet, the time to the first
 * picture, the script time of frames during interaction in the tabs of subnets and of links, and the memory of the page;
 * without a graphics card the rest is software rendering. `--shots <folder>` keeps pictures.
 */
import { join } from "node:path";
import type { Page, Response } from "playwright-core";
import { type Account, anAccount } from "../support/api.js";
import { aPerson } from "../support/browser.js";
import { startChromium } from "../support/chromium.js";
import { startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import type { Made } from "../support/world.js";
import { row } from "./work.js";

const SIZES = [
  { subnets: 12, hosts: 600 },
  { subnets: 50, hosts: 5_000 },
] as const;
const SERVICES_PER_HOST = 3;
const ROUTED = 12;
const WRITERS = 8;
const TABS = ["Subnets", "Links"] as const;
type Size = (typeof SIZES)[number];
const VIEW = { width: 1440, height: 900 };
const KINDS = ["nginx", "PostgreSQL", "SSH", "Grafana", "Jellyfin"];

/** The page records how long its own code takes in each frame. */
const CLOCK = `{
  const request = globalThis.requestAnimationFrame;
  globalThis.scripts_ = [];
  globalThis.requestAnimationFrame = (draw) =>
    request((at) => {
      const began = performance.now();
      draw(at);
      globalThis.scripts_.push(performance.now() - began);
    });
}`;
/** The page records when each of its frames begins. */
const COUNT = `{
  const frames = (globalThis.frames_ = []);
  const tick = (at) => {
    if (globalThis.frames_ !== frames) return;
    frames.push(at);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}`;
const COUNTED = `(() => {
  const counted = { frames: globalThis.frames_, scripts: globalThis.scripts_ };
  globalThis.frames_ = [];
  globalThis.scripts_ = [];
  return counted;
})()`;
const DRAWN = `new Promise((resolve) => {
  const look = () =>
    requestAnimationFrame(document.querySelector("[role=application] canvas") === null ? look : () => resolve(performance.now()));
  look();
})`;

/** Interactions; `x` and `y` are the middle of the picture. */
const ACTS: Readonly<Record<string, (page: Page, x: number, y: number) => Promise<void>>> = {
  moved: drag,
  "pointed at": async (page, x, y) => {
    for (let n = 0; n < 120; n++) await page.mouse.move(x - 250 + n * 4, y - 60 + n);
  },
  "zoomed in": (page, x, y) => turn(page, [x, y], -120),
  "moved from near": drag,
  "zoomed out": (page, x, y) => turn(page, [x, y], 120),
  searched: async (page) => {
    const search = page.getByRole("searchbox", { name: "Search" });
    await search.pressSequentially("host-12-3", { delay: 80 });
    for (let n = 0; n < 9; n++) await search.press("Backspace", { delay: 80 });
  },
};

const folder = process.argv.includes("--shots") ? process.argv[process.argv.indexOf("--shots") + 1] : undefined;
const stack = await startStack({ env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
const browser = await startChromium();
try {
  for (const size of SIZES) await measure(size);
} finally {
  await browser.close();
  await stack.stop();
}

async function measure(size: Size): Promise<void> {
  const account = await anAccount(stack.url);
  await fill(account, size);
  const who = { account, viewport: VIEW, reducedMotion: "no-preference" } as const;
  const { page, takeFaults, close } = await aPerson(browser, stack.url, who);
  const { scriptMs, heapMB } = await createMeters(page);
  await page.addInitScript(CLOCK);
  let dataAt = 0;
  page.on("response", (response) => {
    if (response.url().includes("/api/v1/topology")) void dataAfter(response).then((at) => (dataAt = at));
  });
  await page.goto("/topology", { waitUntil: "commit" });
  const drawnMs = await page.evaluate<number>(DRAWN);
  console.log(`\n${await page.getByText(/subnets, .* services/).innerText()}`);
  console.log(
    `drawn ${Math.round(drawnMs)} ms after the address was entered, ${Date.now() - dataAt} ms after its data, ` +
      `${Math.round(await scriptMs())} ms of it script; ${Math.round(await heapMB())} MB of memory\n`,
  );
  const map = page.getByRole("application");
  row("while it is", "frames a second", "95 % of frames within ms", "script ms of 95 % of frames", "script ms in all");
  row("---", "---", "---", "---", "---");
  const opened: string[] = [];
  for (const tab of TABS) {
    const openedMs = await openTab(page, tab);
    await keep(page, `${size.hosts} ${tab} whole`);
    const { x = 0, y = 0, width = 0, height = 0 } = (await map.boundingBox()) ?? {};
    for (const [name, act] of Object.entries(ACTS)) {
      await page.evaluate(COUNT);
      const before = await scriptMs();
      await act(page, x + width / 2, y + height / 2);
      const spent = (await scriptMs()) - before;
      const { frames, scripts } = await page.evaluate<{ frames: number[]; scripts: number[] }>(COUNTED);
      row(`${tab}: ${name}`, ...figuresOf(frames), shareOf(scripts, 0.95).toFixed(1), Math.round(spent));
      await keep(page, `${size.hosts} ${tab} ${name}`);
    }
    opened.push(`${tab}: drawn ${openedMs} ms after the click; ${Math.round(await heapMB())} MB of memory`);
  }
  console.log(`\n${opened.join("\n")}`);
  for (const fault of takeFaults()) console.log(`! ${fault}`);
  await close();
}

/** Milliseconds from the click to a picture of the whole. */
async function openTab(page: Page, tab: string): Promise<number> {
  const began = Date.now();
  // Links are read when their tab is opened; until then, there is no picture.
  const read = tab === "Links" ? page.waitForResponse((response) => response.url().includes("layer=l2")) : null;
  await page.getByRole("tab", { name: tab }).click();
  await (await read)?.finished();
  await page.evaluate(DRAWN);
  const openedMs = Date.now() - began;
  await page.getByRole("application").focus();
  await page.keyboard.press("f");
  await page.waitForTimeout(500);
  return openedMs;
}

/**
 * Subnets with hosts that each have an interface, services on ports of their own and a cable to the switch of the subnet,
 * a core switch, and a router between some of them.
 */
async function fill({ session }: Account, { subnets, hosts }: Size): Promise<void> {
  const network = await session.data<Made>("post", "/api/v1/networks", { name: "Campus" });
  const ofNetwork = { network_id: network.id };
  const make = (path: string, body: object): Promise<Made> => session.data<Made>("post", `/api/v1/${path}`, body);
  const core = await make("hosts", { ...ofNetwork, name: "core", role: "Switch" });
  const made: Made[] = [];
  const cabled: { readonly host: object; readonly to: Made; readonly port: string }[] = [];
  for (let s = 0; s < subnets; s++) {
    const subnet = await make("subnets", { ...ofNetwork, cidr: `10.0.${s}.0/24`, name: `Building ${s + 1}` });
    made.push(subnet);
    const ofFloor = await make("hosts", { ...ofNetwork, name: `switch ${s + 1}`, role: "Switch" });
    await make("links", { ...ofNetwork, ends: endsOf(ofFloor, "Te1/1/1", core, `Te1/0/${s + 1}`), speed_mbps: 10_000 });
    for (let h = 0; h < hosts / subnets; h++)
      cabled.push({ host: hostIn(subnet, network, [s, h]), to: ofFloor, port: `Gi1/0/${h + 1}` });
  }
  const interfaces = made.slice(0, ROUTED).map(({ id }, s) => ({ subnet_id: id, ip_address: `10.0.${s}.254` }));
  cabled.push({ host: { ...ofNetwork, name: "router", role: "Router", interfaces }, to: core, port: "Te1/1/1" });
  const write = async (): Promise<void> => {
    for (let next = cabled.pop(); next !== undefined; next = cabled.pop()) {
      const host = await make("hosts", next.host);
      await make("links", { ...ofNetwork, ends: endsOf(host, "eth0", next.to, next.port), speed_mbps: 1_000 });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

function endsOf(one: Made, itsPort: string, other: Made, otherPort: string): object[] {
  return [
    { host_id: one.id, port: itsPort },
    { host_id: other.id, port: otherPort },
  ];
}

function hostIn(subnet: Made, network: Made, [s, h]: readonly [number, number]): object {
  const local = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const numbers = Array.from({ length: SERVICES_PER_HOST }, (_, n) => n + 1);
  return {
    network_id: network.id,
    name: `host ${s}-${h}`,
    hostname: `host-${s}-${h}.example.com`,
    interfaces: [{ id: local(0), ip_address: `10.0.${s}.${h + 1}`, subnet_id: subnet.id }],
    ports: numbers.map((n) => ({ id: local(n), number: n, protocol: "Tcp" })),
    services: numbers.map((n) => {
      const kind = KINDS[(s + h + n) % KINDS.length];
      return {
        name: `${kind} ${s}-${h}`,
        service_definition: kind,
        bindings: [{ type: "Port", port_id: local(n), interface_id: local(0) }],
      };
    }),
  };
}

async function drag(page: Page, x: number, y: number): Promise<void> {
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let n = 0; n < 90; n++) await page.mouse.move(x + 150 * Math.sin(n / 9), y + 90 * Math.cos(n / 7));
  await page.mouse.up();
}

async function turn(page: Page, [x, y]: readonly [number, number], by: number): Promise<void> {
  await page.mouse.move(x, y);
  for (let n = 0; n < 12; n++) {
    await page.mouse.wheel(0, by);
    await page.waitForTimeout(100);
  }
}

function figuresOf(frames: readonly number[]): number[] {
  const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? at));
  const seconds = gaps.reduce((sum, gap) => sum + gap, 0) / 1_000;
  return [gaps.length / seconds, shareOf(gaps, 0.95)].map(Math.round);
}

function shareOf(values: readonly number[], share: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.floor(share * ordered.length)] ?? 0;
}

/** When a response was read; the page may end before. */
function dataAfter(response: Response): Promise<number> {
  return response.finished().then(
    () => Date.now(),
    () => Date.now(),
  );
}

/** Of a page: the milliseconds of script so far, and the memory in use. */
async function createMeters(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const read = async (metric: string): Promise<number> => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === metric)?.value ?? 0;
  };
  return {
    scriptMs: async () => 1_000 * (await read("ScriptDuration")),
    heapMB: async () => {
      await devtools.send("HeapProfiler.collectGarbage");
      return (await read("JSHeapUsedSize")) / 1e6;
    },
  };
}

async function keep(page: Page, name: string): Promise<void> {
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name.replaceAll(" ", "-")}.png`) });
}
