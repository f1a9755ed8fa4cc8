import { sameBytes } from './bytes.ts'
import { curveNames } from './curves.ts'
import { derTag } from './der.ts'
import { type EcdsaForm, ecdsaSignatures } from './ecdsa-signature.ts'
import { isEd25519Signature } from './ed25519-signature.ts'
import { messageSignature } from './message-signature.ts'
import { sshWireOf } from './ssh-key.ts'
import { readSshSig } from './sshsig.ts'
import type { TrustedKey } from './trusted-key.ts'

/**
 * Whether a key could have made a signature, by the shape of its bytes alone: of the right length or
 * curve, and for an SSH signature the very key that it names. Says nothing of what was signed.
 */
export function couldHaveMade(key: TrustedKey, bytes: Uint8Array): boolean {
  const signature = messageSignature(bytes)?.signature ?? bytes
  const ssh = readSshSig(signature)
  if (ssh) {
    const [wire, other] = [ssh.ok ? sshWireOf(ssh.sshSig.key) : undefined, sshWireOf(key)]
    return wire !== undefined && other !== undefined && sameBytes(wire, other)
  }
  const { algorithm } = key
  switch (algorithm.type) {
    case 'EC':
      return (
        reads(signature, 'P1363').includes(algorithm.curve) ||
        // Numbers of a larger curve are hardly ever so small that they fit a smaller one.
        reads(signature, 'DER')[0] === algorithm.curve
      )
    case 'Ed25519':
      return isEd25519Signature(signature)
    case 'RSA':
      return signature.length === Math.ceil(algorithm.bits / 8)
    case 'unsupported':
      return false
  }
}

/**
 * Whether bytes are the ruins of a signature, that no key can have made: DER or r||s that is none, or
 * too few of them for anything.
 */
export function isBrokenSignature(bytes: Uint8Array): boolean {
  const signature = messageSignature(bytes)?.signature ?? bytes
  const ssh = readSshSig(signature)
  if (ssh) return !ssh.ok && ssh.kind === 'malformed'
  if (signature.length > shortest && signature[0] !== derTag.sequence) return false
  const isRead = reads(signature, 'DER').length > 0 || reads(signature, 'P1363').length > 0
  // An RSA signature may begin with any byte.
  const isRsa = signature.length >= 128 && signature.length % 64 === 0
  return !isRead && !isRsa && !isEd25519Signature(signature)
}

/** Bytes of a signature of Ed25519, and of r||s on P-256. */
const shortest = 64

/** The curves on which the bytes are a signature of a form, the smallest first. */
function reads(signature: Uint8Array, wanted: EcdsaForm) {
  return curveNames.filter((curve) =>
    ecdsaSignatures(signature, curve).some(({ form }) => form === wanted),
  )
}
