/** The OpenAPI document for those who generate a client from it. The client of this repository is compiled with it. */
import { describe, expect, it } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { ROOT } from "@nts/local/processes/system";

describe("the OpenAPI document", () => {
  it("generates a TypeScript client that compiles under strict rules, and types the responses", async () => {
    const client = astToString(await openapiTS(new URL("shared/openapi.json", `file://${ROOT}`), { silent: true }));
    const wrong = USE_OF_CLIENT.replace("id: string", "id: number");
    const faults = faultsOf({ "client.ts": client, "use.ts": USE_OF_CLIENT, "wrong.ts": wrong });
    expect(faults).toEqual([expect.stringMatching(/^wrong\.ts: .*'string' is not assignable to type 'number'/)]);
  });
});

const USE_OF_CLIENT = `
import type { components, paths } from "./client.js";
type Answer = paths["/api/v1/hosts"]["get"]["responses"][200]["content"]["application/json"];
export const namesOf = (answer: Answer): { id: string; name: string }[] => answer.data.map(({ id, name }) => ({ id, name }));
export const codeOf = ({ code }: components["schemas"]["Failure"]): string => code;
`;

/** The errors of the compiler for modules, each with the name of its file. */
function faultsOf(modules: Readonly<Record<string, string>>): string[] {
  const folder = mkdtempSync(join(ROOT, "node_modules", ".openapi-client-"));
  try {
    for (const [name, source] of Object.entries(modules)) writeFileSync(join(folder, name), source);
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      skipDefaultLibCheck: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: [],
    };
    const program = ts.createProgram(
      Object.keys(modules).map((name) => join(folder, name)),
      options,
    );
    return ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file, messageText }) =>
          `${basename(file?.fileName ?? "")}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
      );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
