import type { OutgoingHttpHeader, ServerResponse } from "node:http";

/**
 * The headers of one response, as the flat array of alternating names and values that `writeHead` takes with the least
 * work. Only this file handles that form.
 */
export class HeaderList {
  readonly #flat: OutgoingHttpHeader[];

  private constructor(flat: OutgoingHttpHeader[]) {
    this.#flat = flat;
  }

  static of(headers: Readonly<Record<string, OutgoingHttpHeader>> = {}): HeaderList {
    return new HeaderList(Object.entries(headers).flat());
  }

  /** A copy. */
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

  /** The headers as terminated lines. */
  toText(): string {
    let text = "";
    for (let at = 0; at < this.#flat.length; at += 2)
      text += `${String(this.#flat[at])}: ${String(this.#flat[at + 1])}\r\n`;
    return text;
  }
}
