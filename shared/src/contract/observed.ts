import { z } from "zod";
import { Timestamp } from "./common.js";
import { Role } from "./roles.js";

// What sources say about an entity. Only imports write it; bodies that contain it are accepted, and it is ignored. @see docs/sightings.md "Observed values"

const attribution = {
  by: z.string().describe("The format of the file that said so."),
  since: Timestamp.describe("Since when it has this value."),
};

const text = z.object({ value: z.string(), ...attribution }).meta({ id: "ObservedText" });
export type ObservedText = z.infer<typeof text>;

/** How certain it is what a service is. */
export const CONFIDENCES = ["port", "probed", "reported"] as const;
const Confidence = z
  .enum(CONFIDENCES)
  .meta({ id: "Confidence" })
  .describe("`port`: guessed from the number of the port alone; `probed`: by its answers; `reported`: by the machine.");
export type Confidence = z.infer<typeof Confidence>;

export const ObservedOfHost = z
  .object({
    os: z
      .object({
        name: z.string(),
        version: z.string().nullable(),
        cpe: z.string().nullable(),
        accuracy: z.int().min(0).max(100).nullable().describe("In percent; null for what the machine itself says."),
        ...attribution,
      })
      .meta({ id: "ObservedSystem" })
      .nullable(),
    vendor: text.nullable(),
    model: text.nullable(),
    serial: text.nullable(),
    duid: text.nullable().optional().describe("The DUID of its DHCP client, in hexadecimal."),
    machine_id: text.nullable().optional().describe("The id of its installation, such as `/etc/machine-id`."),
    role: z
      .object({ value: Role, ...attribution })
      .meta({ id: "ObservedRole" })
      .nullable()
      .describe("What it probably is, by vendor, operating system, services and ports."),
  })
  .meta({ id: "ObservedOfHost" });
export type ObservedOfHost = z.infer<typeof ObservedOfHost>;

export const ObservedOfInterface = z
  .object({
    vendor: text
      .nullable()
      .describe("To whom the MAC address is assigned, as the scanner says or, with `by: ieee`, the IEEE."),
  })
  .meta({ id: "ObservedOfInterface" });
export type ObservedOfInterface = z.infer<typeof ObservedOfInterface>;

export const ObservedCertificate = z
  .object({
    subject: z.string(),
    issuer: z.string(),
    names: z.array(z.string()),
    not_before: Timestamp.nullable(),
    not_after: Timestamp.nullable(),
    sha256: z.string().nullable(),
    ...attribution,
  })
  .meta({ id: "ObservedCertificate" });

export const ObservedOfPort = z
  .object({
    certificate: ObservedCertificate.nullable(),
    title: text.nullable().describe("The title of its web page."),
  })
  .meta({ id: "ObservedOfPort" });
export type ObservedOfPort = z.infer<typeof ObservedOfPort>;

export const ObservedOfService = z
  .object({
    product: text.nullable(),
    version: text.nullable(),
    cpe: z
      .object({ values: z.array(z.string()), ...attribution })
      .meta({ id: "ObservedCpe" })
      .nullable(),
    confidence: z
      .object({ value: Confidence, ...attribution })
      .meta({ id: "ObservedConfidence" })
      .nullable(),
  })
  .meta({ id: "ObservedOfService" });
export type ObservedOfService = z.infer<typeof ObservedOfService>;

const DESCRIPTION = "What sources say; null if they have said nothing. Read-only.";

/** A member of entities. */
export function observed<Said extends z.ZodObject>(of: Said): z.ZodNullable<Said> {
  return of.nullable().describe(DESCRIPTION);
}
