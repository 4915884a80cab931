import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** The WCAG tags of level AA. */
export const WCAG_AA: readonly string[] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const ALL_RULES = [...WCAG_AA, "best-practice"];

/**
 * The accessibility violations of a page, with their places. The checker is injected through the debugger, despite the
 * policy, and stays as long as the document.
 */
export function accessibilityViolationsOf(page: Page, rules: readonly string[] = ALL_RULES): Promise<string[]> {
  return violationsOf(page, { type: "tag", values: rules });
}

/** Texts of too little contrast, which is what another colour scheme can change. */
export function contrastViolationsOf(page: Page): Promise<string[]> {
  return violationsOf(page, { type: "rule", values: ["color-contrast"] });
}

interface Only {
  readonly type: "tag" | "rule";
  readonly values: readonly string[];
}

async function violationsOf(page: Page, only: Only): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const results = await page.evaluate(
    async (runOnly) =>
      (globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run({
        runOnly,
        resultTypes: ["violations"],
        preload: false,
      }),
    only,
  );
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${String(target)}: ${failureSummary ?? ""}`),
  );
}
