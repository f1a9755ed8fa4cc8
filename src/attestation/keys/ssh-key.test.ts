import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toBase64 } from '../decode/base64.ts'
import { joinBytes, withoutLeadingZeros } from '../decode/bytes.ts'
import { ecPem, ed25519Pem, rsaPem, secp256k1Pem } from '../foreign-keys.test-support.ts'
import { runs } from '../../property-runs.test-support.ts'
import { keyOf } from '../signing.test-support.ts'
import {
  ofMpint,
  readSshKey,
  readSshLine,
  sshMpint,
  sshReader,
  sshStrings,
  sshWireOf,
} from './ssh-key.ts'

const wireOf = (pem: string) => sshWireOf(keyOf(pem, 'key')) ?? new Uint8Array()
const ed25519 = toBase64(wireOf(ed25519Pem))

/** What is said of a line that is none of a key that works. */
function problemOf(line: string): string | undefined {
  const read = readSshLine(line)
  return read?.ok === false ? read.problem : undefined
}

describe('a line', () => {
  test('has its key behind any blanks, options and principals, and its comment', () => {
    for (const line of [
      `ssh-ed25519 ${ed25519} ann at acme`,
      `  ssh-ed25519\t  ${ed25519}   ann  at\tacme \r\n`,
      `ann@acme namespaces="git" ssh-ed25519 ${ed25519} ann at acme`,
    ]) {
      expect(readSshLine(line)).toMatchObject({
        ok: true,
        comment: 'ann at acme',
        key: { algorithm: { type: 'Ed25519' } },
      })
    }
    expect(readSshLine(`ssh-ed25519 ${ed25519}`)).toMatchObject({ ok: true, comment: '' })
  })

  test.each([
    '',
    'hello',
    'xssh-rsa AAAA',
    'ssh-rsax AAAA',
    'an-ecdsa-sha2-nistp256 AAAA',
    'sk-ssh-ed25519@openssh.community AAAA',
    'ssh-rsa-cert-v01@openssh.com AAAA',
  ])('that names no type of key is none: %s', (line) => {
    expect(readSshLine(line)).toBeUndefined()
  })

  test.each([
    ['@revoked *', 'revoked'],
    ['@cert-authority *', 'certifying other keys'],
    ['* cert-authority', 'certifying other keys'],
    ['* namespaces="file,email"', 'namespace "git"'],
    ['* namespaces="!git,*"', 'namespace "git"'],
    ['* namespaces="file",valid-before="20200101"', 'valid-before'],
    ['* Valid-After="20200101Z"', 'valid-after'],
    ['expiry-time="20991231"', 'expiry-time'],
    ['command="a b, c",cert-authority', 'certifying other keys'],
  ])('that limits its key by %s is refused', (before, says) => {
    expect(problemOf(`${before} ssh-ed25519 ${ed25519}`)).toContain(says)
  })

  test.each(['*', '* namespaces="git"', '* namespaces="file, g?t*"', 'command="a \\" ssh-rsa b"'])(
    'that has %s before its key is read',
    (before) => {
      expect(readSshLine(`${before} ssh-ed25519 ${ed25519}`)).toMatchObject({ ok: true })
    },
  )

  test.each(['# ann@acme', '#', 'once we had the key'])(
    '"%s" before a key makes it text',
    (before) => {
      expect(readSshLine(`${before} ssh-ed25519 ${ed25519} old key`)).toBeUndefined()
    },
  )

  test.each([
    'ssh-dss',
    'ssh-ed448',
    'ecdsa-sha2-nistp2561',
    'ecdsa-sha2-nistp224',
    'sk-ssh-ed25519@openssh.com',
  ])('of type %s says that browsers cannot verify with it', (type) => {
    expect(problemOf(`${type} ${ed25519}`)).toBe(
      `Browsers can't verify with SSH keys of type ${type}.`,
    )
  })

  test.each([
    ['without a key', 'ssh-ed25519'],
    ['whose key is no base64', 'ssh-ed25519 AAAA%'],
    ['whose key is cut', `ssh-ed25519 ${toBase64(wireOf(ed25519Pem).slice(0, -1))}`],
    ['whose key goes on', `ssh-ed25519 ${toBase64(Uint8Array.of(...wireOf(ed25519Pem), 0))}`],
    ['whose key is of another type', `ssh-rsa ${ed25519}`],
  ])('%s is damaged', (_, line) => {
    const [type] = line.split(' ')
    expect(problemOf(line)).toBe(`The SSH key of type ${type ?? ''} is incomplete or damaged.`)
  })
})

describe('a key in SSH wire format', () => {
  test.each([ecPem, ed25519Pem, rsaPem])('is the one that was written, and whole', (pem) => {
    const { algorithm, spki } = keyOf(pem, 'key')
    const wire = wireOf(pem)
    expect(readSshKey(wire)).toEqual({ algorithm, spki })
    for (let length = 0; length < wire.length; length++) {
      expect(readSshKey(wire.subarray(0, length))).toBeUndefined()
    }
    expect(readSshKey(Uint8Array.of(...wire, 0))).toBeUndefined()
  })

  test('says the same curve twice', () => {
    const point = wireOf(ecPem).slice(-65)
    const of = (type: string, curve: string) => readSshKey(sshStrings(type, curve, point))
    expect(of('ecdsa-sha2-nistp256', 'nistp256')).toBeDefined()
    expect(of('ecdsa-sha2-nistp256', 'nistp384')).toBeUndefined()
    expect(of('ecdsa-sha2-nistp384', 'nistp256')).toBeUndefined()
    expect(of('ecdsa-sha2-nistp224', 'nistp224')).toBeUndefined()
  })

  test('of RSA has no padded and no negative numbers', () => {
    const modulus = new Uint8Array(64).fill(0x81)
    const of = (exponent: number[], n: Uint8Array) =>
      readSshKey(sshStrings('ssh-rsa', Uint8Array.from(exponent), n))
    const whole = sshMpint(modulus)
    expect(of([3], whole)?.algorithm).toMatchObject({ bits: 512 })
    for (const [exponent, n] of [
      [[], whole],
      [[0], whole],
      [[0, 3], whole],
      [[0x80], whole],
      [[3], modulus],
      [[3], joinBytes(Uint8Array.of(0), whole)],
    ] as const) {
      expect(of([...exponent], n)).toBeUndefined()
    }
  })

  test('is not written of a key that is not supported', () => {
    expect(sshWireOf(keyOf(secp256k1Pem, 'k1'))).toBeUndefined()
  })
})

describe('strings and integers of SSH (RFC 4251, 5)', () => {
  test('are read as they were written, and nothing is read past their end', () => {
    const part = fc.uint8Array({ maxLength: 6 })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), fc.nat(40), (parts, length) => {
        const bytes = sshStrings(...parts)
        const cut = bytes.subarray(0, length)
        const reader = sshReader(cut)
        let end = 0
        for (const each of parts) {
          end += 4 + each.length
          const read = reader.string()
          if (end > cut.length) {
            expect(read).toBeUndefined()
            return
          }
          expect(read).toEqual(each)
          expect(reader.isAtEnd()).toBe(end === cut.length)
        }
        expect(reader.uint32()).toBeUndefined()
      }),
      { numRuns: runs(1000) },
    )
  })

  test('begin where the reader is told, in bytes that are a part of others', () => {
    const whole = Uint8Array.of(9, 9, 9, 0, 0, 0, 2, 0x68, 0x69, 0, 0, 1, 0)
    const reader = sshReader(whole.subarray(1), 2)
    expect([reader.text(), reader.uint32(), reader.isAtEnd()]).toEqual(['hi', 256, true])
    expect(sshReader(new Uint8Array(3)).text()).toBeUndefined()
  })

  test('of numbers are as short as can be, and never negative', () => {
    const mpint = (...bytes: number[]) => ofMpint(Uint8Array.from(bytes))
    expect(sshMpint(Uint8Array.of(0x7f))).toEqual(Uint8Array.of(0x7f))
    expect(sshMpint(Uint8Array.of(0x80))).toEqual(Uint8Array.of(0, 0x80))
    expect(sshMpint(new Uint8Array())).toEqual(new Uint8Array())
    expect(mpint(0x7f, 0)).toEqual(Uint8Array.of(0x7f, 0))
    expect(mpint(0, 0x80)).toEqual(Uint8Array.of(0x80))
    for (const wrong of [mpint(), mpint(0), mpint(0, 0x7f), mpint(0x80), mpint(0xff, 1)]) {
      expect(wrong).toBeUndefined()
    }
    expect(ofMpint(undefined)).toBeUndefined()
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        const magnitude = withoutLeadingZeros(bytes)
        if (magnitude.length > 0) expect(ofMpint(sshMpint(magnitude))).toEqual(magnitude)
      }),
      { numRuns: runs(1000) },
    )
  })
})
