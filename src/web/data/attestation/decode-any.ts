import type { Document, Scalar, YAMLError } from 'yaml'
import { decode, type Decoded, type DecodedFailure } from '../../../attestation/decode.ts'
import { decodeBase64 } from '../../../attestation/decode/base64.ts'
import {
  type Finding,
  mistake,
  note,
  placeInWords,
  placesOfText,
} from '../../../attestation/decode/finding.ts'
import { isYamlRefused } from '../../../attestation/decode/wrong-paste.ts'

/**
 * Decodes as `decode` does, and what only a browser can unpack: gzip data, as a file or in base64, and
 * YAML, whose reader is loaded once there is some. Never throws for what was given.
 */
export async function decodeAny(input: string | Uint8Array): Promise<Decoded> {
  const packed = typeof input === 'string' ? gzipInText(input) : input
  const unpacked = packed && isGzip(packed) ? await gunzip(packed) : undefined
  const decoded = await withYaml(unpacked ?? input)
  return unpacked === undefined ? decoded : noted(decoded, 'This was gzip data. It was unpacked.')
}

async function withYaml(input: string | Uint8Array): Promise<Decoded> {
  const decoded = decode(input)
  if (decoded.ok) return decoded
  const text = typeof input === 'string' ? input : new TextDecoder().decode(input)
  // One annotation alone is a line that nothing else claims.
  const isLine = decoded.mistakes[0]?.code === 'not-json' && /^\s*["']?[\w./-]+["']?:\s/.test(text)
  if (!isLine && !decoded.mistakes.some(isYamlRefused)) return decoded
  const read = text.length > mostYaml ? undefined : await jsonOfYaml(text)
  if (read === undefined) return decoded
  if (typeof read !== 'string') return decoded.mistakes.some(isYamlRefused) ? read : decoded
  const found = decode(read)
  if (found.ok) return noted(found, 'This was YAML. Positions refer to the same content as JSON.')
  return found.mistakes.some(({ code }) => code === 'private-key' || code === 'duplicate-field')
    ? found
    : decoded
}

/**
 * The documents of a YAML text as JSON, their numbers as written; what is wrong with the first that is
 * broken. Undefined for what is no YAML after all, or would be without end by its aliases.
 */
async function jsonOfYaml(text: string): Promise<string | DecodedFailure | undefined> {
  // By name, as only what is named is bundled.
  const { isAlias, isMap, isScalar, isSeq, parseAllDocuments } = await import('yaml')
  try {
    const documents = [
      ...parseAllDocuments(text, {
        logLevel: 'silent',
        prettyErrors: false,
        intAsBigInt: true,
        // Whatever a document declares itself to be, it says the same to everybody.
        schema: 'core',
        resolveKnownTags: false,
      }),
    ].slice(0, mostDocuments)
    const [error] = documents.flatMap(({ errors }) => errors)
    if (error) return { ok: false, mistakes: [yamlMistake(error, text)] }
    let room = 4 * mostYaml
    let aliases = 0
    const written = (json: string): string => {
      room -= json.length + 1
      if (room < 0) throw new RangeError('Too long.')
      return json
    }
    const jsonOf = (node: unknown, document: Document): string => {
      if (isAlias(node)) {
        aliases += 1
        if (aliases > mostAliases) throw new RangeError('Too many.')
        return jsonOf(node.resolve(document), document)
      }
      if (isSeq(node)) return `[${node.items.map((one) => jsonOf(one, document)).join()}]`
      if (isMap(node)) {
        const members = node.items.map(({ key, value }) => {
          const name = jsonOf(key, document)
          return `${name.startsWith('"') ? name : JSON.stringify(name)}:${jsonOf(value, document)}`
        })
        return `{${members.join()}}`
      }
      return written(isScalar(node) ? scalarJson(node) : 'null')
    }
    const all = documents.map((document) => jsonOf(document.contents, document))
    return all.length === 1 ? all[0] : `[${all.join()}]`
  } catch {
    return undefined
  }
}

function yamlMistake({ code, pos }: YAMLError, text: string): Finding {
  const at = placesOfText('input', text)(pos[0])
  const where = `At ${placeInWords(at)}:`
  return code === 'DUPLICATE_KEY'
    ? mistake(
        'duplicate-field',
        `${where} duplicate key in YAML. Programs differ on which one they use, so neither can be trusted.`,
        at,
      )
    : mistake('not-json', `Not valid YAML. ${where} it is incomplete or broken.`, at)
}

function scalarJson({ value, source = '' }: Scalar): string {
  if (typeof value === 'bigint') return isJsonNumber.test(source) ? source : String(value)
  if (typeof value === 'number') {
    return isJsonNumber.test(source) ? source : JSON.stringify(source)
  }
  return JSON.stringify(value ?? null)
}

const isJsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

const mostYaml = 5_000_000
const mostDocuments = 1_000
/** Each is sought in all of its document. */
const mostAliases = 100

function noted(decoded: Decoded, message: string): Decoded {
  if (!decoded.ok) return decoded
  const [first, ...others] = decoded.items
  if (first === undefined) return decoded
  const item = { ...first, findings: [note('unpacked', message), ...first.findings] }
  return { ...decoded, ...item, items: [item, ...others] }
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8
}

/** The bytes of base64 that begins as that of gzip data does. */
function gzipInText(text: string): Uint8Array | undefined {
  const decoded = /^\s*H4sI/.test(text) ? decodeBase64(text.trim()) : undefined
  return decoded?.ok ? decoded.bytes : undefined
}

/**
 * All members of gzip data (RFC 1952, 2.2), of which a browser unpacks one: each ends where another can
 * begin, and proves it. Undefined for what is damaged, or would fill the memory.
 */
async function gunzip(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const members: Uint8Array<ArrayBuffer>[] = []
  let room = mostUnpacked
  let begin = 0
  let end = 0
  for (let tries = 0; begin < bytes.length; tries++) {
    if (tries === mostMembers || end === bytes.length) return undefined
    end = memberFrom(bytes, end + 1)
    const member = await gunzipMember(bytes.subarray(begin, end), room)
    if (member === undefined) continue
    members.push(member)
    room -= member.length
    begin = end
  }
  return new Uint8Array(await new Blob(members).arrayBuffer())
}

/** Where the next member can begin, or the end. */
function memberFrom(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(0x1f, from)
  while (at !== -1 && !isGzip(bytes.subarray(at, at + 3))) at = bytes.indexOf(0x1f, at + 1)
  return at === -1 ? bytes.length : at
}

async function gunzipMember(
  bytes: Uint8Array,
  room: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const stream = new Blob([new Uint8Array(bytes)])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  try {
    for (const reader = stream.getReader(); ;) {
      const { done, value } = await reader.read()
      if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer())
      chunks.push(value)
      length += value.length
      if (length > room) {
        await reader.cancel()
        return undefined
      }
    }
  } catch {
    return undefined
  }
}

const mostUnpacked = 200_000_000
const mostMembers = 1000
