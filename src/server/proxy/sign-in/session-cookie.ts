import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { z } from 'zod'

/** Holds the session of a browser; only this host's own answers can set it (RFC 6265bis 4.1.3.2). */
export const sessionCookie = '__Host-sightline'
/** Names a browser in which signing in failed; with `-` and a part of its state, a sign-in that was begun there. */
const signInCookie = '__Host-sightline-sign-in'

/** What the cookie of a session says: which one, and how often it was renewed. */
export interface SessionCookie {
  /** 128 random bits; no other text shows them. */
  readonly key: string
  readonly generation: number
}

/** Makes and reads the values of session cookies, and encrypts what is stored with a session. */
export interface SessionSecrets {
  /** The same for the same key and generation, so that a lost answer can be given again. */
  readonly write: (cookie: SessionCookie) => string
  /** Undefined for every value that `write` has not made with the same secret. */
  readonly read: (value: string | undefined) => SessionCookie | undefined
  /** Encrypts a text for one place (AES-256-GCM): it opens nowhere else. */
  readonly seal: (text: string, place: string) => string
  /** The text again; undefined where it was sealed elsewhere, by another secret, or changed. */
  readonly open: (sealed: string, place: string) => string | undefined
}

/** Derives its keys from the session secret: another secret ends every session. */
export function createSessionSecrets(secret: string): SessionSecrets {
  const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, 32))
  const cookieKey = derive('sightline session cookie')
  const sealKey = derive('sightline stored session')
  const signature = (text: string): Buffer => createHmac('sha256', cookieKey).update(text).digest()
  return {
    write: ({ key, generation }) => {
      const text = `${key}.${generation}`
      return `${text}.${signature(text).toString('base64url')}`
    },
    read: (value) => {
      const [, text = '', key = '', generation = '', given = ''] =
        /^(([\w-]{22})\.(\d{1,9}))\.([\w-]{43})$/.exec(value ?? '') ?? []
      const isOwn = timingSafeEqual(hashed(given), hashed(signature(text).toString('base64url')))
      return isOwn ? { key, generation: Number(generation) } : undefined
    },
    seal: (text, place) => {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv)
      cipher.setAAD(Buffer.from(place))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    open: (sealed, place) => {
      const bytes = Buffer.from(sealed, 'base64url')
      try {
        const cipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, 12), {
          authTagLength: 16,
        })
        cipher.setAAD(Buffer.from(place))
        cipher.setAuthTag(bytes.subarray(12, 28))
        return Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}

const SignInAttempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The path to come back to. */
  to: z.string(),
  /** Epoch ms. */
  expiresAt: z.number(),
})

/** A sign-in that was begun: what its end needs. */
export type SignInAttempt = z.infer<typeof SignInAttempt>

/** Servers take some thousand bytes of cookies in all. */
const mostSealed = 3800

/** The name of the browser in which signing in failed; undefined where none did. */
export function signInBrowser(headers: Headers): string | undefined {
  return cookieIn(headers, signInCookie)
}

/** A Set-Cookie header for `seconds` that names the browser. */
export function nameBrowser(browser: string, seconds: number): string {
  return setCookie(signInCookie, browser, seconds)
}

/** The sign-ins that were begun in a browser and can still end, the newest first. */
export function signInAttempts(
  headers: Headers,
  secrets: Pick<SessionSecrets, 'open'>,
  now: number,
): readonly SignInAttempt[] {
  return cookiesOf(headers)
    .flatMap(([name, value]) => {
      if (!name.startsWith(`${signInCookie}-`)) return []
      return SignInAttempt.safeParse(JSON.parse(secrets.open(value, name) ?? 'null')).data ?? []
    })
    .filter(({ expiresAt }) => expiresAt > now)
    .sort((a, b) => b.expiresAt - a.expiresAt)
}

/**
 * Set-Cookie headers for `seconds` that keep a sign-in which begins, and as many of the others as there
 * is room for: the oldest go first. Each has a cookie of its own, so that tabs that begin at once keep both.
 */
export function keepAttempt(
  attempt: SignInAttempt,
  others: readonly SignInAttempt[],
  secrets: Pick<SessionSecrets, 'seal'>,
  seconds: number,
): readonly string[] {
  const name = attemptCookie(attempt)
  const sealed = secrets.seal(JSON.stringify(attempt), name)
  let length = sealed.length
  const gone = others.filter((one) => (length += (JSON.stringify(one).length * 4) / 3) > mostSealed)
  return [setCookie(name, sealed, seconds), ...gone.map(forgetAttempt)]
}

/** A Set-Cookie header that ends a sign-in, however it went. */
export function forgetAttempt(attempt: SignInAttempt): string {
  return setCookie(attemptCookie(attempt), '', 0)
}

function attemptCookie({ state }: SignInAttempt): string {
  return `${signInCookie}-${state.slice(0, 12)}`
}

/** Comparing hashes tells nothing of how far two texts agree, however long they are. */
function hashed(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** 128 random bits as 22 letters, digits, `-` and `_`. */
export function randomKey(): string {
  return randomBytes(16).toString('base64url')
}

/** The value of a cookie in a Cookie header; undefined where it has none of that name. */
export function cookieIn(headers: Headers, name: string): string | undefined {
  return cookiesOf(headers).find(([one]) => one === name)?.[1]
}

function cookiesOf(headers: Headers): readonly (readonly [string, string])[] {
  return (headers.get('cookie') ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at > 0 ? [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const] : []
  })
}

/** A Set-Cookie header for `seconds`; 0 lets the browser forget it. */
export function setCookie(name: string, value: string, seconds: number): string {
  const age = Math.max(0, Math.floor(seconds))
  return `${name}=${value}; Path=/; Max-Age=${age}; Secure; HttpOnly; SameSite=Lax`
}
