import { analyse } from "chardet";
import { faultAt } from "./lines.js";

// Files arrive as programs wrote them: in UTF-16 from PowerShell, or in the 8-bit encoding of a spreadsheet.
// Readers get UTF-8 without a byte order mark. A mark counts before a declaration, a declaration before a guess.

/** The beginning from which an encoding is guessed. */
const SAMPLE_BYTES = 65_536;
/** Least confidence, in percent, of a guess that is used. */
const LEAST_CONFIDENCE = 20;
/** Least confidence of a guess about a text that is not of Latin letters with accents here and there. */
const LEAST_SURE = 50;
/** Three letters with accents follow each other in hardly any word of Latin letters. */
const OF_OTHER_LETTERS = /[\x80-\xff]{3}/;
/** Encodings of one byte a letter, with capital and small letters. */
const OF_OTHER_ALPHABETS = ["windows-1251", "koi8-r", "windows-1253", "ibm866"];
/** The declaration of an XML document, whose letters all encodings but UTF-16 write alike. */
const DECLARATION = /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/;

const MARKS: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** What is no text, by its first bytes, with advice. */
const NO_TEXTS: readonly (readonly [beginning: string, advice: string])[] = [
  ["\u00ff\u00fe\u0000\u0000", "is in UTF-32, which is not read: save it as UTF-8"],
  ["\u0000\u0000\u00fe\u00ff", "is in UTF-32, which is not read: save it as UTF-8"],
  ["PK\u0003\u0004", "is a ZIP archive, such as an xlsx workbook: save the sheet as CSV, or extract the files"],
  ["\u00d0\u00cf\u0011\u00e0", "is an Excel workbook: save the sheet as CSV"],
  ["%PDF-", "is a PDF document: export the data as CSV or XML instead"],
  ["BZh", "is compressed by bzip2: extract it, or compress it by gzip"],
  ["\u00fd7zXZ", "is compressed by xz: extract it, or compress it by gzip"],
  ["(\u00b5/\u00fd", "is compressed by zstd: extract it, or compress it by gzip"],
  ["\u001f\u009d", "is compressed by compress: extract it, or compress it by gzip"],
  ["7z\u00bc\u00af", "is a 7z archive: extract the files"],
  ["Rar!", "is a RAR archive: extract the files"],
  ["\u0089PNG", "is an image: export the data as CSV or XML instead"],
  ["\u00ff\u00d8\u00ff", "is an image: export the data as CSV or XML instead"],
  ["GIF8", "is an image: export the data as CSV or XML instead"],
  ["SQLite f", "is a database: export its table of devices as CSV"],
  ["\u00d4\u00c3\u00b2\u00a1", "is a packet capture, which is not read: import a scan or a neighbour table"],
  ["\n\r\r\n", "is a packet capture, which is not read: import a scan or a neighbour table"],
];

/** What is 257 bytes into a tar archive. */
const TAR = "ustar";
const TAR_AT = 257;
/** The upper half of code page 850, in which Windows' console writes Western European languages. */
const CONSOLE = "cp850";
const CODE_PAGE_850 = [
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐",
  "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
].join("");
/**
 * Letters of that page between letters, where the page of Windows' programs has quotes and the like, or nothing. Apostrophes and
 * dashes, which do occur between letters, do not count.
 */
const OF_CONSOLE = /[a-z][\x80-\x82\x84-\x91\x93-\x95\x98\x99\x9b\x9d][a-z]/i;

/** Small letters of that page at the ends of words, where the page of Windows' programs has opening quotes and capital letters. */
const ENDS_OF_CONSOLE = /[a-z][\x82\x84\x88\x8a-\x8d](?![a-z])/;
/** Letters of that page between small letters, where the others have signs and capital letters. */
const WITHIN_CONSOLE = /[a-z][\xa1-\xa4][a-z]/;
/** Letters of ISO 8859-2 beside letters, where Windows' page of Central Europe has signs. */
const OF_ISO_2 =
  /[a-z\xc0-\xff][\xa1\xa6\xa9\xab\xac\xae\xb1\xb5\xb6\xbb]|[\xa1\xa6\xa9\xac\xae\xb1\xb6][a-z\xc0-\xff]/i;
/** What both have for letters, but not the same ones. */
const OF_EITHER = /[\xa5\xb9\xbc\xbe]/;

/** A file as text. */
export interface Decoded {
  /** In UTF-8, without a byte order mark. */
  readonly blocks: Uint8Array[];
  /** The encoding, if it is no more than a guess; otherwise null. */
  readonly guess: string | null;
}

/** @throws AppError `validation_failed` if it is no text, or damaged */
export function decoded(blocks: Uint8Array[]): Decoded {
  const { blocks: text, guess } = inUtf8(blocks);
  const isOld = isOfOldMac(text);
  return { blocks: isOld ? text.map((block) => block.map((byte) => (byte === CR ? LF : byte))) : text, guess };
}

const CR = 0x0d;
const LF = 0x0a;

/** Spreadsheets still offer to end lines as old Macintosh systems did. */
function isOfOldMac(blocks: readonly Uint8Array[]): boolean {
  return blocks.some((block) => block.includes(CR)) && !blocks.some((block) => block.includes(LF));
}

function inUtf8(plain: Uint8Array[]): Decoded {
  refuseNoText(plain[0]);
  const marked = markOf(plain[0]);
  if (marked?.encoding === "utf-8") return { blocks: withoutMark(plain, marked.bytes), guess: null };
  const encoding = marked?.encoding ?? unmarkedUtf16(plain[0]);
  if (encoding !== null) return { blocks: asUtf8(withoutMark(plain, marked?.bytes ?? 0), encoding), guess: null };
  if (isUtf8(plain)) return { blocks: plain, guess: null };
  if (isDamagedUtf8(plain)) throw damageIn(plain);
  const declared = DECLARATION.exec(latin1(plain[0], 500))?.[1];
  if (declared === undefined) {
    const { encoding: likely, isSure } = guessed(plain);
    return { blocks: asUtf8(plain, likely), guess: isSure ? null : likely };
  }
  if (/^(?:utf-?8|us-ascii)$/i.test(declared)) throw damageIn(plain);
  return { blocks: asUtf8(plain, declared), guess: null };
}

function refuseNoText(block: Uint8Array | undefined): void {
  const beginning = latin1(block, 8);
  const found = NO_TEXTS.find(([start]) => beginning.startsWith(start));
  if (found !== undefined) throw faultAt(1, found[1]);
  if (latin1(block?.subarray(TAR_AT), TAR.length) === TAR) throw faultAt(1, "is a tar archive: extract the files");
}

function latin1(block: Uint8Array | undefined, length: number): string {
  return Buffer.from((block ?? new Uint8Array()).subarray(0, length)).toString("latin1");
}

function markOf(block: Uint8Array | undefined): { encoding: string; bytes: number } | null {
  const found = MARKS.find(([, mark]) => mark.every((byte, at) => block?.[at] === byte));
  return found === undefined ? null : { encoding: found[0], bytes: found[1].length };
}

/** Text of mostly ASCII in UTF-16 has a zero in every other byte; nothing else that is read has any. */
function unmarkedUtf16(block: Uint8Array | undefined): string | null {
  const sample = (block ?? new Uint8Array()).subarray(0, 256);
  const zeros = (from: number): number => sample.filter((byte, at) => at % 2 === from && byte === 0).length;
  if (zeros(1) > sample.length / 4) return "utf-16le";
  return zeros(0) > sample.length / 4 ? "utf-16be" : null;
}

function withoutMark([first = new Uint8Array(), ...rest]: readonly Uint8Array[], length: number): Uint8Array[] {
  return [first.subarray(length), ...rest];
}

function isUtf8(blocks: readonly Uint8Array[]): boolean {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for (const block of blocks) decoder.decode(block, { stream: true });
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}

/** Most of what is not ASCII is UTF-8, which texts in other encodings hardly ever are by chance. */
function isDamagedUtf8(blocks: readonly Uint8Array[]): boolean {
  const decoder = new TextDecoder();
  let others = 0;
  let damaged = 0;
  for (const block of blocks)
    for (const letter of decoder.decode(block, { stream: true }).match(/[^\0-\x7f]/gu) ?? []) {
      others++;
      if (letter === "\ufffd") damaged++;
    }
  return damaged < others / 4;
}

/** What is said of a text that is in UTF-8 up to a place. */
function damageIn(blocks: readonly Uint8Array[]): Error {
  const decoder = new TextDecoder();
  let line = 1;
  let column = 1;
  for (const block of blocks) {
    const text = decoder.decode(block, { stream: true });
    const [before = ""] = text.split("\ufffd", 1);
    const lines = before.split("\n");
    line += lines.length - 1;
    column = [...(lines.at(-1) ?? "")].length + (lines.length > 1 ? 1 : column);
    if (before.length < text.length) break;
  }
  return faultAt(line, "must be in UTF-8 from here on: save the file as UTF-8", column);
}

/** An encoding that the bytes speak for. */
interface Guess {
  readonly encoding: string;
  /** False if they might be in another one as well: few letters tell little. */
  readonly isSure: boolean;
}

/** Windows' Latin encoding where the bytes speak for none. */
function guessed(blocks: readonly Uint8Array[]): Guess {
  const sample = Buffer.concat(blocks.map((block) => block.subarray(0, SAMPLE_BYTES))).subarray(0, SAMPLE_BYTES);
  const letters = sample.toString("latin1");
  const isSure = OF_CONSOLE.test(letters) || WITHIN_CONSOLE.test(letters);
  if ((isSure || ENDS_OF_CONSOLE.test(letters)) && isOfCodePage850(sample)) return { encoding: CONSOLE, isSure };
  const found = analyse(sample).find(
    ({ name, confidence }) => confidence >= LEAST_CONFIDENCE && isKnown(name) && hasNoControls(sample, name),
  );
  const isCentral = found !== undefined && /^(?:ISO-8859-2|windows-1250)$/.test(found.name);
  const isLatin = found === undefined || isCentral || /^(?:ISO-8859-(?:1|9|15)|windows-125[247])$/.test(found.name);
  const isOther = OF_OTHER_LETTERS.test(letters);
  const alphabet = isLatin && isOther ? OF_OTHER_ALPHABETS.find((one) => isWritten(sample, one)) : undefined;
  if (isCentral && alphabet === undefined) return ofCentralEurope(letters);
  const likely = found === undefined || found.name === "ISO-8859-1" ? "windows-1252" : found.name;
  const isOfChina = likely === "Big5" && isSimplified(sample);
  return {
    encoding: isOfChina ? "gb18030" : (alphabet ?? likely),
    isSure: isLatin ? !isOther : found.confidence >= LEAST_SURE && !isOfChina,
  };
}

/** Windows' encoding, unless the bytes speak for the older one. @param letters the bytes as Latin letters */
function ofCentralEurope(letters: string): Guess {
  if (OF_ISO_2.test(letters)) return { encoding: "iso-8859-2", isSure: true };
  return { encoding: "windows-1250", isSure: /[\x80-\x9f]/.test(letters) || !OF_EITHER.test(letters) };
}

/** Common characters in the two encodings of Chinese, by their first bytes; rare ones, and those of other languages, have others. */
const COMMON_SIMPLIFIED: readonly [number, number] = [0xb0, 0xd7];
const COMMON_TRADITIONAL: readonly [number, number] = [0xa4, 0xc6];
const ENOUGH_COMMON = 0.9;

/** Whether the characters are common ones of simplified Chinese, and rare ones of traditional Chinese. */
function isSimplified(sample: Uint8Array): boolean {
  const firsts: number[] = [];
  for (let at = 0; at + 1 < sample.length; at++) {
    const first = sample[at] ?? 0;
    if (first < 0x80) continue;
    // Signs, which both have, tell nothing.
    if ((sample[++at] ?? 0) < 0xa1) return false;
    if (first >= COMMON_TRADITIONAL[0]) firsts.push(first);
  }
  const share = ([from, to]: readonly [number, number]): number =>
    firsts.filter((first) => first >= from && first <= to).length / Math.max(firsts.length, 1);
  return share(COMMON_SIMPLIFIED) >= ENOUGH_COMMON && share(COMMON_TRADITIONAL) < ENOUGH_COMMON;
}

/** True if all words would be written as people write them: no capital letter follows a small one, and no sign a letter. */
function isWritten(sample: Uint8Array, encoding: string): boolean {
  const words = new TextDecoder(encoding).decode(sample).match(/[^\0-\x7f]+/g) ?? [];
  return words.every((word) => /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+)$/u.test(word));
}

/** Control characters of the upper half are in no text: there, other encodings have quotes and dashes. */
function hasNoControls(sample: Uint8Array, encoding: string): boolean {
  return !/[\x80-\x9f]/.test(new TextDecoder(encoding).decode(sample));
}

/** True if all that is not ASCII would be a letter in code page 850. */
function isOfCodePage850(sample: Uint8Array): boolean {
  return sample.every((byte) => byte < 0x80 || /\p{L}/u.test(CODE_PAGE_850[byte - 0x80] ?? ""));
}

function isKnown(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== "";
  } catch {
    return false;
  }
}

/** @param blocks each of which is let go when it has been read */
function asUtf8(blocks: Uint8Array[], encoding: string): Uint8Array[] {
  if (encoding === CONSOLE) return blocks.map((block) => Buffer.from(fromCodePage850(block)));
  if (!isKnown(encoding)) throw faultAt(1, `is in the encoding ${encoding}, which is not read: save it as UTF-8`);
  const decoder = new TextDecoder(encoding);
  const texts: Uint8Array[] = [];
  for (let block = blocks.shift(); block !== undefined; block = blocks.shift())
    texts.push(Buffer.from(decoder.decode(block, { stream: true })));
  return [...texts, Buffer.from(decoder.decode())];
}

function fromCodePage850(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("latin1")
    .replaceAll(/[\x80-\xff]/g, (letter) => CODE_PAGE_850[letter.charCodeAt(0) - 0x80] ?? "");
}
