import type { OutgoingHttpHeader, ServerResponse } from "node:http";

/**
 * The header fields of one answer. They are kept as Node writes them with the least work: as a flat array of alternating names
 * and values, given to `writeHead` at once. Nothing outside this file handles that form.
 */
export class HeaderList {
  readonly #flat: OutgoingHttpHeader[];

  private constructor(flat: OutgoingHttpHeader[]) {
    this.#flat = flat;
  }

  static of(headers: Readonly<Record<string, OutgoingHttpHeader>> = {}): HeaderList {
    return new HeaderList(Object.entries(headers).flat());
  }

  /** A list of its own that begins with the same fields. */
  copy(): HeaderList {
    return new HeaderList([...this.#flat]);
  }

  add(name: string, value: OutgoingHttpHeader): this {
    this.#flat.push(name, value);
    return this;
  }

  addAll(other: HeaderList): this {
    this.#flat.push(...other.#flat);
    return this;
  }

  writeHead(response: ServerResponse, status: number): void {
    response.writeHead(status, this.#flat);
  }

  /** The fields as lines of a message, each ended. */
  toText(): string {
    let text = "";
    for (let at = 0; at < this.#flat.length; at += 2)
      text += `${String(this.#flat[at])}: ${String(this.#flat[at + 1])}\r\n`;
    return text;
  }
}
