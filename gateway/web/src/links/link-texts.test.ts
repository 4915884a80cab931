import { expect, it } from "@jest/globals";
import { speedText } from "./link-texts.js";

it("speeds are in megabits, and from a thousand on in gigabits", () => {
  expect([100, 1_000, 2_500, 100_000].map(speedText)).toEqual(["100 Mbit/s", "1 Gbit/s", "2.5 Gbit/s", "100 Gbit/s"]);
});
