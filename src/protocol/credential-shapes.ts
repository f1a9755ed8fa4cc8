/** Masks what has the shape of a credential; for texts of people and servers that are recorded or passed on. */
export function withoutCredentials(text: string): string {
  return shapes.reduce((rest, [shape, mask]) => rest.replace(shape, mask), text)
}

/** What credentials look like, whoever typed them where they don't belong. */
const shapes: readonly (readonly [RegExp, string])[] = [
  // Access tokens of Sightline, and the credentials of its screens.
  [/slt_[\w-]{8,}/g, 'slt_…'],
  [/screen_[0-9a-f]{16}_[\w-]+/g, 'screen_…'],
  // JSON Web Tokens (RFC 7519), and what stands behind the name of an authentication scheme.
  [/eyJ[\w-]{8,}(?:\.[\w-]*){1,4}/g, '[token]'],
  [/(bearer|basic)(?:\s|%20|\+)+(?:(?!\/(?:bearer|basic))[\w+/=.~-]){16,}/gi, '$1 [secret]'],
  // Tokens of GitHub, GitLab, npm, Slack and AWS by their prefixes, and private keys.
  [/\b(?:gh[opsur]_|github_pat_|glpat-|npm_)\w[\w-]{15,}/g, '[token]'],
  [/\b(?:xox[abeoprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}\b)/g, '[token]'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g, '[key]'],
  // What is assigned to a name that says so: `db.password=hunter2`, `"apiKey": "k3y"`, `--token t0ken`.
  [
    /((?:password|passwd|secret|token|api[_-]?key|access[_-]?key)(?:["']\s*:\s*["']|\s*=\s*["']?)|--(?:password|token|secret)\s+)(?!\[)[^\s"',;&]{4,}/gi,
    '$1[secret]',
  ],
  // In a header; one that is named in words, such as "API key: missing", has no digit.
  [/((?:api|access|private)[_-]?(?:key|token):\s*)(?=[\w+/=.~-]*\d)[\w+/=.~-]{8,}/gi, '$1[secret]'],
  // A user and a password in an address, which may be encoded in a path.
  [/(:|%3A)((?:\/|%2F){2})(?!\[secret]@)(?:(?!\/|%2F|%40)[^\s@])+(?:@|%40)/gi, '$1$2'],
]

/** Of something longer in base64: shorter pieces are found by chance. */
const shortestPart = 8

/**
 * A secret in base64 (RFC 4648, 4 and 5): alone, and what is the same of it wherever it stands in something longer; and
 * that once more, as an attestation in base64 holds the header of HTTP Basic.
 */
export function base64Forms(secret: string): readonly string[] {
  const alone = base64Of(new TextEncoder().encode(secret))
  return [...inBase64(secret), ...inBase64(alone.replace(/=+$/, ''))]
}

function inBase64(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text)
  const parts = [0, 1, 2]
    .map((skipped) => {
      const inner = bytes.subarray(skipped)
      return base64Of(inner.subarray(0, inner.length - (inner.length % 3)))
    })
    .filter((part) => part.length >= shortestPart)
  const alone = base64Of(bytes)
  return [alone, alone.replace(/=+$/, ''), ...parts].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
  ])
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
