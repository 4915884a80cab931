/** Whether a file begins like gzip (RFC 1952). @param block the first of it */
export function isGzip(block: Uint8Array | undefined): boolean {
  return block?.[0] === 0x1f && block[1] === 0x8b;
}
