import type { Attributes, Role } from "@nts/shared/contract";
import { composed, folded } from "@nts/shared/contract/folding.rules";
import type { Runner } from "./runners.rules.js";

// Facets: values by which lists filter for equality, in one indexed field: `rack` and `rack:A3` of an attribute, and
// `@role:Printer`, `@stranger`, or `@on:` and the id of a runner, where the sign keeps others apart from attributes.

export const STRANGER = "@stranger";

interface Faceted {
  readonly attributes: Attributes;
  readonly role?: Role | null;
  readonly vendor?: string | null;
  readonly product?: string | null;
  /** What it runs on. */
  readonly runners?: readonly Runner[];
  readonly isKnown?: boolean;
}

/** The facets of an entity. */
export function facetsOf({
  attributes,
  role = null,
  vendor = null,
  product = null,
  runners = [],
  isKnown = true,
}: Faceted): string[] {
  const ofAttributes = Object.entries(attributes).flatMap(([key, value]) => [key, composed(`${key}:${value}`)]);
  return [
    ...ofAttributes,
    ...(role === null ? [] : [roleFacet(role)]),
    ...(vendor === null ? [] : [vendorFacet(vendor)]),
    ...(product === null ? [] : [productFacet(product)]),
    ...runners.map(({ id }) => runnerFacet(id)),
    ...(isKnown ? [] : [STRANGER]),
  ];
}

/** The condition of a list's filters by facets; none without them. */
export function facetFilter({
  attribute = [],
  role = [],
  vendor,
  product,
  runs_on: runners = [],
  is_known: isKnown,
}: {
  readonly attribute?: readonly string[] | undefined;
  readonly role?: readonly Role[] | undefined;
  readonly vendor?: string | undefined;
  readonly product?: string | undefined;
  readonly runs_on?: readonly string[] | undefined;
  readonly is_known?: boolean | undefined;
}): FacetFilter {
  const all = [
    ...attribute.map(composed),
    ...(vendor === undefined ? [] : [vendorFacet(vendor)]),
    ...(product === undefined ? [] : [productFacet(product)]),
    ...(isKnown === false ? [STRANGER] : []),
  ];
  const some = [role.map(roleFacet), runners.map(runnerFacet)].filter(({ length }) => length > 0);
  const [first, ...others] = some;
  // A field has one condition of a kind; and no index helps to find what has no facet.
  const more = [
    ...others.map((facets) => ({ facets: { $in: facets } })),
    ...(isKnown === true ? [{ facets: { $nin: [STRANGER] } }] : []),
  ];
  return {
    ...(all.length + some.length > 0 && {
      facets: {
        ...(all.length > 0 && { $all: all }),
        ...(first !== undefined && { $in: first }),
      },
    }),
    ...(more.length > 0 && { $and: more }),
  };
}

interface FacetFilter {
  facets?: { $all?: string[]; $in?: string[] };
  $and?: { facets: { $in: string[] } | { $nin: string[] } }[];
}

/** The keys of attributes among facets. */
export function attributeKeysAmong(facets: readonly string[]): string[] {
  return facets.filter((facet) => /^[a-z][a-z0-9_]*$/.test(facet));
}

function vendorFacet(vendor: string): string {
  return `@vendor:${folded(vendor)}`;
}

function productFacet(product: string): string {
  return `@product:${folded(product)}`;
}

const ON = "@on:";

function runnerFacet(id: string): string {
  return `${ON}${id}`;
}

/** The condition for whatever runs on something; the first part is that of the index. */
export const GUESTS = { $and: [{ facets: { $gt: "" } }, { facets: { $regex: `^${ON}` } }] };

/** The ids of what something runs on, among its facets. */
export function runnersAmong(facets: readonly string[]): string[] {
  return facets.flatMap((facet) => (facet.startsWith(ON) ? facet.slice(ON.length) : []));
}

function roleFacet(role: Role): string {
  return `@role:${role}`;
}

/** Whether facets say that a host has a role, set or probable. */
export function isOfRole(facets: readonly string[], role: Role): boolean {
  return facets.includes(roleFacet(role));
}
