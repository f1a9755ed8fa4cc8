import { decodeBase64 } from './base64.ts'
import { curveNames, curves } from './curves.ts'
import { type PublicKey, numbersOf, publicKeyOf } from './public-key.ts'
import { ofMpint, sshMpint, sshReader, sshStrings } from './ssh-wire.ts'

/** A public key of a line as in `id_ed25519.pub`, `authorized_keys` or `allowed_signers`. */
export type SshLine =
  | { readonly ok: true; readonly key: PublicKey; readonly comment: string }
  | { readonly ok: false; readonly problem: string }

/**
 * The key in a line, wherever in it the key stands (options and principals may come first), or
 * undefined where the line names no type of SSH key.
 */
export function readSshLine(line: string): SshLine | undefined {
  const words = line.trim().split(/\s+/)
  const at = words.findIndex((word) => isKeyType(word))
  const [type, blob, ...comment] = words.slice(at === -1 ? words.length : at)
  if (type === undefined) return undefined
  // Security keys sign more than the message, and DSA is gone from OpenSSH.
  if (!isSupported(type)) {
    return { ok: false, problem: `No browser verifies with SSH keys of type ${type}.` }
  }
  const bytes = decodeBase64(blob ?? '')
  const key = bytes.ok ? readSshKey(bytes.bytes) : undefined
  if (!key || !bytes.ok || sshReader(bytes.bytes).text() !== type) {
    return { ok: false, problem: `The SSH key of type ${type} is incomplete or damaged.` }
  }
  return { ok: true, key, comment: comment.join(' ') }
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
