// People copy the output of a command together with the line that they typed.

/** `eva@nas:~$ sudo ss -tulpn`, `[eva@nas ~]$ …`, `C:\Users\eva>…`, `PS C:\>…`, `sw1#show …`, `$ …`, and what follows. */
const PROMPT =
  /^\s{0,100}(?:\[?[\w.-]{1,64}@[^\n]{1,120}?[#$%>]|(?:PS )?[A-Z]:\\[^\n>]{0,200}>|[\w.-]{1,64}(?:\([\w-]{1,30}\))?[#>]|[$%]) ?\S[^\n]{0,500}\n\s{0,100}/;
const LONGEST = 1_000;

/** A file that begins with a prompt, without it; null for others. Its lines keep their numbers, except in XML. */
export function withoutPrompt(blocks: readonly Uint8Array[]): Uint8Array[] | null {
  const [first, ...rest] = blocks;
  if (first === undefined) return null;
  const [prompt] = PROMPT.exec(new TextDecoder().decode(first.subarray(0, LONGEST))) ?? [];
  if (prompt === undefined) return null;
  const after = first.subarray(Buffer.byteLength(prompt));
  // An XML declaration may only stand at the very beginning.
  const isXml = after[0] === "<".charCodeAt(0);
  const lines = "\n".repeat(isXml ? 0 : prompt.split("\n").length - 1);
  return [Buffer.from(lines), after, ...rest];
}
