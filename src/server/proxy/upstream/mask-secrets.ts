import type { UpstreamClient } from './upstream-client.ts'

/** The secrets in every form in which they may travel; the list changes when a token is made. */
export type SecretForms = () => readonly string[]

/**
 * Masks secrets in all that a server answers, bodies and headers, wherever it goes from there: some
 * servers echo the credential that they are asked with. A mask is as long as what it hides, so that
 * lengths and offsets stay true.
 */
export function withMaskedSecrets(client: UpstreamClient, secrets: SecretForms): UpstreamClient {
  return {
    request: async (request) => {
      const response = await client.request(request)
      // Problems are read whole, and each of their texts is looked through.
      if (response.status >= 400) return response
      return {
        ...response,
        header: (name) => {
          const value = response.header(name)
          return value === null ? null : masked(value, secrets())
        },
        body: maskSecrets(response.body, secrets),
      }
    },
    close: () => client.close(),
  }
}

function masked(text: string, forms: readonly string[]): string {
  return forms.reduce((rest, form) => rest.replaceAll(form, mask(form.length)), text)
}

function mask(length: number): string {
  return length < 8 ? '*'.repeat(length) : `[secret]${'*'.repeat(length - 8)}`
}

/**
 * Bytes with every secret masked, also one that is cut in two by the pieces they come in. Of a piece
 * only its end is held back, and only where it may be the beginning of a secret.
 */
export async function* maskSecrets(
  pieces: AsyncIterable<Uint8Array>,
  secrets: SecretForms,
): AsyncGenerator<Uint8Array, void, undefined> {
  let known: readonly string[] = []
  let forms: readonly Buffer[] = []
  let held: Buffer | undefined
  for await (const piece of pieces) {
    const now = secrets()
    if (now !== known) {
      known = now
      forms = now.map((form) => Buffer.from(form, 'utf8'))
    }
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    const whole = held === undefined ? bytes : Buffer.concat([held, bytes])
    const begun = beginningAt(whole, forms)
    const { result, until } = maskedBytes(whole, forms, begun)
    held = until === whole.length ? undefined : result.subarray(until)
    if (until > 0) yield result.subarray(0, until)
  }
  if (held !== undefined) yield maskedBytes(held, forms, held.length).result
}

/** Masks what begins before `border`, and says where the last of that ends, or `border`. */
function maskedBytes(
  bytes: Buffer,
  forms: readonly Buffer[],
  border: number,
): { readonly result: Buffer; readonly until: number } {
  let result = bytes
  let until = border
  for (const form of forms) {
    let at = result.indexOf(form)
    while (at !== -1 && at < border) {
      // What came may be shared with others.
      if (result === bytes) result = Buffer.from(bytes)
      result.write(mask(form.length), at, 'latin1')
      until = Math.max(until, at + form.length)
      at = result.indexOf(form, at + form.length)
    }
  }
  return { result, until }
}

/** Where the longest end begins that a secret begins with, but no whole one. */
function beginningAt(bytes: Buffer, forms: readonly Buffer[]): number {
  let earliest = bytes.length
  for (const form of forms) {
    const first = form[0] ?? 0
    let at = bytes.indexOf(first, Math.max(0, bytes.length - form.length + 1))
    while (at !== -1 && at < earliest) {
      if (bytes.compare(form, 0, bytes.length - at, at) === 0) earliest = at
      at = bytes.indexOf(first, at + 1)
    }
  }
  return earliest
}

/** A secret of fewer characters is not looked for, as it would be found everywhere. */
const shortestSecret = 4
/** Of something longer in base64: shorter pieces are found by chance. */
const shortestPart = 8

/**
 * Secrets in every form in which servers send them back, longest first, so that none is left half
 * replaced by a shorter one inside it: as they are, in JSON and HTML with the escapes that their
 * writers like, percent-encoded, and in base64, alone or as a part of something longer, such as a
 * header. Of `user:password` the password alone, too. Secrets of under 4 characters have no form.
 */
export function formsOf(secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((secret) => {
    const colon = secret.indexOf(':')
    const plain = colon === -1 ? [secret] : [secret, secret.slice(colon + 1)]
    return plain.flatMap((text) => [
      text,
      ...inJson(text),
      ...inAddresses(text),
      ...inHtml(text),
      ...inBase64(text),
    ])
  })
  return [...new Set(forms)]
    .filter((text) => text.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
}

/** Without needless escapes, with that of slashes, and as Gson and .NET write it. */
function inJson(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0')
  return [
    json,
    text.replaceAll('/', '\\/'),
    json.replace(/[<>&=']/g, (character) => `\\u${hex(character)}`),
    json.replace(/[<>&+'`]|[^ -~]/g, (character) => `\\u${hex(character).toUpperCase()}`),
  ]
}

/** In either case of letters, and as forms write it. */
function inAddresses(text: string): readonly string[] {
  const form = new URLSearchParams({ '': text }).toString().slice(1)
  return [encodeURIComponent(text), form].flatMap((encoded) => [
    encoded,
    encoded.replace(/%../g, (code) => code.toLowerCase()),
  ])
}

/** With the usual marks, and with those that template languages add. */
function inHtml(text: string): readonly string[] {
  const usual = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
  const more = usual.replaceAll('=', '&#x3D;').replaceAll('`', '&#x60;')
  return [usual, usual.replaceAll('&quot;', '&#34;'), more, more.replaceAll('/', '&#x2F;')]
}

/** Alone, and what is the same of it wherever it stands in something longer (RFC 4648, 4 and 5). */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'utf8')
  const parts = [0, 1, 2]
    .map((skipped) => {
      const inner = bytes.subarray(skipped)
      return inner.subarray(0, inner.length - (inner.length % 3)).toString('base64')
    })
    .filter((part) => part.length >= shortestPart)
  const alone = bytes.toString('base64')
  return [alone, alone.replace(/=+$/, ''), ...parts].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
  ])
}
