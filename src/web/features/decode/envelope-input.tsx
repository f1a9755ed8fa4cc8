import { Button, Flex, Group, Text, Textarea } from '@mantine/core'
import { type ReactElement, useRef } from 'react'
import { bytesText } from '../../ui/format.ts'
import { decodeBase64, toBase64Url } from '../../../attestation/decode/base64.ts'

/** Takes an envelope: pasted, typed, or as files, of which one is looked at at a time. */
export function EnvelopeInput({
  text,
  given,
  files,
  onText,
  onFiles,
  onChoose,
  onClear,
}: {
  /** What stands in the field. */
  text: string
  given: GivenInput | undefined
  files: readonly File[]
  onText: (text: string) => void
  onFiles: (files: readonly File[]) => void
  onChoose: (file: File) => void
  onClear: () => void
}): ReactElement {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <Flex component="section" direction="column" gap={8} aria-label="Input">
      <Textarea
        label="Paste an attestation"
        description="DSSE envelope, Sigstore bundle, JSON Lines, or base64 of these"
        // Room for the ring of the focus.
        descriptionProps={{ mb: 4 }}
        styles={{ input: { fontFamily: 'var(--font-mono)' } }}
        resize="vertical"
        rows={given === undefined ? 9 : 3}
        value={text}
        placeholder='{"payloadType": "…", "payload": "…", "signatures": […]}'
        spellCheck={false}
        autoComplete="off"
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text/plain')
          if (fitsField(pasted)) return
          event.preventDefault()
          onText(pasted)
        }}
        onChange={(event) => {
          onText(event.currentTarget.value)
        }}
      />
      <Group gap="8px 12px">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files with attestations"
          tabIndex={-1}
          onChange={(event) => {
            const input = event.currentTarget
            onFiles([...(input.files ?? [])])
            input.value = ''
          }}
        />
        <Button variant="default" onClick={() => picker.current?.click()}>
          Choose files…
        </Button>
        <Text span inherit c="dimmed" data-screen-only>
          or drop them anywhere on this page. Nothing leaves your browser.
        </Text>
        {given !== undefined && (
          <Flex component="span" wrap="wrap" align="center" gap={8} ml="auto">
            {given.name}, {sizeText(given.content)}
            <Button size="compact-xs" variant="default" onClick={onClear}>
              Clear
            </Button>
          </Flex>
        )}
      </Group>
      {files.length > 1 && (
        <Flex
          component="ul"
          wrap="wrap"
          gap={4}
          m={0}
          p={0}
          style={{ listStyle: 'none' }}
          aria-label="Files"
        >
          {files.map((file, at) => (
            <li key={at}>
              <Button
                size="compact-xs"
                variant={given?.content === file ? 'filled' : 'default'}
                aria-pressed={given?.content === file}
                onClick={() => {
                  onChoose(file)
                }}
              >
                {file.name}
              </Button>
            </li>
          ))}
        </Flex>
      )}
    </Flex>
  )
}

function sizeText(content: GivenInput['content']): string {
  if (typeof content === 'string') return bytesText(content.length)
  return bytesText(content instanceof Blob ? content.size : content.length)
}

/** Something to decode, as it was given, and how it came here. */
export interface GivenInput {
  readonly content: string | Uint8Array | Blob
  /** Such as "pasted text" or "build.intoto.jsonl". */
  readonly name: string
}

/** Text longer than this is not put into the field: browsers take seconds to lay it out. */
const mostInField = 200_000

/** Whether a text is shown in the field where it was pasted. */
export function fitsField(text: string): boolean {
  return text.length <= mostInField
}

/** A longer link is cut by chats and mail programs; it is not offered. */
const longest = 32_000

/** The fragment that carries attestations, which browsers never send; undefined where it is too large. */
export function envelopeFragment(texts: readonly string[]): string | undefined {
  // Line breaks in JSON are of its layout; of several, each is a line.
  const text = texts.length === 1 ? texts[0] : texts.map(onOneLine).join('\n')
  if (text === undefined || text.length > longest) return undefined
  const fragment = `#envelope=${toBase64Url(new TextEncoder().encode(text))}`
  return fragment.length > longest ? undefined : fragment
}

function onOneLine(json: string): string {
  return json.replaceAll(/[\r\n]+/g, ' ')
}

/** What a fragment carries. */
export type FragmentContent =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'broken'; readonly message: string }

/** Reads the fragment of an address. A broken one is said so: links are cut on their way. */
export function readEnvelopeFragment(hash: string): FragmentContent {
  const value = /^#envelope=(.*)$/s.exec(hash)?.[1]
  if (value === undefined || value === '') return { kind: 'none' }
  const decoded = decodeBase64(value)
  if (!decoded.ok || decoded.bytes.length === 0) {
    const message =
      "The link doesn't contain a base64 envelope. It may be incomplete. Copy it again, or paste the envelope itself."
    return { kind: 'broken', message }
  }
  return { kind: 'bytes', bytes: decoded.bytes }
}
