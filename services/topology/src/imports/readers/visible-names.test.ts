import { describe, expect, it } from "@jest/globals";
import { readFile } from "./readers.js";

const scanOf = (file: string) => readFile([Buffer.from(file)], { format: "auto", nowMs: 0 }).scan;

describe("names in files", () => {
  it("lose their invisible characters, with a line in `skipped`", () => {
    const { hosts, skipped } = scanOf(
      "host,hostname,ip,port,name,service_definition\nna\u200bs,nas\u202e.example,10.0.0.5,80,W\u00adeb,\u3164\n",
    );
    expect(hosts).toMatchObject([
      {
        name: "nas",
        hostname: "nas.example",
        ports: [{ service: { name: "Web", definition: null } }],
      },
    ]);
    expect(skipped.listed).toEqual([
      { line: 2, what: "name nas", reason: "it is imported without its invisible characters" },
      { line: 2, what: "name nas.example", reason: "it is imported without its invisible characters" },
      { line: 2, what: "name Web", reason: "it is imported without its invisible characters" },
      { line: 2, what: "a name", reason: "nothing in it is visible" },
    ]);
  });

  it("identify no host when it is a placeholder without them", () => {
    const { hosts } = scanOf("ip,hostname\n10.0.0.5,local\u200bhost\n10.0.0.6,nas\u200b\n");
    expect(hosts.map(({ hostname }) => hostname)).toEqual([null, "nas"]);
  });

  it("are unchanged with the joiners of a script or an emoji", () => {
    const file = "name,ip\nنامه\u200cای,10.0.0.5\n\u{1f468}\u200d\u{1f4bb},10.0.0.6\n";
    expect(scanOf(file).hosts.map(({ name }) => name)).toEqual(["نامه\u200cای", "\u{1f468}\u200d\u{1f4bb}"]);
    expect(scanOf(file).skipped.listed).toEqual([]);
  });
});
