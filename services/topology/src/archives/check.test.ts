import { describe, expect, it } from "@jest/globals";
import { AppError } from "@nts/shared/errors";
import { newId } from "@nts/shared/ids";
import { createCheck } from "./check.js";

const LIMITS = { entities: 6, referredTo: 4 };
const AT = "2026-01-31T09:30:00.000Z";

interface Line {
  readonly entity: string;
  readonly data: object;
}

const made = () => ({ id: newId(), created_at: AT, updated_at: AT });
const tags = (count: number): Line[] =>
  Array.from({ length: count }, (_, n) => ({ entity: "Tag", data: { ...made(), name: `tag ${n}` } }));
const network = made();
const NETWORK: Line = { entity: "Network", data: { ...network, name: "Home", tags: [] } };
const SUBNET: Line = {
  entity: "Subnet",
  data: { ...made(), network_id: network.id, cidr: "10.0.0.0/24", name: "LAN", source: { type: "Manual" }, tags: [] },
};
const hosts = (count: number): Line[] =>
  Array.from({ length: count }, (_, n) => ({
    entity: "Host",
    data: { ...made(), network_id: network.id, name: `host ${n}`, source: { type: "Manual" }, tags: [] },
  }));

/**
 * Checks a file with these lines and no last one. @returns place and reason of the error, and the number of accepted
 * lines
 */
async function stopOf(lines: readonly Line[]): Promise<unknown[]> {
  const first = {
    archive: "network-topology-service",
    version: 1,
    organization_id: newId(),
    changes_cursor: "0",
    networks: "all",
  };
  const text = [first, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
  const file = (async function* () {
    yield await Promise.resolve(Buffer.from(text));
  })();
  const check = createCheck((slice) => Promise.resolve(slice(() => false)), LIMITS);
  try {
    let bytes = 0;
    for await (const lines of check.lines(file)) bytes += lines.length;
    throw new Error(`a file without its last line was taken, of ${bytes} bytes`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { faults } = error.params as { faults: { line: number; code: string; message: string }[] };
    return faults.map(({ line, code, message }) => [line, code, message]).flat();
  }
}

const whole = (lines: number): unknown[] => [lines, "cut_off", expect.anything()];

describe("an archive that exceeds the limits", () => {
  it("is rejected at the first tag, network or subnet over the limit, and nothing after it is checked", async () => {
    const message = expect.stringMatching(/^an archive can have at most 4 tags, networks, .*subnets.* and \w+$/);
    expect(await stopOf([...tags(2), NETWORK, SUBNET])).toEqual(whole(5));
    expect(await stopOf([...tags(5), NETWORK])).toEqual([6, "too_many", message]);
    expect(await stopOf([...tags(4), NETWORK, SUBNET])).toEqual([6, "too_many", message]);
    expect(await stopOf([...tags(3), NETWORK, SUBNET, ...hosts(3)])).toEqual([6, "too_many", message]);
  });

  it("is rejected at the first entity over the limit, of whatever kind", async () => {
    expect(await stopOf([NETWORK, ...hosts(5)])).toEqual(whole(7));
    expect(await stopOf([NETWORK, ...hosts(9)])).toEqual([8, "too_many", "an archive can have at most 6 entities"]);
  });
});
