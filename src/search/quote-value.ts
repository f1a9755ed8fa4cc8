/**
 * A value as it has to be written behind `field:` to be matched exactly: in quotes where it is more than
 * letters, digits and what never has a meaning. The language has no way to write a `*` that every
 * server reads as itself, so a value that holds one also matches what the wildcard lets in.
 */
export function quoteValue(value: string): string {
  return isPlain.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`
}

const isPlain = /^[\p{L}\p{N}_*][\p{L}\p{N}_*./@+=-]*$/u
