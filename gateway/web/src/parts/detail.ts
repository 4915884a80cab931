/** The detail shown next to a name; empty if equal to it, such as the CIDR of a subnet that is named by it. */
export function detailBeside(name: string, detail: string | null | undefined): string {
  return detail === name ? "" : (detail ?? "");
}

export function withDetail(name: string, detail: string): string {
  return [name, detailBeside(name, detail)].filter((text) => text !== "").join(" · ");
}
