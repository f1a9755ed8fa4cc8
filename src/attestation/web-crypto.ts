/** What verification needs of the environment: `globalThis.crypto`, or one that a test gives. */
export interface WebCrypto {
  /** Missing in a page that was loaded over plain http from another machine. */
  readonly subtle?: SubtleCrypto
}

/** The cryptography of the environment, or undefined where it offers none. */
export function subtleOf(crypto: WebCrypto | undefined = environment()): SubtleCrypto | undefined {
  return crypto?.subtle
}

/** What is said of every signature where there is no cryptography. */
export const noCrypto =
  'Nothing can be verified in this page: it was loaded over plain http, where browsers offer no ' +
  'cryptography. Open it over https, or on the machine it is served from (localhost).'

function environment(): WebCrypto | undefined {
  return globalThis.crypto
}
