import { webcrypto } from 'node:crypto'
import { joinBytes, withoutLeadingZeros } from './decode/bytes.ts'
import { curves } from './keys/key-algorithm.ts'
import type { Signer } from './signing.test-support.ts'
import { sshMpint, sshStrings, sshWireOf } from './keys/ssh-key.ts'
import { toBase64 } from './decode/base64.ts'

/**
 * Signs a message as `ssh-keygen -Y sign` does (PROTOCOL.sshsig). `keyType` replaces the type of the
 * key, for signatures that claim to be of another kind.
 */
export async function sshSigOf(
  signer: Signer,
  message: Uint8Array,
  namespace: string,
  keyType?: string,
): Promise<{ readonly armored: Uint8Array; readonly binary: Uint8Array }> {
  const { key } = signer
  const wire = sshWireOf(key) ?? new Uint8Array()
  const magic = new TextEncoder().encode('SSHSIG')
  const hash = new Uint8Array(await webcrypto.subtle.digest('SHA-512', message))
  const signed = joinBytes(magic, sshStrings(namespace, '', 'sha512', hash))
  const binary = joinBytes(
    magic,
    Uint8Array.of(0, 0, 0, 1),
    sshStrings(
      keyType === undefined ? wire : sshStrings(keyType, key.spki),
      namespace,
      '',
      'sha512',
      await innerSignature(signer, signed),
    ),
  )
  const lines = toBase64(binary).match(/.{1,70}/g) ?? []
  const text = ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', '']
  return { binary, armored: new TextEncoder().encode(text.join('\n')) }
}

async function innerSignature({ key, sign }: Signer, data: Uint8Array): Promise<Uint8Array> {
  const { algorithm } = key
  switch (algorithm.type) {
    case 'EC': {
      const hashes = { 'P-256': 'SHA-256', 'P-384': 'SHA-384', 'P-521': 'SHA-512' }
      const rs = await sign(data, { hash: hashes[algorithm.curve] })
      const half = rs.length / 2
      const numbers = [rs.subarray(0, half), rs.subarray(half)]
      const { sshName } = curves[algorithm.curve]
      const mpints = numbers.map((number) => sshMpint(withoutLeadingZeros(number)))
      return sshStrings(`ecdsa-sha2-${sshName}`, sshStrings(...mpints))
    }
    case 'Ed25519':
      return sshStrings('ssh-ed25519', await sign(data))
    case 'RSA':
      return sshStrings('rsa-sha2-512', await sign(data, { hash: 'SHA-512' }))
    case 'unsupported':
      throw new Error(`${algorithm.name} signs nothing here`)
  }
}
