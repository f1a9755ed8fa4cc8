import { decode, type Decoded } from '../../../attestation/decode.ts'
import { decodeBase64 } from '../../../attestation/decode/base64.ts'
import { note } from '../../../attestation/decode/finding.ts'
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
  const json = text.length > mostYaml ? undefined : await jsonOfYaml(text)
  const found = json === undefined ? decoded : decode(json)
  return found.ok
    ? noted(found, 'This was YAML. Positions refer to the same content as JSON.')
    : decoded
}

async function jsonOfYaml(text: string): Promise<string | undefined> {
  const { parseAllDocuments } = await import('yaml')
  try {
    const documents = [...parseAllDocuments(text, { logLevel: 'silent' })].slice(0, mostDocuments)
    const values = documents.map((one): unknown => one.toJS({ maxAliasCount: 100 }))
    return JSON.stringify(values.length === 1 ? values[0] : values)
  } catch {
    // Too many aliases, or nothing that is YAML after all: what `decode` says of the text stays.
    return undefined
  }
}

const mostYaml = 5_000_000
const mostDocuments = 1_000

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

/** Undefined for what is damaged, or would fill the memory. */
async function gunzip(bytes: Uint8Array): Promise<Uint8Array | undefined> {
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
      if (length > mostUnpacked) {
        await reader.cancel()
        return undefined
      }
    }
  } catch {
    return undefined
  }
}

const mostUnpacked = 200_000_000
