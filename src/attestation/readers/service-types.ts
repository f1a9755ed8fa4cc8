/** Both spellings of a type of the attestation service: documents say one, its clients the other. */
export function serviceTypes(slug: string): string[] {
  return [`https://gradle.com/attestation/${slug}`, `https://gradle.com/attestations/${slug}`]
}
