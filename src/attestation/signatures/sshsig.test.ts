import { describe, expect, test } from 'vitest'
import { joinBytes } from '../decode/bytes.ts'
import { sshKeys } from '../foreign-keys.test-support.ts'
import { readSshLine, sshStrings, sshWireOf } from '../keys/ssh-key.ts'
import { readSshSig } from './sshsig.ts'

const encode = (text: string) => new TextEncoder().encode(text)

function wireOf(at: number): Uint8Array {
  const read = readSshLine(sshKeys[at]?.line ?? '')
  const wire = read?.ok === true ? sshWireOf(read.key) : undefined
  if (wire === undefined) throw new Error('no key')
  return wire
}
const [ed25519, rsa, p256] = [wireOf(0), wireOf(1), wireOf(2)]

interface Parts {
  readonly version?: number
  readonly key?: Uint8Array
  readonly namespace?: string
  readonly hash?: string
  readonly type?: string
  readonly signature?: Uint8Array
  readonly inside?: Uint8Array
  readonly behind?: readonly number[]
}

/** An SSHSIG as PROTOCOL.sshsig has it; of Ed25519 unless said otherwise. */
function sshSig({
  version = 1,
  key = ed25519,
  namespace = 'git',
  hash = 'sha512',
  type = 'ssh-ed25519',
  signature = new Uint8Array(64),
  inside = new Uint8Array(),
  behind = [],
}: Parts = {}): Uint8Array {
  return joinBytes(
    encode('SSHSIG'),
    Uint8Array.of(0, 0, 0, version),
    sshStrings(key, namespace, '', hash, joinBytes(sshStrings(type, signature), inside)),
    Uint8Array.from(behind),
  )
}

const ofRsa = { key: rsa, type: 'rsa-sha2-512', signature: new Uint8Array(256) }
const numbers = (...all: readonly number[][]): Uint8Array =>
  sshStrings(...all.map((bytes) => Uint8Array.from(bytes)))
const ofCurve = (signature: Uint8Array): Parts => ({
  key: p256,
  type: 'ecdsa-sha2-nistp256',
  signature,
})

describe('an SSH signature', () => {
  test.each<[Parts, object]>([
    [{}, { namespace: 'git', messageHash: 'SHA-512', scheme: { name: 'Ed25519' } }],
    [
      { hash: 'sha256', namespace: 'file' },
      { namespace: 'file', messageHash: 'SHA-256' },
    ],
    [ofRsa, { scheme: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' } }],
    [
      { ...ofRsa, type: 'rsa-sha2-256' },
      { scheme: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } },
    ],
    [ofCurve(numbers([1], [2])), { scheme: { name: 'ECDSA', curve: 'P-256', hash: 'SHA-256' } }],
  ])('is read (%#)', (parts, said) => {
    expect(readSshSig(sshSig(parts))).toMatchObject({ ok: true, sshSig: said })
  })

  test.each<[string, Parts]>([
    ['of another version', { version: 2 }],
    ['with bytes behind it', { behind: [0] }],
    ['without a namespace', { namespace: '' }],
    ['with another hash of the message', { hash: 'sha1' }],
    ['with a signature of another kind than its key', { type: 'rsa-sha2-512' }],
    ['with bytes behind the inner signature', { inside: Uint8Array.of(0) }],
    ['of Ed25519 by a key of a curve', { key: p256 }],
    ['of Ed25519 cut', { signature: new Uint8Array(63) }],
    ['of Ed25519 with S past the order', { signature: new Uint8Array(64).fill(0xff) }],
    ['of RSA cut', { ...ofRsa, signature: new Uint8Array(255) }],
    ['of a curve with one number', ofCurve(numbers([1]))],
    ['of a curve with three numbers', ofCurve(numbers([1], [2], [3]))],
    ['of a curve with a negative number', ofCurve(numbers([0x80], [2]))],
    ['of a curve with a padded number', ofCurve(numbers([0, 1], [2]))],
    ['of a curve with an empty number', ofCurve(numbers([], [2]))],
    ['of a curve with zero', ofCurve(numbers([0], [2]))],
    [
      'of another curve than its key',
      { ...ofCurve(numbers([1], [2])), type: 'ecdsa-sha2-nistp384' },
    ],
  ])('%s is malformed', (_, parts) => {
    expect(readSshSig(sshSig(parts))).toMatchObject({ ok: false, kind: 'malformed' })
  })

  test.each<[string, Parts, string]>([
    ['of SHA-1', { ...ofRsa, type: 'ssh-rsa' }, 'uses SHA-1 or an unknown hash'],
    [
      'of a security key',
      { key: sshStrings('sk-ssh-ed25519@openssh.com', new Uint8Array(32), 'ssh:') },
      'type "sk-ssh-ed25519@openssh.com"',
    ],
    ['of a key that says anything', { key: sshStrings('\u202eé\n') }, 'type "???"'],
    ['of a key with a long type', { key: sshStrings('x'.repeat(99)) }, `type "${'x'.repeat(60)}"`],
    ['of a key that is none', { key: new Uint8Array() }, 'type ""'],
  ])('%s is unsupported with its reason', (_, parts, problem) => {
    const read = readSshSig(sshSig(parts))
    expect(read).toMatchObject({ ok: false, kind: 'unsupported' })
    expect(read?.ok === false && read.problem).toContain(problem)
  })

  test('may be armored, and is none where its armor is not closed or holds no base64', () => {
    const base64 = Buffer.from(sshSig()).toString('base64')
    const armored = (body: string, end = 'SSH SIGNATURE', begin = 'SSH SIGNATURE') =>
      `-----BEGIN ${begin}-----\n${body}\n-----END ${end}-----\n`
    const armor = (...parts: Parameters<typeof armored>) => readSshSig(encode(armored(...parts)))
    expect(armor(base64)).toMatchObject({ ok: true })
    expect(armor(base64, 'PUBLIC KEY')).toBeUndefined()
    expect(armor('!')).toBeUndefined()
    expect(armor(base64, 'SIGNATURE', 'SIGNATURE')).toBeUndefined()
    const second = `${armored('AAAA', 'SIGNATURE', 'SIGNATURE')}${armored(base64)}`
    expect(readSshSig(encode(second))).toMatchObject({ ok: true })
    expect(readSshSig(encode(` ${armored(base64)}`))).toBeUndefined()
    expect(readSshSig(encode(base64))).toBeUndefined()
    expect(readSshSig(encode('SSHSI'))).toBeUndefined()
    expect(readSshSig(new Uint8Array())).toBeUndefined()
  })
})
