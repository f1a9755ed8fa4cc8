import { base64Forms } from '../../../protocol/credential-shapes.ts'
import type { UpstreamClient } from './upstream-client.ts'

/** The secrets in every form in which they may travel; the list changes when a token is made. */
export type SecretForms = () => readonly SecretForm[]

/** A secret, or its base64, with all spellings of each of its characters. Made by `formsOf`. */
export interface SecretForm {
  /** In order: runs of letters and digits, which nobody escapes, and the spellings of what is between them. */
  readonly parts: readonly (Buffer | Spellings)[]
  /** The longest run, and how far into the secret it may begin at least and at most. */
  readonly anchor: { readonly run: Buffer; readonly from: number; readonly to: number } | undefined
  /** What it may begin with, and how many bytes it has at most. */
  readonly firsts: readonly number[]
  readonly longest: number
}

/** Of one character: in lower case what it may be escaped as, which is found in either case, and last as it is. */
type Spellings = readonly Buffer[]

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
          return value === null ? null : withoutSecrets(value, secrets(), mask)
        },
        body: maskSecrets(response.body, secrets),
      }
    },
    close: () => client.close(),
  }
}

function mask(length: number): string {
  return length < 8 ? '*'.repeat(length) : `[secret]${'*'.repeat(length - 8)}`
}

/** A text with `put` of its length, in bytes, in place of every secret. */
export function withoutSecrets(
  text: string,
  forms: readonly SecretForm[],
  put: (length: number) => string,
): string {
  let bytes: Buffer = Buffer.from(text, 'utf8')
  let isChanged = false
  for (const form of forms) {
    const kept: (Buffer | string)[] = []
    let from = 0
    for (const [at, end] of placesOf(form, bytes, bytes.length)) {
      kept.push(bytes.subarray(from, at), put(end - at))
      from = end
    }
    if (from === 0) continue
    isChanged = true
    bytes = Buffer.concat([...kept, bytes.subarray(from)].map((piece) => Buffer.from(piece)))
  }
  // What has no secret is given back as it is: UTF-8 cannot write half a character.
  return isChanged ? bytes.toString('utf8') : text
}

/**
 * Bytes with every secret masked, also one that is cut in two by the pieces they come in. Of a piece
 * only its end is held back, and only where it may be the beginning of a secret.
 */
export async function* maskSecrets(
  pieces: AsyncIterable<Uint8Array>,
  secrets: SecretForms,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Buffer | undefined
  for await (const piece of pieces) {
    const forms = secrets()
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    const whole = held === undefined ? bytes : Buffer.concat([held, bytes])
    const begun = beginningAt(whole, forms)
    const { result, until } = maskedBytes(whole, forms, begun)
    held = until === whole.length ? undefined : result.subarray(until)
    if (until > 0) yield result.subarray(0, until)
  }
  if (held !== undefined) yield maskedBytes(held, secrets(), held.length).result
}

/** Masks what begins before `border`, and says where the last of that ends, or `border`. */
function maskedBytes(
  bytes: Buffer,
  forms: readonly SecretForm[],
  border: number,
): { readonly result: Buffer; readonly until: number } {
  let result = bytes
  let until = border
  for (const form of forms) {
    for (const [at, end] of placesOf(form, result, border)) {
      // What came may be shared with others.
      if (result === bytes) result = Buffer.from(bytes)
      result.write(mask(end - at), at, 'latin1')
      until = Math.max(until, end)
    }
  }
  return { result, until }
}

/** Where the longest end begins that a secret begins with, but no whole one. */
function beginningAt(bytes: Buffer, forms: readonly SecretForm[]): number {
  let earliest = bytes.length
  for (const { parts, firsts, longest } of forms) {
    for (const first of firsts) {
      let at = bytes.indexOf(first, Math.max(0, bytes.length - longest + 1))
      while (at !== -1 && at < earliest) {
        if (endOf(parts, 0, bytes, at) === cut) earliest = at
        at = bytes.indexOf(first, at + 1)
      }
    }
  }
  return earliest
}

/** Where the secret stands, from and to, as far as it begins before `border`; no two overlap. */
function placesOf(
  { parts, anchor, firsts }: SecretForm,
  bytes: Buffer,
  border: number,
): readonly (readonly [number, number])[] {
  const places: [number, number][] = []
  let free = 0
  const look = (from: number, to: number): void => {
    for (let at = Math.max(from, free); at <= to && at < border; at += 1) {
      const end = firsts.includes(bytes[at] ?? 0) ? endOf(parts, 0, bytes, at) : none
      if (end < 0) continue
      places.push([at, end])
      free = end
      at = end - 1
    }
  }
  if (anchor === undefined) {
    look(0, bytes.length - 1)
    return places
  }
  let hit = bytes.indexOf(anchor.run)
  while (hit !== -1 && hit - anchor.to < border) {
    look(hit - anchor.to, hit - anchor.from)
    hit = bytes.indexOf(anchor.run, hit + 1)
  }
  return places
}

/** The secret is not there; and the bytes end while all of them could be its beginning. */
const none = -1
const cut = -2

/** Where what begins at `at` ends with the last of the parts from `index` on, or `none` or `cut`. */
function endOf(parts: SecretForm['parts'], index: number, bytes: Buffer, at: number): number {
  let place = at
  for (let next = index; next < parts.length; next += 1) {
    const part = parts[next]
    if (part === undefined) break
    if (!Buffer.isBuffer(part)) return endOfSpelled(part, parts, next + 1, bytes, place)
    const found = startsWith(bytes, place, part)
    if (found !== true) return found
    place += part.length
  }
  return place
}

function endOfSpelled(
  all: Spellings,
  parts: SecretForm['parts'],
  next: number,
  bytes: Buffer,
  at: number,
): number {
  let best = none
  for (const spelling of all) {
    const found = startsWith(bytes, at, spelling, spelling !== all.at(-1))
    const end = found === true ? endOf(parts, next, bytes, at + spelling.length) : found
    if (end >= 0) return end
    if (end === cut) best = cut
  }
  return best
}

function startsWith(bytes: Buffer, at: number, text: Buffer, anyCase = false): true | -1 | -2 {
  for (let index = 0; index < text.length; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) return cut
    const isCapital = anyCase && byte >= 0x41 && byte <= 0x5a
    if ((isCapital ? byte + 0x20 : byte) !== text[index]) return none
  }
  return true
}

/** A secret of fewer characters is not looked for, as it would be found everywhere. */
const shortestSecret = 4

/**
 * Secrets in every form in which servers send them back, longest first, so that none is left half
 * replaced by a shorter one inside it: as they are and in base64, alone or as a part of something
 * longer, such as a header, also of a header in base64; and of either each character as it is or escaped as in JSON, HTML, addresses
 * and programs, once or twice, whichever of them a server escapes. Of `user:password` the password alone, too. Secrets of under 4 characters have no form.
 */
export function formsOf(secrets: readonly string[]): readonly SecretForm[] {
  const texts = secrets.flatMap((secret) => {
    const colon = secret.indexOf(':')
    const plain = colon === -1 ? [secret] : [secret, secret.slice(colon + 1)]
    return plain.flatMap((text) => [text, ...base64Forms(text)])
  })
  return [...new Set(texts)]
    .filter((text) => text.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
    .map(formOf)
}

function formOf(text: string): SecretForm {
  const parts = (text.match(/[\dA-Za-z]+|[^\dA-Za-z]/gu) ?? []).map((part) =>
    /^[\dA-Za-z]/.test(part) ? Buffer.from(part) : spellingsOf(part),
  )
  let anchor: SecretForm['anchor']
  let [from, to] = [0, 0]
  for (const part of parts) {
    const lengths = (Buffer.isBuffer(part) ? [part] : part).map(({ length }) => length)
    if (Buffer.isBuffer(part) && part.length > (anchor?.run.length ?? 0)) {
      anchor = { run: part, from, to }
    }
    from += Math.min(...lengths)
    to += Math.max(...lengths)
  }
  const [first] = parts
  const begins = first === undefined || Buffer.isBuffer(first) ? [first] : first
  return { parts, anchor, firsts: [...new Set(begins.map((text) => text?.[0] ?? 0))], longest: to }
}

const namedInHtml: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '+': 'plus',
  '/': 'sol',
  '=': 'equals',
}

/** Of a character that is no letter and no digit, the longest escapes first: none begins another one that fits as well. */
function spellingsOf(character: string): Spellings {
  const plain = Buffer.from(character)
  const bytes = [...plain].map((byte) => byte.toString(16).padStart(2, '0'))
  const units = Array.from({ length: character.length }, (_, index) =>
    character.charCodeAt(index).toString(16).padStart(4, '0'),
  )
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  const name = namedInHtml[character]
  const inHtml = [
    `#${String(code)};`,
    `#${String(code).padStart(3, '0')};`,
    `#x${hex};`,
    `#x${hex.padStart(4, '0')};`,
    ...(name === undefined ? [] : [`${name};`]),
  ]
  const inPrograms = [
    ...['\\', '\\\\'].flatMap((slash) => [
      units.map((unit) => `${slash}u${unit}`).join(''),
      bytes.map((byte) => `${slash}x${byte}`).join(''),
    ]),
    ...(code < 0x80 ? [`\\${character}`, `\\\\${character}`, `\\\\\\${character}`] : []),
  ]
  const escaped = [
    ...['%', '%25'].map((percent) => bytes.map((byte) => `${percent}${byte}`).join('')),
    ...(character === ' ' ? ['+'] : []),
    ...inPrograms,
    ...inHtml.flatMap((rest) => [`&${rest}`, `&amp;${rest}`]),
  ]
  return [
    ...[...new Set(escaped)].sort((a, b) => b.length - a.length).map((text) => Buffer.from(text)),
    plain,
  ]
}
