import { describe, expect, it } from "@jest/globals";
import { guessOf } from "./guess.rules.js";
import { SERVICE_OF_PROCESS, serviceOfProcess } from "./processes.rules.js";

const PORT = { number: 50_001, protocol: "Tcp" } as const;
const definitionOf = (program: string, number = 50_001): string | undefined => {
  const guessed = guessOf({ number, protocol: "Tcp" }, serviceOfProcess(program));
  return guessed === null ? undefined : `${guessed.definition} called ${guessed.name}`;
};

describe("the process that owns a socket", () => {
  it.each(Object.keys(SERVICE_OF_PROCESS))("is recognized by its kernel name: %s", (program) => {
    expect(program).toBe(program.toLowerCase());
    expect(program.length).toBeLessThanOrEqual(16);
    const guess = guessOf(PORT, serviceOfProcess(program));
    const isKnown = guess !== null && (guess.definition !== program || guess.isProduct);
    expect([program, isKnown]).toEqual([program, true]);
  });

  it("determines the definition, and the name of a service without a definition", () => {
    expect(definitionOf("nginx", 8080)).toBe("nginx called nginx");
    expect(definitionOf("pveproxy worker", 8006)).toBe("Proxmox VE called Proxmox VE");
    expect(definitionOf("door-control")).toBe("door-control called door-control");
    expect(definitionOf("door-control", 22)).toBe("SSH called door-control");
  });

  it("is ignored when it runs other programs, or only forwards connections", () => {
    expect(definitionOf("java", 9200)).toBe("Elasticsearch called Elasticsearch");
    expect(definitionOf("java")).toBe("java called java");
    expect(definitionOf("MainThread", 8123)).toBe(definitionOf("node", 8123));
    expect(definitionOf("MainThread")).toBe("node called node");
    expect(definitionOf("docker-proxy", 22)).toBe("SSH called SSH");
    expect(definitionOf("docker-proxy")).toBeUndefined();
    expect(definitionOf("com.docke")).toBeUndefined();
    expect(serviceOfProcess(null)).toBeNull();
  });
});
