import { Box, Button, Flex, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactElement, useMemo, useState } from 'react'
import { type ReadKeys, readKeys } from '../../../attestation/keys/read-keys.ts'
import { identityOf, validityText } from '../../../attestation/keys/identity.ts'
import { keyIdentity } from '../../../attestation/keys/public-key.ts'
import { pemOf, type TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import { type DeviceKey, usePreferences, usePreferenceStore } from '../../ui/device-preferences.ts'
import { hasPrivateKey, type KeyMistake } from '../../../attestation/keys/keys-in-text.ts'
import { describeAlgorithm } from '../../../attestation/keys/key-algorithm.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import type { AttestationRunner } from '../../data/attestation/attestation-runner.ts'
import { countText } from '../../../protocol/count.ts'
import { Notice } from '../../ui/notice.tsx'
import { IdText } from '../../ui/text.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import type { TrustedKeys } from '../../domain/attestation/trusted-keys.ts'
import css from './decode.module.css'
import { useJob } from './inspection.tsx'

/**
 * Reads keys to be trusted; where one key has no name of its own it is given `name`. The
 * mistakes say why something is no key, and refuse private ones without repeating them.
 */
export function readNewKeys(input: string | Uint8Array, name: string): ReadKeys {
  const given = name.trim()
  const { keys, mistakes } = readKeys(input, given === '' ? {} : { name: given })
  const [only] = keys
  const isNamed = keys.length === 1 && only !== undefined && given !== ''
  return { keys: isNamed ? [{ ...only, name: given }] : keys, mistakes }
}

/**
 * The stored keys with more of them; the same key is there once, however it is written, and once more
 * with a certificate that names its owner; a name that is taken gets a number.
 */
export function withKeys(
  stored: readonly DeviceKey[],
  added: readonly TrustedKey[],
): readonly DeviceKey[] {
  const all = [...stored]
  for (const key of added) {
    const pem = storedPem(key)
    const { jwsAlgorithm, keyIds } = key
    const isSame = (other: DeviceKey): boolean =>
      other.jwsAlgorithm === jwsAlgorithm &&
      (other.pem === pem || storedIdentity(other.pem) === storedIdentity(pem))
    if (all.some(isSame)) continue
    const name = freeName(key.name, all)
    all.push({ name, pem, ...(jwsAlgorithm && { jwsAlgorithm }), ...(keyIds && { keyIds }) })
  }
  return all
}

/** What a stored key is known by: a certificate by its text, as it says more than its key. */
function storedIdentity(pem: string): string {
  const [key] = readKeys(pem).keys
  return key === undefined || key.certificate !== undefined ? pem : keyIdentity(key)
}

/** A certificate is kept whole: it says whose key it is. */
function storedPem(key: TrustedKey): string {
  if (key.certificate === undefined) return pemOf(key)
  return certificatePem(key.certificate)
}

/** The base64 DER of a certificate as PEM; PEM stays as it is. */
export function certificatePem(certificate: string): string {
  if (certificate.includes('-----BEGIN')) return certificate
  const lines = certificate.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function freeName(name: string, taken: readonly DeviceKey[]): string {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name} (${count})`
    if (!taken.some((other) => other.name === candidate)) return candidate
  }
}

/** That the keys of the configuration couldn't be loaded; without them a signer may look unknown. */
export function MissingKeysNotice({ trusted }: { trusted: TrustedKeys }): ReactElement | null {
  if (trusted.isKnown || trusted.isPending) return null
  return (
    <Notice
      role="status"
      action={
        <Button variant="default" onClick={trusted.retry}>
          Try again
        </Button>
      }
    >
      The trusted keys of the configuration couldn't be loaded from the Sightline server. Sightline
      retries by itself and then checks again.
    </Notice>
  )
}

/** How many keys there are, as far as that is known. */
export function keyCountText({ keys, isKnown, isPending }: TrustedKeys): string {
  const count = countText(keys.length)
  if (isKnown) return count
  return isPending ? 'loading…' : `${count} from this browser, the others not loaded`
}

/** Whose signatures count: the keys of the configuration and those added here, and a way to add one. */
export function TrustedKeysPanel({
  runner,
  trusted,
  isOpen,
  onOpen,
}: {
  runner: AttestationRunner
  trusted: TrustedKeys
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}): ReactElement {
  const { keys, mistakes } = trusted
  const job = useJob(
    runner,
    useMemo(
      () => (isOpen && keys.length > 0 ? ({ kind: 'fingerprints', keys } as const) : undefined),
      [isOpen, keys],
    ),
  )
  const prints = job.state === 'done' ? job.result : []
  return (
    <Paper
      component="details"
      withBorder
      px={12}
      py={8}
      bg="var(--surface-panel)"
      open={isOpen}
      onToggle={(event) => {
        onOpen(event.currentTarget.open)
      }}
    >
      <summary>
        <Text component="h2" fw={600} display="inline">
          Trusted keys
        </Text>{' '}
        <Text span inherit c="dimmed">
          {keyCountText(trusted)}
        </Text>
      </summary>
      {trusted.isKnown && keys.length === 0 && (
        <Text maw="70ch" my={8}>
          No keys yet, so no signature is trusted. Keys you add stay in this browser. Keys for
          everyone belong in the server's configuration file.
        </Text>
      )}
      <ul className={css.list} aria-label="Trusted keys">
        {keys.map((key, at) => (
          <KeyItem
            key={`${key.origin} ${key.name} ${at}`}
            trustedKey={key}
            print={prints[at]?.find(({ form }) => form === 'sha256-spki')?.value}
          />
        ))}
      </ul>
      <Mistakes mistakes={mistakes} />
      {/* The list that is still to come would move it away under a click. */}
      {!trusted.isPending && <AddKey />}
    </Paper>
  )
}

function KeyItem({
  trustedKey: { name, origin, algorithm, certificate },
  print,
}: {
  trustedKey: TrustedKey
  print: string | undefined
}): ReactElement {
  const store = usePreferenceStore()
  const shown = visibleText(name)
  const identity = certificate === undefined ? undefined : identityOf(certificate)
  return (
    <Flex component="li" wrap="wrap" align="center" gap="4px 12px" py={4}>
      <strong>{shown}</strong>
      <span>{describeAlgorithm(algorithm)}</span>
      <Text span inherit c="dimmed">
        {origin === 'configuration' ? 'from the configuration' : 'stored in this browser'}
        {identity !== undefined && `, by a certificate ${validityText(identity)}`}
      </Text>
      <Box
        component="span"
        display="contents"
        style={{ visibility: print === undefined ? 'hidden' : 'visible' }}
      >
        <IdText id={print ?? '0'.repeat(64)} />
      </Box>
      {origin === 'device' && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Remove key ${shown}`}
          onClick={() => {
            const stored = store.get().trustedKeys ?? []
            store.change({ trustedKeys: stored.filter((other) => other.name !== name) })
          }}
        >
          Remove
        </Button>
      )}
    </Flex>
  )
}

/** A key is pasted, read and kept; a private one is refused and forgotten. */
function AddKey(): ReactElement {
  const store = usePreferenceStore()
  const { trustedKeys } = usePreferences()
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [mistakes, setMistakes] = useState<readonly KeyMistake[]>([])
  const [added, setAdded] = useState('')

  function add(input: string | Uint8Array): void {
    const read = readNewKeys(input, name)
    setMistakes(read.mistakes)
    const before = trustedKeys ?? []
    const next = withKeys(before, read.keys)
    const count = next.length - before.length
    if (count > 0) store.change({ trustedKeys: next })
    setAdded(addedText(count, read.keys.length))
    // Nothing of a refused private key stays in the page.
    if (read.keys.length > 0 || hasPrivateKey(read.mistakes)) setText('')
    if (count > 0) setName('')
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add(text)
      }}
    >
      <Stack gap={8} maw={640} mt={12}>
        <TextInput
          label="Key name"
          value={name}
          placeholder="acme-release-2026"
          autoComplete="off"
          onChange={(event) => {
            setName(event.currentTarget.value)
          }}
        />
        <Textarea
          label="Public key"
          styles={{ input: { fontFamily: 'var(--font-mono)' } }}
          rows={4}
          value={text}
          placeholder="PEM public key or certificate, JWK, or SSH public key"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setText(event.currentTarget.value)
          }}
        />
        <Group gap="8px 12px">
          <Button type="submit" disabled={text.trim() === ''}>
            Trust this key
          </Button>
          <label>
            or a file{' '}
            <input
              type="file"
              aria-label="File with a public key"
              onChange={(event) => {
                const input = event.currentTarget
                const file = input.files?.[0]
                if (file === undefined) return
                // A certificate may well be DER, which is no text.
                const bytes = file.slice(0, 1_000_000).arrayBuffer()
                void bytes.then((buffer) => {
                  add(new Uint8Array(buffer))
                })
                input.value = ''
              }}
            />
          </label>
        </Group>
        <div role="status">
          {added !== '' && <StatusMark tone="good" word={added} />}
          <Mistakes mistakes={mistakes} />
        </div>
      </Stack>
    </form>
  )
}

function addedText(count: number, read: number): string {
  if (count > 0) return count === 1 ? 'Key added.' : `${count} keys added.`
  return read > 0 ? 'This key is already trusted.' : ''
}

function Mistakes({ mistakes }: { mistakes: readonly KeyMistake[] }): ReactElement | null {
  if (mistakes.length === 0) return null
  return (
    <ul className={css.list}>
      {mistakes.slice(0, 10).map(({ where, message }, at) => (
        <Text key={at} component="li" inherit c="var(--bad-ink)">
          {where === '' ? '' : `${visibleText(where)}: `}
          {visibleText(message)}
        </Text>
      ))}
    </ul>
  )
}
