export interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  readonly names: readonly string[];
  readonly not_before: string;
  readonly not_after: string;
  readonly sha256: string;
}

/** What a port says; all null if nothing was understood. */
export interface Answer {
  readonly service: string | null;
  readonly product: string | null;
  readonly version: string | null;
  readonly title: string | null;
  readonly certificate: Certificate | null;
}

/** Where an answer came from. */
export function keyOf(ip: string, port: number): string {
  return `${ip} ${port}`;
}
