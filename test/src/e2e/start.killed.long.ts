import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { NpmStart } from "../support/npm-start.js";
import { alive, newPlace, type Place, READY } from "../support/start-place.js";

let place: Place;
let one: NpmStart;

beforeAll(async () => {
  place = await newPlace();
  one = place.start();
  await one.untilPrinted(READY);
});

afterAll(() => place.clear());

describe("npm start", () => {
  it("is stopped by the next start when it was killed", async () => {
    const left = await place.runs();
    one.signal("SIGKILL");
    await one.ended();
    expect(await alive(left)).toHaveLength(6);

    one = place.start(["--replicas", "gateway=2,topology=2,identity=2"]);
    await one.untilPrinted("Stopped what an earlier run had left behind");
    expect(await alive(left)).toEqual([]);
    await one.untilPrinted(READY);
  });

  it("runs several of each kind, gateways on consecutive ports, until SIGINT", async () => {
    expect(await alive(await place.runs())).toHaveLength(9);
    expect((await fetch(`http://127.0.0.1:${place.port + 1}/api/health`)).status).toBe(200);
    one.signal("SIGINT");
    expect(await one.ended()).toBe(0);
    expect(await place.runs()).toEqual([]);
  });
});
