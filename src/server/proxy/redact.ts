/** Keeps secrets out of what is shown or logged. */
export interface Redactor {
  /** A text with every known secret in it replaced by `[secret]`. */
  readonly redact: (text: string) => string
  /** Learns one more secret, such as a token that was just made; the newest 16 are kept. */
  readonly learn: (secret: string) => void
}

const shortestSecret = 4
const learntSecrets = 16

/**
 * A redactor that knows `secrets` in every form in which they travel: as they are, base64, and
 * percent-encoded; of `user:password` the password alone as well. What merely looks like a
 * credential (an Authorization value, a user and password in an address) is replaced too. A secret
 * under 4 characters is not looked for, as it would be found everywhere.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const fixed = formsOf(secrets)
  let learnt: readonly string[] = []
  return {
    redact: (text) =>
      [...fixed, ...learnt]
        .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
        .replace(/\b(Bearer|Basic|HMAC)\s+[\w.~+/=-]{4,}/gi, '$1 [secret]')
        .replace(/(:\/\/)[^\s/@"']+@/g, '$1[secret]@'),
    learn: (secret) => {
      learnt = [...learnt, ...formsOf([secret])].slice(-learntSecrets)
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
    ])
  })
  // Longest first, so that no secret is left half replaced by a shorter one inside it.
  return [...new Set(forms)]
    .filter((text) => text.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
}
