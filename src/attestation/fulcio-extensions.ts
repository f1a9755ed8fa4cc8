import { readDer } from './der.ts'
import { derText } from './der-text.ts'

/** What Sigstore's certificate authority writes of whoever asked for the certificate. */
export interface FulcioExtension {
  /** Such as "1.3.6.1.4.1.57264.1.12". */
  readonly oid: string
  /** What it is, in words. */
  readonly name: string
  readonly value: string
}

/**
 * The Fulcio extension of an identifier, or undefined where it is none of Fulcio's. The first six
 * hold bare text, the later ones a DER string (sigstore/fulcio docs/oid-info.md); an extension of
 * that family that is not known yet is shown by its number.
 */
export function fulcioExtension(oid: string, value: Uint8Array): FulcioExtension | undefined {
  if (!oid.startsWith(family)) return undefined
  const number = Number(oid.slice(family.length))
  const element = readDer(value)
  const isWhole = element?.to === value.length
  const inside = number > 6 && element && isWhole ? derText(value, element) : undefined
  return {
    oid,
    name: names[number] ?? `Extension ${oid.slice(family.length)}`,
    value: inside ?? new TextDecoder().decode(value),
  }
}

const family = '1.3.6.1.4.1.57264.1.'

/** By the last number of the identifier. */
const names: Readonly<Record<number, string>> = {
  1: 'Issuer of the identity (old form)',
  2: 'GitHub workflow trigger (old form)',
  3: 'GitHub workflow commit (old form)',
  4: 'GitHub workflow name (old form)',
  5: 'GitHub workflow repository (old form)',
  6: 'GitHub workflow ref (old form)',
  8: 'Issuer of the identity',
  9: 'Build signer',
  10: 'Build signer digest',
  11: 'Runner environment',
  12: 'Source repository',
  13: 'Source repository digest',
  14: 'Source repository ref',
  15: 'Source repository identifier',
  16: 'Source repository owner',
  17: 'Source repository owner identifier',
  18: 'Build configuration',
  19: 'Build configuration digest',
  20: 'Build trigger',
  21: 'Run invocation',
  22: 'Source repository visibility at signing',
  23: 'Deployment environment',
}
