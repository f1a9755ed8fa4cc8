import type { SecretForms } from './mask-secrets.ts'

/** Keeps secrets out of what is shown or logged. */
export interface Redactor {
  /** A text with every known secret in it replaced by `[secret]`. */
  readonly redact: (text: string) => string
  /** Every known secret in every form. */
  readonly secrets: SecretForms
  /** Adds a secret for good: a key that was replaced stays one while its server accepts it. */
  readonly add: (secret: string) => void
  /** Adds a secret that does not last, such as an access token; the newest 16 are kept. */
  readonly learn: (secret: string) => void
}

const shortestSecret = 4
const learntSecrets = 16

/**
 * A redactor that knows secrets in every form in which they travel: as they are, base64, and
 * percent-encoded; of `user:password` the password alone as well. What merely looks like a
 * credential (an Authorization value, a user and password in an address) is replaced too. A secret
 * under 4 characters is not looked for, as it would be found everywhere.
 */
export function createRedactor(): Redactor {
  let lasting: readonly string[] = []
  let learnt: readonly string[] = []
  let all: readonly string[] = []
  const change = (): void => {
    all = formsOf([...lasting, ...learnt])
  }
  return {
    secrets: () => all,
    redact: (text) =>
      all
        .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
        .replace(/\b(Bearer|Basic|HMAC)\s+[\w.~+/=-]{4,}/gi, '$1 [secret]')
        .replace(/(:\/\/)[^\s/@"']+@/g, '$1[secret]@'),
    add: (secret) => {
      lasting = [...lasting, secret]
      change()
    },
    learn: (secret) => {
      learnt = [...learnt, secret].slice(-learntSecrets)
      change()
    },
  }
}

function formsOf(secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((secret) => {
    const colon = secret.indexOf(':')
    const plain = colon === -1 ? [secret] : [secret, secret.slice(colon + 1)]
    return plain.flatMap((text) => [
      text,
      Buffer.from(text, 'utf8').toString('base64'),
      Buffer.from(text, 'utf8').toString('base64').replace(/=+$/, ''),
      encodeURIComponent(text),
      // As JSON writes it, with and without its needless escapes.
      JSON.stringify(text).slice(1, -1),
      text.replaceAll('/', '\\/'),
    ])
  })
  // Longest first, so that no secret is left half replaced by a shorter one inside it.
  return [...new Set(forms)]
    .filter((text) => text.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
}
