import { decodeBase64 } from '../decode/base64.ts'
import { joinBytes } from '../decode/bytes.ts'
import { curveNames, curves } from './key-algorithm.ts'
import { numbersOf, type PublicKey, publicKeyOf } from './public-key.ts'

/** A public key of a line as in `id_ed25519.pub`, `authorized_keys` or `allowed_signers`. */
export type SshLine =
  | { readonly ok: true; readonly key: PublicKey; readonly comment: string }
  | { readonly ok: false; readonly problem: string }

/**
 * The key in a line, also behind a marker, principals and options (sshd(8), ssh-keygen(1)), or
 * undefined where the line names no type of SSH key or is a comment. What says that its key isn't to
 * be trusted for signatures, or not at all times, is a problem.
 */
export function readSshLine(line: string): SshLine | undefined {
  // Blanks and commas may stand in quotes.
  const words = line.trim().match(/(?:[^\s"]|"(?:\\.|[^"\\])*"?)+/g) ?? []
  const at = words.slice(0, mostBefore + 1).findIndex((word) => isKeyType(word))
  const [type, blob, ...comment] = words.slice(at === -1 ? words.length : at)
  if (type === undefined || line.trim().startsWith('#')) return undefined
  const problem = words.slice(0, at).map(limitOf).find(Boolean)
  if (problem !== undefined) return { ok: false, problem }
  // Security keys sign more than the message, and DSA is gone from OpenSSH.
  if (!isSupported(type)) {
    return { ok: false, problem: `Browsers can't verify with SSH keys of type ${type}.` }
  }
  const bytes = decodeBase64(blob ?? '')
  const key = bytes.ok ? readSshKey(bytes.bytes) : undefined
  if (!key || !bytes.ok || sshReader(bytes.bytes).text() !== type) {
    return { ok: false, problem: `The SSH key of type ${type} is incomplete or damaged.` }
  }
  return { ok: true, key, comment: comment.join(' ') }
}

/** A marker, principals or hosts, and options. */
const mostBefore = 3

/** What a marker or an option says against trusting the key of its line. */
function limitOf(word: string): string | undefined {
  if (/^@revoked$/i.test(word)) return 'This SSH key is revoked.'
  const options = (word.match(/(?:[^,"]|"(?:\\.|[^"\\])*"?)+/g) ?? []).map((option) => {
    const [, name = '', value] = /^([\w@-]+)(?:="?(.*?)"?)?$/s.exec(option) ?? []
    return { name: name.toLowerCase(), value }
  })
  if (options.some(({ name }) => /^@?cert-authority$/.test(name))) {
    return 'This SSH key is for certifying other keys, not for signing files.'
  }
  const time = options.find(
    ({ name, value }) => value !== undefined && /^(?:valid-\w+|expiry-time)$/.test(name),
  )
  if (time) {
    return `This SSH key is valid for a limited time only ("${time.name}"), which Sightline can't check for signatures. Remove the option to trust the key at all times.`
  }
  const isOther = options.some(
    ({ name, value }) => name === 'namespaces' && value !== undefined && !allowsGit(value),
  )
  return isOther
    ? 'This SSH key isn\'t for the namespace "git" of attestations, by its "namespaces" option.'
    : undefined
}

/** Whether a list of patterns (ssh_config(5)) has the namespace in it that attestations use. */
function allowsGit(patterns: string): boolean {
  const matches = patterns.split(',').flatMap((pattern) => {
    const [, not = '', glob = ''] = /^(!?)(.*)$/s.exec(pattern.trim()) ?? []
    const source = glob
      .replace(/[^\w*?]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replaceAll('?', '.')
    return new RegExp(`^${source}$`).test('git') ? [not] : []
  })
  return matches.length > 0 && !matches.includes('!')
}

/** The public key of SSH wire format (RFC 4253 6.6, 5656 3.1, 8709 4), or undefined. */
export function readSshKey(bytes: Uint8Array): PublicKey | undefined {
  const reader = sshReader(bytes)
  const type = reader.text() ?? ''
  const whole = (key: PublicKey | undefined) => (reader.isAtEnd() ? key : undefined)
  if (type === 'ssh-rsa') {
    const exponent = ofMpint(reader.string())
    const modulus = ofMpint(reader.string())
    return whole(exponent && modulus && publicKeyOf({ type: 'RSA', modulus, exponent }))
  }
  if (type === 'ssh-ed25519') {
    const point = reader.string()
    return whole(point && publicKeyOf({ type: 'Ed25519', point }))
  }
  const curve = curveNames.find((name) => type === `ecdsa-sha2-${curves[name].sshName}`)
  if (curve) {
    const isSameCurve = reader.text() === curves[curve].sshName
    const point = reader.string()
    return whole(isSameCurve && point ? publicKeyOf({ type: 'EC', curve, point }) : undefined)
  }
  return undefined
}

/** The key in SSH wire format, over which its SSH fingerprint is made; undefined if unsupported. */
export function sshWireOf(key: PublicKey): Uint8Array<ArrayBuffer> | undefined {
  const numbers = numbersOf(key)
  switch (numbers?.type) {
    case undefined:
      return undefined
    case 'EC': {
      const { sshName } = curves[numbers.curve]
      return sshStrings(`ecdsa-sha2-${sshName}`, sshName, numbers.point)
    }
    case 'Ed25519':
      return sshStrings('ssh-ed25519', numbers.point)
    case 'RSA':
      return sshStrings('ssh-rsa', sshMpint(numbers.exponent), sshMpint(numbers.modulus))
  }
}

function isSupported(type: string): boolean {
  return /^(?:ssh-(?:rsa|ed25519)|ecdsa-sha2-nistp(?:256|384|521))$/.test(type)
}

function isKeyType(word: string): boolean {
  return /^(?:ssh-(?:rsa|dss|ed25519|ed448)|ecdsa-sha2-\w+|sk-[\w-]+@openssh\.com)$/.test(word)
}

/** Reads what OpenSSH writes in binary: integers and strings, one after another (RFC 4251, 5). */
export interface SshReader {
  /** The next string, or undefined where the bytes end before it does. */
  readonly string: () => Uint8Array | undefined
  /** The next string as ASCII text. */
  readonly text: () => string | undefined
  /** The next four bytes as a number. */
  readonly uint32: () => number | undefined
  readonly isAtEnd: () => boolean
}

/** A reader that begins at `from`. After the first undefined nothing it says means anything. */
export function sshReader(bytes: Uint8Array, from = 0): SshReader {
  let at = from
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const uint32 = (): number | undefined => {
    if (at + 4 > bytes.length) return undefined
    at += 4
    return view.getUint32(at - 4)
  }
  const string = (): Uint8Array | undefined => {
    const length = uint32()
    if (length === undefined || at + length > bytes.length) return undefined
    at += length
    return bytes.subarray(at - length, at)
  }
  const text = (): string | undefined => {
    const content = string()
    return content && new TextDecoder().decode(content)
  }
  return { string, text, uint32, isAtEnd: () => at === bytes.length }
}

/** The parts as SSH strings, one after another; texts in UTF-8. */
export function sshStrings(...parts: (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  for (const part of parts) {
    const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : part
    const length = new Uint8Array(4)
    new DataView(length.buffer).setUint32(0, bytes.length)
    pieces.push(length, bytes)
  }
  return joinBytes(...pieces)
}

/** A non-negative number as an SSH mpint: no needless zeros, one where the first bit is set. */
export function sshMpint(magnitude: Uint8Array): Uint8Array {
  return (magnitude[0] ?? 0) >= 0x80 ? joinBytes(Uint8Array.of(0), magnitude) : magnitude
}

/** The magnitude of an SSH mpint, or undefined where it is negative or padded. */
export function ofMpint(mpint: Uint8Array | undefined): Uint8Array | undefined {
  const [first, second] = mpint ?? []
  if (!mpint || first === undefined || first >= 0x80) return undefined
  if (first !== 0) return mpint
  return second !== undefined && second >= 0x80 ? mpint.subarray(1) : undefined
}
