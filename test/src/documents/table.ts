/** A Markdown table as the formatter of this repository writes it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => widthOf(row[column] ?? ""))));
  const line = (cells: readonly string[], fill = " "): string =>
    `| ${widths.map((width, column) => padded(cells[column] ?? "", width, fill)).join(" | ")} |`;
  return [line(head), line([], "-"), ...rows.map((row) => line(row))].join("\n");
}

function padded(text: string, width: number, fill: string): string {
  return text + fill.repeat(width - widthOf(text));
}

function widthOf(text: string): number {
  return [...text].length;
}
