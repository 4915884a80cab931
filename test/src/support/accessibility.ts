import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * What a page does that keeps people out, each with where. The checker comes in through the debugger, past the policy, and
 * stays as long as the document.
 */
export async function barriersOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const results = await page.evaluate(
    async (rules) =>
      (globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run({
        runOnly: { type: "tag", values: rules },
        resultTypes: ["violations"],
        preload: false,
      }),
    RULES,
  );
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${String(target)}: ${failureSummary ?? ""}`),
  );
}
