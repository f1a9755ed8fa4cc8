import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createSigner, envelopeOf, paeOf } from '../../../attestation/signing.test-support.ts'
import { verify } from '../../../attestation/verify.ts'
import { cosignCommand, opensslCommand } from './check-commands.ts'
import { opensslSignature } from './openssl-signature.ts'

const run = promisify(execFile)

test.each(['P-256', 'P-521', 'Ed25519', 'RSA-PSS', 'RSASSA-PKCS1-v1_5'] as const)(
  'the openssl command for %s says what this page says',
  async (kind) => {
    const signer = await createSigner(kind, 'release')
    const sig = await signer.sign(paeOf('{}'))
    const [verdict] = await verify(envelopeOf('{}', [{ sig }]), [signer.key])
    const command = verdict && opensslCommand(verdict)?.command
    const folder = await mkdtemp(join(tmpdir(), 'check-'))
    await writeFile(join(folder, 'key-1.pem'), signer.pem)
    await writeFile(join(folder, 'signature-1.bin'), opensslSignature(sig, verdict?.proof))
    await writeFile(join(folder, 'message.pae'), paeOf('{}'))
    const [program = '', ...rest] = command?.split(' ') ?? []
    const { stdout } = await run(program, rest, { cwd: folder })
    expect(stdout).toMatch(/verified/i)
    await writeFile(join(folder, 'message.pae'), paeOf('{ }'))
    await expect(run(program, rest, { cwd: folder })).rejects.toThrow()
    await rm(folder, { recursive: true })
  },
)

test('what an envelope says cannot leave its quotes in a command', () => {
  const envelope = envelopeOf('{}')
  const command = cosignCommand(envelope, `x'; rm -rf ~; '`, undefined, undefined)?.command
  expect(command).toContain(String.raw`--type 'x'\''; rm -rf ~; '\''' ARTIFACT`)
  expect(cosignCommand(envelope, 'x\ny', undefined, undefined)).toBeUndefined()
  expect(cosignCommand(envelope, 'x\u202Ey', undefined, undefined)).toBeUndefined()
})
