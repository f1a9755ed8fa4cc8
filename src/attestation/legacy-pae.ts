/**
 * What model_signing 0.2.0 signed by mistake: "DSSEV1", the type and the payload as Python prints
 * bytes (docs/attestations.md#signature-hints). For a hint only: nothing is verified by it.
 */
export function dssev1Pae(payloadType: string, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  // Python counts the characters of the type, not its bytes.
  const head = `DSSEV1 ${Array.from(payloadType).length} ${payloadType} ${payload.length} `
  return new TextEncoder().encode(head + pythonBytes(payload))
}

function pythonBytes(bytes: Uint8Array): string {
  const quote = bytes.includes(singleQuote) && !bytes.includes(doubleQuote) ? '"' : "'"
  const pieces: string[] = []
  for (const byte of bytes) pieces.push(pythonByte(byte, quote))
  return `b${quote}${pieces.join('')}${quote}`
}

function pythonByte(byte: number, quote: string): string {
  const character = String.fromCharCode(byte)
  const escaped = escapes.get(character)
  if (escaped !== undefined) return escaped
  if (character === quote) return `\\${quote}`
  return byte < 0x20 || byte >= 0x7f ? `\\x${byte.toString(16).padStart(2, '0')}` : character
}

const singleQuote = 0x27
const doubleQuote = 0x22
const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
])
