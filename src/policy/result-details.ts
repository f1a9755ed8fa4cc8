/** What the details of a result hold, by their shape (docs/services.md#result-details). */
export type ResultDetails =
  | { readonly shape: 'uris'; readonly uris: readonly string[] }
  | {
      readonly shape: 'vulnerable-package'
      readonly purl: string
      readonly predicateType: string | null
    }
  | { readonly shape: 'key-ids'; readonly keyIds: readonly string[] }
  | { readonly shape: 'message'; readonly message: string }
  | { readonly shape: 'build-tool'; readonly buildTool: string }
  | { readonly shape: 'none' }
  /** Never seen before: shown as JSON. */
  | { readonly shape: 'other' }

/** Texts that older servers put among the details, which are shown elsewhere. */
const told = new Set(['description', 'remediation'])

/** Tells the shape by all its keys: with one more key than a shape has, it is `other`. */
export function resultDetails(details: Readonly<Record<string, unknown>>): ResultDetails {
  const keys = Object.keys(details).filter((key) => !told.has(key))
  if (keys.length === 0) return { shape: 'none' }
  const has = (...wanted: string[]): boolean => keys.every((key) => wanted.includes(key))
  const { uris, vulnerablePackage, predicateType, keyIds, message, buildTool } = details
  if (has('uris') && isTexts(uris)) return { shape: 'uris', uris }
  if (has('keyIds') && isTexts(keyIds)) return { shape: 'key-ids', keyIds }
  if (has('message') && typeof message === 'string') return { shape: 'message', message }
  if (has('buildTool') && typeof buildTool === 'string') return { shape: 'build-tool', buildTool }
  if (has('vulnerablePackage', 'predicateType') && typeof vulnerablePackage === 'string') {
    const type = typeof predicateType === 'string' ? predicateType : null
    return { shape: 'vulnerable-package', purl: vulnerablePackage, predicateType: type }
  }
  return { shape: 'other' }
}

/** The details as one line of text, for exports and search. */
export function detailsText(details: Readonly<Record<string, unknown>>): string {
  const read = resultDetails(details)
  switch (read.shape) {
    case 'uris':
      return read.uris.join(', ')
    case 'key-ids':
      return read.keyIds.join(', ')
    case 'message':
      return read.message
    case 'build-tool':
      return read.buildTool
    case 'vulnerable-package':
      return read.purl
    case 'none':
      return ''
    case 'other':
      return JSON.stringify(details)
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
