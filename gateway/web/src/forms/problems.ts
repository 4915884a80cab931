import { faultLine } from "../api/field-texts.js";

/** What is wrong with a form, line by line: each fault once, at a field of the form if it concerns one. */
export function problemsOf(faults: Readonly<Record<string, string>>, values: object): string[] {
  const isField = ([path]: [string, string]): boolean => (path.split(".")[0] ?? "") in values;
  const all = Object.entries(faults);
  const inOrder = [...all.filter(isField), ...all.filter((fault) => !isField(fault))];
  const said = new Set<string>();
  return inOrder.flatMap(([path, text]) => {
    if (said.has(text)) return [];
    said.add(text);
    return faultLine(path, text);
  });
}
