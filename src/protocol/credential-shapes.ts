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
  // A user and a password in an address, which may be encoded in a path.
  [/(:|%3A)((?:\/|%2F){2})(?:(?!\/|%2F|%40)[^\s@])+(?:@|%40)/gi, '$1$2'],
]
