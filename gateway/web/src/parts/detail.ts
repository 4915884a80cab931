/** The detail to show beside a name; empty if it equals the name, such as the CIDR of a subnet without another name. */
export function detailBeside(name: string, detail: string | null | undefined): string {
  return detail === name ? "" : (detail ?? "");
}

/** Name and detail in one line. */
export function withDetail(name: string, detail: string): string {
  return [name, detailBeside(name, detail)].filter((text) => text !== "").join(" · ");
}
