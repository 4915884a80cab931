/** What stands beside a name; empty where it would repeat it, such as the block of a subnet that is named after it. */
export function detailBeside(name: string, detail: string | null | undefined): string {
  return detail === name ? "" : (detail ?? "");
}

/** A name and what stands beside it, in one line. */
export function withDetail(name: string, detail: string): string {
  return [name, detailBeside(name, detail)].filter((text) => text !== "").join(" · ");
}
