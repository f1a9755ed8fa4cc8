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
    const whole = maskedBytes(held === undefined ? bytes : Buffer.concat([held, bytes]), forms)
    const border = whole.length - longestBegun(whole, forms)
    held = border === whole.length ? undefined : whole.subarray(border)
    if (border > 0) yield whole.subarray(0, border)
  }
  if (held !== undefined) yield held
}

function maskedBytes(bytes: Buffer, forms: readonly Buffer[]): Buffer {
  let result = bytes
  for (const form of forms) {
    for (let at = result.indexOf(form); at !== -1; at = result.indexOf(form, at + form.length)) {
      // What came may be shared with others.
      if (result === bytes) result = Buffer.from(bytes)
      result.write(mask(form.length), at, 'latin1')
    }
  }
  return result
}

/** The length of the longest end that a secret begins with, but no whole one. */
function longestBegun(bytes: Buffer, forms: readonly Buffer[]): number {
  let longest = 0
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, bytes.length); length > longest; length--) {
      if (bytes.compare(form, 0, length, bytes.length - length) === 0) longest = length
    }
  }
  return longest
}
