import { describe, expect, it } from "@jest/globals";
import { isStillAllowed, outsideOf, targetsFault } from "./collector-targets.js";

const of = (cidrs: string[], ...exclude: string[]) => ({ cidrs, exclude });

describe("the targets of a collector", () => {
  it("are blocks without host bits, of at most 65,536 addresses together", () => {
    expect(targetsFault(of(["10.0.0.0/16"], "10.0.5.0/24"))).toBeNull();
    expect(targetsFault(of(["10.0.0.0/16", "10.0.0.0/24", "2001:db8::/64"]))).toBeNull();
    expect(targetsFault(of(["10.0.0.0/16", "10.1.0.0/32"]))).toMatchObject({ path: "targets.cidrs" });
    expect(targetsFault(of(["10.0.0.0/24", "10.0.1.1/24"]))).toEqual({
      path: "targets.cidrs.1",
      message: "has host bits: write 10.0.1.0/24",
    });
    expect(targetsFault(of([], "fe80::1/64"))).toMatchObject({ path: "targets.exclude.0" });
  });

  it("contain blocks of neighbouring blocks, and anything if there are none", () => {
    expect(outsideOf(["10.0.0.0/23", "10.0.1.7/32"], ["10.0.0.0/24", "10.0.1.0/24"])).toBe(-1);
    expect(outsideOf(["10.0.1.0/24", "10.0.2.0/24"], ["10.0.0.0/23"])).toBe(1);
    expect(outsideOf(["::/0"], ["0.0.0.0/0"])).toBe(0);
    expect(outsideOf(["192.0.2.0/24"], [])).toBe(-1);
  });

  it("allow a job for as long as nothing that it looks at has been excluded since", () => {
    const job = of(["10.0.0.0/24"], "10.0.0.64/26");
    expect(isStillAllowed(job, of(["10.0.0.0/16"], "10.0.0.66/32", "10.0.9.0/24"))).toBe(true);
    expect(isStillAllowed(job, of(["10.0.0.0/24"], "10.0.0.1/32"))).toBe(false);
    expect(isStillAllowed(job, of(["10.0.1.0/24"]))).toBe(false);
    expect(isStillAllowed(job, of([]))).toBe(true);
    expect(isStillAllowed(of([]), of(["10.0.0.0/24"]))).toBe(false);
    expect(isStillAllowed(of([]), of([], "10.0.0.1/32"))).toBe(false);
    expect(isStillAllowed(of([], "10.0.0.0/24"), of([], "10.0.0.1/32"))).toBe(true);
  });
});
