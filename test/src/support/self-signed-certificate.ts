/** A self-signed certificate for localhost, encoded in ASN.1 DER without external tools. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

const DAY_MS = 86_400_000;

/** Tags of ASN.1. */
const BOOLEAN = 1;
const INTEGER = 2;
const BITS = 3;
const OCTETS = 4;
const OID = 6;
const TEXT = 12;
const TIME = 23;
const SEQUENCE = 48;
const SET = 49;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;

/** Encoded object identifiers. */
const ECDSA_WITH_SHA256 = "2a8648ce3d040302";
const COMMON_NAME = "550403";
const SUBJECT_ALTERNATIVE_NAME = "551d11";
const BASIC_CONSTRAINTS = "551d13";

/** In PEM; the certificate is its own trust anchor. */
export interface SelfSignedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export function createSelfSignedCertificate(): SelfSignedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(SEQUENCE, oid(ECDSA_WITH_SHA256));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, oid(COMMON_NAME), der(TEXT, Buffer.from("test")))));
  const signed = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.of(2))),
    der(INTEGER, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    name,
    der(SEQUENCE, time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      EXTENSIONS,
      der(
        SEQUENCE,
        extension(BASIC_CONSTRAINTS, der(BOOLEAN, Buffer.of(0xff))),
        extension(SUBJECT_ALTERNATIVE_NAME, der(DNS_NAME, Buffer.from("localhost"))),
      ),
    ),
  );
  const signature = der(BITS, Buffer.of(0), sign("sha256", signed, privateKey));
  const whole = der(SEQUENCE, signed, algorithm, signature).toString("base64");
  const lines = whole.match(/.{1,64}/g) ?? [];
  return {
    certificate: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const { length } = body;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...head), body]);
}

function oid(encoded: string): Buffer {
  return der(OID, Buffer.from(encoded, "hex"));
}

function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/\D/g, "").slice(2, 14);
  return der(TIME, Buffer.from(`${digits}Z`));
}

function extension(id: string, value: Buffer): Buffer {
  return der(SEQUENCE, oid(id), der(OCTETS, der(SEQUENCE, value)));
}
